package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/outbox"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

// retrying charges n jobs and fails their first attempts, which leaves n jobs and n rows that wait.
func retrying(t *testing.T, m *modeltest.Models, n int) {
	t.Helper()
	m.Account(t, "acct_1", int64(n))
	for i := range n {
		m.Charge(t, "acct_1", fmt.Sprintf("j%d", i), 1)
	}
	for _, c := range m.Claim(t, int64(n)) {
		_, err := m.Jobs.Fail(context.Background(), job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: c.LeaseToken, Class: job.Transient})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// slow is a policy whose retries stay due in the future.
func slow() job.Policy {
	p := modeltest.Fast()
	p.BackoffBase, p.BackoffMax = time.Hour, time.Hour
	return p
}

// Only what was enqueued is deleted; the rest is still owed, in order.
func TestTake(t *testing.T) {
	m := modeltest.Ready(t, slow())
	retrying(t, m, 5)
	s, ctx := outbox.New(m.G), context.Background()
	stop := errors.New("full")
	var seen []outbox.Owed
	moved, err := s.Take(ctx, outbox.Wake, 10, func(_ context.Context, o outbox.Owed) error {
		if len(seen) == 3 {
			return stop
		}
		seen = append(seen, o)
		return nil
	})
	if moved != 3 || !errors.Is(err, stop) {
		t.Fatalf("moved %d, %v; want 3 and the error of enqueue", moved, err)
	}
	for i, o := range seen {
		if o.Attempt != 1 || o.Generation != 0 || o.JobKey == 0 || o.AccountKey == 0 || time.Until(o.DueAt) < 30*time.Minute {
			t.Errorf("row %d is %+v", i, o)
		}
	}
	backlog, err := s.Lag(ctx)
	if err != nil || backlog.Rows != 2 || backlog.Lag <= 0 || backlog.Lag > time.Minute {
		t.Fatalf("backlog %+v, %v; want 2 rows and their age", backlog, err)
	}
	moved, err = s.Take(ctx, "job:other", 10, func(context.Context, outbox.Owed) error { return nil })
	if moved != 0 || err != nil {
		t.Fatalf("took %d rows of another task, %v", moved, err)
	}
	moved, err = s.Take(ctx, outbox.Wake, 10, func(_ context.Context, o outbox.Owed) error {
		if o.Key <= seen[2].Key {
			t.Errorf("row %d came twice", o.Key)
		}
		return nil
	})
	if moved != 2 || err != nil {
		t.Fatalf("moved %d, %v; want the other 2", moved, err)
	}
	if backlog, err := s.Lag(ctx); err != nil || backlog != (outbox.Backlog{}) {
		t.Fatalf("backlog %+v, %v after everything moved", backlog, err)
	}
}

// A process that dies between enqueue and commit leaves the rows, and another passes over rows that are
// just being taken instead of waiting for them.
func TestTakeCrashAndCompany(t *testing.T) {
	m := modeltest.Ready(t, slow())
	retrying(t, m, 3)
	s := outbox.New(m.G)
	ctx, die := context.WithCancel(context.Background())
	enqueued := 0
	_, err := s.Take(ctx, outbox.Wake, 10, func(context.Context, outbox.Owed) error {
		if enqueued++; enqueued == 1 {
			other, err := s.Take(context.Background(), outbox.Wake, 10, func(context.Context, outbox.Owed) error { return nil })
			if other != 0 || err != nil {
				t.Errorf("a second relay took %d locked rows, %v", other, err)
			}
		}
		if enqueued == 3 {
			die() // before the rows are deleted
		}
		return nil
	})
	if err == nil || enqueued != 3 {
		t.Fatalf("enqueued %d, error %v; want a transaction that broke", enqueued, err)
	}
	// The broken transaction's locks go a moment after it.
	again, deadline := 0, time.Now().Add(5*time.Second)
	for again == 0 && err != nil && time.Now().Before(deadline) {
		if again, err = s.Take(context.Background(), outbox.Wake, 10, func(context.Context, outbox.Owed) error { return nil }); again == 0 {
			err = errors.New("nothing yet")
			time.Sleep(10 * time.Millisecond)
		}
	}
	if again != 3 || err != nil {
		t.Fatalf("took %d rows afterwards, %v; want all 3", again, err)
	}
}

// Owe pages through what awaits a retry, and leaves alone what does not.
func TestOwe(t *testing.T) {
	m := modeltest.Ready(t, slow())
	retrying(t, m, 5)
	m.Account(t, "acct_2", 10)
	m.Charge(t, "acct_2", "queued", 1)
	s, ctx := outbox.New(m.G), context.Background()
	before := map[outbox.Owed]bool{}
	take := func(into map[outbox.Owed]bool) {
		t.Helper()
		_, err := s.Take(ctx, outbox.Wake, 100, func(_ context.Context, o outbox.Owed) error {
			o.Key = 0
			if into[o] {
				t.Errorf("%+v twice", o)
			}
			into[o] = true
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	take(before)
	var position *outbox.Position
	var sizes []int
	for {
		next, n, err := s.Owe(ctx, position, 2)
		if err != nil {
			t.Fatal(err)
		}
		if next == nil {
			break
		}
		position, sizes = next, append(sizes, n)
	}
	if fmt.Sprint(sizes) != "[2 2 1]" {
		t.Errorf("pages of %v", sizes)
	}
	after := map[outbox.Owed]bool{}
	take(after)
	if len(after) != 5 {
		t.Fatalf("owed %d, want 5", len(after))
	}
	for o := range before {
		if !after[o] {
			t.Errorf("%+v is not owed again", o)
		}
	}
}
