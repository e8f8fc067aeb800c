package job

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"recoup/models/ledger"
	"recoup/models/operation"
)

// Why a job became a dead letter.
const (
	DeadAttempts  = "attempts_used_up"
	DeadPermanent = "permanent_error"
	DeadExpired   = "expired"
)

// errNotDue says that a timer found nothing to do: the lease was extended, or the attempt ended.
var errNotDue = fmt.Errorf("job: not due: %w", operation.ErrNothing)

// fail runs the refund guard and then, for the current attempt, decides between a retry and death.
func (s *Service) fail(ctx context.Context, tx *operation.Tx, accountID string, r ref, sig Signal) (SignalResult, error) {
	attempt := sig.attemptOf()
	for {
		j, refunded, err := s.refundGuard(ctx, tx, r, attempt)
		if err != nil {
			return SignalResult{}, err
		}
		if refunded {
			return s.failed(ctx, tx, accountID, j, sig, EventFailed, true, Refunded, nil)
		}
		// Read in a statement of its own: the one that waited for the lock would show a stale row.
		if j, err = read(ctx, tx.DB, r); err != nil {
			return SignalResult{}, err
		}
		switch {
		case attempt > j.latest():
			return SignalResult{}, notMade(j, attempt)
		case j.DeliveredAt != nil:
			return s.failed(ctx, tx, accountID, j, sig, EventFailed, false, DeliveredBefore, nil)
		case j.IsRefunded:
			return s.failed(ctx, tx, accountID, j, sig, EventFailed, false, AlreadyRefunded, nil)
		}
		// The attempt was claimed between the two statements: the guard that lost against an attempt not
		// made yet has to run again, or the failure would move the work and not the money.
	}
}

// timeOut is fail for a timer: the state moves first, under the condition that the attempt is really
// over, so that a lease extended in the last moment wins. It returns errNotDue when it does not.
func (s *Service) timeOut(ctx context.Context, tx *operation.Tx, accountID string, r ref, attempt, generation int) (SignalResult, error) {
	j, err := read(ctx, tx.DB, r)
	if err != nil {
		return SignalResult{}, err
	}
	if j.State != Running || j.Attempt != attempt || j.Generation != generation {
		return SignalResult{}, errNotDue
	}
	n := int64(attempt)
	sig := Signal{Type: SignalFailed, Attempt: &n, Class: TimedOut, Code: "lease_over",
		Message: "The worker was silent for longer than its lease."}
	if j.DeadlineAt != nil && (j.LeaseUntil == nil || !j.LeaseUntil.Before(*j.DeadlineAt)) {
		sig.Code, sig.Message = "deadline_over", "The attempt ran for longer than its deadline."
	}
	moved, err := s.endAttempt(ctx, tx, j, sig, true)
	if err != nil {
		return SignalResult{}, err
	}
	if moved == nil {
		return SignalResult{}, errNotDue
	}
	after, refunded, err := s.refundGuard(ctx, tx, ref{accountKey: j.AccountKey, key: j.Key}, 0)
	if err != nil {
		return SignalResult{}, err
	}
	outcome := Refunded
	if !refunded {
		after, outcome = moved.job, AlreadyRefunded
	}
	return s.failed(ctx, tx, accountID, after, sig, EventTimedOut, refunded, outcome, moved)
}

// reached is true of a job one of whose attempts a signal may be of, see Job.latest: the attempt less maxAhead, the attempt.
const reached = "(mode = 'external' AND attempt >= ? OR attempt >= ?)"

// refundGuard is the one conditional update that may refund. attempt 0 means any.
func (s *Service) refundGuard(ctx context.Context, tx *operation.Tx, r ref, attempt int) (Job, bool, error) {
	ctx, span := s.guardSpan(ctx, guardRefund)
	var j Job
	q := r.where(tx.DB.WithContext(ctx).Model(&j).Clauses(clause.Returning{Columns: jobColumns()})).
		Where("NOT is_refunded AND delivered_at IS NULL")
	if attempt > 0 {
		q = q.Where(reached, attempt-maxAhead, attempt)
	}
	res := q.Updates(map[string]any{"is_refunded": true, "refunded_at": gorm.Expr("clock_timestamp()"), "updated_at": gorm.Expr("clock_timestamp()")})
	if res.Error != nil {
		span.End()
		return j, false, fmt.Errorf("job: refund guard: %w", res.Error)
	}
	return j, s.noteGuard(ctx, tx, span, guardRefund, res.RowsAffected == 1), nil
}

// ended is how the current attempt's failure changed the work.
type ended struct {
	job              Job
	before           State
	delay, jittered  time.Duration
	attemptsUsedInIt int
}

