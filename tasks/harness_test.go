package tasks

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"go.opentelemetry.io/otel/metric/noop"
	tnoop "go.opentelemetry.io/otel/trace/noop"

	"recoup/models/bell"
	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/outbox"
	"recoup/models/process"
	"recoup/models/task"
	"recoup/models/webhook"
	"recoup/web/local"
)

func TestMain(m *testing.M) {
	modeltest.Waiting(5)
	os.Exit(modeltest.Main(m))
}

// logLines is a log that tests read.
type logLines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logLines) count(part string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), part)
}

// world is an installation of one process: models, a Redis of its own, and the loops.
type world struct {
	*modeltest.Models
	redis *local.Redis
	relay *Relay
	run   *Runner
	logs  *logLines
}

func redisOf(t *testing.T, inProcess bool) *local.Redis {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} { // as root, Redis runs as another user
		if err := os.Chmod(d, 0o711); err != nil {
			t.Fatal(err)
		}
	}
	r, err := local.StartRedis(context.Background(), local.Options{Dir: dir, InProcessRedis: inProcess})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return r
}

func optionsOf(r *local.Redis) asynq.RedisClientOpt {
	return asynq.RedisClientOpt{Network: r.Network(), Addr: r.Addr()}
}

// lasting is a grace that leaves every wake-up to its bell for the length of a test.
const lasting = time.Hour

// build makes a world whose loops do not run yet.
func build(t *testing.T, m *modeltest.Models, policy job.Policy, grace time.Duration, inProcess bool) *world {
	t.Helper()
	w := &world{Models: m, redis: redisOf(t, inProcess), logs: &logLines{}}
	log := slog.New(slog.NewTextHandler(w.logs, &slog.HandlerOptions{Level: slog.LevelInfo}))
	mp := noop.NewMeterProvider()
	var err error
	w.relay, err = NewRelay(RelayOptions{Redis: optionsOf(w.redis), Outbox: outbox.New(m.G), Tasks: task.New(m.G, nil),
		RingWebhooks: func(ctx context.Context, limit int, enqueue func(context.Context, bell.Bell) error) (int, error) {
			return webhook.Ring(ctx, m.G, limit, enqueue)
		}, Log: log, MeterProvider: mp})
	if err != nil {
		t.Fatal(err)
	}
	m.Jobs, err = job.New(m.Ops, m.Ledger, job.Options{Policy: policy, Secret: []byte(modeltest.Secret), Kick: w.relay.Kick}, mp)
	if err != nil {
		t.Fatal(err)
	}
	w.run, err = New(Options{Kind: process.Dev, G: m.G, Relay: w.relay, Jobs: m.Jobs, Log: log, TracerProvider: tnoop.NewTracerProvider(),
		MeterProvider: mp, Version: "test", SweepInterval: 200 * time.Millisecond, Grace: grace, ShutdownGrace: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.relay.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Log(w.logs.text.String())
		}
	})
	return w
}

// start runs a world's loops until the test ends or stop is called.
func (w *world) start(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := w.run.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	stop = func() {
		cancel()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Error("the loops do not end")
		}
	}
	t.Cleanup(stop)
	return stop
}

// ready is a running world with a funded account.
func ready(t *testing.T, grace time.Duration, inProcess bool) *world {
	t.Helper()
	w := build(t, modeltest.Ready(t, modeltest.Fast()), modeltest.Fast(), grace, inProcess)
	w.Account(t, "acct_1", 1000)
	w.start(t)
	return w
}

// eventually waits until ok returns true.
func eventually(t *testing.T, within time.Duration, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(within); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", within, what)
		}
	}
}

// row is what tests look at of a job's row.
type row struct {
	AccountKey, Key int64
	State           job.State
	Attempt         int
	Generation      int
	NotBefore       time.Time
}

func (w *world) row(t *testing.T, id string) row {
	t.Helper()
	var r row
	if err := w.G.Raw(`SELECT account_key, key, state, attempt, generation, not_before FROM jobs WHERE id = ?`, id).Scan(&r).Error; err != nil {
		t.Fatal(err)
	}
	return r
}

func (w *world) bell(t *testing.T, id string) job.Bell {
	t.Helper()
	r := w.row(t, id)
	return job.Bell{AccountKey: r.AccountKey, JobKey: r.Key, Attempt: r.Attempt, Generation: r.Generation}
}

func (w *world) owed(t *testing.T) int64 {
	t.Helper()
	b, err := outbox.New(w.G).Lag(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return b.Rows
}

// events counts a job's events of a kind.
func (w *world) events(t *testing.T, id, kind string) int {
	t.Helper()
	var n int
	err := w.G.Raw(`SELECT count(*) FROM job_events e JOIN jobs j ON j.account_key = e.account_key AND j.key = e.job_key
		WHERE j.id = ? AND e.kind = ?`, id, kind).Scan(&n).Error
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// failClaimed claims one job and fails its attempt with a class.
func (w *world) failClaimed(t *testing.T, class string) job.Claimed {
	t.Helper()
	var claimed []job.Claimed
	eventually(t, 10*time.Second, "a job to claim", func() bool { claimed = w.Claim(t, 1); return len(claimed) == 1 })
	_, err := w.Jobs.Fail(context.Background(), job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: claimed[0].LeaseToken, Class: class})
	if err != nil {
		t.Fatal(err)
	}
	return claimed[0]
}
