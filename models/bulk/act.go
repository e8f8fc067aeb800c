package bulk

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"recoup/models/actor"
	"recoup/models/deadletter"
	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/operation"
)

// mostTries is how often a row is tried that fails for no reason that is known.
const mostTries = 5

// errNotOurs takes an operation back whose work rests by now, or whose row was taken away.
var errNotOurs = errors.New("bulk: the row is not to be done now")

// errFrozen takes an operation back on an account that was frozen after the set was.
var errFrozen = errors.New("bulk: the account is frozen")

func system() actor.Actor { return actor.System() }

// act does the rows of a batch, a few at a time. done is how many got an outcome; an error is the first of those that
// may be over by the next try.
func (s *Store) act(ctx context.Context, b batch) (done int, err error) {
	var n atomic.Int64
	var group errgroup.Group
	group.SetLimit(parallel)
	begun := time.Now()
	for _, it := range b.items {
		group.Go(func() error {
			// Late rows may be somebody else's by now: the database would say so, but it need not be asked.
			if ctx.Err() != nil || time.Since(begun) > lease {
				return s.release(ctx, b, it)
			}
			over, err := s.do(ctx, b, it)
			if over {
				n.Add(1)
			}
			return err
		})
	}
	err = group.Wait()
	return int(n.Load()), err
}

// do does one row. over tells that it has its outcome.
func (s *Store) do(ctx context.Context, b batch, it item) (over bool, err error) {
	w := b.work
	err = s.change(ctx, b, it)
	f := fault.As(err)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, errNotOurs):
		return false, s.release(ctx, b, it)
	case errors.Is(err, errFrozen):
		return s.settle(ctx, b, it, Excluded, ExcludedFrozen, nil)
	case f != nil && f.Kind == fault.Conflict:
		return s.settle(ctx, b, it, Lost, state(f), f)
	case f != nil && f.Kind != fault.Busy:
		return s.settle(ctx, b, it, Refused, f.Code, nil)
	case it.Tries >= mostTries && ctx.Err() == nil && (f == nil || f.Code != fault.CodeDatabaseUnavailable):
		if _, settled := s.settle(ctx, b, it, Refused, CodeGaveUp, nil); settled != nil {
			return false, settled
		}
		return true, fmt.Errorf("bulk: row %d of %s is given up: %w", it.No, w.ID, err)
	}
	if ctx.Err() != nil {
		return false, s.release(ctx, b, it)
	}
	// It rests until the lease is over, and is tried again.
	return false, fmt.Errorf("bulk: row %d of %s: %w", it.No, w.ID, err)
}

// state is the one that a refusal names.
func state(f *fault.Error) string {
	if v, ok := f.Detail["state"].(string); ok {
		return v
	}
	return f.Code
}

// change is the operation of one row. What came of it is written with it, or neither is.
func (s *Store) change(ctx context.Context, b batch, it item) error {
	w := b.work
	seen := int64(it.Generation)
	envelope := ledger.Envelope{OperationID: itemOperation(w.ID, it.JobKey, it.Generation), Actor: actor.Parse(w.StartedBy), RequestID: w.ID}
	also := func(ctx context.Context, tx *operation.Tx) error { return did(ctx, tx, b, it) }
	person := job.PersonRequest{Envelope: envelope, AccountID: it.AccountID, JobID: it.JobID, Reason: w.Reason, Note: w.Note, Generation: &seen, Also: also}
	letter := deadletter.Request{Envelope: envelope, AccountID: it.AccountID, JobID: it.JobID, Generation: &seen, Also: also}
	var err error
	switch w.Kind {
	case Requeue:
		person.Note = ""
		_, err = s.jobs.Requeue(ctx, person)
	case Discard:
		_, err = s.jobs.Discard(ctx, person)
	case Assign:
		_, err = s.letters.Assign(ctx, deadletter.AssignRequest{Request: letter, Assignee: actor.Parse(w.Assignee)})
	case Snooze:
		_, err = s.letters.Snooze(ctx, deadletter.SnoozeRequest{Request: letter, Until: w.Until})
	case Undo:
		_, err = s.letters.Undo(ctx, deadletter.UndoRequest{Request: letter, Undoes: itemOperation(*w.Undoes, it.JobKey, it.Generation)})
	}
	return err
}

// did writes that a row is done, in the transaction of its operation. The weak lock on the work is what a pause or an
// abort waits for; after one of them the work does not run.
func did(ctx context.Context, tx *operation.Tx, b batch, it item) error {
	var running bool
	err := tx.DB.WithContext(ctx).Raw(`SELECT state = 'running' FROM bulk_works WHERE key = ? FOR KEY SHARE`, b.work.Key).Scan(&running).Error
	if err != nil {
		return fmt.Errorf("bulk: row: %w", err)
	}
	if !running {
		return errNotOurs
	}
	if b.work.Kind == Requeue {
		var frozen bool
		if err := tx.DB.WithContext(ctx).Raw(`SELECT frozen_at IS NOT NULL FROM accounts WHERE key = ?`, it.AccountKey).Scan(&frozen).Error; err != nil {
			return fmt.Errorf("bulk: row: %w", err)
		}
		if frozen {
			return errFrozen
		}
	}
	res := tx.DB.WithContext(ctx).Exec(`UPDATE bulk_items SET outcome = 'done', acted_at = clock_timestamp() WHERE bulk_key = ? AND no = ? AND take = ? AND outcome = ''`,
		b.work.Key, it.No, b.token)
	if res.Error != nil {
		return fmt.Errorf("bulk: row: %w", res.Error)
	}
	if res.RowsAffected != 1 {
		return errNotOurs
	}
	return nil
}

// settle writes the outcome of a row that was not done. A row that was taken away in between is somebody else's, who
// finds the same.
func (s *Store) settle(ctx context.Context, b batch, it item, o Outcome, code string, first *fault.Error) (bool, error) {
	var by string
	var at *time.Time
	if first != nil {
		by, _ = first.Detail["by"].(string)
		if t, ok := first.Detail["at"].(time.Time); ok {
			at = &t
		}
	}
	res := s.g.WithContext(ctx).Exec(`UPDATE bulk_items SET outcome = ?, code = ?, first_by = ?, first_at = ?, acted_at = clock_timestamp()
		WHERE bulk_key = ? AND no = ? AND take = ? AND outcome = ''`, string(o), code, by, at, b.work.Key, it.No, b.token)
	if res.Error != nil {
		return false, fmt.Errorf("bulk: outcome: %w", res.Error)
	}
	return res.RowsAffected == 1, nil
}

// release gives a row back that was not done, as if it had not been taken, also when the process is told to end just now.
// Where that fails the lease gives it back.
func (s *Store) release(ctx context.Context, b batch, it item) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err := s.g.WithContext(ctx).Exec(`UPDATE bulk_items SET take = NULL, taken_at = NULL, tries = tries - 1 WHERE bulk_key = ? AND no = ? AND take = ? AND outcome = ''`,
		b.work.Key, it.No, b.token).Error
	if err != nil {
		return fmt.Errorf("bulk: release: %w", err)
	}
	return nil
}
