package comparison

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/credit"
	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/pricing"
	"recoup/models/rollout"
)

const (
	// effectAccounts is about how many accounts are held against the stages, effectCharges about how many charges are
	// priced anew; beyond that a part of the accounts stands for all.
	effectAccounts = 50_000
	effectCharges  = 100_000
	// effectFor bounds one statement: somebody waits for the dialog.
	effectFor = 8 * time.Second
)

// Effect is what the next stage of a rollout would do, by the accounts there are and what they charged of late.
type Effect struct {
	// Accounts are all; Now those that the stages reached admit or that are enrolled, After those of the next stage; Gain
	// are in After and not in Now, Leave the other way round: none, for stages add up. About is true where a part of the accounts stands for all.
	Accounts, Now, After, Gain, Leave int64
	About                             bool
	// Days is over how many days, up to now, charges were looked at: no more than the action has been for sale, the first of
	// which may have begun within it. Charges is how many those of After are.
	Days    int
	Charges int64
	// Young is true where the action has been for sale for less than a day, so that Days is 1 and nothing is known of a whole one.
	Young bool
	// Expected is what accounts of Gain would have paid more (below zero: less) for what they charged and kept in those
	// days, under the candidate instead of the baseline; Paid is what they would have paid under the baseline.
	Expected, Paid credit.Sum
	// Worst is the least that a day could bring, on the day for which it is lowest: where a charge is cheaper, for all accounts of
	// After and all their charges, none refunded; where it is dearer, for those of Gain and what they kept alone.
	Worst credit.Sum
	// AboutMoney is true where a part of the charges stands for all.
	AboutMoney bool
}

// membership is what a stage means for one account.
type membership struct{ after, gain bool }

// NextStage works out what an advance of a rollout, or the start of a draft, would do now. Its cost grows with the
// accounts and with the charges of the action in the last 28 days, up to bounds: beyond 50,000 accounts, or 100,000
// charges, a part of the accounts stands for all, and above a million charges the days become fewer. ErrNotStarted where
// there is no next stage; fault comparison_too_slow when a statement took longer than eight seconds.
func (s *Service) NextStage(ctx context.Context, r rollout.Rollout) (Effect, error) {
	if r.Next() == nil {
		return Effect{}, ErrNotStarted
	}
	var e Effect
	err := db.Snapshot(ctx, s.g, func(tx *gorm.DB) error {
		tx = tx.WithContext(ctx)
		if err := tx.Exec(fmt.Sprintf(`SET LOCAL statement_timeout = %d`, effectFor.Milliseconds())).Error; err != nil {
			return err
		}
		base, err := pricing.ReadRule(ctx, tx, r.Baseline)
		if err != nil {
			return err
		}
		candidate, err := pricing.ReadRule(ctx, tx, r.Candidate)
		if err != nil {
			return err
		}
		e = Effect{}
		of, part, err := e.count(ctx, tx, r)
		if err != nil {
			return err
		}
		return e.price(ctx, tx, r, base, candidate, of, part)
	})
	if db.Code(err) == db.CodeCanceled && ctx.Err() == nil {
		return e, fault.New(fault.Busy, fault.CodeComparisonTooSlow, "What the next stage would do could not be worked out in time. Nothing was changed.")
	}
	return e, err
}

// count holds accounts against the stages, and returns what the next one means for those of so many of 1024 parts.
func (e *Effect) count(ctx context.Context, tx *gorm.DB, r rollout.Rollout) (map[int64]membership, int, error) {
	all, first, part, err := reach(ctx, tx, r)
	if err != nil {
		return nil, 0, err
	}
	e.Accounts, e.About = all.Accounts, all.About
	e.Now, e.After = all.Admitted[r.Stage], all.Admitted[r.Stage+1]
	// Stages add up: nobody of a stage is outside of the next one.
	e.Gain = e.After - e.Now
	of := map[int64]membership{}
	for key, stage := range first {
		if stage <= r.Stage+1 {
			of[key] = membership{after: true, gain: stage > r.Stage}
		}
	}
	return of, part, nil
}

const day = 24 * time.Hour

// onSale is for how long an action could be charged: since its first price came into force, or its first charge where
// that is known to be earlier.
func onSale(ctx context.Context, tx *gorm.DB, action string, now time.Time) (time.Duration, error) {
	var first *time.Time
	err := tx.WithContext(ctx).Raw(`SELECT LEAST((SELECT min(at) FROM price_changes WHERE action = @action),
		(SELECT min(e.created_at) FROM rule_versions v CROSS JOIN LATERAL (SELECT created_at FROM entries WHERE rule_version = v.id ORDER BY created_at LIMIT 1) e
			WHERE v.action = @action))`, map[string]any{"action": action}).Row().Scan(&first)
	if err != nil {
		return 0, fmt.Errorf("comparison: on sale: %w", err)
	}
	if first == nil {
		return 0, nil
	}
	return max(now.Sub(*first), 0), nil
}

