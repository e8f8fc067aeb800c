package tasks

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
	"gorm.io/gorm"

	"recoup/models/bell"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/outbox"
	"recoup/models/process"
	"recoup/models/task"
	"recoup/models/webhook"
)

const beatEvery = 5 * time.Second

// Options are what a Runner needs.
type Options struct {
	// Kind chooses the loops: Serve relays, Work and Dev also answer bells and sweep.
	Kind process.Kind
	G    *gorm.DB
	// Relay is the process's relay, the same whose Kick the job service has. Run runs it.
	Relay *Relay
	// Jobs is not needed for Serve.
	Jobs *job.Service
	// Background does the tasks of the background by their kind; not needed for Serve. A kind that is missing
	// stays for a process that has it.
	Background     map[task.Kind]BackgroundFunc
	Log            *slog.Logger
	TracerProvider trace.TracerProvider
	MeterProvider  metric.MeterProvider
	// Version names this build.
	Version string
	// SweepInterval and Grace are the sweeper's; its defaults when zero.
	SweepInterval, Grace time.Duration
	// Concurrency is how many bells are answered at a time; 8 when zero.
	Concurrency int
	// Webhooks delivers to receivers outside; not needed for Serve.
	Webhooks *webhook.Service
	// BackgroundConcurrency is how many tasks of the background run at a time; 2 when zero.
	BackgroundConcurrency int
	// ShutdownGrace is how long bells being answered may take to end; 10 s when zero.
	ShutdownGrace time.Duration
}

// Runner runs a process's loops together.
type Runner struct {
	o         Options
	id        string
	host      string
	processes *process.Store
	sweeper   *Sweeper // nil for Serve
	tasks     *task.Store
	// extendEvery is extendEvery but for tests.
	extendEvery time.Duration
}

