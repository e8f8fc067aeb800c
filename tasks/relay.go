package tasks

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"recoup/models/bell"
	"recoup/models/operation"
	"recoup/models/outbox"
	"recoup/models/task"
)

const (
	relayTick    = time.Second
	relayBatch   = 100
	restoreBatch = 500
	// checkEvery is how often the relay looks whether Redis still is the one it knew.
	checkEvery = 3 * time.Second
	// While Redis is away the tries are this far apart.
	pauseMin, pauseMax = 250 * time.Millisecond, 4 * time.Second
	// callLimit bounds one call to Redis, so that the transaction around it ends.
	callLimit = 8 * time.Second
)

// RelayOptions are what a Relay needs.
type RelayOptions struct {
	Redis  asynq.RedisConnOpt
	Outbox *outbox.Store
	// Tasks are the tasks of the background, for which the relay rings too.
	Tasks *task.Store
	// RingWebhooks rings for deliveries to receivers outside; webhook.Ring over the database.
	RingWebhooks  func(ctx context.Context, limit int, enqueue func(context.Context, bell.Bell) error) (int, error)
	Log           *slog.Logger
	MeterProvider metric.MeterProvider
	// TracerProvider makes the spans of calls given to the queue, in the traces of their jobs; nil for none.
	TracerProvider trace.TracerProvider
	// RestoreRate bounds how many calls a second are owed again after Redis lost them; 2,000 when zero.
	RestoreRate int
}

// Relay moves what is owed from PostgreSQL to Redis. Every process that commits changes runs one; they
// share the work. It never stops because of an error: it says once that Redis or PostgreSQL is away,
// once that it is back, and tries on meanwhile.
type Relay struct {
	outbox *outbox.Store
	tasks  *task.Store
	// ringWebhooks rings for deliveries to receivers outside.
	ringWebhooks func(ctx context.Context, limit int, enqueue func(context.Context, bell.Bell) error) (int, error)
	log          *slog.Logger
	client       redis.UniversalClient
	queue        *asynq.Client // used by Run only
	restoreRate  int

	kick     chan struct{}
	redis    *condition
	database *condition
	redisOK  atomic.Bool
	doubted  atomic.Bool
	backlog  atomic.Pointer[outbox.Backlog]

	tracer trace.Tracer
	bells  metric.Int64Counter
	gauges metric.Registration

	// Of Run's goroutine.
	lastCheck  time.Time
	pause      time.Duration
	pauseUntil time.Time
	knewMarker bool
}

// NewRelay makes a Relay. It does not connect: Redis may be absent. It points the Redis driver's log, a
// global of that library, to o.Log at debug level. Close the Relay when nothing uses it any more.
func NewRelay(o RelayOptions) (*Relay, error) {
	redis.SetLogger(driverLog{o.Log})
	client, ok := o.Redis.MakeRedisClient().(redis.UniversalClient)
	if !ok {
		return nil, fmt.Errorf("tasks: unknown Redis options %T", o.Redis)
	}
	r := &Relay{outbox: o.Outbox, tasks: o.Tasks, ringWebhooks: o.RingWebhooks, log: o.Log, client: client, restoreRate: o.RestoreRate, kick: make(chan struct{}, 1),
		redis: &condition{log: o.Log, broken: "Redis is away: wake-up calls stay owed in PostgreSQL and the sweeper makes them",
			ok: "Redis is back"},
		database: &condition{log: o.Log, broken: "the relay cannot read what is owed", ok: "the relay reads what is owed again"}}
	if r.restoreRate <= 0 {
		r.restoreRate = 2000
	}
	if o.TracerProvider == nil {
		o.TracerProvider = noop.NewTracerProvider()
	}
	r.tracer = o.TracerProvider.Tracer("recoup")
	r.queue = asynq.NewClientFromRedisClient(client)
	r.backlog.Store(&outbox.Backlog{})
	if err := r.instrument(o.MeterProvider.Meter("recoup")); err != nil {
		client.Close()
		return nil, fmt.Errorf("tasks: %w", err)
	}
	return r, nil
}

func (r *Relay) instrument(m metric.Meter) error {
	var err error
	if r.bells, err = m.Int64Counter("recoup_bells", metric.WithDescription("Wake-up calls given to the queue, by outcome: enqueued or already_there.")); err != nil {
		return err
	}
	rows, err := m.Int64ObservableGauge("recoup_outbox_rows", metric.WithDescription("Wake-up calls owed to the queue, at most 10,000."))
	if err != nil {
		return err
	}
	lag, err := m.Float64ObservableGauge("recoup_relay_lag_seconds", metric.WithDescription("Age of the oldest wake-up call owed to the queue."))
	if err != nil {
		return err
	}
	up, err := m.Int64ObservableGauge("recoup_redis_up", metric.WithDescription("1 while Redis answers this process, else 0."))
	if err != nil {
		return err
	}
	r.gauges, err = m.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		s := r.Status()
		o.ObserveInt64(rows, s.Backlog.Rows)
		o.ObserveFloat64(lag, s.Backlog.Lag.Seconds())
		var one int64
		if s.RedisOK {
			one = 1
		}
		o.ObserveInt64(up, one)
		return nil
	}, rows, lag, up)
	return err
}

// Kick says that something is owed. It never blocks; give it to job.Options.
func (r *Relay) Kick() {
	select {
	case r.kick <- struct{}{}:
	default:
	}
}

// suspect makes the relay look at Redis now.
func (r *Relay) suspect() {
	r.doubted.Store(true)
	r.Kick()
}

// RelayStatus is what the relay last saw.
type RelayStatus struct {
	// RedisOK is whether the last call to Redis was answered; false before the first.
	RedisOK bool
	Backlog outbox.Backlog
}

