package settlement

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"recoup/models/credit"
	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/pricing"
	"recoup/models/where"
)

// Sign says which differences a settlement holds.
type Sign string

// The signs. Credits go to customers, who paid more than the baseline; debits come from those who paid less.
const (
	Credits Sign = "credits"
	Debits  Sign = "debits"
	Both    Sign = "both"
)

// Valid reports whether s is one of the signs.
func (s Sign) Valid() bool { return s == Credits || s == Debits || s == Both }

// Filter restricts a settlement. Its zero value holds every credit to a customer.
type Filter struct {
	// From and To bound when the job was charged, To exclusively; nil for no bound.
	From *time.Time `json:"from,omitempty"`
	To   *time.Time `json:"to,omitempty"`
	// Accounts are ids; empty for all.
	Accounts []string `json:"accounts,omitempty"`
	// Minimum is what the differences of an account have to come to, in credits, whatever their sign.
	Minimum int64 `json:"minimum,omitempty"`
	// Sign is Credits when empty.
	Sign Sign `json:"sign,omitempty"`
}

// maxAccounts is how many accounts a filter may name.
const maxAccounts = 1000

// check returns what is wrong with a filter by itself.
func (f Filter) check() []fault.Field {
	var bad []fault.Field
	if f.Sign != "" && !f.Sign.Valid() {
		bad = append(bad, fault.Field{Name: "sign", Message: "must be credits, debits or both"})
	}
	if f.Minimum < 0 {
		bad = append(bad, fault.Field{Name: "minimum", Message: "must not be negative"})
	}
	if f.From != nil && f.To != nil && !f.From.Before(*f.To) {
		bad = append(bad, fault.Field{Name: "to", Message: "must be later than from"})
	}
	if len(f.Accounts) > maxAccounts {
		bad = append(bad, fault.Field{Name: "accounts", Message: "must be at most 1000"})
	}
	for _, id := range f.Accounts {
		if err := ids.CheckCallerID(id); err != nil {
			return append(bad, fault.Field{Name: "accounts", Message: err.Error()})
		}
	}
	return bad
}

// rollout is what a settlement needs of a rollout: it never changes.
type rollout struct {
	ID, State, Action, Candidate string
	Baseline                     pricing.Rule `gorm:"embedded;embeddedPrefix:rule_"`
}

// readRollout reads a rollout that has been started. Faults: rollout_not_found, state_conflict.
func readRollout(ctx context.Context, g *gorm.DB, id string) (rollout, error) {
	var r rollout
	if ids.CheckCallerID(id) != nil {
		return r, fault.New(fault.NotFound, fault.CodeRolloutNotFound, "There is no such rollout. Nothing was done.")
	}
	res := g.WithContext(ctx).Raw(`SELECT o.id, o.state, o.action, o.candidate, r.id AS rule_id, r.unit_price AS rule_unit_price, r.minimum AS rule_minimum,
		r.discount_bps AS rule_discount_bps, r.rounding AS rule_rounding FROM rollouts o JOIN rule_versions r ON r.id = o.baseline WHERE o.id = ?`, id).Scan(&r)
	switch {
	case res.Error != nil:
		return r, fmt.Errorf("settlement: rollout: %w", res.Error)
	case res.RowsAffected == 0:
		return r, fault.New(fault.NotFound, fault.CodeRolloutNotFound, "There is no rollout %q. Nothing was done.", id)
	case r.State == "draft" || r.State == "archived":
		return r, fault.State(r.State, "The rollout %q has charged nobody: it was never started. Nothing was done.", id).Because(WhyNotStarted).With("rollout_id", id)
	}
	return r, nil
}

// over refuses a rollout that is live: its candidate is the price of whoever it admitted, and it goes on to charge under it.
// What is owed for it shows once it has ended. Fault: state_conflict.
func (r rollout) over() error {
	switch r.State {
	case "running", "paused", "halted":
		return fault.State(r.State, "The rollout %q is live: roll it back first. Nothing was done.", r.ID).Because(WhyRolloutLive).With("rollout_id", r.ID)
	}
	return nil
}

