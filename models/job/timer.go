package job

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"recoup/models/actor"
	"recoup/models/db"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/where"
)

// Early says that a bell rang before its time and how long is left. It is no failure.
type Early struct{ Left time.Duration }

func (e Early) Error() string { return fmt.Sprintf("job: %s too early", e.Left) }

// Bell names the wake-up call of one attempt.
type Bell struct {
	AccountKey int64 `json:"account_key"`
	JobKey     int64 `json:"job_key"`
	Attempt    int   `json:"attempt"`
	Generation int   `json:"generation"`
}

// Wake moves a retrying job to queued (an external one to running, as its next attempt, which its
// caller makes) when its not_before has come. A bell that rings twice, or for an attempt or generation that has passed,
// changes nothing and returns nil. One that rings early returns Early.
//
// A wake-up is no operation: nobody outside can send one, it moves no money, and its guard alone
// makes it happen once.
func (s *Service) Wake(ctx context.Context, b Bell) (woken bool, err error) {
	var j Job
	err = db.InTx(ctx, s.g, func(tx *gorm.DB) error {
		j = Job{}
		guarded, span := s.guardSpan(ctx, guardWake)
		res := ref{accountKey: b.AccountKey, key: b.JobKey}.where(tx.WithContext(guarded).Model(&j).
			Clauses(clause.Returning{Columns: jobColumns()})).
			Where("state = 'retrying' AND attempt = ? AND generation = ? AND not_before <= clock_timestamp()", b.Attempt, b.Generation).
			Updates(map[string]any{
				"state": gorm.Expr("CASE WHEN mode = 'external' THEN 'running' ELSE 'queued' END"),
				// An external job's next try begins here, with a number and a deadline of its own.
				"attempt":     gorm.Expr("CASE WHEN mode = 'external' THEN attempt + 1 ELSE attempt END"),
				"deadline_at": gorm.Expr("CASE WHEN mode = 'external' THEN clock_timestamp() + deadline_ms * interval '1 millisecond' END"),
				"updated_at":  gorm.Expr("clock_timestamp()"),
			})
		if res.Error != nil {
			span.End()
			return fmt.Errorf("job: wake: %w", res.Error)
		}
		if woken = s.noteGuard(ctx, nil, span, guardWake, res.RowsAffected == 1); !woken {
			return nil
		}
		rec := record{job: j, kind: EventWoken, attempt: j.Attempt, before: Retrying, after: j.State}
		args, err := rec.args(actor.System().String(), "", j.traceOf(ctx))
		if err != nil {
			return err
		}
		due := j.NotBefore
		if j.State == Running {
			due = j.runsUntil()
		}
		args = append([]any{string(j.State), j.Attempt, due, j.AccountKey, j.Key,
			j.AccountKey, j.Key, j.Attempt, j.Generation, j.Dependency, j.State == Running}, args...)
		err = tx.WithContext(ctx).Exec(`WITH w AS (UPDATE waiting_line SET phase = ?, attempt = ?, due_at = ? WHERE account_key = ? AND job_key = ?),
			a AS (INSERT INTO attempts (account_key, job_key, attempt, generation, dependency)
				SELECT ?::bigint, ?::bigint, ?::int, ?::int, ?::text WHERE ? ON CONFLICT DO NOTHING) `+insertEvent, args...).Error
		if err != nil {
			return fmt.Errorf("job: wake: %w", err)
		}
		return nil
	})
	if err != nil || woken {
		if woken && err == nil {
			s.countGuard(ctx, guardWake, "won")
			j.describe(ctx, j.Attempt)
			// The sweeper comes without a trace; a task of the queue brings the job's.
			s.mark(ctx, "woken", j, j.Attempt)
			s.arrival.announce()
		}
		return woken && err == nil, err
	}
	return false, s.early(ctx, b)
}

