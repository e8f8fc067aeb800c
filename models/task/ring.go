package task

import (
	"context"
	"time"

	"recoup/models/bell"
)

// Ring hands up to limit tasks whose bell is to ring to enqueue; see bell.Table. A worker that dies lets the
// bell ring when its lease is over.
func (s *Store) Ring(ctx context.Context, limit int, enqueue func(context.Context, bell.Bell) error) (rung int, err error) {
	return bell.Table{Name: "tasks", Open: "state IN ('waiting', 'running')"}.Ring(ctx, s.g, limit, enqueue)
}

// Expires is how long from now a task's result is kept, 0 when it stays or is gone.
func (t Task) Expires(now time.Time) time.Duration {
	if t.ExpiresAt == nil || !t.ExpiresAt.After(now) {
		return 0
	}
	return t.ExpiresAt.Sub(now)
}
