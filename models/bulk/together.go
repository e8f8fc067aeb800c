package bulk

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/db"
	"recoup/models/deadletter"
	"recoup/models/operation"
)

// LimitWindow is how far back, in words of PostgreSQL, what one person started alone counts towards the limit.
const LimitWindow = "24 hours"

// Alone is how many dead letters of works that put back or discard a person started within LimitWindow without a second
// person. A set counts whole from its start, also where it was aborted or rows of it were lost. It is of one moment:
// Start judges anew.
func (s *Store) Alone(ctx context.Context, who actor.Actor) (int64, error) {
	return alone(ctx, s.g, who)
}

func alone(ctx context.Context, g *gorm.DB, who actor.Actor) (int64, error) {
	var n int64
	// What waits for the second person, or did in vain, was never started.
	err := g.WithContext(ctx).Raw(`SELECT COALESCE(sum(w.count), 0)::bigint FROM bulk_works w
		WHERE w.started_by = ? AND w.kind IN ('requeue', 'discard') AND w.started_at > clock_timestamp() - interval '`+LimitWindow+`'
			AND NOT EXISTS (SELECT 1 FROM change_requests c
				WHERE c.account_key = 0 AND c.scope = ? AND c.operation_id = w.operation_id AND c.state = 'approved')`,
		who.String(), deadletter.Scope).Scan(&n).Error
	if err != nil {
		return 0, fmt.Errorf("bulk: started alone: %w", db.Fault(err))
	}
	return n, nil
}

// Exceeds tells whether a work has to be approved by a second person, when whoever starts it has started so many dead
// letters alone.
func (s *Store) Exceeds(w Work, alone int64) bool {
	return s.opts.Requests != nil && w.Kind.paced() && w.Count > s.opts.Limit-alone
}

// secondPerson tells within a start whether the work has to be approved: by itself, or together with what the same
// person started alone before. Where the count alone does not tell it takes a lock of the person, so that of two
// starts at once the second sees the first.
func (s *Store) secondPerson(ctx context.Context, tx *operation.Tx, w Work) (bool, error) {
	if s.opts.Requests == nil || !w.Kind.paced() || s.Exceeds(w, 0) {
		return s.Exceeds(w, 0), nil
	}
	who := tx.Request.Actor
	if err := tx.DB.WithContext(ctx).Exec(`SELECT pg_advisory_xact_lock(hashtextextended('bulk works of ' || ?, 0))`, who.String()).Error; err != nil {
		return false, fmt.Errorf("bulk: lock: %w", err)
	}
	n, err := alone(ctx, tx.DB, who)
	return s.Exceeds(w, n), err
}
