package operation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"recoup/models/actor"
	"recoup/models/fault"
)

// ErrWait is returned by a change that may not be applied before somebody has decided so. What the change
// wrote until then is committed and what it returned beside the error is the outcome's result, but the
// operation keeps no result: its id is taken, its input is held against later tries, and Resume applies it.
// The change must not have used Tx.Finally.
var ErrWait = errors.New("operation: waits for a decision")

// Resume applies an operation that waits, as a part of the operation by that decided so: change runs in the
// transaction of by, as if the one who asked first did it now, and its result is stored with the waiting
// operation. scope must name its account by key. It returns the stored result.
//
// Fault state_conflict: the operation is there with a result already.
func (s *Store) Resume(ctx context.Context, by *Tx, scope Scope, id string, change func(ctx context.Context, tx *Tx) (any, error)) (json.RawMessage, error) {
	var row struct {
		Kind, Actor, RequestID string
		StartedAt              time.Time
		Applied                bool
	}
	res := by.DB.WithContext(ctx).Raw(`SELECT kind, actor, request_id, started_at, result IS NOT NULL AS applied FROM operations
		WHERE account_key = ? AND scope = ? AND id = ? FOR NO KEY UPDATE`, scope.AccountKey, scope.Name, id).Scan(&row)
	switch {
	case res.Error != nil:
		return nil, fmt.Errorf("operation: resume: %w", res.Error)
	case res.RowsAffected != 1:
		return nil, fmt.Errorf("operation: resume: there is no operation %q in scope %q", id, scope)
	case row.Applied:
		return nil, fault.State("applied", "The operation %q is applied already. Nothing was done.", id)
	}
	tx := &Tx{DB: by.DB, AccountKey: scope.AccountKey, StartedAt: row.StartedAt, TraceID: by.TraceID,
		Request: Request{Scope: scope, ID: id, Kind: row.Kind, Actor: actor.Parse(row.Actor), RequestID: row.RequestID}}
	result, err := change(ctx, tx)
	if err != nil {
		return nil, err
	}
	stored, err := json.Marshal(result)
	if err != nil {
		return nil, fmt.Errorf("operation: result of %s: %w", row.Kind, err)
	}
	if err := tx.finish(ctx, stored); err != nil {
		return nil, err
	}
	by.afterCommit = append(by.afterCommit, tx.afterCommit...)
	return stored, nil
}

// waiting answers a further try of an operation that waits.
func (s *Store) waiting(ctx context.Context, tx *Tx, stored Stored) (Outcome, *fault.Error, error) {
	if tx.Request.Waiting == nil {
		return Outcome{}, inProgress(), nil
	}
	standing, err := tx.Request.Waiting(ctx, tx.DB, stored)
	if err != nil {
		return Outcome{}, nil, err
	}
	result, err := json.Marshal(standing)
	if err != nil {
		return Outcome{}, nil, fmt.Errorf("operation: %s waits: %w", stored.Kind, err)
	}
	return Outcome{Waiting: true, Replayed: true, Result: result}, nil, nil
}
