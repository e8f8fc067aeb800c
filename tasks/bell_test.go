package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	tnoop "go.opentelemetry.io/otel/trace/noop"

	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/outbox"
)

// The bell alone, in either Redis, brings a failed job back and never before its time.
func TestRetryWakesByBell(t *testing.T) {
	t.Parallel()
	for name, inProcess := range map[string]bool{realServer: false, insideProcess: true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := ready(t, lasting, inProcess)
			w.Charge(t, "acct_1", "j1", 5)
			for attempt := 1; attempt <= 2; attempt++ {
				if c := w.failClaimed(t, job.Transient); c.Attempt != attempt {
					t.Fatalf("attempt %d, want %d", c.Attempt, attempt)
				}
			}
			eventually(t, 10*time.Second, "the second bell", func() bool { return w.row(t, "j1").State == job.Queued })
			if n := w.events(t, "j1", job.EventWoken); n != 2 {
				t.Errorf("woken %d times, want 2", n)
			}
			var early int
			err := w.G.Raw(`SELECT count(*) FROM job_events e, json_extract_path_text(e.data, 'not_before') nb
				WHERE e.kind = 'failed' AND EXISTS (SELECT 1 FROM job_events o WHERE o.kind = 'woken' AND o.job_key = e.job_key
					AND o.attempt = e.attempt AND o.at < nb::timestamptz)`).Scan(&early).Error
			if err != nil || early != 0 {
				t.Errorf("%d wake-ups before not_before, %v", early, err)
			}
			if w.owed(t) != 0 {
				t.Error("a call is still owed")
			}
			if w.run.sweeper.swept.Load() != 0 {
				t.Error("the sweeper had to help")
			}
		})
	}
}

const (
	realServer    = "redis-server"
	insideProcess = "in-process"
)

// rung is the task as the queue hands it to a handler.
func rung(t *testing.T, b job.Bell) *asynq.Task {
	t.Helper()
	payload, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return asynq.NewTask(outbox.Wake, payload)
}

// F43: a bell that rings before not_before changes nothing, is no failure, and asks for the rest of the time.
func TestCase_F43_EarlyBell(t *testing.T) {
	t.Parallel()
	policy := modeltest.Fast()
	policy.BackoffBase, policy.BackoffMax = 1900*time.Millisecond, 1900*time.Millisecond
	w := build(t, modeltest.Ready(t, policy), policy, lasting, true)
	w.Account(t, "acct_1", 10)
	w.Charge(t, "acct_1", "j1", 1)
	before := time.Now()
	w.failClaimed(t, job.Transient)
	due := w.row(t, "j1").NotBefore
	if due.Before(before.Add(1900*time.Millisecond)) || due.Nanosecond() != 0 {
		t.Fatalf("not_before %s: earlier than the delay or not a whole second", due)
	}
	handler := w.run.handler()
	for rang := 0; ; rang++ {
		at := time.Now()
		err := handler.ProcessTask(context.Background(), rung(t, w.bell(t, "j1")))
		if err == nil {
			if time.Now().Before(due) {
				t.Fatalf("woken %s early", time.Until(due))
			}
			if rang < 3 {
				t.Fatalf("only %d early bells: the test proves nothing", rang)
			}
			break
		}
		if isFailure(err) {
			t.Fatalf("early is a failure: %v", err)
		}
		if w.row(t, "j1").State != job.Retrying {
			t.Fatal("an early bell changed the job")
		}
		// The queue cuts the time of the next try to a whole second.
		next := at.Add(retryDelay(0, err, nil)).Truncate(time.Second)
		if next.Before(due) || next.After(due.Add(time.Second)) {
			t.Fatalf("rings again at %s, due %s", next, due)
		}
		time.Sleep(100 * time.Millisecond)
	}
	if w.row(t, "j1").State != job.Queued {
		t.Fatal("not woken")
	}
}

