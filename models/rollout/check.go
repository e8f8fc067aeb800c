package rollout

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"recoup/models/db"
	"recoup/models/fault"
)

const (
	// againRows is how many decisions a run looks at once more, beside those that are new: what was right may have been damaged
	// since. The rounds of live rollouts go on to the last one, roundRows at a time, for againFor in all: see reread.
	againRows = 20_000
	roundRows = 50_000
	againFor  = 15 * time.Second
	// keptFindings is how many findings of one run are kept.
	keptFindings = 1000
	// lateness is how much later than its own time a row may become visible: longer than any transaction lasts.
	lateness = 10 * time.Minute
)

// checker makes the three checks of a rollout.
type checker struct {
	costs CostsFunc
	// rows is againRows, round roundRows; tests make them small.
	rows, round int
}

// run examines the decisions that are new below the oldest transaction under way, those whose entries or replays are
// new, those with an open finding, and a part of all others in turn; stores what came out; and returns it. Two runs of
// a rollout wait for each other.
func (c checker) run(ctx context.Context, g *gorm.DB, r Rollout) (Checks, error) {
	at, err := c.lock(ctx, g, r.ID)
	if err != nil {
		return Checks{}, err
	}
	if _, err := c.again(ctx, g, r, at, c.rows); err != nil {
		return Checks{}, err
	}
	examined, err := c.examine(ctx, g, r, at, at.Upto)
	if err != nil {
		return Checks{}, err
	}
	out := Checks{At: at.Now.UTC(), Examined: at.Examined + examined}
	if err := c.conclude(ctx, g, r, &out); err != nil {
		return Checks{}, err
	}
	err = g.WithContext(ctx).Exec(`UPDATE rollout_checks SET horizon = GREATEST(horizon, ?::xid8), examined = ? WHERE rollout_id = ?`, at.Upto, out.Examined, r.ID).Error
	if err != nil {
		return Checks{}, fmt.Errorf("rollout: horizon: %w", err)
	}
	return out, store(ctx, g, r.ID, out)
}

// progress is how far the checks of a rollout have read.
type progress struct {
	Horizon      string
	Examined     int64
	AgainTx      string
	AgainAccount int64
	AgainID      string
	CheckedAt    *time.Time
	// Upto is the oldest transaction under way, Now the database's clock; neither is kept.
	Upto string    `gorm:"-"`
	Now  time.Time `gorm:"-"`
}

// look examines a set of decisions, recent or older, and keeps what it finds: a new finding is made, one that is right again is
// marked gone.
func (c checker) look(ctx context.Context, g *gorm.DB, r Rollout, source string, args map[string]any) (seen, error) {
	var s seen
	g = g.WithContext(ctx)
	if err := g.Exec(planning).Error; err != nil {
		return s, fmt.Errorf("rollout: examine: %w", err)
	}
	args["ro"], args["salt"], args["kept"], args["lateness"] = r.ID, r.Salt, keptFindings, lateness.Seconds()
	err := g.Raw(`WITH source AS (`+source+`), `+examined+`,
		p AS MATERIALIZED (`+problems+`),
		made AS (INSERT INTO rollout_findings (rollout_id, "check", account_key, operation_id, what, expected, found)
			SELECT @ro, "check", account_key, operation_id, what, expected, found FROM p LIMIT @kept
			ON CONFLICT (rollout_id, "check", account_key, operation_id, what) DO UPDATE
				SET expected = EXCLUDED.expected, found = EXCLUDED.found, gone_at = NULL,
					found_at = CASE WHEN rollout_findings.gone_at IS NULL THEN rollout_findings.found_at ELSE clock_timestamp() END),
		gone AS (UPDATE rollout_findings f SET gone_at = clock_timestamp() WHERE f.rollout_id = @ro AND f.gone_at IS NULL AND @open AND NOT EXISTS (SELECT 1 FROM p
			WHERE (p."check", p.account_key, p.operation_id, p.what) = (f."check", f.account_key, f.operation_id, f.what)))
		SELECT (SELECT count(*) FILTER (WHERE tx >= (@from)::xid8 AND tx < (@upto)::xid8) FROM d) AS fresh, (SELECT count(*) FROM d) AS n,
			l.tx::text AS tx, l.account_key AS account, l.operation_id AS id
		FROM (SELECT 1) one LEFT JOIN LATERAL (SELECT * FROM d ORDER BY tx DESC, account_key DESC, operation_id DESC LIMIT 1) l ON true`, args).Scan(&s).Error
	if err != nil {
		return s, fmt.Errorf("rollout: examine: %w", err)
	}
	return s, nil
}