// paid and held are conditions on such a charge: its job was paid for this rollout, or a settlement holds it that may
// still pay it.
const (
	paid = `EXISTS (SELECT 1 FROM settlement_payments p WHERE p.rollout_id = @ro AND p.account_key = e.account_key AND p.job_key = e.job_key)`
	held = `EXISTS (SELECT 1 FROM settlement_items i JOIN settlements s ON s.key = i.settlement_key AND s.rollout_id = @ro AND s.finished_at IS NULL
		` + requestOf + ` WHERE i.account_key = e.account_key AND i.job_key = e.job_key AND s.id <> @except AND (s.approved_at IS NOT NULL OR ` + isOpen + `))`
)

// due is the common table of the charges that a proposal holds: each with what it cost, what it would have cost under
// the baseline, and the difference. except is a settlement that is about to be void and so holds nothing; empty for none.
func due(ctx context.Context, g *gorm.DB, r rollout, f Filter, except string) (with string, args map[string]any, err error) {
	units, prices, beyond, err := baselinePrices(ctx, g, r)
	if err != nil {
		return "", nil, err
	}
	if beyond != 0 && (f.Sign == Debits || f.Sign == Both) {
		return "", nil, fault.New(fault.Conflict, fault.CodeAmountOverflow, "%d units cost more under %s than a signed 64-bit number of credits. Nothing was proposed.", beyond, r.Baseline.ID)
	}
	args = map[string]any{"ro": r.ID, "units": where.ListOf(units), "prices": where.ListOf(prices), "minimum": f.Minimum, "except": except}
	conds := ` AND NOT ` + paid + ` AND NOT ` + held
	if f.From != nil {
		conds += ` AND e.created_at >= @from`
		args["from"] = *f.From
	}
	if f.To != nil {
		conds += ` AND e.created_at < @to`
		args["to"] = *f.To
	}
	if len(f.Accounts) > 0 {
		conds += ` AND e.account_key IN (SELECT key FROM accounts WHERE id = ANY ((@accounts)::text[]))`
		args["accounts"] = where.ListOf(f.Accounts)
	}
	sign := map[Sign]string{Debits: `charged < baseline`, Both: `charged <> baseline`}[f.Sign]
	if sign == "" {
		sign = `charged > baseline`
	}
	// The units are the decision's: what a charge was priced for is never asked anew.
	return `WITH priced AS MATERIALIZED (SELECT e.account_key, e.job_key, e.operation_id, e.created_at AS charged_at, d.units, -e.amount AS charged, b.price AS baseline
			` + priced + conds + `),
		differing AS MATERIALIZED (SELECT *, charged - baseline AS amount FROM priced WHERE ` + sign + `),
		due AS MATERIALIZED (SELECT * FROM differing WHERE account_key IN
			(SELECT account_key FROM differing GROUP BY account_key HAVING abs(sum(amount)) >= (@minimum)::bigint))`, args, nil
}

// priced are the charges e under a rollout's candidate whose jobs were delivered, each with the decision d that priced
// it and the baseline's price b.
const priced = ` FROM entries e JOIN jobs j ON j.account_key = e.account_key AND j.key = e.job_key AND j.delivered_at IS NOT NULL
	JOIN decisions d ON d.account_key = e.account_key AND d.operation_id = e.operation_id
	JOIN unnest((@units)::bigint[], (@prices)::bigint[]) AS b (units, price) ON b.units = d.units
	WHERE e.rollout_id = @ro AND e.type = 'charge' AND e.cohort = 'candidate'`

