package approval

import (
	"context"
	"fmt"

	"recoup/models/audit"
	"recoup/models/operation"
	"recoup/models/where"
)

// Void ends the open change requests about objects, in the transaction of the operation that makes them impossible: what
// they are about has moved on. code says why in one word, for screens to word. Whoever moves an object voids before it
// locks the object itself, as whoever approves does. The objects come in the order in which they are locked.
func (s *Store) Void(ctx context.Context, tx *operation.Tx, code string, objects ...string) error {
	var open []Request
	err := tx.DB.WithContext(ctx).Raw(`SELECT id, object, kind, requested_by FROM change_requests WHERE object IN ? AND state = 'open' ORDER BY array_position(?::text[], object), key
		FOR NO KEY UPDATE`, objects, where.ListOf(objects)).Scan(&open).Error
	if err != nil {
		return fmt.Errorf("approval: void: %w", err)
	}
	who := tx.Request.Actor
	for _, r := range open {
		res := tx.DB.WithContext(ctx).Exec(`UPDATE change_requests SET state = ?, version = version + 1, decided_by = ?, decided_at = t.at, decision_reason = ?
			FROM (SELECT clock_timestamp() AS at) t WHERE id = ? AND state = 'open' AND expires_at > t.at`, string(Voided), who.String(), code, r.ID)
		if res.Error != nil {
			return fmt.Errorf("approval: void: %w", res.Error)
		}
		if res.RowsAffected == 0 {
			continue // expired by itself
		}
		err := audit.Record(ctx, tx.DB, audit.Row{Actor: who, Action: "void", Object: ObjectOf(r.ID), Reason: code,
			Before: map[string]any{"state": Open}, After: map[string]any{"state": Voided, "object": r.Object},
			OperationID: tx.Request.ID, RequestID: tx.Request.RequestID, TraceID: tx.TraceID})
		if err != nil {
			return err
		}
		if err := tell(ctx, tx, ToldDecided, r, Voided, code); err != nil {
			return err
		}
	}
	return nil
}