// texts are the attributes of an account whose values are text; others match no segment.
func texts(object string) map[string]string {
	var all map[string]any
	out := map[string]string{}
	if json.Unmarshal([]byte(object), &all) == nil {
		for name, value := range all {
			if text, ok := value.(string); ok {
				out[name] = text
			}
		}
	}
	return out
}

// priced are charges of one account, of so many units, on one day before now.
type priced struct {
	AccountKey, Units int64
	Day               int
	Charges, Kept     int64
}

// price works out what the charges of the last days would have cost.
func (e *Effect) price(ctx context.Context, tx *gorm.DB, r rollout.Rollout, base, candidate pricing.Rule, of map[int64]membership, part int) error {
	var now time.Time
	if err := db.Row(ctx, tx, `SELECT clock_timestamp()`).Scan(&now); err != nil {
		return err
	}
	var from time.Time
	var total int64
	for _, e.Days = range []int{28, 14, 7, 1} {
		from = now.Add(-time.Duration(e.Days) * 24 * time.Hour)
		var err error
		if total, err = chargesOfAction(ctx, tx, r.Action, from, now); err != nil {
			return err
		}
		if total <= readable {
			break
		}
	}
	if total > effectCharges {
		part = min(part, int(max(ways*effectCharges/total, 1)))
	}
	var rows []priced
	err := tx.Raw(`WITH k AS MATERIALIZED (SELECT e.account_key, e.seq FROM rule_versions v CROSS JOIN LATERAL (SELECT account_key, seq FROM entries
			WHERE rule_version = v.id AND created_at >= @from AND created_at < @to AND (hashint8extended(account_key, 20) & 1023) < @part OFFSET 0) e
			WHERE v.action = @action LIMIT 400000)
		SELECT k.account_key, j.units, LEAST(floor(extract(epoch FROM @to - e.created_at) / 86400), @days - 1)::int AS day, count(*) AS charges,
			count(*) FILTER (WHERE NOT j.is_refunded OR j.is_reclaimed) AS kept
		FROM k CROSS JOIN LATERAL (SELECT x.job_key, x.type, x.created_at FROM entries x WHERE x.account_key = k.account_key AND x.seq = k.seq OFFSET 0) e
		CROSS JOIN LATERAL (SELECT x.units, x.is_refunded, x.is_reclaimed FROM jobs x WHERE x.account_key = k.account_key AND x.key = e.job_key OFFSET 0) j
		WHERE e.type = 'charge' GROUP BY 1, 2, 3`,
		map[string]any{"action": r.Action, "from": from, "to": now, "part": part, "days": e.Days}).Scan(&rows).Error
	if err != nil {
		return fmt.Errorf("comparison: effect: %w", err)
	}
	// Days before there was anything to charge are no days without charges.
	age, err := onSale(ctx, tx, r.Action, now)
	if err != nil {
		return err
	}
	if e.Days = min(e.Days, max(int((age+day-1)/day), 1)); age < day {
		e.Young = true
	}
	days := make([]credit.Sum, e.Days)
	for _, x := range rows {
		m := of[x.AccountKey]
		if !m.after {
			continue
		}
		before, err := base.Cost(x.Units)
		if err != nil {
			return fmt.Errorf("comparison: %d units under %s: %w", x.Units, base.ID, err)
		}
		then, err := candidate.Cost(x.Units)
		if err != nil {
			return fmt.Errorf("comparison: %d units under %s: %w", x.Units, candidate.ID, err)
		}
		more := credit.SumOf(then).Minus(credit.SumOf(before))
		e.Charges += x.Charges
		n := min(x.Day, e.Days-1)
		if more.Sign() < 0 {
			days[n] = days[n].Plus(more.Times(x.Charges))
		} else if m.gain {
			days[n] = days[n].Plus(more.Times(x.Kept))
		}
		if m.gain {
			e.Expected = e.Expected.Plus(more.Times(x.Kept))
			e.Paid = e.Paid.Plus(credit.SumOf(before).Times(x.Kept))
		}
	}
	e.Worst = days[0]
	for _, d := range days {
		if d.Minus(e.Worst).Sign() < 0 {
			e.Worst = d
		}
	}
	if part < ways {
		e.AboutMoney = true
		e.Charges = e.Charges * ways / int64(part)
		for _, x := range []*credit.Sum{&e.Expected, &e.Paid, &e.Worst} {
			*x = x.Times(ways).Over(int64(part))
		}
	}
	return nil
}
