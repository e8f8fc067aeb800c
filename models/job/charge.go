package job

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/pricing"
)

// ChargeRequest asks to charge a job up front and to queue it.
type ChargeRequest struct {
	ledger.Envelope
	AccountID string
	JobID     string
	Action    string
	// Units is at least 1.
	Units int64
	// Payload is valid JSON for the worker, or nil. It is kept and handed on byte for byte.
	Payload json.RawMessage
	// MaxAttempts (1–1000), DeadlineS (seconds, up to a week) and ExpiresInS (seconds, up to a year)
	// are nil for the installation's policy.
	MaxAttempts *int64
	DeadlineS   *int64
	ExpiresInS  *int64
	// Dependency names what the work depends on; empty for what its action depends on by default, if anything.
	Dependency string
	// Mode is Managed when empty.
	Mode Mode
}

// ChargeResult is the stored result of a charge.
type ChargeResult struct {
	Job   View          `json:"job"`
	Entry ledger.Posted `json:"entry"`
}

// Charge prices a job by the decision for its operation, see pricing.Decide, takes its cost from the account and queues it, or
// does nothing at all. Faults: invalid_request, action_not_found, quote_expired, job_exists (with the
// operation id that charged it), insufficient_credits, account_frozen, account_inconsistent, and those of
// operation.Apply.
func (s *Service) Charge(ctx context.Context, r ChargeRequest) (operation.Outcome, error) {
	var mode any
	if r.Mode != "" {
		mode = string(r.Mode)
	}
	var dependency any
	if r.Dependency != "" {
		dependency = r.Dependency
	}
	req := operation.Request{
		Scope: operation.Account(r.AccountID), ID: r.OperationID, Kind: "charge", Actor: r.Actor, RequestID: r.RequestID,
		Object: "account:" + r.AccountID + "/job:" + r.JobID, Invalid: r.check(),
		Input: operation.Input{"job_id": r.JobID, "action": r.Action, "units": r.Units, "payload": r.Payload,
			"max_attempts": r.MaxAttempts, "deadline_s": r.DeadlineS, "expires_in_s": r.ExpiresInS,
			"dependency": dependency, "mode": mode},
	}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) { return s.charge(ctx, tx, r) })
}

func (r ChargeRequest) check() []fault.Field {
	var bad []fault.Field
	refuse := func(name, format string, args ...any) {
		bad = append(bad, fault.Field{Name: name, Message: fmt.Sprintf(format, args...)})
	}
	if err := ids.CheckCallerID(r.JobID); err != nil {
		refuse("job_id", "%s", err)
	}
	if err := ids.CheckCallerID(r.Action); err != nil {
		refuse("action", "%s", err)
	}
	if r.Units < 1 {
		refuse("units", "must be at least 1")
	}
	between := func(name string, v *int64, low, high int64) {
		if v != nil && (*v < low || *v > high) {
			refuse(name, "must be %d to %d", low, high)
		}
	}
	between("max_attempts", r.MaxAttempts, 1, 1000)
	between("deadline_s", r.DeadlineS, 1, 7*24*3600)
	between("expires_in_s", r.ExpiresInS, 1, 366*24*3600)
	if r.Mode != "" && r.Mode != Managed && r.Mode != External {
		refuse("mode", "must be managed or external")
	}
	if r.Dependency != "" {
		if err := ids.CheckCallerID(r.Dependency); err != nil {
			refuse("dependency", "%s", err)
		}
	}
	return bad
}

func (s *Service) charge(ctx context.Context, tx *operation.Tx, r ChargeRequest) (any, error) {
	decision, err := pricing.Decide(ctx, tx, r.Action, r.Units)
	if err != nil {
		return nil, err
	}
	j := s.draft(ctx, tx, r, decision)
	if err := s.insert(ctx, tx, &j, r); err != nil {
		return nil, err
	}
	tx.JobKey = j.Key
	j.describe(ctx, j.Attempt)
	guarded, span := s.guardSpan(ctx, guardCharge)
	entry, err := s.ledger.Post(guarded, tx, ledger.Posting{Type: ledger.Charge, Amount: -j.Cost, JobKey: j.Key, Attribution: j.attribution()})
	if err != nil {
		if fault.As(err) == nil {
			span.End()
			return nil, err
		}
		s.noteGuard(ctx, tx, span, guardCharge, false)
		return nil, err
	}
	s.noteGuard(ctx, tx, span, guardCharge, true)
	rec := record{job: j, kind: EventCharged, attempt: j.Attempt, after: j.State, entrySeq: entry.Seq}
	if err := rec.write(tx); err != nil {
		return nil, err
	}
	phase, due := "queued", j.NotBefore
	if j.Mode == External {
		phase, due = "running", j.runsUntil()
		tx.Finally(`INSERT INTO attempts (account_key, job_key, attempt, generation, dependency) VALUES (?, ?, 1, 0, ?)`, j.AccountKey, j.Key, j.Dependency)
	}
	tx.Finally(`INSERT INTO waiting_line (account_key, job_key, phase, action, dependency, attempt, generation, due_at, expires_at)
		VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?)`, j.AccountKey, j.Key, phase, j.Action, j.Dependency, j.Attempt, due, j.ExpiresAt)

	tx.AfterCommit(s.arrival.announce)
	return ChargeResult{Job: j.Show(r.AccountID), Entry: entry}, nil
}