// seen is what a look was at: how many decisions, how many of them were new, and the last one; nil for none.
type seen struct {
	N, Fresh int64
	Tx, ID   *string
	Account  *int64
}

// examine looks at what is new since the last time, and at what was wrong then. It returns how many decisions were new.
func (c checker) examine(ctx context.Context, g *gorm.DB, r Rollout, at progress, upto string) (int64, error) {
	since := time.Time{}
	if at.CheckedAt != nil {
		since = at.CheckedAt.Add(-lateness)
	}
	s, err := c.look(ctx, g, r, recent, map[string]any{"from": at.Horizon, "upto": upto, "since": since, "charges_since": since, "open": true})
	return s.Fresh, err
}

// again looks once more at decisions that were right before, at the next so many in turn, and where it begins anew at all charges of
// the rollout. It reports whether more are left.
func (c checker) again(ctx context.Context, g *gorm.DB, r Rollout, at progress, rows int) (bool, error) {
	charges := time.Time{}
	if at.AgainTx != "0" {
		charges = at.Now
	}
	s, err := c.look(ctx, g, r, older, map[string]any{"from": at.Horizon, "upto": at.Horizon, "again_tx": at.AgainTx, "again_account": at.AgainAccount, "again_id": at.AgainID,
		"again_rows": rows, "charges_since": charges, "open": false})
	if err != nil {
		return false, err
	}
	more := s.N == int64(rows)
	if !more {
		zero, none, empty := "0", int64(0), ""
		s.Tx, s.Account, s.ID = &zero, &none, &empty
	}
	err = g.WithContext(ctx).Exec(`UPDATE rollout_checks SET again_tx = ?::xid8, again_account = ?, again_id = ? WHERE rollout_id = ?`, *s.Tx, *s.Account, *s.ID, r.ID).Error
	if err != nil {
		return false, fmt.Errorf("rollout: examine: %w", err)
	}
	return more, nil
}

// lock waits for other runs of the rollout's checks, and returns how far they have read.
func (c checker) lock(ctx context.Context, g *gorm.DB, id string) (progress, error) {
	g = g.WithContext(ctx)
	var at progress
	if err := g.Exec(`INSERT INTO rollout_checks (rollout_id) VALUES (?) ON CONFLICT DO NOTHING`, id).Error; err != nil {
		return at, fmt.Errorf("rollout: checks: %w", err)
	}
	err := g.Raw(`SELECT horizon::text AS horizon, examined, again_tx::text AS again_tx, again_account, again_id, checked_at
		FROM rollout_checks WHERE rollout_id = ? FOR UPDATE`, id).Scan(&at).Error
	if err != nil {
		return at, fmt.Errorf("rollout: checks: %w", err)
	}
	// In a statement of its own: the one above may have waited for another run. Into variables: what is scanned into a struct empties it.
	if err := g.Raw(`SELECT pg_snapshot_xmin(pg_current_snapshot())::text, clock_timestamp()`).Row().Scan(&at.Upto, &at.Now); err != nil {
		return at, fmt.Errorf("rollout: horizon: %w", err)
	}
	return at, nil
}

