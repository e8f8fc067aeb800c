package cmd

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// watched is a private service that is to run for as long as this process does.
type watched struct {
	name string
	// running tells whether it runs now.
	running func() bool
	// restart starts it again at the same address.
	restart func(context.Context) error
}

const (
	// watchEvery is how often a service is looked at.
	watchEvery = 500 * time.Millisecond
	// watchMost is the longest wait between two attempts to start one that will not start.
	watchMost = 15 * time.Second
)

// watch starts services again that ended by themselves, until ctx ends or the returned function is called, which
// waits for the last attempt: whoever stops the services does so after it, and they stay stopped.
func watch(ctx context.Context, log *slog.Logger, services ...watched) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	for _, s := range services {
		all.Go(func() { s.keep(ctx, log) })
	}
	return func() {
		cancel()
		all.Wait()
	}
}

func (s watched) keep(ctx context.Context, log *slog.Logger) {
	wait := watchEvery
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		if s.running() {
			wait = watchEvery
			continue
		}
		log.WarnContext(ctx, "a private service ended and is started again", "service", s.name)
		if err := s.restart(ctx); err != nil && ctx.Err() == nil {
			wait = min(2*wait, watchMost)
			log.WarnContext(ctx, "a private service does not start", "service", s.name, "again_in", wait, "error", err)
		}
	}
}