// draft is the job as it will be inserted; its times are set by the database.
func (s *Service) draft(ctx context.Context, tx *operation.Tx, r ChargeRequest, d pricing.Decision) Job {
	p := s.policy
	j := Job{AccountKey: tx.AccountKey, ID: r.JobID, Action: r.Action, Units: r.Units, Mode: r.Mode, Dependency: r.Dependency,
		Cost: d.Price, RuleVersion: d.RuleVersion, RolloutID: d.RolloutID, Cohort: d.Cohort, OperationID: r.OperationID,
		State: Queued, MaxAttempts: p.MaxAttempts, LeaseMs: p.Lease.Milliseconds(), ExpiresMs: p.Expires.Milliseconds(),
		BackoffBaseMs: p.BackoffBase.Milliseconds(), BackoffMaxMs: p.BackoffMax.Milliseconds(), Jitter: p.Jitter,
		TraceID: tx.TraceID, Traceparent: operation.Traceparent(ctx)}
	if j.Mode == "" {
		j.Mode = Managed
	}
	if r.MaxAttempts != nil {
		j.MaxAttempts = int(*r.MaxAttempts)
	}
	if r.ExpiresInS != nil {
		j.ExpiresMs = *r.ExpiresInS * 1000
	}
	switch {
	case r.DeadlineS != nil:
		ms := *r.DeadlineS * 1000
		j.DeadlineMs = &ms
	case j.Mode == Managed:
		ms := p.Deadline.Milliseconds()
		j.DeadlineMs = &ms
	}
	if j.Mode == External {
		j.State, j.Attempt = Running, 1
	}
	return j
}

// insert adds the row unless the account has a job of this id.
func (s *Service) insert(ctx context.Context, tx *operation.Tx, j *Job, r ChargeRequest) error {
	var payload any
	if len(r.Payload) > 0 {
		payload = string(r.Payload)
	}
	var made struct {
		Key        int64
		Dependency string
		CreatedAt  time.Time
		NotBefore  time.Time
		ExpiresAt  time.Time
		DeadlineAt *time.Time
	}
	res := tx.DB.WithContext(ctx).Raw(`INSERT INTO jobs (account_key, id, action, units, mode, dependency, payload, cost, rule_version,
			rollout_id, cohort, operation_id, state, attempt, not_before, expires_at, deadline_at, max_attempts, lease_ms,
			deadline_ms, expires_ms, backoff_base_ms, backoff_max_ms, jitter, trace_id, traceparent, created_at, updated_at)
		SELECT ?, ?, ?, ?, ?, COALESCE(NULLIF(?, ''), (SELECT dependency FROM actions WHERE id = ?), ''), ?::json, ?, ?, ?, ?, ?, ?, ?::int, t.now, t.now + ?::bigint * interval '1 millisecond',
			CASE WHEN ?::int > 0 THEN t.now + ?::bigint * interval '1 millisecond' END,
			?, ?, ?, ?, ?, ?, ?, ?::bytea, ?, t.now, t.now
		FROM (SELECT clock_timestamp() AS now OFFSET 0) t
		ON CONFLICT (account_key, id) DO NOTHING
		RETURNING key, dependency, created_at, not_before, expires_at, deadline_at`,
		j.AccountKey, j.ID, j.Action, j.Units, string(j.Mode), j.Dependency, j.Action, payload, j.Cost, j.RuleVersion,
		j.RolloutID, j.Cohort, j.OperationID, string(j.State), j.Attempt, j.ExpiresMs,
		j.Attempt, j.DeadlineMs,
		j.MaxAttempts, j.LeaseMs, j.DeadlineMs, j.ExpiresMs, j.BackoffBaseMs, j.BackoffMaxMs, j.Jitter, j.TraceID, j.Traceparent).
		Scan(&made)
	if res.Error != nil {
		return fmt.Errorf("job: insert: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		there, err := read(ctx, tx.DB, ref{accountKey: j.AccountKey, id: j.ID})
		if err != nil {
			return err
		}
		return fault.New(fault.Conflict, fault.CodeJobExists,
			"Job %s was charged before, by operation %s. Nothing was charged now.", j.ID, there.OperationID).
			With("existing_operation_id", there.OperationID).With("state", string(there.State))
	}
	j.Dependency = made.Dependency
	j.Key, j.CreatedAt, j.NotBefore, j.ExpiresAt, j.DeadlineAt = made.Key, made.CreatedAt, made.NotBefore, made.ExpiresAt, made.DeadlineAt
	return nil
}

// Payload returns the job's payload byte for byte, or nil when it has none.
func (s *Service) Payload(ctx context.Context, accountKey, jobKey int64) (json.RawMessage, error) {
	var row struct{ Payload *string }
	err := s.g.WithContext(ctx).Raw(`SELECT payload::text AS payload FROM jobs WHERE account_key = ? AND key = ?`, accountKey, jobKey).Scan(&row).Error
	if err != nil || row.Payload == nil {
		return nil, err
	}
	return json.RawMessage(*row.Payload), nil
}