// A task that came too early rings again by itself, also more often than its retries allow: none is used up.
func TestEarlyUsesUpNoRetry(t *testing.T) {
	t.Parallel()
	w := ready(t, lasting, false)
	w.Charge(t, "acct_1", "j1", 1)
	w.failClaimed(t, job.Transient)
	eventually(t, 10*time.Second, "woken", func() bool { return w.row(t, "j1").State == job.Queued })
	// Hand the queue a bell that is due now for a job that is due in four seconds.
	if err := w.G.Exec(`UPDATE jobs SET state = 'retrying', not_before = date_trunc('second', clock_timestamp()) + interval '4 seconds'`).Error; err != nil {
		t.Fatal(err)
	}
	due := w.row(t, "j1").NotBefore
	b := w.bell(t, "j1")
	tk, options, err := wakeTask(outbox.Owed{AccountKey: b.AccountKey, JobKey: b.JobKey, Attempt: b.Attempt, Generation: b.Generation, DueAt: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	client := asynq.NewClient(optionsOf(w.redis))
	defer client.Close()
	if _, err := client.Enqueue(tk, options...); err != nil {
		t.Fatal(err)
	}
	inspector := asynq.NewInspector(optionsOf(w.redis))
	defer inspector.Close()
	eventually(t, 3*time.Second, "the early bell waits", func() bool {
		waiting, err := inspector.ListRetryTasks(Queue)
		return err == nil && len(waiting) == 1
	})
	waiting, err := inspector.ListRetryTasks(Queue)
	if err != nil || len(waiting) != 1 || waiting[0].Retried != 0 || waiting[0].NextProcessAt.Before(due) {
		t.Fatalf("%+v, %v; want no retry used up and a time not before %s", waiting, err, due)
	}
	eventually(t, 10*time.Second, "woken again", func() bool { return w.row(t, "j1").State == job.Queued })
	if time.Now().Before(due) {
		t.Error("before its time")
	}
	if info, err := inspector.GetQueueInfo(Queue); err != nil || info.Failed != 0 || info.Archived != 0 {
		t.Errorf("%+v, %v; want no failure", info, err)
	}
}

// F44: a task that ran, and runs again because its acknowledgement was lost, changes nothing; so does one
// of an attempt or generation that has passed.
func TestCase_F44_SecondRun(t *testing.T) {
	t.Parallel()
	w := build(t, modeltest.Ready(t, modeltest.Fast()), modeltest.Fast(), lasting, true)
	w.Account(t, "acct_1", 10)
	w.Charge(t, "acct_1", "j1", 1)
	w.failClaimed(t, job.Transient)
	handler, ctx := w.run.handler(), context.Background()
	first := rung(t, w.bell(t, "j1"))
	eventually(t, 5*time.Second, "due", func() bool { return handler.ProcessTask(ctx, first) == nil })
	again := func(when string, want job.State) {
		t.Helper()
		before := w.row(t, "j1")
		for range 3 {
			if err := handler.ProcessTask(ctx, first); err != nil {
				t.Fatalf("%s: %v", when, err)
			}
		}
		if after := w.row(t, "j1"); after != before || after.State != want {
			t.Fatalf("%s: %+v became %+v, want %s", when, before, after, want)
		}
	}
	again("queued", job.Queued)
	claimed := w.Claim(t, 1)
	again("running", job.Running)
	_, err := w.Jobs.Fail(ctx, job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: claimed[0].LeaseToken, Class: job.Transient})
	if err != nil {
		t.Fatal(err)
	}
	again("retrying the next attempt", job.Retrying)
	if _, err := w.Jobs.Complete(ctx, job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: claimed[0].LeaseToken}); err != nil {
		t.Fatal(err)
	}
	again("succeeded", job.Succeeded)
	if n := w.events(t, "j1", job.EventWoken); n != 1 {
		t.Errorf("woken %d times", n)
	}
}

