package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"recoup/models/actor"
	"recoup/models/job"
	"recoup/models/ledger"
)

// What every charge asks for.
const (
	action = "video_render"
	units  = 10
)

// target is a way into Recoup.
type target interface {
	name() string
	charge(ctx context.Context, account, job, operation string, external bool) error
	// fail and succeed signal the end of the job's first attempt.
	fail(ctx context.Context, account, job, operation string) error
	succeed(ctx context.Context, account, job, operation string) error
}

// modelTarget calls the models.
type modelTarget struct{ jobs *job.Service }

func (m modelTarget) name() string { return "model" }

func envelope(operation string) ledger.Envelope {
	return ledger.Envelope{OperationID: operation, Actor: actor.Key("bench")}
}

func (m modelTarget) charge(ctx context.Context, account, id, operation string, external bool) error {
	r := job.ChargeRequest{Envelope: envelope(operation), AccountID: account, JobID: id, Action: action, Units: units}
	if external {
		r.Mode = job.External
	}
	_, err := m.jobs.Charge(ctx, r)
	return err
}

func (m modelTarget) signal(ctx context.Context, account, id, operation string, s job.Signal) error {
	first := int64(1)
	s.Attempt = &first
	_, err := m.jobs.Signal(ctx, job.SignalRequest{Envelope: envelope(operation), AccountID: account, JobID: id, Signal: s})
	return err
}

func (m modelTarget) fail(ctx context.Context, account, id, operation string) error {
	return m.signal(ctx, account, id, operation, job.Signal{Type: job.SignalFailed, Class: job.Transient, Code: "bench"})
}

func (m modelTarget) succeed(ctx context.Context, account, id, operation string) error {
	return m.signal(ctx, account, id, operation, job.Signal{Type: job.SignalSucceeded, Result: "bench"})
}

// drive calls fn with 1, 2, 3 … from many clients at once until the time is over or count calls are
// made (0 for no bound), and returns calls a second and how many were made.
func drive(ctx context.Context, clients int, limit time.Duration, count int64, fn func(ctx context.Context, n int64) error) (float64, int64, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next, done atomic.Int64
	var wg sync.WaitGroup
	started := time.Now()
	end := started.Add(limit)
	for range clients {
		wg.Go(func() {
			for time.Now().Before(end) && ctx.Err() == nil {
				n := next.Add(1)
				if count > 0 && n > count {
					return
				}
				if err := fn(ctx, n); err != nil {
					cancel(fmt.Errorf("operation %d: %w", n, err))
					return
				}
				done.Add(1)
			}
		})
	}
	wg.Wait()
	took := time.Since(started)
	if err := context.Cause(ctx); err != nil {
		return 0, 0, err
	}
	return float64(done.Load()) / took.Seconds(), done.Load(), nil
}