// Status returns what the relay last saw, without asking anybody.
func (r *Relay) Status() RelayStatus {
	return RelayStatus{RedisOK: r.redisOK.Load(), Backlog: *r.backlog.Load()}
}

// Close gives the connections back. Call it after Run has returned.
func (r *Relay) Close() error {
	return errors.Join(r.gauges.Unregister(), r.client.Close())
}

// Run relays until ctx ends. It must run once.
func (r *Relay) Run(ctx context.Context) {
	measured := make(chan struct{})
	go func() {
		defer close(measured)
		r.measure(ctx)
	}()
	ticker := time.NewTicker(relayTick)
	defer ticker.Stop()
	for ctx.Err() == nil {
		r.step(ctx)
		wait := ticker.C
		if left := time.Until(r.pauseUntil); left > 0 && left < relayTick {
			wait = time.After(left)
		}
		select {
		case <-ctx.Done():
		case <-r.kick:
		case <-wait:
		}
	}
	<-measured
}

// measure keeps the backlog's figures fresh, also while a step waits for Redis.
func (r *Relay) measure(ctx context.Context) {
	ticker := time.NewTicker(relayTick)
	defer ticker.Stop()
	for {
		if b, err := r.outbox.Lag(ctx); err == nil {
			r.backlog.Store(&b)
		} else if ctx.Err() == nil {
			r.database.set(ctx, err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// step does all that can be done now.
func (r *Relay) step(ctx context.Context) {
	if time.Now().Before(r.pauseUntil) {
		return
	}
	err := r.work(ctx)
	if ctx.Err() != nil {
		return
	}
	var away redisError
	if errors.As(err, &away) {
		r.redisOK.Store(false)
		r.redis.set(ctx, away.error)
		r.pause = min(max(2*r.pause, pauseMin), pauseMax)
		r.pauseUntil = time.Now().Add(r.pause)
		return
	}
	r.database.set(ctx, err)
	if err != nil {
		r.pauseUntil = time.Now().Add(relayTick)
	}
}

func (r *Relay) work(ctx context.Context) error {
	if r.doubted.Swap(false) || !r.redisOK.Load() || time.Since(r.lastCheck) >= checkEvery {
		lost, err := r.check(ctx)
		if err != nil {
			return err
		}
		r.lastCheck, r.pause = time.Now(), 0
		if lost {
			if err := r.restore(ctx); err != nil {
				r.lastCheck = time.Time{} // look again with the next step
				if !errors.Is(err, errLostAgain) {
					return err
				}
			}
		}
	}
	return r.move(ctx)
}

// redisError is an error of Redis, where one of PostgreSQL could be meant.
type redisError struct{ error }

func (e redisError) Unwrap() error { return e.error }

// move enqueues everything that is owed now.
func (r *Relay) move(ctx context.Context) error {
	for {
		moved, err := r.outbox.Take(ctx, outbox.Wake, relayBatch, r.enqueue)
		if err != nil {
			return err
		}
		if moved < relayBatch {
			break
		}
	}
	if _, err := r.tasks.Ring(ctx, relayBatch, r.ringer(taskRun, BackgroundQueue, longest)); err != nil {
		return err
	}
	_, err := r.ringWebhooks(ctx, relayBatch, r.ringer(webhookDeliver, WebhookQueue, webhookTimeout))
	return err
}

func (r *Relay) enqueue(ctx context.Context, o outbox.Owed) (err error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	ctx, span := r.tracer.Start(continued(ctx, o.Traceparent), "enqueue "+outbox.Wake, trace.WithSpanKind(trace.SpanKindProducer))
	defer func() { endSpan(span, err) }()
	if here := operation.Traceparent(ctx); here != "" {
		o.Traceparent = here // the task is the child of its enqueueing
	}
	bell, options, err := wakeTask(o)
	if err != nil {
		return err
	}
	outcome, err := r.give(ctx, bell, options)
	if err != nil {
		return err
	}
	if span.IsRecording() {
		span.SetAttributes(attribute.String(operation.AttrOutcome, outcome), attribute.Int64("recoup.job_key", o.JobKey),
			attribute.Int("recoup.attempt", o.Attempt), attribute.Int("recoup.generation", o.Generation))
	}
	return nil
}

// ringer enqueues bells of rows under a task's name.
func (r *Relay) ringer(name, queue string, limit time.Duration) func(context.Context, bell.Bell) error {
	return func(ctx context.Context, b bell.Bell) (err error) {
		ctx, cancel := context.WithTimeout(ctx, callLimit)
		defer cancel()
		ctx, span := r.tracer.Start(continued(ctx, b.Traceparent), "enqueue "+name, trace.WithSpanKind(trace.SpanKindProducer))
		defer func() { endSpan(span, err) }()
		if here := operation.Traceparent(ctx); here != "" {
			b.Traceparent = here
		}
		t, options, err := bellTask(name, queue, b, limit)
		if err != nil {
			return err
		}
		_, err = r.give(ctx, t, options)
		return err
	}
}

// give hands the queue a bell, which may have it already.
func (r *Relay) give(ctx context.Context, bell *asynq.Task, options []asynq.Option) (outcome string, err error) {
	outcome = "enqueued"
	_, err = r.queue.EnqueueContext(ctx, bell, options...)
	if errors.Is(err, asynq.ErrTaskIDConflict) {
		outcome, err = "already_there", nil
	}
	if err != nil {
		return "", redisError{err}
	}
	r.bells.Add(ctx, 1, metric.WithAttributes(attribute.String("outcome", outcome)))
	return outcome, nil
}
