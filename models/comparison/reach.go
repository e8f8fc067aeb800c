package comparison

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/pricing"
	"recoup/models/rollout"
)

// Reach is how many accounts a rollout means: three numbers that are three things, counted at one moment.
type Reach struct {
	// Accounts are all that there are.
	Accounts int64
	// Admitted are those that the stages up to a number admit by bucket and segment, or that are enrolled and so stay: Admitted[0] are
	// enrolled whatever the stages say, Admitted[n] those of stages 1 to n.
	Admitted []int64
	// Enrolled had a decision for the candidate, by a charge or a quote; Paid of them were charged by it.
	Enrolled, Paid int64
	// About is true where a part of the accounts stands for all.
	About bool
}

// Reach counts the accounts of a rollout, now. Its cost grows with the accounts; of more than 50,000 a part is held against the
// stages. Fault: comparison_too_slow when it took longer than eight seconds.
func (s *Service) Reach(ctx context.Context, r rollout.Rollout) (Reach, error) {
	var out Reach
	err := db.Snapshot(ctx, s.g, func(tx *gorm.DB) error {
		tx = tx.WithContext(ctx)
		err := tx.Exec(fmt.Sprintf(`SET LOCAL statement_timeout = %d`, effectFor.Milliseconds())).Error
		if err == nil {
			out, _, _, err = reach(ctx, tx, r)
		}
		return err
	})
	if db.Code(err) == db.CodeCanceled && ctx.Err() == nil {
		return out, fault.New(fault.Busy, fault.CodeComparisonTooSlow, "The accounts of the rollout could not be counted in time. Nothing was changed.")
	}
	return out, err
}

// hasPaid is whether the enrolled account n of rollout @ro was charged by the candidate: mostly the decision that enrolled it tells.
const hasPaid = `n.account_key IS NOT NULL AND (
	EXISTS (SELECT 1 FROM operations o WHERE o.account_key = n.account_key AND o.scope = '' AND o.id = n.operation_id AND o.kind = 'charge' AND o.result IS NOT NULL)
	OR EXISTS (SELECT 1 FROM decisions d JOIN operations o ON o.account_key = d.account_key AND o.scope = '' AND o.id = d.operation_id AND o.kind = 'charge' AND o.result IS NOT NULL
		WHERE d.account_key = n.account_key AND d.rollout_id = @ro AND d.cohort = 'candidate'))`

// reach counts, and returns the first stage that admits each account of so many of 1024 parts: 0 for one that is enrolled. Those that no
// stage admits are left out.
func reach(ctx context.Context, tx *gorm.DB, r rollout.Rollout) (out Reach, first map[int64]int, part int, err error) {
	var all int64
	// Of a large table the planner knows the size; a new one it has not seen yet.
	err = db.Row(ctx, tx, fmt.Sprintf(`SELECT GREATEST((SELECT count(*) FROM (SELECT 1 FROM accounts LIMIT %d) x),
		(SELECT reltuples::bigint FROM pg_class WHERE oid = 'accounts'::regclass))`, effectAccounts+1)).Scan(&all)
	if err != nil {
		return out, nil, 0, fmt.Errorf("comparison: accounts: %w", err)
	}
	part = ways
	if all > effectAccounts {
		part = int(max(ways*effectAccounts/all, 1))
	}
	rows, err := tx.Raw(`SELECT a.key, a.id, a.plan, a.region, a.attributes::text, n.account_key IS NOT NULL, `+hasPaid+`
		FROM accounts a LEFT JOIN enrolments n ON n.account_key = a.key AND n.rollout_id = @ro WHERE (hashint8extended(a.key, 20) & 1023) < @part`,
		map[string]any{"ro": r.ID, "part": part}).Rows()
	if err != nil {
		return out, nil, 0, fmt.Errorf("comparison: accounts: %w", err)
	}
	defer rows.Close()
	out.Admitted, first = make([]int64, len(r.Stages)+1), map[int64]int{}
	for rows.Next() {
		var key int64
		var a pricing.Subject
		var attributes string
		var enrolled, paid bool
		if err := rows.Scan(&key, &a.AccountID, &a.Plan, &a.Region, &attributes, &enrolled, &paid); err != nil {
			return out, nil, 0, fmt.Errorf("comparison: accounts: %w", err)
		}
		a.Attributes = texts(attributes)
		out.Accounts++
		stage, _ := pricing.Admit(r.Stages, len(r.Stages), a, pricing.Bucket(r.Salt, a.AccountID))
		switch {
		case enrolled:
			stage = 0
			out.Enrolled++
			if paid {
				out.Paid++
			}
		case stage == 0:
			continue
		}
		first[key] = stage
		for n := stage; n < len(out.Admitted); n++ {
			out.Admitted[n]++
		}
	}
	if part < ways {
		out.About = true
		for _, n := range []*int64{&out.Accounts, &out.Enrolled, &out.Paid} {
			*n = *n * ways / int64(part)
		}
		for i := range out.Admitted {
			out.Admitted[i] = out.Admitted[i] * ways / int64(part)
		}
	}
	return out, first, part, rows.Err()
}