// baselinePrices prices each number of units that a delivered charge under the candidate was decided for. A price that does not
// fit is the largest that does: it is above whatever was charged, so that no credit comes of it, and beyond is one such number of
// units, 0 where there is none.
func baselinePrices(ctx context.Context, g *gorm.DB, r rollout) (units, prices []int64, beyond int64, err error) {
	err = g.WithContext(ctx).Raw(`SELECT DISTINCT d.units FROM entries e
		JOIN jobs j ON j.account_key = e.account_key AND j.key = e.job_key AND j.delivered_at IS NOT NULL
		JOIN decisions d ON d.account_key = e.account_key AND d.operation_id = e.operation_id
		WHERE e.rollout_id = ? AND e.type = 'charge' AND e.cohort = 'candidate'`, r.ID).Scan(&units).Error
	if err != nil {
		return nil, nil, 0, fmt.Errorf("settlement: units: %w", err)
	}
	slices.Sort(units)
	prices = make([]int64, len(units))
	for i, n := range units {
		prices[i], err = r.Baseline.Cost(n)
		if errors.Is(err, credit.ErrOverflow) {
			prices[i], beyond = math.MaxInt64, n
		} else if err != nil {
			return nil, nil, 0, fmt.Errorf("settlement: price: %w", err)
		}
	}
	return units, prices, beyond, nil
}

// Totals are what some charges come to.
type Totals struct {
	Jobs, Accounts    int64
	Charged, Baseline int64
	// Credits is what accounts get and Debits what they pay, both ≥ 0.
	Credits, Debits int64
}

// AccountLine is what a settlement means for one account.
type AccountLine struct {
	AccountKey int64
	AccountID  string
	Jobs       int64
	// Charged and Baseline are the two sums of its charges, Amount their difference.
	Charged, Baseline, Amount int64
	// Balance is the account's now, without the settlement unless that is paid.
	Balance int64
	// Frozen is true while the account takes no charges: it would be left out.
	Frozen bool
	// Paid and Excluded count its jobs that the settlement paid and left out; Why names one of the reasons, nil
	// for none. All are 0 before it is paid.
	Paid, Excluded int64
	PaidAmount     int64
	Why            *string
}

// Preview is what a proposal would hold now.
type Preview struct {
	Totals
	// Frozen counts the accounts that are frozen now: they would be left out.
	Frozen int64
	// Lines are its accounts with the largest differences first, at most as many as were asked for.
	Lines []AccountLine
}

// Preview says what a proposal of this filter would hold now, with at most limit accounts. replaces is the settlement that
// it would take the place of, empty for none. Nothing is written. Faults:
// rollout_not_found, state_conflict for a rollout that was never started or is live, invalid_request, amount_overflow.
func (s *Store) Preview(ctx context.Context, rolloutID string, f Filter, replaces string, limit int) (Preview, error) {
	if bad := f.check(); len(bad) > 0 {
		return Preview{}, fault.InvalidFields(bad...)
	}
	var p Preview
	err := db.Snapshot(ctx, s.g, func(g *gorm.DB) error {
		r, err := readRollout(ctx, g, rolloutID)
		if err != nil {
			return err
		}
		if err := r.over(); err != nil {
			return err
		}
		if err := s.checkAccounts(ctx, g, f.Accounts); err != nil {
			return err
		}
		with, args, err := due(ctx, g, r, f, replaces)
		if err != nil {
			return err
		}
		if p.Totals, err = totals(ctx, g, with+` SELECT `+sums+` FROM due i`, args); err != nil {
			return err
		}
		err = g.WithContext(ctx).Raw(with+` SELECT count(*) FROM accounts WHERE frozen_at IS NOT NULL AND key IN (SELECT account_key FROM due)`, args).Scan(&p.Frozen).Error
		if err != nil {
			return fmt.Errorf("settlement: preview: %w", err)
		}
		args["limit"] = limit
		err = g.WithContext(ctx).Raw(with+` SELECT a.key AS account_key, a.id AS account_id, a.balance, a.frozen_at IS NOT NULL AS frozen, x.jobs, x.charged, x.baseline, x.amount
			FROM (SELECT account_key, count(*) AS jobs, sum(charged)::bigint AS charged, sum(baseline)::bigint AS baseline, sum(amount)::bigint AS amount
				FROM due GROUP BY account_key ORDER BY abs(sum(amount)) DESC, account_key LIMIT @limit) x JOIN accounts a ON a.key = x.account_key
			ORDER BY abs(x.amount) DESC, x.account_key`, args).Scan(&p.Lines).Error
		if err != nil {
			return fmt.Errorf("settlement: preview: %w", err)
		}
		return nil
	})
	return p, err
}