// endAttempt moves a running job to retrying or dead. It returns nil when the signal's attempt is
// not the current one or not running. due adds the condition that lease or deadline is over.
func (s *Service) endAttempt(ctx context.Context, tx *operation.Tx, j Job, sig Signal, due bool) (*ended, error) {
	attempt := sig.attemptOf()
	used := attempt - j.GenerationBase
	e := &ended{before: Running, attemptsUsedInIt: used}
	e.delay = Delay(used, time.Duration(j.BackoffBaseMs)*time.Millisecond, time.Duration(j.BackoffMaxMs)*time.Millisecond)
	e.jittered = e.delay
	if j.Jitter {
		e.jittered = Jitter(e.delay, random())
	}
	reason := ""
	switch {
	case sig.Class == Permanent:
		reason = DeadPermanent
	case used >= j.MaxAttempts:
		reason = DeadAttempts
	}
	q := ref{accountKey: j.AccountKey, key: j.Key}.where(tx.DB.WithContext(ctx).Model(&e.job).
		Clauses(clause.Returning{Columns: jobColumns()})).Where("generation = ?", j.Generation)
	if j.Mode == External {
		// The caller numbers the attempts; a later one implies that it was begun.
		q = q.Where("(state = 'running' AND attempt <= ? OR state = 'retrying' AND attempt < ?)", attempt, attempt)
		e.before = j.State
		if !due {
			// What is reported again of an attempt that has ended is about the past.
			q = q.Where(`NOT EXISTS (SELECT 1 FROM attempts t WHERE t.account_key = jobs.account_key AND t.job_key = jobs.key
				AND t.attempt = ? AND t.ended_at IS NOT NULL)`, attempt)
		}
	} else {
		q = q.Where("state = 'running' AND attempt = ?", attempt)
	}
	if due {
		q = q.Where("LEAST(lease_until, deadline_at) <= clock_timestamp()")
	}
	const dead = "(? <> '' OR expires_at <= clock_timestamp())"
	// not_before is rounded up to a whole second: the queue knows no smaller unit and must not ring early.
	res := q.Updates(map[string]any{
		"state":         gorm.Expr("CASE WHEN "+dead+" THEN 'dead' ELSE 'retrying' END", reason),
		"dead_at":       gorm.Expr("CASE WHEN "+dead+" THEN clock_timestamp() END", reason),
		"dead_reason":   gorm.Expr("CASE WHEN ? <> '' THEN ? WHEN expires_at <= clock_timestamp() THEN 'expired' ELSE '' END", reason, reason),
		"not_before":    gorm.Expr("date_trunc('second', clock_timestamp() + ?::bigint * interval '1 millisecond' + interval '999999 microseconds')", e.jittered.Milliseconds()),
		"attempt":       attempt,
		"lease_until":   nil,
		"deadline_at":   nil,
		"error_class":   sig.Class,
		"error_code":    sig.Code,
		"error_message": sig.Message,
		"updated_at":    gorm.Expr("clock_timestamp()"),
	})
	if res.Error != nil {
		return nil, fmt.Errorf("job: end attempt: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return nil, nil
	}
	return e, nil
}

// failed posts the refund, lets the state follow where that is still to do, and writes the traces.
func (s *Service) failed(ctx context.Context, tx *operation.Tx, accountID string, j Job, sig Signal, kind string,
	refunded bool, outcome string, moved *ended) (SignalResult, error) {
	tx.JobKey = j.Key
	attempt := sig.attemptOf()
	result := SignalResult{Outcome: outcome, OlderAttempt: attempt > 0 && attempt < j.Attempt}
	rec := record{job: j, kind: kind, attempt: attempt, outcome: outcome, before: j.State, after: j.State,
		details: Details{Class: sig.Class, Code: sig.Code, Message: sig.Message, OlderAttempt: result.OlderAttempt}}

	if moved == nil && attempt > 0 && !result.OlderAttempt {
		var err error
		if moved, err = s.endAttempt(ctx, tx, j, sig, false); err != nil {
			return result, err
		}
	}
	if refunded {
		entry, err := s.ledger.Post(ctx, tx, ledger.Posting{Type: ledger.Refund, Amount: j.Cost, JobKey: j.Key, Attribution: j.attribution()})
		if err != nil {
			return result, err
		}
		result.Entry, rec.entrySeq = &entry, entry.Seq
	}
	if moved != nil {
		flags := j
		j = moved.job
		// The guard may have run after the state moved: its flags are the newer ones.
		j.IsRefunded, j.RefundedAt = flags.IsRefunded, flags.RefundedAt
		rec.job, rec.before, rec.after = j, moved.before, j.State
		s.traceEnd(ctx, tx, j, sig, moved, &rec.details)
	}
	if moved != nil && j.State == Dead {
		if err := tellDead(tx, accountID, j); err != nil {
			return result, err
		}
	}
	if attempt > 0 {
		closeAttempt(tx, j, attempt, outcomeOf(kind), sig)
	}
	if moved != nil && j.Mode == External {
		// A later attempt implies that those before it are over, whatever became of them.
		tx.Finally(`UPDATE attempts SET ended_at = clock_timestamp(), outcome = 'canceled'
			WHERE account_key = ? AND job_key = ? AND attempt < ? AND ended_at IS NULL`, j.AccountKey, j.Key, attempt)
	}
	if err := rec.write(tx); err != nil {
		return result, err
	}
	j.describe(ctx, attempt)
	result.Job = j.Show(accountID)
	return result, nil
}

func outcomeOf(kind string) string {
	if kind == EventFailed {
		return "failed"
	}
	return "timed_out"
}

// traceEnd writes what follows from a moved state: the narrow line, what is owed to the queue, counters.
func (s *Service) traceEnd(ctx context.Context, tx *operation.Tx, j Job, sig Signal, moved *ended, d *Details) {
	if j.State == Dead {
		d.DeadReason = j.DeadReason
		s.leaveLine(tx, j)
		s.died(ctx, tx, j)
		return
	}
	at := j.NotBefore.UTC()
	d.DelayMs, d.JitteredMs, d.NotBefore = moved.delay.Milliseconds(), moved.jittered.Milliseconds(), &at
	s.awaitRetry(ctx, tx, j)
}

// awaitRetry puts a retrying job into the line and owes the queue its bell.
func (s *Service) awaitRetry(ctx context.Context, tx *operation.Tx, j Job) {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		span.AddEvent("outbox owed", trace.WithAttributes(attribute.String("recoup.due_at", j.NotBefore.UTC().Format(time.RFC3339)),
			attribute.Int("recoup.attempt", j.Attempt), attribute.Int("recoup.generation", j.Generation)))
	}
	tx.Finally(upsertLine, j.AccountKey, j.Key, "retrying", j.Action, j.Dependency, j.Attempt, j.Generation, j.NotBefore, j.ExpiresAt)
	tx.Finally(`INSERT INTO outbox (task, account_key, job_key, attempt, generation, due_at, traceparent) VALUES ('job:wake', ?, ?, ?, ?, ?, ?)`,
		j.AccountKey, j.Key, j.Attempt, j.Generation, j.NotBefore, j.Traceparent)
	tx.AfterCommit(s.kick)
}