// F41: an archived task blocks its id in the queue. The id of a requeued dead letter is another one.
func TestCase_F41_DeadRequeuedRuns(t *testing.T) {
	t.Parallel()
	w := ready(t, lasting, false)
	ctx := context.Background()
	w.Charge(t, "acct_1", "j1", 1)
	w.failClaimed(t, job.Transient)
	eventually(t, 10*time.Second, "woken", func() bool { return w.row(t, "j1").State == job.Queued })
	w.failClaimed(t, job.Permanent)
	if s := w.row(t, "j1").State; s != job.Dead {
		t.Fatalf("state %s", s)
	}
	// The worst of pasts: both tasks of the first generation are archived.
	client, inspector := asynq.NewClient(optionsOf(w.redis)), asynq.NewInspector(optionsOf(w.redis))
	defer client.Close()
	defer inspector.Close()
	b := w.bell(t, "j1")
	for attempt := 1; attempt <= b.Attempt; attempt++ {
		tk, options, err := wakeTask(outbox.Owed{AccountKey: b.AccountKey, JobKey: b.JobKey, Attempt: attempt, DueAt: time.Now().Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		info, err := client.Enqueue(tk, options...)
		if err != nil {
			t.Fatal(err)
		}
		if err := inspector.ArchiveTask(Queue, info.ID); err != nil {
			t.Fatal(err)
		}
	}
	_, err := w.Jobs.Requeue(ctx, job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "acct_1", JobID: "j1", Reason: "fixed"})
	if err != nil {
		t.Fatal(err)
	}
	var claimed []job.Claimed
	eventually(t, 10*time.Second, "claimable again", func() bool { claimed = w.Claim(t, 1); return len(claimed) == 1 })
	if claimed[0].Generation != 1 || claimed[0].Attempt != 3 {
		t.Errorf("claimed %+v; want attempt 3 of generation 1", claimed[0])
	}
	if _, err := w.Jobs.Complete(ctx, job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: claimed[0].LeaseToken}); err != nil {
		t.Fatal(err)
	}
	if w.row(t, "j1").State != job.Succeeded || w.Balance(t, "acct_1") != 999 {
		t.Errorf("%s, balance %d; want succeeded and charged once", w.row(t, "j1").State, w.Balance(t, "acct_1"))
	}
}

// A task that can never be answered is let go, and a handler that panics is told as an error.
func TestBadTaskAndPanic(t *testing.T) {
	t.Parallel()
	h := traced(tnoop.NewTracerProvider().Tracer("t"))
	err := h(wakeHandler(nil)).ProcessTask(context.Background(), asynq.NewTask(outbox.Wake, []byte(`{"job_key":`)))
	if !errors.Is(err, asynq.RevokeTask) {
		t.Errorf("a broken payload: %v", err)
	}
	err = h(wakeHandler(nil)).ProcessTask(context.Background(), rung(t, job.Bell{AccountKey: 1, JobKey: 1, Attempt: 1}))
	if err == nil || errors.Is(err, asynq.RevokeTask) || !isFailure(err) {
		t.Errorf("a panic: %v", err)
	}
}

// The task continues the trace of the charge.
func TestTaskContinuesTrace(t *testing.T) {
	t.Parallel()
	recorder := tracetest.NewSpanRecorder()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("t")
	tk, _, err := wakeTask(outbox.Owed{AccountKey: 1, JobKey: 1, Attempt: 1, Traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})
	if err != nil {
		t.Fatal(err)
	}
	ran := false
	err = traced(tracer)(asynq.HandlerFunc(func(context.Context, *asynq.Task) error { ran = true; return tooEarly{time.Second} })).ProcessTask(context.Background(), tk)
	spans := recorder.Ended()
	if !ran || err == nil || len(spans) != 1 {
		t.Fatalf("ran %v, %v, %d spans", ran, err, len(spans))
	}
	s := spans[0]
	if s.Name() != "task job:wake" || s.SpanContext().TraceID().String() != "0af7651916cd43dd8448eb211c80319c" || s.Parent().SpanID().String() != "b7ad6b7169203331" {
		t.Errorf("span %s of trace %s", s.Name(), s.SpanContext().TraceID())
	}
	if s.Status().Description != "" || len(s.Events()) != 0 {
		t.Error("an early bell counts as an error")
	}
}
