package job

import (
	"context"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"recoup/models/ledger"
	"recoup/models/operation"
)

// succeed runs deliver, which takes the lock and moves any state to succeeded, then the reclaim guard,
// unconditionally.
func (s *Service) succeed(ctx context.Context, tx *operation.Tx, accountID string, r ref, sig Signal) (SignalResult, error) {
	attempt := sig.attemptOf()
	j, err := s.deliver(ctx, tx, r, sig)
	if err != nil {
		return SignalResult{}, err
	}
	tx.JobKey = j.Key
	result := SignalResult{Outcome: NothingToReclaim, Delivery: firstDelivery, OlderAttempt: attempt > 0 && attempt < j.Attempt}
	if j.Deliveries > 1 {
		result.Delivery = repeatedDelivery
	}
	reclaimed, err := s.reclaimGuard(ctx, tx, &j)
	if err != nil {
		return result, err
	}
	rec := record{job: j, kind: EventSucceeded, attempt: attempt, after: Succeeded,
		details: Details{Result: sig.Result, OlderAttempt: result.OlderAttempt}}
	if sig.byHand != "" {
		rec.kind, rec.details.Reason = EventRecovered, sig.byHand
	}
	switch {
	case reclaimed:
		entry, err := s.ledger.Post(ctx, tx, ledger.Posting{Type: ledger.Reclaim, Amount: -j.Cost, JobKey: j.Key, Attribution: j.attribution()})
		if err != nil {
			return result, err
		}
		result.Outcome, result.Entry, rec.entrySeq = Reclaimed, &entry, entry.Seq
	case j.IsReclaimed:
		result.Outcome = AlreadyReclaimed
	}
	rec.outcome = result.Outcome
	if result.Delivery == firstDelivery {
		if j.LateSuccessOf != nil {
			rec.before = *j.LateSuccessOf
		}
		s.leaveLine(tx, j)
		s.closeAttempts(tx, j, attempt)
	} else {
		rec.before = Succeeded
	}
	if err := rec.write(tx); err != nil {
		return result, err
	}
	if err := tellRecovered(tx, accountID, j, result); err != nil {
		return result, err
	}
	j.describe(ctx, attempt)
	result.Job = j.Show(accountID)
	return result, nil
}

// deliver is the one update that delivers: it keeps the time and result of the first delivery and counts
// the others. It returns fault attempt_not_made for an attempt that no worker was given.
func (s *Service) deliver(ctx context.Context, tx *operation.Tx, r ref, sig Signal) (Job, error) {
	attempt := sig.attemptOf()
	for {
		guarded, span := s.guardSpan(ctx, guardDeliver)
		j, delivered, err := s.deliverGuard(guarded, tx, r, sig)
		if err != nil {
			span.End()
			return j, err
		}
		// A repeated delivery finds delivered_at set: as a guard it has lost.
		s.noteGuard(ctx, tx, span, guardDeliver, delivered && j.Deliveries == 1)
		if delivered {
			return j, nil
		}
		if j, err = read(ctx, tx.DB, r); err != nil {
			return j, err
		}
		if attempt > j.latest() {
			return j, notMade(j, attempt)
		}
		// The attempt was claimed between the two statements.
	}
}

func (s *Service) deliverGuard(ctx context.Context, tx *operation.Tx, r ref, sig Signal) (Job, bool, error) {
	attempt := sig.attemptOf()
	var j Job
	q := r.where(tx.DB.WithContext(ctx).Model(&j).Clauses(clause.Returning{Columns: jobColumns()}))
	if attempt > 0 {
		q = q.Where(reached, attempt-maxAhead, attempt)
	}
	res := q.Updates(map[string]any{
		"delivered_at": gorm.Expr("COALESCE(delivered_at, clock_timestamp())"),
		"deliveries":   gorm.Expr("deliveries + 1"),
		// Late is what came after the work was given up or the attempt had ended, not a retry that went well.
		"late_success_of": gorm.Expr(`CASE WHEN delivered_at IS NULL AND (state IN ('canceled', 'dead', 'discarded') OR is_refunded AND NOT (
				state = 'running' AND (? = 0 OR ? >= attempt) OR mode = 'external' AND state = 'retrying' AND ? > attempt))
			THEN state ELSE late_success_of END`, attempt, attempt, attempt),
		"result":      gorm.Expr("CASE WHEN delivered_at IS NULL THEN ? ELSE result END", sig.Result),
		"attempt":     gorm.Expr("CASE WHEN mode = 'external' AND delivered_at IS NULL THEN GREATEST(attempt, ?) ELSE attempt END", attempt),
		"state":       Succeeded,
		"dead_at":     nil,
		"resolution":  "",
		"resolved_at": nil,
		"lease_until": nil,
		"deadline_at": nil,
		"updated_at":  gorm.Expr("clock_timestamp()"),
	})
	if res.Error != nil {
		return j, false, fmt.Errorf("job: deliver: %w", res.Error)
	}
	return j, res.RowsAffected == 1, nil
}

// reclaimGuard is the one conditional update that may reclaim. It refreshes j when it wins.
func (s *Service) reclaimGuard(ctx context.Context, tx *operation.Tx, j *Job) (bool, error) {
	ctx, span := s.guardSpan(ctx, guardReclaim)
	var after Job
	res := ref{accountKey: j.AccountKey, key: j.Key}.where(tx.DB.WithContext(ctx).Model(&after).
		Clauses(clause.Returning{Columns: jobColumns()})).
		Where("is_refunded AND NOT is_reclaimed").
		Updates(map[string]any{"is_reclaimed": true, "reclaimed_at": gorm.Expr("clock_timestamp()"), "updated_at": gorm.Expr("clock_timestamp()")})
	if res.Error != nil {
		span.End()
		return false, fmt.Errorf("job: reclaim guard: %w", res.Error)
	}
	won := s.noteGuard(ctx, tx, span, guardReclaim, res.RowsAffected == 1)
	if won {
		*j = after
	}
	return won, nil
}

// closeAttempts ends the attempt that delivered and every other that still runs.
func (s *Service) closeAttempts(tx *operation.Tx, j Job, attempt int) {
	if attempt == 0 {
		attempt = j.Attempt
	}
	if j.Mode == External {
		closeAttempt(tx, j, attempt, "succeeded", Signal{})
		tx.Finally(`UPDATE attempts SET ended_at = clock_timestamp(), outcome = 'canceled'
			WHERE account_key = ? AND job_key = ? AND attempt <> ? AND ended_at IS NULL`, j.AccountKey, j.Key, attempt)
		return
	}
	tx.Finally(`UPDATE attempts SET ended_at = clock_timestamp(), outcome = CASE WHEN attempt = ? THEN 'succeeded' ELSE 'canceled' END
		WHERE account_key = ? AND job_key = ? AND ended_at IS NULL`, attempt, j.AccountKey, j.Key)
}
