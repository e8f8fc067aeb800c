package tasks

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"golang.org/x/sync/errgroup"

	"recoup/models/job"
	"recoup/models/process"
)

const (
	sweepBatch    = 100
	sweepParallel = 4
	// A job that cannot be moved is left alone for a time that doubles from the first to the second.
	sweepRestMin, sweepRestMax = time.Second, 5 * time.Minute
)

// DefaultGrace is how long the sweeper leaves a due retry to its bell.
const DefaultGrace = 2 * time.Second

// SweeperOptions are what a Sweeper needs.
type SweeperOptions struct {
	Jobs      *job.Service
	Processes *process.Store
	Log       *slog.Logger
	// Interval is the time between sweeps; 1 s when zero.
	Interval time.Duration
	// Grace is how long a retry may be due before its bell counts as lost; DefaultGrace when zero.
	Grace         time.Duration
	MeterProvider metric.MeterProvider
}

// Sweeper makes the transitions of jobs whose time has come, from their rows alone: lost bells, leases
// and deadlines that are over, jobs that expired. Dead letters are not its business.
type Sweeper struct {
	o        SweeperOptions
	health   *condition
	last     atomic.Int64 // Unix microseconds of this clock; 0 before the first sweep
	swept    atomic.Int64
	counter  metric.Int64Counter
	failures metric.Int64Counter

	mu   sync.Mutex
	rest map[job.Bell]rest
}

// rest is how long a job that could not be moved is left alone.
type rest struct {
	until time.Time
	times int
}

// NewSweeper makes a Sweeper.
func NewSweeper(o SweeperOptions) (*Sweeper, error) {
	if o.Interval <= 0 {
		o.Interval = time.Second
	}
	if o.Grace <= 0 {
		o.Grace = DefaultGrace
	}
	s := &Sweeper{o: o, rest: map[job.Bell]rest{},
		health: &condition{log: o.Log, broken: "the sweeper cannot work", ok: "the sweeper works again"}}
	m := o.MeterProvider.Meter("recoup")
	var err error
	if s.counter, err = m.Int64Counter("recoup_swept", metric.WithDescription("Jobs that the sweeper moved, by what was over: bell, lease or expiry.")); err != nil {
		return nil, err
	}
	if s.failures, err = m.Int64Counter("recoup_sweep_failures", metric.WithDescription("Jobs that the sweeper could not move.")); err != nil {
		return nil, err
	}
	return s, nil
}

// SweeperStatus is what a sweeper did so far.
type SweeperStatus struct {
	// SinceLast is how long ago the last sweep of this process ended; nil before the first. Where
	// several processes sweep, each does only a share.
	SinceLast *time.Duration
	// Swept is how many jobs it moved.
	Swept int64
}

// Status returns what the sweeper did so far.
func (s *Sweeper) Status() SweeperStatus {
	st := SweeperStatus{Swept: s.swept.Load()}
	if us := s.last.Load(); us != 0 {
		since := time.Since(time.UnixMicro(us))
		st.SinceLast = &since
	}
	return st
}

// Run sweeps until ctx ends. An error never ends it: it is told once, and the next sweep tries again.
func (s *Sweeper) Run(ctx context.Context) {
	ticker := time.NewTicker(s.o.Interval)
	defer ticker.Stop()
	for {
		err := s.sweep(ctx)
		if ctx.Err() != nil {
			return
		}
		s.health.set(ctx, err)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// sweep works through batches until one is not full. Between two batches another process may take over.
func (s *Sweeper) sweep(ctx context.Context) error {
	for {
		more := false
		ran, err := s.o.Processes.Alone(ctx, "sweeper", func(ctx context.Context) error {
			var err error
			more, err = s.batch(ctx)
			return err
		})
		if err != nil {
			return err
		}
		if !ran || ctx.Err() != nil {
			return nil // another process sweeps
		}
		s.last.Store(time.Now().UnixMicro())
		if !more {
			return nil
		}
	}
}

// batch moves one batch and reports whether there may be more to do at once.
func (s *Sweeper) batch(ctx context.Context) (more bool, err error) {
	resting := s.resting()
	// Jobs that rest are still listed, oldest first: without room for them they would hide the others.
	limit := sweepBatch + resting
	rows, err := s.o.Jobs.Overdue(ctx, s.o.Grace, limit)
	if err != nil {
		return false, err
	}
	rows = s.awake(rows)
	var moved, failed atomic.Int64
	var first error
	var once sync.Once
	var group errgroup.Group
	group.SetLimit(sweepParallel)
	for _, row := range rows {
		group.Go(func() error {
			if ctx.Err() != nil {
				return nil
			}
			done, err := s.o.Jobs.Settle(ctx, row)
			if ctx.Err() != nil {
				return nil
			}
			s.note(row.Bell, done, err)
			switch {
			case err != nil:
				failed.Add(1)
				once.Do(func() { first = err })
			case done:
				moved.Add(1)
				s.counter.Add(ctx, 1, metric.WithAttributes(attribute.String("over", over(row))))
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return false, err
	}
	s.swept.Add(moved.Load())
	if n := failed.Load(); n > 0 {
		s.failures.Add(ctx, n)
		// Each of them rests longer and longer, so this line is not repeated without end.
		s.o.Log.WarnContext(ctx, "the sweeper could not move some jobs; it tries again later", "jobs", n, "moved", moved.Load(), "first_error", first)
	}
	// When nothing moved, going on at once would only meet the same rows.
	return len(rows) >= sweepBatch && moved.Load() > 0, nil
}

func over(o job.Overdue) string {
	switch {
	case o.Expired:
		return "expiry"
	case o.Phase == job.Retrying:
		return "bell"
	}
	return "lease"
}

// awake leaves out the jobs that rest, and names each job once: one that has expired needs nothing else.
func (s *Sweeper) awake(rows []job.Overdue) []job.Overdue {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	at := make(map[job.Bell]int, len(rows))
	out := rows[:0]
	for _, row := range rows {
		if r, known := s.rest[row.Bell]; known && now.Before(r.until) {
			continue
		}
		if i, twice := at[row.Bell]; twice {
			out[i].Expired = out[i].Expired || row.Expired
			continue
		}
		at[row.Bell] = len(out)
		out = append(out, row)
	}
	return out
}

// note lets a job rest that could not be moved, longer each time it failed. One that needed nothing (its
// bell or a heartbeat came first) is not looked at again for the shortest time.
func (s *Sweeper) note(b job.Bell, done bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if done {
		delete(s.rest, b)
		return
	}
	r := s.rest[b]
	pause := sweepRestMin
	if err != nil {
		pause = min(sweepRestMin<<min(r.times, 20), sweepRestMax)
		r.times++
	}
	r.until = time.Now().Add(pause)
	s.rest[b] = r
}

// resting counts the jobs that rest and forgets those whose rest ended long ago: they were moved by
// something else.
func (s *Sweeper) resting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	n := 0
	for b, r := range s.rest {
		switch {
		case now.Before(r.until):
			n++
		case now.Sub(r.until) > sweepRestMax:
			delete(s.rest, b)
		}
	}
	return n
}
