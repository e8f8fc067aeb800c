package tasks

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"recoup/models/actor"
	"recoup/models/bell"
	"recoup/models/fault"
	"recoup/models/modeltest"
	"recoup/models/operation"
	"recoup/models/task"
	"recoup/models/webhook"
)

// ask starts a task as an operation would.
func (w *world) ask(t *testing.T, kind task.Kind) task.Task {
	t.Helper()
	var made task.Task
	_, err := w.Ops.Apply(context.Background(), operation.Request{Scope: operation.Named("settings"), ID: "ask-" + string(kind), Kind: "ask",
		Actor: actor.Actor{Kind: "staff", ID: "st_1"}},
		func(ctx context.Context, tx *operation.Tx) (any, error) {
			var err error
			made, err = task.New(w.G, w.relay.Kick).Start(ctx, tx, task.NewTask{Kind: kind, Input: string(kind)})
			return made.ID, err
		})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// becomes waits until a task has a state.
func (w *world) becomes(t *testing.T, id string, want task.State) task.Task {
	t.Helper()
	var got task.Task
	eventually(t, 20*time.Second, string(want)+" "+id, func() bool {
		var err error
		got, err = task.New(w.G, nil).Find(context.Background(), id)
		if err != nil {
			t.Fatal(err)
		}
		return got.State == want
	})
	return got
}

func TestBackgroundTasks(t *testing.T) {
	t.Parallel()
	for _, redis := range []string{realServer, insideProcess} {
		t.Run(redis, func(t *testing.T) {
			w := build(t, modeltest.New(t, modeltest.DB(t), modeltest.Fast()), modeltest.Fast(), lasting, redis == insideProcess)
			var flaky atomic.Int32
			stopped := make(chan error, 1)
			w.run.extendEvery = 50 * time.Millisecond
			w.run.o.Background = map[task.Kind]BackgroundFunc{
				"works": func(ctx context.Context, run *task.Run) (any, error) {
					var in string
					if err := run.Decode(&in); err != nil {
						return nil, err
					}
					return in + " well", run.Progress(ctx, 7, 7)
				},
				"refused": func(context.Context, *task.Run) (any, error) {
					return nil, fault.New(fault.Conflict, "too_many", "There are too many.")
				},
				"flaky": func(context.Context, *task.Run) (any, error) {
					if flaky.Add(1) == 1 {
						panic("once")
					}
					return 1, nil
				},
				"endless": func(ctx context.Context, run *task.Run) (any, error) {
					<-ctx.Done()
					stopped <- context.Cause(ctx)
					return nil, ctx.Err()
				},
			}
			works, refused, endless, flakes := w.ask(t, "works"), w.ask(t, "refused"), w.ask(t, "endless"), w.ask(t, "flaky")
			w.start(t)

			if got := w.becomes(t, works.ID, task.Done); string(got.Result) != `"works well"` || got.Done != 7 || got.Tries != 1 {
				t.Errorf("works: %+v", got)
			}
			if got := w.becomes(t, refused.ID, task.Failed); got.Error != "too_many" || got.Tries != 1 {
				t.Errorf("refused: %+v", got)
			}
			if got := w.becomes(t, flakes.ID, task.Done); got.Tries != 2 {
				t.Errorf("flaky: %+v", got)
			}
			w.becomes(t, endless.ID, task.Running)
			_, err := w.Ops.Apply(context.Background(), operation.Request{Scope: operation.Named("settings"), ID: "cancel", Kind: "cancel",
				Actor: actor.Actor{Kind: "staff", ID: "st_1"}},
				func(ctx context.Context, tx *operation.Tx) (any, error) {
					return 1, task.New(w.G, nil).Cancel(ctx, tx, endless.ID)
				})
			if err != nil {
				t.Fatal(err)
			}
			select {
			case cause := <-stopped:
				if !errors.Is(cause, task.ErrStopped) {
					t.Errorf("stopped by %v", cause)
				}
			case <-time.After(10 * time.Second):
				t.Error("a canceled task goes on")
			}
		})
	}
}

// A process that is told to end gives its task back, and the next one takes it; the try does not count.
func TestBackgroundTaskIsGivenBack(t *testing.T) {
	t.Parallel()
	m := modeltest.New(t, modeltest.DB(t), modeltest.Fast())
	w := build(t, m, modeltest.Fast(), lasting, false)
	begun := make(chan struct{}, 1)
	w.run.o.Background = map[task.Kind]BackgroundFunc{"long": func(ctx context.Context, _ *task.Run) (any, error) {
		begun <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	long := w.ask(t, "long")
	stop := w.start(t)
	select {
	case <-begun:
	case <-time.After(20 * time.Second):
		t.Fatal("the task was not begun")
	}
	stop()
	if got := w.becomes(t, long.ID, task.Waiting); got.Tries != 0 {
		t.Errorf("given back: %+v", got)
	}
}

// Everything that Redis held is lost: the bell rings again.
func TestBackgroundTaskOutlivesRedis(t *testing.T) {
	t.Parallel()
	m := modeltest.New(t, modeltest.DB(t), modeltest.Fast())
	w := build(t, m, modeltest.Fast(), lasting, false)
	w.run.o.Background = map[task.Kind]BackgroundFunc{"later": func(context.Context, *task.Run) (any, error) { return 1, nil }}
	later := w.ask(t, "later")
	// It was given to the queue, and the queue lost it.
	if _, err := task.New(w.G, nil).Ring(context.Background(), 10, func(context.Context, bell.Bell) error { return nil }); err != nil {
		t.Fatal(err)
	}
	w.start(t)
	if got := w.becomes(t, later.ID, task.Done); got.Tries != 1 {
		t.Errorf("%+v", got)
	}
}

// Redis is away: what runs in the background is done all the same, once, by the process that works; and when Redis is back, the
// queue does it again.
func TestBackgroundTaskWithoutRedis(t *testing.T) {
	t.Parallel()
	m := modeltest.New(t, modeltest.DB(t), modeltest.Fast())
	w := build(t, m, modeltest.Fast(), lasting, false)
	var done atomic.Int32
	do := func(context.Context, *task.Run) (any, error) { return done.Add(1), nil }
	w.run.o.Background = map[task.Kind]BackgroundFunc{"meanwhile": do, "before": do, "afterwards": do}
	before := w.ask(t, "before")
	w.start(t)
	w.becomes(t, before.ID, task.Done)
	w.redis.Kill()
	eventually(t, 10*time.Second, "Redis missed", func() bool { return !w.relay.Status().RedisOK })
	if got := w.becomes(t, w.ask(t, "meanwhile").ID, task.Done); got.Tries != 1 {
		t.Errorf("%+v", got)
	}
	if err := w.redis.Restart(context.Background()); err != nil {
		t.Fatal(err)
	}
	eventually(t, 10*time.Second, "Redis seen", func() bool { return w.relay.Status().RedisOK })
	w.becomes(t, w.ask(t, "afterwards").ID, task.Done)
	if n := done.Load(); n != 3 {
		t.Errorf("three tasks were done %d times", n)
	}
	if w.logs.count("level=ERROR") != 0 {
		t.Error("an error was logged")
	}
}

// A delivery that is due reaches its receiver through the queue.
func TestWebhookIsDelivered(t *testing.T) {
	t.Parallel()
	m := modeltest.New(t, modeltest.DB(t), modeltest.Fast())
	w := build(t, m, modeltest.Fast(), lasting, false)
	called := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { called <- r.Header.Get("webhook-id") }))
	t.Cleanup(receiver.Close)
	hooks, err := webhook.New(m.Ops, []byte(modeltest.Secret), webhook.NewSender([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}), w.relay.Kick)
	if err != nil {
		t.Fatal(err)
	}
	w.run.o.Webhooks = hooks
	by := webhook.Envelope{OperationID: "make", Actor: actor.Actor{Kind: "staff", ID: "st_1"}, Reason: "test"}
	out, err := hooks.Create(context.Background(), by, webhook.EndpointInput{URL: receiver.URL, Events: []string{"job.dead_lettered"}})
	if err != nil {
		t.Fatal(err)
	}
	var made webhook.EndpointResult
	if err := out.Decode(&made); err != nil {
		t.Fatal(err)
	}
	w.start(t)
	by.OperationID = "try"
	if _, err := hooks.Test(context.Background(), by, made.EndpointID); err != nil {
		t.Fatal(err)
	}
	select {
	case id := <-called:
		if !strings.HasPrefix(id, "msg_") {
			t.Errorf("id %q", id)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("nobody called")
	}
}