// New makes a Runner.
func New(o Options) (*Runner, error) {
	if o.Concurrency <= 0 {
		o.Concurrency = 8
	}
	if o.BackgroundConcurrency <= 0 {
		o.BackgroundConcurrency = 2
	}
	if o.ShutdownGrace <= 0 {
		o.ShutdownGrace = 10 * time.Second
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	r := &Runner{o: o, id: ids.New(), host: host, processes: process.New(o.G), tasks: task.New(o.G, nil), extendEvery: extendEvery}
	if o.Kind == process.Serve {
		return r, nil
	}
	if o.Jobs == nil {
		return nil, fmt.Errorf("tasks: a process of kind %s needs the job service", o.Kind)
	}
	r.sweeper, err = NewSweeper(SweeperOptions{Jobs: o.Jobs, Processes: r.processes, Log: o.Log,
		Interval: o.SweepInterval, Grace: o.Grace, MeterProvider: o.MeterProvider})
	if err != nil {
		return nil, fmt.Errorf("tasks: %w", err)
	}
	return r, nil
}

// NewRelayFor makes the relay of a process over its database.
func NewRelayFor(g *gorm.DB, redis asynq.RedisConnOpt, log *slog.Logger, tp trace.TracerProvider, mp metric.MeterProvider) (*Relay, error) {
	return NewRelay(RelayOptions{Redis: redis, Outbox: outbox.New(g), Tasks: task.New(g, nil),
		RingWebhooks: func(ctx context.Context, limit int, enqueue func(context.Context, bell.Bell) error) (int, error) {
			return webhook.Ring(ctx, g, limit, enqueue)
		}, Log: log, TracerProvider: tp, MeterProvider: mp})
}

// ProcessID is the id under which this process tells that it lives.
func (r *Runner) ProcessID() string { return r.id }

// Run runs the loops until ctx ends, then lets bells that are being answered end within the grace. Redis
// or PostgreSQL being away is no error, so it always returns nil: the shape is an error group's.
func (r *Runner) Run(ctx context.Context) error {
	var loops sync.WaitGroup
	loops.Go(func() { r.o.Relay.Run(ctx) })
	loops.Go(func() { r.beat(ctx) })
	if r.sweeper != nil {
		loops.Go(func() { r.sweeper.Run(ctx) })
		loops.Go(func() { r.alone(ctx) })
		loops.Go(func() { r.answer(ctx, Queue, r.o.Concurrency, context.Background(), r.handler()) })
		// In a queue and with workers of its own: work of minutes must not keep a retry waiting. It ends with the
		// process and is given back, where a bell may ring out.
		loops.Go(func() { r.answer(ctx, BackgroundQueue, r.o.BackgroundConcurrency, ctx, r.backgroundHandler()) })
		if r.o.Webhooks != nil {
			loops.Go(func() { r.answer(ctx, WebhookQueue, webhookConcurrency, ctx, r.webhookHandler()) })
		}
	}
	loops.Wait()
	return nil
}

// answer runs the server of a queue. It begins when Redis is there: before, it would only log errors. Later
// absences it bears by itself. base is the context of the handlers.
func (r *Runner) answer(ctx context.Context, queue string, concurrency int, base context.Context, handler asynq.Handler) {
	for !r.o.Relay.Status().RedisOK {
		if sleep(ctx, 100*time.Millisecond) != nil {
			return
		}
	}
	server := asynq.NewServerFromRedisClient(r.o.Relay.client, asynq.Config{
		Concurrency:              concurrency,
		Queues:                   map[string]int{queue: 1},
		BaseContext:              func() context.Context { return base },
		DelayedTaskCheckInterval: time.Second,
		TaskCheckInterval:        250 * time.Millisecond,
		RetryDelayFunc:           retryDelay,
		IsFailure:                isFailure,
		ErrorHandler:             asynq.ErrorHandlerFunc(r.failed),
		ShutdownTimeout:          r.o.ShutdownGrace,
		Logger:                   queueLog{log: r.o.Log, relay: r.o.Relay},
		LogLevel:                 asynq.DebugLevel,
	})
	if err := server.Start(handler); err != nil {
		// Only a second start of the same server is refused.
		r.o.Log.ErrorContext(ctx, "the queue's server did not start", "queue", queue, "error", err)
		return
	}
	<-ctx.Done()
	server.Shutdown()
}

// handler is what answers every task.
func (r *Runner) handler() asynq.Handler {
	mux := asynq.NewServeMux()
	mux.Use(neverArchived, traced(r.o.TracerProvider.Tracer("recoup")))
	mux.Handle(outbox.Wake, wakeHandler(r.o.Jobs))
	return mux
}

// failed tells of a task that failed. It is for the log only: nothing calls it after a crash.
func (r *Runner) failed(ctx context.Context, t *asynq.Task, err error) {
	if !isFailure(err) {
		return
	}
	id, _ := asynq.GetTaskID(ctx)
	retried, _ := asynq.GetRetryCount(ctx)
	r.o.Log.WarnContext(ctx, "a bell could not be answered", "task", t.Type(), "task_id", id, "retries", retried, "error", err)
}

// beat tells every few seconds that this process lives, and at the end that it left.
func (r *Runner) beat(ctx context.Context) {
	health := &condition{log: r.o.Log, broken: "this process cannot tell that it lives", ok: "this process tells again that it lives"}
	ticker := time.NewTicker(beatEvery)
	defer ticker.Stop()
	// A first look takes a moment; a beat before it would call Redis away.
	_ = sleep(ctx, 500*time.Millisecond)
	for ctx.Err() == nil {
		if err := r.processes.Beat(ctx, r.now()); ctx.Err() == nil {
			health.set(ctx, err)
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := r.processes.Leave(ctx, r.id); err != nil {
		r.o.Log.DebugContext(ctx, "this process's row stays until it is old", "error", err)
	}
}

// now is what the next beat tells.
func (r *Runner) now() process.Beat {
	relay := r.o.Relay.Status()
	b := process.Beat{ID: r.id, Kind: r.o.Kind, Host: r.host, PID: os.Getpid(), Version: r.o.Version, RedisOK: relay.RedisOK,
		RelayLag: relay.Backlog.Lag, OutboxRows: relay.Backlog.Rows}
	if r.sweeper != nil {
		s := r.sweeper.Status()
		b.SinceSweep, b.Swept = s.SinceLast, s.Swept
	}
	return b
}
