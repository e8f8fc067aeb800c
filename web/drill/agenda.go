package drill

import (
	"context"
	"sync"
	"time"
)

// agenda runs things later: late successes, the next step of an external job, looks at jobs that only
// timers move. Its methods may be called from many goroutines.
type agenda struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	// hands and eyes bound how many changes and how many looks run at once: looks must not crowd
	// the changes out.
	hands, eyes chan struct{}
	pending     sync.WaitGroup

	mu     sync.Mutex
	closed bool
	looks  map[*jobBook]*time.Timer
}

func newAgenda(ctx context.Context, cancel context.CancelCauseFunc) *agenda {
	return &agenda{ctx: ctx, cancel: cancel, hands: make(chan struct{}, 8), eyes: make(chan struct{}, 3), looks: map[*jobBook]*time.Timer{}}
}

// change runs do after wait. An error of it ends the drill, unless the drill is over anyway.
func (a *agenda) change(wait time.Duration, do func(ctx context.Context) error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	a.pending.Add(1)
	time.AfterFunc(wait, func() {
		defer a.pending.Done()
		a.run(a.hands, do)
	})
}

// look runs do after wait and forgets an earlier look at the same job that has not happened yet.
func (a *agenda) look(j *jobBook, wait time.Duration, do func(ctx context.Context) error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	if t := a.looks[j]; t != nil {
		t.Stop()
	}
	a.looks[j] = time.AfterFunc(wait, func() { a.run(a.eyes, do) })
}

func (a *agenda) run(slots chan struct{}, do func(ctx context.Context) error) {
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
	case <-a.ctx.Done():
		return
	}
	if err := do(a.ctx); err != nil && a.ctx.Err() == nil {
		a.cancel(err)
	}
}

// close takes no more entries, drops the looks and waits for the changes that are planned.
func (a *agenda) close() {
	a.mu.Lock()
	a.closed = true
	for _, t := range a.looks {
		t.Stop()
	}
	a.mu.Unlock()
	a.pending.Wait()
}
