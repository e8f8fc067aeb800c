package job

import (
	"context"
	"fmt"
	"time"

	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/operation"
)

// What a worker's completion came to.
const (
	Applied             = "applied"
	Duplicate           = "duplicate"
	LateReclaimed       = "late_reclaimed"
	SupersededDelivered = "superseded_delivered"
)

// holder is the attempt a lease token speaks for.
type holder struct {
	AccountID string
	JobID     string
	LeaseHash []byte
	// Traceparent is that of the job's charge, or empty.
	Traceparent string
}

// holder finds and proves a lease, or returns fault lease_unknown.
func (s *Service) holder(ctx context.Context, token string) (lease, holder, error) {
	var h holder
	l, err := parseLease(token)
	if err != nil {
		return l, h, err
	}
	res := s.g.WithContext(ctx).Raw(`SELECT a.id AS account_id, j.id AS job_id, j.traceparent, t.lease_hash FROM attempts t
		JOIN accounts a ON a.key = t.account_key JOIN jobs j ON j.account_key = t.account_key AND j.key = t.job_key
		WHERE t.account_key = ? AND t.job_key = ? AND t.attempt = ?`, l.accountKey, l.jobKey, l.attempt).Scan(&h)
	if res.Error != nil {
		return l, h, fmt.Errorf("job: lease: %w", res.Error)
	}
	if res.RowsAffected == 0 || !l.matches(h.LeaseHash) {
		return l, h, fault.New(fault.NotFound, fault.CodeLeaseUnknown, "No attempt was handed out under this lease token. Nothing was done.")
	}
	return l, h, nil
}

// Beat is the answer to a heartbeat.
type Beat struct {
	// Continue is false when the attempt is over and the worker should stop.
	Continue bool `json:"continue"`
	// LeaseUntil is nil when Continue is false.
	LeaseUntil *time.Time `json:"lease_until"`
	State      State      `json:"state"`
	Attempt    int        `json:"attempt"`
}

// Heartbeat extends a lease, also one that is over but not swept yet. It is no operation: sending it
// twice extends twice. Faults: invalid_request, lease_unknown.
func (s *Service) Heartbeat(ctx context.Context, token string) (Beat, error) {
	l, h, err := s.holder(ctx, token)
	if err != nil {
		return Beat{}, err
	}
	var row struct {
		LeaseUntil time.Time
		Attempt    int
	}
	res := s.g.WithContext(ctx).Raw(`WITH j AS (
			UPDATE jobs SET lease_until = clock_timestamp() + lease_ms * interval '1 millisecond'
			WHERE account_key = ? AND key = ? AND state = 'running' AND attempt = ?
			RETURNING account_key, key, attempt, lease_until, LEAST(lease_until, deadline_at) AS due),
		w AS (UPDATE waiting_line SET due_at = j.due FROM j WHERE waiting_line.account_key = j.account_key AND waiting_line.job_key = j.key),
		t AS (UPDATE attempts SET heartbeat_at = clock_timestamp() FROM j
			WHERE attempts.account_key = j.account_key AND attempts.job_key = j.key AND attempts.attempt = j.attempt)
		SELECT lease_until, attempt FROM j`, l.accountKey, l.jobKey, l.attempt).Scan(&row)
	if res.Error != nil {
		return Beat{}, fmt.Errorf("job: heartbeat: %w", res.Error)
	}
	if res.RowsAffected == 1 {
		until := row.LeaseUntil.UTC()
		return Beat{Continue: true, LeaseUntil: &until, State: Running, Attempt: row.Attempt}, nil
	}
	j, err := read(ctx, s.g, ref{accountKey: l.accountKey, key: l.jobKey, id: h.JobID})
	if err != nil {
		return Beat{}, err
	}
	return Beat{State: j.State, Attempt: j.Attempt}, nil
}

// FinishRequest is a worker saying how its attempt ended.
type FinishRequest struct {
	ledger.Envelope
	LeaseToken string
	// Class, Code and Message describe a failure; empty for Complete.
	Class, Code, Message string
	// Result points to what was delivered; empty for Fail.
	Result string
}

// FinishResult is the stored result of Complete and Fail.
type FinishResult struct {
	// Outcome is Applied, Duplicate, LateReclaimed or SupersededDelivered for Complete; for Fail what
	// the refund guard found.
	Outcome string        `json:"outcome"`
	Signal  *SignalResult `json:"signal"`
}

// Complete delivers. A late completion is never thrown away. Faults: invalid_request, lease_unknown,
// and those of operation.Apply in the account's scope.
func (s *Service) Complete(ctx context.Context, r FinishRequest) (operation.Outcome, error) {
	return s.finish(ctx, r, "complete", Signal{Type: SignalSucceeded, Result: r.Result})
}

// Fail ends the attempt as failed. Faults as for Complete.
func (s *Service) Fail(ctx context.Context, r FinishRequest) (operation.Outcome, error) {
	return s.finish(ctx, r, "fail", Signal{Type: SignalFailed, Class: r.Class, Code: r.Code, Message: r.Message})
}

func (s *Service) finish(ctx context.Context, r FinishRequest, kind string, sig Signal) (operation.Outcome, error) {
	bad := sig.check()
	l, h, err := s.holder(ctx, r.LeaseToken)
	if err != nil {
		return operation.Outcome{}, err
	}
	// The lease first: it says whose operation it is, so that a refusal of the rest can be audited.
	attempt := int64(l.attempt)
	sig.Attempt = &attempt
	input := sig.input()
	input["job_id"] = h.JobID
	req := operation.Request{
		Scope: operation.Account(h.AccountID), ID: r.OperationID, Kind: kind, Actor: r.Actor, RequestID: r.RequestID,
		Object: "account:" + h.AccountID + "/job:" + h.JobID, Input: input, Invalid: bad,
	}
	// A worker that passes no trace on still ends the job in the trace of its charge.
	ctx = operation.Join(ctx, h.Traceparent)
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		result, err := s.apply(ctx, tx, h.AccountID, ref{accountKey: tx.AccountKey, key: l.jobKey, id: h.JobID}, sig)
		if err != nil {
			return nil, err
		}
		out := FinishResult{Outcome: result.Outcome, Signal: &result}
		if sig.Type == SignalSucceeded {
			switch {
			case result.Outcome == Reclaimed && result.Job.LateSuccess != nil:
				out.Outcome = LateReclaimed
			case result.Delivery == repeatedDelivery:
				out.Outcome = Duplicate
			case result.OlderAttempt:
				out.Outcome = SupersededDelivered
			default:
				out.Outcome = Applied
			}
		}
		return out, nil
	})
}