// sums are the columns of Totals. A sum beyond 64 bits is refused by PostgreSQL, which db.Fault words.
const sums = `count(*) AS jobs, count(DISTINCT i.account_key) AS accounts, COALESCE(sum(charged), 0)::bigint AS charged, COALESCE(sum(baseline), 0)::bigint AS baseline,
	COALESCE(sum(amount) FILTER (WHERE amount > 0), 0)::bigint AS credits, COALESCE(-sum(amount) FILTER (WHERE amount < 0), 0)::bigint AS debits`

func totals(ctx context.Context, g *gorm.DB, query string, args ...any) (Totals, error) {
	var t Totals
	if err := g.WithContext(ctx).Raw(query, args...).Scan(&t).Error; err != nil {
		return t, fmt.Errorf("settlement: totals: %w", err)
	}
	return t, nil
}

// DetailMissing is under what the Detail of a refused filter holds the accounts that it names and that there are not.
const DetailMissing = "missing_accounts"

// checkAccounts refuses a filter that names accounts which there are not: their charges would be missed in silence.
func (s *Store) checkAccounts(ctx context.Context, g *gorm.DB, accounts []string) error {
	missing, err := ledger.MissingAccounts(ctx, g, accounts)
	if err != nil || len(missing) == 0 {
		return err
	}
	return fault.InvalidField("accounts", "names accounts that do not exist: %s", strings.Join(missing, ", ")).With(DetailMissing, missing)
}

// Standing is how the delivered charges under a rollout's candidate stand.
type Standing struct {
	// Delivered counts them; Paid of them were paid, Held are in a settlement that is proposed or being paid, Equal
	// cost the same under the baseline, Credits and Debits are the others, to be proposed.
	Delivered, Paid, Held, Equal, Credits, Debits int64
}

// Open is how many charges could be proposed.
func (s Standing) Open() int64 { return s.Credits + s.Debits }

// Standing tells how a rollout's charges stand. Faults: rollout_not_found, state_conflict.
func (s *Store) Standing(ctx context.Context, rolloutID string) (Standing, error) {
	var out Standing
	err := db.Snapshot(ctx, s.g, func(g *gorm.DB) error {
		r, err := readRollout(ctx, g, rolloutID)
		if err != nil {
			return err
		}
		units, prices, _, err := baselinePrices(ctx, g, r)
		if err != nil {
			return err
		}
		err = g.WithContext(ctx).Raw(`WITH x AS (SELECT `+paid+` AS paid, `+held+` AS held, -e.amount AS charged, b.price AS baseline `+priced+`)
			SELECT count(*) AS delivered, count(*) FILTER (WHERE paid) AS paid, count(*) FILTER (WHERE held AND NOT paid) AS held,
				count(*) FILTER (WHERE NOT paid AND NOT held AND charged = baseline) AS equal, count(*) FILTER (WHERE NOT paid AND NOT held AND charged > baseline) AS credits,
				count(*) FILTER (WHERE NOT paid AND NOT held AND charged < baseline) AS debits FROM x`,
			map[string]any{"ro": r.ID, "units": where.ListOf(units), "prices": where.ListOf(prices), "except": ""}).Scan(&out).Error
		if err != nil {
			return fmt.Errorf("settlement: standing: %w", err)
		}
		return nil
	})
	return out, err
}
