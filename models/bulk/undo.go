package bulk

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/operation"
)

// KindUndo is the operation that takes a bulk work back.
const KindUndo = "bulk_undo"

// Undoable tells whether what a work did can be taken back: it assigned or snoozed, and was started.
func (w Work) Undoable() bool {
	return (w.Kind == Assign || w.Kind == Snooze) && w.StartedAt != nil
}

// Undo takes back what a work assigned or snoozed. Where that is not over it is aborted first, so that nothing is done
// behind the undo. A bulk work of kind Undo does it, at once and without a form: for each row that was done, it undoes
// the row's operation if what that did still stands; else the row is lost, and says to whom. The stored result is the
// Begun of the new work. Faults: bulk_work_not_found; state_conflict when nothing of it can be undone (not_undoable), or
// when it was taken back before (undone, with the details by and at); and those of operation.Apply.
func (s *Store) Undo(ctx context.Context, e ledger.Envelope, id string) (operation.Outcome, error) {
	req := operation.Request{Scope: Scope(), ID: e.OperationID, Kind: KindUndo, Actor: e.Actor, RequestID: e.RequestID, Object: Object(id),
		Input: operation.Input{"bulk_work": id}}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		w, err := find(ctx, tx.DB, id)
		if err != nil {
			return nil, err
		}
		// The strong lock waits for the rows that are just being done, and orders two who undo at once.
		if err := tx.DB.WithContext(ctx).Exec(`SELECT 1 FROM bulk_works WHERE key = ? FOR UPDATE`, w.Key).Error; err != nil {
			return nil, fmt.Errorf("bulk: undo: %w", err)
		}
		if w, err = find(ctx, tx.DB, id); err != nil {
			return nil, err
		}
		if !w.Undoable() {
			return nil, fault.State("not_undoable", "Nothing of the bulk work %s can be undone. Nothing was changed.", w.ID)
		}
		before, err := undoOf(ctx, tx.DB, w.ID)
		if err != nil {
			return nil, err
		}
		if before != nil {
			return nil, fault.State("undone", "The bulk work %s was undone before. Nothing was changed.", w.ID).With("by", before.StartedBy).With("at", before.CreatedAt.UTC())
		}
		undo, err := s.reverse(ctx, tx, w)
		if err != nil {
			return nil, err
		}
		if !w.State.Over() {
			err := tx.DB.WithContext(ctx).Exec(`UPDATE bulk_works SET state = 'aborted', version = version + 1, ended_at = clock_timestamp(), changed_by = ?, changed_at = clock_timestamp() WHERE key = ?`,
				e.Actor.String(), w.Key).Error
			if err != nil {
				return nil, fmt.Errorf("bulk: undo: %w", err)
			}
		}
		return Begun{ID: undo.ID, State: undo.State, Version: undo.Version}, s.audit(ctx, tx, w.State, undo, "")
	})
}

// reverse freezes the rows that a work has done as a work that takes them back, and lets it run.
func (s *Store) reverse(ctx context.Context, tx *operation.Tx, w Work) (Work, error) {
	id, who := "bw_"+strings.ToLower(rand.Text())[:16], tx.Request.Actor.String()
	var key int64
	err := tx.DB.WithContext(ctx).Raw(`INSERT INTO bulk_works (id, kind, undoes, filter, state, count, accounts, credits, excluded, digest, per_minute, operation_id, leg,
			prepared_by, started_by, started_at, changed_by)
		VALUES (?, 'undo', ?, ?, 'running', 0, 0, 0, 0, sha256(''), ?, ?, 1, ?, ?, clock_timestamp(), ?) RETURNING key`,
		id, w.ID, w.Filter, MaxPerMinute, tx.Request.ID, who, who, who).Scan(&key).Error
	if err != nil {
		return Work{}, fmt.Errorf("bulk: undo: %w", err)
	}
	err = tx.DB.WithContext(ctx).Exec(`INSERT INTO bulk_items (bulk_key, no, account_key, job_key, generation, cost)
		SELECT ?, row_number() OVER (ORDER BY no), account_key, job_key, generation, cost FROM bulk_items WHERE bulk_key = ? AND outcome = 'done'`, key, w.Key).Error
	if err != nil {
		return Work{}, fmt.Errorf("bulk: undo: %w", err)
	}
	if err := tx.DB.WithContext(ctx).Exec(`UPDATE bulk_works SET (count, accounts, credits, excluded, digest) = (`+sumUp+`) WHERE key = ?`, key, key).Error; err != nil {
		return Work{}, fmt.Errorf("bulk: undo: %w", err)
	}
	return find(ctx, tx.DB, id)
}

// undoOf is the work that takes another one back, nil where none does.
func undoOf(ctx context.Context, g *gorm.DB, id string) (*Work, error) {
	var rows []Work
	if err := g.WithContext(ctx).Raw(`SELECT `+columns+` FROM bulk_works WHERE undoes = ?`, id).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("bulk: undo: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], nil
}

// UndoneBy is the work that takes w back, nil where none does.
func (s *Store) UndoneBy(ctx context.Context, w Work) (*Work, error) { return undoOf(ctx, s.g, w.ID) }