// early returns Early when the bell is right but rang too soon, else nil.
func (s *Service) early(ctx context.Context, b Bell) error {
	var row struct{ LeftMs int64 }
	res := s.g.WithContext(ctx).Raw(`SELECT ceil(extract(epoch FROM not_before - clock_timestamp()) * 1000)::bigint AS left_ms FROM jobs
		WHERE account_key = ? AND key = ? AND state = 'retrying' AND attempt = ? AND generation = ?`,
		b.AccountKey, b.JobKey, b.Attempt, b.Generation).Scan(&row)
	if res.Error != nil {
		return fmt.Errorf("job: wake: %w", res.Error)
	}
	if res.RowsAffected == 1 {
		return Early{Left: max(time.Duration(row.LeftMs)*time.Millisecond, time.Millisecond)}
	}
	return nil
}

// Overdue is one row of the line whose time has come.
type Overdue struct {
	Bell
	Phase   State
	Expired bool
}

// Overdue lists up to limit jobs whose bell, lease, deadline or expiry is over by at least grace,
// oldest first.
func (s *Service) Overdue(ctx context.Context, grace time.Duration, limit int) ([]Overdue, error) {
	var rows []Overdue
	most := where.Limit(limit)
	// An index is looked up by what does not change within a statement, which clock_timestamp does: the whole line would be
	// read, every second, to find that nothing is over.
	err := s.g.WithContext(ctx).Raw(`(SELECT account_key, job_key, attempt, generation, phase, false AS expired FROM waiting_line
			WHERE phase = 'running' AND due_at <= statement_timestamp() AND due_at < expires_at ORDER BY due_at`+most+`)
		UNION ALL
		(SELECT account_key, job_key, attempt, generation, phase, false FROM waiting_line
			WHERE phase = 'retrying' AND due_at <= statement_timestamp() - ?::bigint * interval '1 millisecond' ORDER BY due_at`+most+`)
		UNION ALL
		(SELECT account_key, job_key, attempt, generation, phase, true FROM waiting_line
			WHERE expires_at <= statement_timestamp() ORDER BY expires_at`+most+`)`, grace.Milliseconds()).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("job: overdue: %w", err)
	}
	return rows, nil
}

// Settle makes the transition that an overdue row asks for. It reports whether it changed anything: a
// heartbeat, a signal or the bell may have come first.
func (s *Service) Settle(ctx context.Context, o Overdue) (bool, error) {
	switch {
	case o.Expired:
		return s.Expire(ctx, o.Bell)
	case o.Phase == Retrying:
		woken, err := s.Wake(ctx, o.Bell)
		if errors.As(err, new(Early)) {
			return false, nil
		}
		return woken, err
	}
	return s.TimeOut(ctx, o.Bell)
}

// TimeOut ends an attempt whose lease or deadline is over as failure signal timed_out by system. It
// returns false when the attempt ended or its lease was extended.
func (s *Service) TimeOut(ctx context.Context, b Bell) (bool, error) {
	return s.timer(ctx, b, "timeout", fmt.Sprintf("timeout:%d:%d:%d", b.JobKey, b.Generation, b.Attempt),
		func(ctx context.Context, tx *operation.Tx, accountID string, r ref) (SignalResult, error) {
			return s.timeOut(ctx, tx, accountID, r, b.Attempt, b.Generation)
		})
}

// Expire ends a job whose expires_at has passed, whatever it waits for. It returns false when the job
// has ended already.
func (s *Service) Expire(ctx context.Context, b Bell) (bool, error) {
	return s.timer(ctx, b, "expire", fmt.Sprintf("expire:%d:%d", b.JobKey, b.Generation), s.expire)
}