const upsertLine = `INSERT INTO waiting_line (account_key, job_key, phase, action, dependency, attempt, generation, due_at, expires_at)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (account_key, job_key) DO UPDATE SET phase = EXCLUDED.phase, held = false, attempt = EXCLUDED.attempt,
		generation = EXCLUDED.generation, due_at = EXCLUDED.due_at, expires_at = EXCLUDED.expires_at`

// leaveLine takes a job that waits for nothing more out of the line.
func (s *Service) leaveLine(tx *operation.Tx, j Job) {
	tx.Finally(`DELETE FROM waiting_line WHERE account_key = ? AND job_key = ?`, j.AccountKey, j.Key)
}

// closeAttempt notes how an attempt ended, once: a later signal of the same attempt changes nothing.
// Attempts of external jobs come into being by their signal.
func closeAttempt(tx *operation.Tx, j Job, attempt int, outcome string, sig Signal) {
	tx.Finally(`INSERT INTO attempts (account_key, job_key, attempt, generation, dependency, ended_at, outcome, error_class, error_code, error_message)
		VALUES (?, ?, ?, ?, ?, clock_timestamp(), ?, ?, ?, ?)
		ON CONFLICT (account_key, job_key, attempt) DO UPDATE SET ended_at = EXCLUDED.ended_at, outcome = EXCLUDED.outcome,
			error_class = EXCLUDED.error_class, error_code = EXCLUDED.error_code, error_message = EXCLUDED.error_message
		WHERE attempts.ended_at IS NULL`,
		j.AccountKey, j.Key, attempt, j.Generation, j.Dependency, outcome, sig.Class, sig.Code, sig.Message)
}

// jobColumns are the columns of Job: everything but the payload, which can be large.
func jobColumns() []clause.Column {
	names := []string{"account_key", "key", "id", "action", "units", "mode", "dependency", "cost", "rule_version", "rollout_id",
		"cohort", "operation_id", "is_refunded", "refunded_at", "is_reclaimed", "reclaimed_at", "delivered_at", "deliveries",
		"result", "state", "attempt", "generation", "generation_base", "not_before", "expires_at", "lease_until", "deadline_at",
		"late_success_of", "error_class", "error_code", "error_message", "dead_reason", "dead_at", "resolution", "resolved_at", "max_attempts", "lease_ms",
		"deadline_ms", "expires_ms", "backoff_base_ms", "backoff_max_ms", "jitter", "trace_id", "traceparent", "created_at", "updated_at"}
	cols := make([]clause.Column, len(names))
	for i, n := range names {
		cols[i] = clause.Column{Name: n}
	}
	return cols
}
