package settlement

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/pricing"
	"recoup/models/task"
	"recoup/models/where"
)

// Result is the stored result of a settlement that is finished, and of its task.
type Result struct {
	Settlement string `json:"settlement"`
	Paid       int64  `json:"paid"`
	Excluded   int64  `json:"excluded"`
	Credits    int64  `json:"credits"`
	Debits     int64  `json:"debits"`
}

// item is one charge that is to be paid.
type item struct {
	AccountKey, JobKey int64
	AccountID, JobID   string
	Amount             int64
}

// PaymentID is the operation id of the one payment of a job for a rollout, in the account's scope of the system.
func PaymentID(rolloutID string, jobKey int64) string {
	return "settlement:" + rolloutID + ":" + strconv.FormatInt(jobKey, 10)
}

// Run is the task that pays a settlement, by whoever proposed it: so many jobs of one account in a transaction, each
// payment an operation of its own. What a run that died has paid is passed over, because it is there; what was not
// committed is not. A job that cannot be paid is left out with the reason, and the others go on.
func (s *Store) Run(ctx context.Context, run *task.Run) (any, error) {
	var in Begun
	if err := run.Decode(&in); err != nil {
		return nil, err
	}
	st, err := s.Find(ctx, in.Settlement)
	if err != nil {
		return nil, err
	}
	p := payer{s: s, st: st, env: ledger.Envelope{Actor: actor.Parse(run.RequestedBy), RequestID: run.RequestID}}
	done := st.Paid + st.Excluded
	for st.FinishedAt == nil {
		items, err := p.left(ctx)
		if err != nil {
			return nil, err
		}
		if len(items) == 0 {
			break
		}
		if err := p.batch(ctx, items); err != nil {
			return nil, err
		}
		done += int64(len(items))
		// The worker may have lost the task to another one: then it ends here, between two transactions.
		if err := run.Progress(ctx, min(done, st.Jobs), st.Jobs); err != nil {
			return nil, err
		}
	}
	return s.finish(ctx, st.ID, p.env)
}

// payer pays one settlement.
type payer struct {
	s   *Store
	st  Settlement
	env ledger.Envelope
	// account and job are the last ones that are done.
	account, job int64
}

// left are the next jobs of one account that are neither paid nor left out, in the order of keys.
func (p *payer) left(ctx context.Context) ([]item, error) {
	var items []item
	err := p.s.g.WithContext(ctx).Raw(`SELECT i.account_key, i.job_key, a.id AS account_id, j.id AS job_id, i.amount FROM settlement_items i
		JOIN accounts a ON a.key = i.account_key JOIN jobs j ON j.account_key = i.account_key AND j.key = i.job_key
		WHERE i.settlement_key = ? AND (i.account_key, i.job_key) > (?, ?)
			AND NOT EXISTS (SELECT 1 FROM settlement_payments p WHERE p.settlement_key = i.settlement_key AND p.account_key = i.account_key AND p.job_key = i.job_key)
			AND NOT EXISTS (SELECT 1 FROM settlement_exclusions x WHERE x.settlement_key = i.settlement_key AND x.account_key = i.account_key AND x.job_key = i.job_key)
		ORDER BY i.account_key, i.job_key LIMIT ?`, p.st.Key, p.account, p.job, p.s.batch).Scan(&items).Error
	if err != nil {
		return nil, fmt.Errorf("settlement: left: %w", err)
	}
	for i, x := range items {
		if x.AccountKey != items[0].AccountKey {
			return items[:i], nil
		}
	}
	return items, nil
}

// batch pays or leaves out some jobs of one account, in one transaction that is an operation named by the first of them.
func (p *payer) batch(ctx context.Context, items []item) error {
	const tries = 3
	var err error
	for range tries {
		if err = p.try(ctx, items, "pay", p.pay); db.Constraint(err) != "settlement_payments_pkey" {
			break
		}
		// One of them was settled outside in this moment: seen from the start, it is left out.
	}
	if f := fault.As(err); f != nil && f.Kind != fault.Busy {
		// The account does not take it, say because its head differs from its entries. That must not hold up the others.
		err = p.try(ctx, items, "exclude", func(ctx context.Context, tx *operation.Tx, items []item) error {
			return p.exclude(ctx, tx, items, f.Code)
		})
	}
	if err == nil {
		last := items[len(items)-1]
		p.account, p.job = last.AccountKey, last.JobKey
	}
	return err
}

