package operation

import (
	"context"
	"sync"
	"time"
)

// flights lets one goroutine of this process at a time work on an operation. The others wait here,
// without a database connection, so that a storm of retries cannot drain the pool; across
// processes the unique constraint and lock_timeout do the same.
type flights struct {
	mu   sync.Mutex
	busy map[string]chan struct{}
}

// enter returns a function that must be called to leave, or false when the wait was too long or
// the context ended.
func (f *flights) enter(ctx context.Context, key string, wait time.Duration) (leave func(), ok bool) {
	var timer *time.Timer
	for {
		f.mu.Lock()
		if f.busy == nil {
			f.busy = make(map[string]chan struct{})
		}
		running, taken := f.busy[key]
		if !taken {
			done := make(chan struct{})
			f.busy[key] = done
			f.mu.Unlock()
			return func() {
				f.mu.Lock()
				delete(f.busy, key)
				f.mu.Unlock()
				close(done)
			}, true
		}
		f.mu.Unlock()
		if timer == nil {
			timer = time.NewTimer(wait)
			defer timer.Stop()
		}
		select {
		case <-running:
		case <-timer.C:
			return nil, false
		case <-ctx.Done():
			return nil, false
		}
	}
}
