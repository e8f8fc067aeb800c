package operation

import (
	"context"
	"sync"
	"time"
)

// gate lets a bounded number of operations on one account at a time have a database connection. They
// would queue for the account's row anyway; here they queue without holding a connection, so that one
// busy or locked account leaves connections for all others.
type gate struct {
	limit int
	mu    sync.Mutex
	doors map[string]*door
}

type door struct {
	tokens chan struct{}
	users  int // those inside and those waiting; the door goes with the last
}

// enter returns a function that must be called to leave, or false when the wait was too long or the
// context ended.
func (g *gate) enter(ctx context.Context, key string, wait time.Duration) (leave func(), ok bool) {
	g.mu.Lock()
	if g.doors == nil {
		g.doors = make(map[string]*door)
	}
	d := g.doors[key]
	if d == nil {
		d = &door{tokens: make(chan struct{}, g.limit)}
		g.doors[key] = d
	}
	d.users++
	g.mu.Unlock()

	gone := func() {
		g.mu.Lock()
		if d.users--; d.users == 0 {
			delete(g.doors, key)
		}
		g.mu.Unlock()
	}
	inside := func() { <-d.tokens; gone() }
	select {
	case d.tokens <- struct{}{}:
		return inside, true
	default:
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case d.tokens <- struct{}{}:
		return inside, true
	case <-timer.C:
	case <-ctx.Done():
	}
	gone()
	return nil, false
}