// try does something with those of the items that nobody has paid or left out, under the account's lock.
//
// The lock comes before the operations of the payments are claimed, against the usual order: whether the account takes
// payments has to be known first, since an operation that is claimed has to be applied. Nobody claims such an
// operation but under this lock, so nobody waits in a circle.
func (p *payer) try(ctx context.Context, items []item, how string, do func(context.Context, *operation.Tx, []item) error) error {
	first := items[0]
	req := operation.Request{Scope: Scope(), ID: fmt.Sprintf("%s:%s:%d:%d", how, p.st.ID, first.AccountKey, first.JobKey), Kind: "settlement_" + how, Actor: p.env.Actor,
		RequestID: p.env.RequestID, Object: Object(p.st.ID), Input: operation.Input{"settlement": p.st.ID, "account": first.AccountID, "job": first.JobID}}
	_, err := p.s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		frozen, err := p.s.ledger.LockFrozen(ctx, tx.DB, first.AccountKey)
		if err != nil {
			return nil, err
		}
		free, others, err := p.sift(ctx, tx, items)
		if err == nil {
			err = p.exclude(ctx, tx, others, WhyPaid)
		}
		switch {
		case err != nil:
		case frozen:
			err = p.exclude(ctx, tx, free, fault.CodeAccountFrozen)
		default:
			err = do(ctx, tx, free)
		}
		return map[string]any{"settlement": p.st.ID, "account_id": first.AccountID, "jobs": len(items)}, err
	})
	return err
}

// sift drops what this settlement has paid or left out already, which another worker may have done since the items were
// read, and sets apart what another settlement has paid.
func (p *payer) sift(ctx context.Context, tx *operation.Tx, items []item) (free, others []item, err error) {
	jobs := make([]int64, len(items))
	for i, x := range items {
		jobs[i] = x.JobKey
	}
	var rows []struct {
		JobKey int64
		Own    bool
	}
	err = tx.DB.WithContext(ctx).Raw(`SELECT job_key, settlement_key = @st AS own FROM settlement_payments WHERE rollout_id = @ro AND account_key = @account AND job_key = ANY ((@jobs)::bigint[])
		UNION ALL SELECT job_key, true FROM settlement_exclusions WHERE settlement_key = @st AND account_key = @account AND job_key = ANY ((@jobs)::bigint[])`,
		map[string]any{"st": p.st.Key, "ro": p.st.RolloutID, "account": items[0].AccountKey, "jobs": where.ListOf(jobs)}).Scan(&rows).Error
	if err != nil {
		return nil, nil, fmt.Errorf("settlement: paid before: %w", err)
	}
	own := map[int64]bool{}
	for _, r := range rows {
		own[r.JobKey] = r.Own
	}
	for _, x := range items {
		switch mine, there := own[x.JobKey]; {
		case !there:
			free = append(free, x)
		case !mine:
			others = append(others, x)
		}
	}
	return free, others, nil
}

func (p *payer) pay(ctx context.Context, tx *operation.Tx, items []item) error {
	for _, x := range items {
		if err := p.payOne(ctx, tx, x); err != nil {
			return err
		}
	}
	return nil
}

