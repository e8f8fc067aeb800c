package task

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/db"
)

// Bell is what the queue is given for a task.
type Bell struct {
	Key int64 `json:"key"`
	// Rings counts the bells of a task, so that each has an id of its own in the queue.
	Rings int `json:"rings"`
	// Traceparent is that of the request which asked for the task, or empty.
	Traceparent string `json:"-"`
}

// Ring hands up to limit tasks whose bell is to ring to enqueue, one after another, and notes that it rang
// for those where it returned nil. The first error ends the batch and is returned as it is. A bell that nobody answers
// rings again later, at growing intervals; a worker that dies lets it ring when its lease is over. So a queue
// may lose them all. Tasks that another process is just ringing for are passed over.
func (s *Store) Ring(ctx context.Context, limit int, enqueue func(context.Context, Bell) error) (rung int, err error) {
	var failed error
	err = db.InTx(ctx, s.g, func(tx *gorm.DB) error {
		rung, failed = 0, nil
		var bells []Bell
		err := tx.WithContext(ctx).Raw(`SELECT key, rings, traceparent FROM tasks WHERE state IN ('waiting', 'running') AND ring_at <= clock_timestamp()
			ORDER BY ring_at LIMIT ? FOR NO KEY UPDATE SKIP LOCKED`, limit).Scan(&bells).Error
		if err != nil {
			return fmt.Errorf("task: ring: %w", err)
		}
		for _, b := range bells {
			if failed = enqueue(ctx, b); failed != nil {
				return nil
			}
			again := min(ringAgain<<min(b.Rings, 10), ringMost)
			err := tx.WithContext(ctx).Exec(`UPDATE tasks SET rings = rings + 1, ring_at = clock_timestamp() + ?::bigint * interval '1 millisecond' WHERE key = ?`,
				again.Milliseconds(), b.Key).Error
			if err != nil {
				return fmt.Errorf("task: rung: %w", err)
			}
			rung++
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return rung, failed
}

// Expires is how long from now a task's result is kept, 0 when it stays or is gone.
func (t Task) Expires(now time.Time) time.Duration {
	if t.ExpiresAt == nil || !t.ExpiresAt.After(now) {
		return 0
	}
	return t.ExpiresAt.Sub(now)
}