// conclude says how the three checks come out.
func (c checker) conclude(ctx context.Context, g *gorm.DB, r Rollout, out *Checks) error {
	var open []struct {
		Check CheckName
		N     int64
		Example
	}
	err := g.Raw(`SELECT DISTINCT ON ("check") "check", count(*) OVER (PARTITION BY "check") AS n, what, operation_id, expected, found
		FROM rollout_findings WHERE rollout_id = ? AND gone_at IS NULL ORDER BY "check", operation_id, what`, r.ID).Scan(&open).Error
	if err != nil {
		return fmt.Errorf("rollout: findings: %w", err)
	}
	err = g.Raw(`SELECT count(*) FROM (SELECT 1 FROM entries WHERE rollout_id = ? AND type = 'charge' AND cohort = 'candidate' LIMIT ?) x`,
		r.ID, r.MinCharges).Scan(&out.Charges).Error
	if err != nil {
		return fmt.Errorf("rollout: charges: %w", err)
	}
	few := ""
	if out.Charges < int64(r.MinCharges) {
		few = fmt.Sprintf("%d of %d charges under the candidate", out.Charges, r.MinCharges)
	}
	out.All = []Check{{Name: Uniqueness}, {Name: Consistency}, {Name: Reconciliation}}
	for i := range out.All {
		for _, o := range open {
			if o.Check == out.All[i].Name {
				example := o.Example
				out.All[i].Found, out.All[i].Example, out.All[i].Why = o.N, &example, example.String()
			}
		}
	}
	missing := []string{few, few, few}
	if c.costs == nil {
		missing[2] = join(few, "costs are not connected")
	} else if err := c.reconcile(ctx, g, r, out, &missing[2]); err != nil {
		return err
	}
	for i := range out.All {
		x := &out.All[i]
		switch {
		case x.Found > 0:
			x.Outcome = Fail
		case missing[i] != "":
			x.Outcome, x.Why = Missing, missing[i]
		default:
			x.Outcome = Pass
		}
	}
	return nil
}

// reconcile adds what is known of the costs to check 3.
func (c checker) reconcile(ctx context.Context, g *gorm.DB, r Rollout, out *Checks, missing *string) error {
	costs, err := c.costs(ctx, g, r)
	if err != nil {
		return fmt.Errorf("rollout: costs: %w", err)
	}
	out.Delivered, out.Known = costs.Delivered, costs.Known
	if costs.Unattributed > 0 {
		x := &out.All[2]
		x.Found += costs.Unattributed
		x.Unattributed, x.Costs, x.CostKeys = costs.Unattributed, costs.Names, costs.Keys
		x.Why = join(x.Why, fmt.Sprintf("%d unattributed costs: %s", costs.Unattributed, strings.Join(costs.Names, ", ")))
	}
	if costs.Known*10000 < costs.Delivered*int64(r.MinCostsBps) || costs.Delivered == 0 && r.MinCostsBps > 0 {
		*missing = join(*missing, fmt.Sprintf("costs of %d of %d delivered jobs are known", costs.Known, costs.Delivered))
	}
	return nil
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// Check makes the checks of a rollout now and stores them. Where one is red, a running or paused rollout is halted, as
// an operation of Recoup itself. Fault: rollout_not_found.
func (s *Service) Check(ctx context.Context, id string) (Checks, error) {
	r, err := s.Find(ctx, id)
	if err != nil {
		return Checks{}, err
	}
	var made Checks
	err = db.InTx(ctx, s.g, func(g *gorm.DB) error {
		var err error
		made, err = s.gate(ctx, g, r)
		return err
	})
	if err != nil || !made.Red() || r.State != Running && r.State != Paused {
		return made, err
	}
	if _, err := s.Halt(ctx, id, r.Version, made); err != nil && fault.As(err) == nil {
		return made, err
	}
	return made, nil
}

// reread looks at all older decisions of a rollout once more, and at all its charges, and keeps what it finds for the check that
// follows: damage to one of them is found by the next round, however many there are, as long as a round reads them until
// deadline. Else it goes on where it stopped. Between two parts others may make the checks.
func (s *Service) reread(ctx context.Context, r Rollout, deadline time.Time) error {
	for more := true; more && time.Now().Before(deadline); {
		err := db.InTx(ctx, s.g, func(g *gorm.DB) error {
			at, err := s.checks.lock(ctx, g, r.ID)
			if err == nil {
				more, err = s.checks.again(ctx, g, r, at, s.checks.round)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// CheckLive makes the checks of all rollouts that are live, and looks at their older decisions once more: againFor in all, of
// which each has its share and what those before it left. It goes on after a failure and returns the first.
func (s *Service) CheckLive(ctx context.Context) error {
	live, err := s.Live(ctx)
	if err != nil {
		return err
	}
	var first error
	begun, checking := time.Now(), time.Duration(0)
	for i, r := range live {
		left := againFor - (time.Since(begun) - checking)
		err := s.reread(ctx, r, time.Now().Add(left/time.Duration(len(live)-i)))
		before := time.Now()
		if _, failed := s.Check(ctx, r.ID); failed != nil {
			err = failed
		}
		checking += time.Since(before)
		if err != nil && first == nil {
			first = fmt.Errorf("rollout %s: %w", r.ID, err)
		}
	}
	return first
}