func (s *Service) timer(ctx context.Context, b Bell, kind, id string,
	change func(context.Context, *operation.Tx, string, ref) (SignalResult, error)) (bool, error) {
	var row struct{ ID, Traceparent string }
	err := s.g.WithContext(ctx).Raw(`SELECT a.id, j.traceparent FROM jobs j JOIN accounts a ON a.key = j.account_key
		WHERE j.account_key = ? AND j.key = ?`, b.AccountKey, b.JobKey).Scan(&row).Error
	if err != nil {
		return false, fmt.Errorf("job: %s: %w", kind, err)
	}
	accountID := row.ID
	ctx = operation.Join(ctx, row.Traceparent)
	req := operation.Request{Scope: operation.System(b.AccountKey), ID: id, Kind: kind, Actor: actor.System(),
		Object: "account:" + accountID, Input: operation.Input{"job_key": b.JobKey}}
	out, err := s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		return change(ctx, tx, accountID, ref{accountKey: b.AccountKey, key: b.JobKey})
	})
	if errors.Is(err, errNotDue) {
		return false, nil
	}
	return err == nil && !out.Replayed, err
}

// expire moves every waiting state to dead and runs the refund guard: a job that nobody ever claimed
// is refunded too.
func (s *Service) expire(ctx context.Context, tx *operation.Tx, accountID string, r ref) (SignalResult, error) {
	was, err := read(ctx, tx.DB, r)
	if err != nil {
		return SignalResult{}, err
	}
	var j Job
	sig := Signal{Class: TimedOut, Code: "expired", Message: "The job was not finished before it expired."}
	res := r.where(tx.DB.WithContext(ctx).Model(&j).Clauses(clause.Returning{Columns: jobColumns()})).
		Where("state IN ('queued', 'running', 'retrying') AND expires_at <= clock_timestamp()").
		Updates(map[string]any{"state": Dead, "dead_at": gorm.Expr("clock_timestamp()"), "dead_reason": DeadExpired,
			"lease_until": nil, "deadline_at": nil, "error_class": sig.Class, "error_code": sig.Code, "error_message": sig.Message,
			"updated_at": gorm.Expr("clock_timestamp()")})
	if res.Error != nil {
		return SignalResult{}, fmt.Errorf("job: expire: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return SignalResult{}, errNotDue
	}
	result, rec, err := s.refundAfter(ctx, tx, &j)
	if err != nil {
		return result, err
	}
	rec.kind, rec.before, rec.after = EventExpired, was.State, Dead
	rec.details = Details{Class: sig.Class, Code: sig.Code, Message: sig.Message, DeadReason: DeadExpired}
	j.describe(ctx, j.Attempt)
	s.leaveLine(tx, j)
	s.endOpenAttempts(tx, j, "timed_out", sig)
	s.died(ctx, tx, j)
	if err := tellDead(tx, accountID, j); err != nil {
		return result, err
	}
	if err := rec.write(tx); err != nil {
		return result, err
	}
	result.Job = j.Show(accountID)
	return result, nil
}

// refundAfter runs the refund guard for a job whose row this transaction has changed, and posts.
func (s *Service) refundAfter(ctx context.Context, tx *operation.Tx, j *Job) (SignalResult, record, error) {
	tx.JobKey = j.Key
	result := SignalResult{Outcome: AlreadyRefunded}
	rec := record{attempt: j.Attempt}
	after, refunded, err := s.refundGuard(ctx, tx, ref{accountKey: j.AccountKey, key: j.Key}, 0)
	if err != nil {
		return result, rec, err
	}
	if refunded {
		*j = after
		entry, err := s.ledger.Post(ctx, tx, ledger.Posting{Type: ledger.Refund, Amount: j.Cost, JobKey: j.Key, Attribution: j.attribution()})
		if err != nil {
			return result, rec, err
		}
		result.Outcome, result.Entry, rec.entrySeq = Refunded, &entry, entry.Seq
	}
	rec.job, rec.outcome = *j, result.Outcome
	return result, rec, nil
}

func (s *Service) endOpenAttempts(tx *operation.Tx, j Job, outcome string, sig Signal) {
	tx.Finally(`UPDATE attempts SET ended_at = clock_timestamp(), outcome = ?, error_class = ?, error_code = ?, error_message = ?
		WHERE account_key = ? AND job_key = ? AND ended_at IS NULL`, outcome, sig.Class, sig.Code, sig.Message, j.AccountKey, j.Key)
}