// payOne is one payment: an operation, an adjustment with the attribution of the charge, and the row that says so.
func (p *payer) payOne(ctx context.Context, by *operation.Tx, x item) error {
	part, err := p.s.ops.Claim(ctx, by, operation.Request{Scope: operation.System(x.AccountKey), ID: PaymentID(p.st.RolloutID, x.JobKey), Kind: "settlement_payment",
		Actor: p.env.Actor, RequestID: p.env.RequestID, Input: operation.Input{"rollout": p.st.RolloutID, "job": x.JobID}})
	if err != nil {
		return err
	}
	if part.Replayed {
		return fmt.Errorf("settlement: job %s of account %s has a payment's operation and no payment", x.JobID, x.AccountID)
	}
	tx := part.Tx()
	tx.JobKey = x.JobKey
	cohort := pricing.Candidate
	posted, err := p.s.ledger.Post(ctx, tx, ledger.Posting{Type: ledger.Adjustment, Amount: x.Amount, Reference: p.st.ID, Reason: p.st.Reason,
		Attribution: ledger.Attribution{RolloutID: &p.st.RolloutID, Cohort: &cohort, RuleVersion: &p.st.Candidate}})
	if err != nil {
		return err
	}
	tx.Finally(`INSERT INTO settlement_payments (rollout_id, account_key, job_key, settlement_key, amount, entry_seq, operation_id) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		p.st.RolloutID, x.AccountKey, x.JobKey, p.st.Key, x.Amount, posted.Seq, tx.Request.ID)
	if err := job.WriteSettled(tx, job.Settled{JobKey: x.JobKey, EntrySeq: posted.Seq, Settlement: p.st.ID, Reason: p.st.Reason}); err != nil {
		return err
	}
	return part.Finish(ctx, map[string]any{"settlement": p.st.ID, "rollout": p.st.RolloutID, "account_id": x.AccountID, "job_id": x.JobID, "entry": posted})
}

// exclude leaves jobs out, with the reason.
func (p *payer) exclude(ctx context.Context, tx *operation.Tx, items []item, why string) error {
	for _, x := range items {
		err := tx.DB.WithContext(ctx).Exec(`INSERT INTO settlement_exclusions (settlement_key, account_key, job_key, why) VALUES (?, ?, ?, ?)`,
			p.st.Key, x.AccountKey, x.JobKey, why).Error
		if err != nil {
			return fmt.Errorf("settlement: exclude: %w", err)
		}
	}
	return nil
}

// finish marks a settlement as done, once.
func (s *Store) finish(ctx context.Context, id string, env ledger.Envelope) (Result, error) {
	out, err := s.ops.Apply(ctx, operation.Request{Scope: Scope(), ID: "finish:" + id, Kind: "finish_settlement", Actor: env.Actor, RequestID: env.RequestID, Object: Object(id),
		Input: operation.Input{"settlement": id}}, func(ctx context.Context, tx *operation.Tx) (any, error) {
		if err := tx.DB.WithContext(ctx).Exec(`UPDATE settlements SET finished_at = clock_timestamp() WHERE id = ? AND finished_at IS NULL`, id).Error; err != nil {
			return nil, fmt.Errorf("settlement: finish: %w", err)
		}
		return s.conclude(ctx, tx, id, "")
	})
	if err != nil {
		return Result{}, err
	}
	var r Result
	return r, out.Decode(&r)
}

// conclude reads what came of a settlement and leaves the audit row of its end.
func (s *Store) conclude(ctx context.Context, tx *operation.Tx, id, reason string) (Result, error) {
	st, err := find(ctx, tx.DB, id)
	if err != nil {
		return Result{}, err
	}
	r := Result{Settlement: id, Paid: st.Paid, Excluded: st.Excluded, Credits: st.PaidCredits, Debits: st.PaidDebits}
	err = audit.Record(ctx, tx.DB, audit.Row{Actor: tx.Request.Actor, Action: tx.Request.Kind, Object: Object(id), Reason: reason, After: r,
		OperationID: tx.Request.ID, RequestID: tx.Request.RequestID, TraceID: tx.TraceID})
	return r, err
}

// OutsideRequest names the document by which another system settled what a settlement holds.
type OutsideRequest struct {
	ledger.Envelope
	ID string
	// Reference of the document, up to 200 characters, and why; both required.
	Reference, Reason string
}

// SettleOutside marks every job of an approved settlement as paid by a document outside: that is its one payment. No
// entry is made. A job that another settlement has paid meanwhile is left out. Faults: invalid_request,
// settlement_not_found, state_conflict, and those of operation.Apply.
func (s *Store) SettleOutside(ctx context.Context, r OutsideRequest) (operation.Outcome, error) {
	bad := checkText(checkText(nil, "reference", r.Reference, 200), "reason", r.Reason, 300)
	req := operation.Request{Scope: Scope(), ID: r.OperationID, Kind: "settle_outside", Actor: r.Actor, RequestID: r.RequestID, Object: Object(r.ID), Reason: r.Reason, Invalid: bad,
		Input: operation.Input{"settlement": r.ID, "reference": r.Reference, "reason": r.Reason}}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		g := tx.DB.WithContext(ctx)
		res := g.Exec(`UPDATE settlements SET finished_at = clock_timestamp(), reference = ? WHERE id = ? AND way = 'outside' AND approved_at IS NOT NULL AND finished_at IS NULL`,
			r.Reference, r.ID)
		if res.Error != nil {
			return nil, fmt.Errorf("settlement: outside: %w", res.Error)
		}
		st, err := find(ctx, tx.DB, r.ID)
		if err != nil {
			return nil, err
		}
		if res.RowsAffected != 1 {
			return nil, fault.State(string(st.State), "The settlement %s is %s and is not to be settled outside now. Nothing was done.", st.ID, st.State)
		}
		err = g.Exec(`INSERT INTO settlement_payments (rollout_id, account_key, job_key, settlement_key, amount, reference, operation_id)
			SELECT ?, account_key, job_key, settlement_key, amount, ?, ? FROM settlement_items WHERE settlement_key = ? ORDER BY account_key, job_key ON CONFLICT DO NOTHING`,
			st.RolloutID, r.Reference, tx.Request.ID, st.Key).Error
		if err != nil {
			return nil, fmt.Errorf("settlement: outside: %w", err)
		}
		// The timelines of the jobs tell of it: only of those that this document paid.
		note, err := json.Marshal(job.Details{Reason: r.Reason, Note: st.ID + ", " + r.Reference})
		if err != nil {
			return nil, fmt.Errorf("settlement: outside: %w", err)
		}
		err = g.Exec(`INSERT INTO job_events (account_key, job_key, kind, generation, state_before, state_after, actor, operation_id, trace_id, data)
			SELECT j.account_key, j.key, ?, j.generation, j.state, j.state, ?, ?, ?::bytea, ?::json FROM settlement_payments p
			JOIN jobs j ON j.account_key = p.account_key AND j.key = p.job_key WHERE p.settlement_key = ?`,
			job.EventSettled, r.Actor.String(), tx.Request.ID, tx.TraceID, string(note), st.Key).Error
		if err != nil {
			return nil, fmt.Errorf("settlement: outside: %w", err)
		}
		err = g.Exec(`INSERT INTO settlement_exclusions (settlement_key, account_key, job_key, why) SELECT settlement_key, account_key, job_key, ? FROM settlement_items i
			WHERE settlement_key = ? AND NOT EXISTS (SELECT 1 FROM settlement_payments p
				WHERE p.settlement_key = i.settlement_key AND p.account_key = i.account_key AND p.job_key = i.job_key)`, WhyPaid, st.Key).Error
		if err != nil {
			return nil, fmt.Errorf("settlement: outside: %w", err)
		}
		return s.conclude(ctx, tx, st.ID, r.Reason)
	})
}
