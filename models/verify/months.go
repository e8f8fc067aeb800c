package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"recoup/models/credit"
	"recoup/models/month"
	"recoup/models/operation"
	"recoup/models/rollup"
)

// months adds up every closed month anew, from the entries and not from the rollup, and holds it against the
// figures it was closed with. That each is there and is as it was closed comes first.
func (r *run) months(ctx context.Context) error {
	if err := r.closings(ctx); err != nil {
		return err
	}
	closed, err := month.ClosedMonths(ctx, r.v.g)
	if err != nil || len(closed) == 0 {
		return err
	}
	groups, bounds, err := r.v.recount(ctx, closed)
	if err != nil {
		return fmt.Errorf("months: %w", err)
	}
	for _, c := range closed {
		if err := r.month(c, groups, bounds); err != nil {
			return err
		}
	}
	// The newest anchor speaks for all that lies before it.
	last := closed[len(closed)-1]
	heads, err := r.v.HeadsDigest(ctx, last.Figures.To.Add(-time.Microsecond))
	if err != nil {
		return err
	}
	if heads != last.HeadsDigest {
		return r.problem(Problem{Check: CheckMonth, Expected: last.HeadsDigest, Found: heads,
			Message: "The newest entries at the end of " + last.Figures.Month.String() + " are not those it was closed with: entries were cut off or changed."})
	}
	return nil
}

// month holds one closed month against groups, whose Part counts the bounds at or before them.
func (r *run) month(c month.Closed, groups []rollup.Group, bounds []time.Time) error {
	name := c.Figures.Month.String()
	canonical, err := c.Figures.Canonical()
	if err != nil {
		return err
	}
	if sum := sha256.Sum256([]byte(canonical)); hex.EncodeToString(sum[:]) != c.Digest {
		err := r.problem(Problem{Check: CheckMonth, Expected: c.Digest, Found: hex.EncodeToString(sum[:]), Message: "The stored figures of " + name + " do not have the stored digest."})
		if err != nil {
			return err
		}
	}
	position := func(at time.Time) int {
		return slices.IndexFunc(bounds, func(b time.Time) bool { return b.Equal(at) }) + 1
	}
	from, to := position(c.Figures.From), position(c.Figures.To)
	var mine []rollup.Group
	for _, g := range groups {
		switch {
		case g.Part < from:
			g.Part = 0
		case g.Part < to:
			g.Part = 1
		default:
			continue
		}
		mine = append(mine, g)
	}
	now := month.Of(c.Figures.Month, c.Figures.Zone, c.Figures.From, c.Figures.To, mine)
	differences := month.Differences(c.Figures, now)
	if len(differences) == 0 {
		return nil
	}
	var expected, found []string
	for _, d := range differences {
		label := d.Name
		if d.Name == "group" {
			label = d.Group.Type + describeGroup(d.Group.RuleVersion, d.Group.RolloutID, d.Group.Cohort, d.Group.Category)
		}
		expected, found = append(expected, label+" "+d.Stored), append(found, label+" "+d.Now)
	}
	return r.problem(Problem{Check: CheckMonth, Expected: strings.Join(expected, "; "), Found: strings.Join(found, "; "),
		Message: "The entries of " + name + " do not add up to the figures it was closed with."})
}

// recount adds up all entries before the end of the last closed month in one pass, by the parts that the ends of
// the months divide them into.
func (v *Verifier) recount(ctx context.Context, closed []month.Closed) (groups []rollup.Group, bounds []time.Time, err error) {
	var texts []string
	for _, c := range closed {
		bounds = append(bounds, c.Figures.From, c.Figures.To)
	}
	slices.SortFunc(bounds, time.Time.Compare)
	bounds = slices.CompactFunc(bounds, time.Time.Equal)
	for _, b := range bounds {
		texts = append(texts, b.UTC().Format("2006-01-02 15:04:05.999999Z07:00"))
	}
	err = v.native(ctx, func(conn *pgx.Conn) error {
		return snapshot(ctx, conn, func(tx pgx.Tx, _ time.Time) error {
			return each(ctx, tx, func(row [][]byte) error {
				text := func(i int) string { return string(row[i]) }
				var amount credit.Sum
				if err := amount.Scan(text(7)); err != nil {
					return err
				}
				groups = append(groups, rollup.Group{Part: int(int32Of(row[0])), Type: text(1), RuleVersion: text(2), RolloutID: text(3), Cohort: text(4),
					Category: text(5), Count: int64Of(row[6]), Amount: amount})
				return nil
			}, `SELECT width_bucket(created_at, $1::timestamptz[]), type, COALESCE(rule_version, ''), COALESCE(rollout_id, ''), COALESCE(cohort, ''),
					COALESCE(category, ''), count(*), sum(amount)::text
				FROM entries WHERE created_at < $2 GROUP BY 1, 2, 3, 4, 5, 6`, "{\""+strings.Join(texts, "\",\"")+"\"}", bounds[len(bounds)-1])
		})
	})
	return groups, bounds, err
}

// Months is the service of months over this database: it closes none while the last run of verify found something
// wrong, and hands each anchor it takes to keep, as Anchor does.
func (v *Verifier) Months(ops *operation.Store, sums *rollup.Store, keep func(Anchor) error) *month.Service {
	return month.New(month.Deps{Ops: ops, Rollup: sums, Verified: v.Verified, Anchor: func(ctx context.Context, at time.Time) (string, error) {
		a, err := v.Anchor(ctx, at, keep)
		return a.Digest, err
	}})
}

// Verified tells those who close a month what the last run over all accounts found wrong with the ledger: every
// check but those of work that waits, of costs and of rollouts, nil when there was no run.
func (v *Verifier) Verified(ctx context.Context) (*month.Verified, error) {
	last, err := v.Last(ctx)
	if err != nil || last == nil {
		return nil, err
	}
	out := month.Verified{StartedAt: last.Started}
	for _, n := range last.ByCheck {
		out.Found += n
	}
	made, err := v.MadeBefore(ctx, *last)
	if err != nil {
		return nil, err
	}
	for _, check := range Checks() {
		// A check that a run did not make has found nothing by that: what the last run said that made it still holds.
		if !slices.Contains(Aside(), check) && last.ByCheck[check]+made[check].ByCheck[check] > 0 {
			out.Problems = append(out.Problems, string(check))
		}
	}
	return &out, nil
}
