package job_test

import (
	"context"
	"testing"
	"time"

	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/modeltest"
)

// external charges a job that its caller runs.
func external(t testing.TB, m *modeltest.Models, account, id string, units int64, deadlineS *int64) {
	t.Helper()
	_, err := m.Jobs.Charge(context.Background(), job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: account, JobID: id,
		Action: modeltest.Action, Units: units, Mode: job.External, DeadlineS: deadlineS})
	if err != nil {
		t.Fatal(err)
	}
}

// row reads a job's row.
func row(t testing.TB, m *modeltest.Models, id string) job.Job {
	t.Helper()
	var j job.Job
	if err := m.G.Where("id = ?", id).Take(&j).Error; err != nil {
		t.Fatal(err)
	}
	return j
}

// due moves one of a job's times a second into the past, in its row and in the line.
func due(t fatal, m *modeltest.Models, id, column string) {
	t.Helper()
	line := "due_at"
	if column == "expires_at" {
		line = column
	}
	err := m.G.Exec(`WITH j AS (UPDATE jobs SET `+column+` = clock_timestamp() - interval '1 second' WHERE id = ? RETURNING account_key, key, `+column+` AS at)
		UPDATE waiting_line w SET `+line+` = j.at FROM j WHERE w.account_key = j.account_key AND w.job_key = j.key`, id).Error
	if err != nil {
		t.Fatalf("due: %v", err)
	}
}

// wake rings a job's bell after making it due.
func wake(t testing.TB, m *modeltest.Models, id string) {
	t.Helper()
	due(t, m, id, "not_before")
	j := row(t, m, id)
	woken, err := m.Jobs.Wake(context.Background(), job.Bell{AccountKey: j.AccountKey, JobKey: j.Key, Attempt: j.Attempt, Generation: j.Generation})
	if err != nil || !woken {
		t.Fatalf("woken %t, %v", woken, err)
	}
}

// TestFailureThatRacesItsClaim lets the claim of attempt 1 commit between the refund guard, which does not
// see it, and the reading of why: the failure must still refund.
func TestFailureThatRacesItsClaim(t *testing.T) {
	m, watched, tr := traced(t, modeltest.Fast())
	m.Account(t, "a", 100)
	m.Charge(t, "a", "j", 40)
	tr.set(nil, once("is_refunded", func() {
		if got := m.Claim(t, 1); len(got) != 1 {
			t.Errorf("claimed %d", len(got))
		}
	}))
	r := signal(t, watched, "a", "j", job.Signal{Type: job.SignalFailed, Class: job.Permanent, Attempt: n(1)})
	if r.Outcome != job.Refunded || r.Entry == nil || r.Job.State != job.Dead || !r.Job.IsRefunded {
		t.Errorf("%+v", r)
	}
	if got := m.Balance(t, "a"); got != 100 {
		t.Errorf("balance %d of a job that failed, want 100", got)
	}
}

// TestSuccessThatRacesItsClaim is the same for a delivery: it must be taken, not refused as not made.
func TestSuccessThatRacesItsClaim(t *testing.T) {
	m, watched, tr := traced(t, modeltest.Fast())
	m.Account(t, "a", 100)
	m.Charge(t, "a", "j", 40)
	tr.set(nil, once("delivered_at", func() { m.Claim(t, 1) }))
	r := signal(t, watched, "a", "j", job.Signal{Type: job.SignalSucceeded, Attempt: n(1)})
	if r.Outcome != job.NothingToReclaim || r.Job.State != job.Succeeded {
		t.Errorf("%+v", r)
	}
}

// TestRepeatedFailureOfAnEndedAttempt repeats an external job's failure after its next try has begun: it
// must neither schedule nor kill that.
func TestRepeatedFailureOfAnEndedAttempt(t *testing.T) {
	for name, class := range map[string]string{"schedules": job.Transient, "kills": job.Permanent} {
		t.Run(name, func(t *testing.T) {
			m := modeltest.Ready(t, modeltest.Fast())
			m.Account(t, "a", 100)
			external(t, m, "a", "j", 40, nil)
			fail := job.Signal{Type: job.SignalFailed, Class: job.Transient, Attempt: n(1)}
			if r := signal(t, m, "a", "j", fail); r.Job.State != job.Retrying {
				t.Fatalf("%+v", r)
			}
			wake(t, m, "j")
			fail.Class = class
			if r := signal(t, m, "a", "j", fail); r.Outcome != job.AlreadyRefunded || r.Job.State != job.Running {
				t.Errorf("a repeat moved the job to %s (%s)", r.Job.State, r.Outcome)
			}
		})
	}
}

// TestRepeatedFailureOfAnOlderGeneration does so after a person has put the job back.
func TestRepeatedFailureOfAnOlderGeneration(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 100)
	external(t, m, "a", "j", 40, nil)
	for _, attempt := range []int64{1, 9} {
		signal(t, m, "a", "j", job.Signal{Type: job.SignalFailed, Class: job.Permanent, Attempt: n(attempt)})
	}
	if _, err := m.Jobs.Requeue(ctx, job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j", Reason: "test"}); err != nil {
		t.Fatal(err)
	}
	wake(t, m, "j")
	for _, attempt := range []int64{1, 9} {
		if r := signal(t, m, "a", "j", job.Signal{Type: job.SignalFailed, Class: job.Permanent, Attempt: n(attempt)}); r.Job.State != job.Running {
			t.Errorf("a repeat of attempt %d moved the job to %s", attempt, r.Job.State)
		}
	}
	if r := signal(t, m, "a", "j", job.Signal{Type: job.SignalSucceeded}); r.Outcome != job.Reclaimed {
		t.Errorf("%+v", r)
	}
}

// TestExternalDeadlineOfEveryAttempt lets two attempts of an external job run too long: each is ended by
// the timer.
func TestExternalDeadlineOfEveryAttempt(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 100)
	external(t, m, "a", "j", 40, n(60))
	for attempt := 1; attempt <= 3; attempt++ {
		j := row(t, m, "j")
		if j.State != job.Running || j.Attempt != attempt || j.DeadlineAt == nil {
			t.Fatalf("attempt %d: %s, attempt %d, deadline %v", attempt, j.State, j.Attempt, j.DeadlineAt)
		}
		bell := job.Bell{AccountKey: j.AccountKey, JobKey: j.Key, Attempt: j.Attempt, Generation: j.Generation}
		if out, err := m.Jobs.TimeOut(ctx, bell); err != nil || out {
			t.Fatalf("timed out early: %t, %v", out, err)
		}
		due(t, m, "j", "deadline_at")
		overdue, err := m.Jobs.Overdue(ctx, 0, 10)
		if err != nil || len(overdue) != 1 || overdue[0].Bell != bell {
			t.Fatalf("overdue %+v, %v", overdue, err)
		}
		if done, err := m.Jobs.Settle(ctx, overdue[0]); err != nil || !done {
			t.Fatalf("settled %t, %v", done, err)
		}
		if attempt < 3 {
			wake(t, m, "j")
		}
	}
	if j := row(t, m, "j"); j.State != job.Dead || j.DeadReason != job.DeadAttempts || !j.IsRefunded {
		t.Errorf("%+v", j)
	}
	if got := m.Balance(t, "a"); got != 100 {
		t.Errorf("balance %d", got)
	}
}

// TestNoAttemptStaysOpen ends external jobs with attempts the charge did not know of: none of their
// attempts may look as if it still ran.
func TestNoAttemptStaysOpen(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 100)
	for id, sig := range map[string]job.Signal{
		"succeeds":  {Type: job.SignalSucceeded, Attempt: n(5)},
		"fails":     {Type: job.SignalFailed, Class: job.Permanent, Attempt: n(5)},
		"no number": {Type: job.SignalSucceeded},
	} {
		id = id[:2]
		external(t, m, "a", id, 1, nil)
		signal(t, m, "a", id, sig)
		var open int
		if err := m.G.WithContext(ctx).Raw(`SELECT count(*) FROM attempts WHERE ended_at IS NULL AND job_key = (SELECT key FROM jobs WHERE id = ?)`, id).Scan(&open).Error; err != nil || open != 0 {
			t.Errorf("%s: %d attempts are open, %v", id, open, err)
		}
	}
}

// TestLateSuccess separates a result that nobody waited for any more from a retry that went well.
func TestLateSuccess(t *testing.T) {
	ctx := context.Background()
	fail := job.Signal{Type: job.SignalFailed, Class: job.Transient, Attempt: n(1)}
	complete := func(t *testing.T, m *modeltest.Models, token string) job.FinishResult {
		out, err := m.Jobs.Complete(ctx, job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: token})
		if err != nil {
			t.Fatal(err)
		}
		var f job.FinishResult
		if err := out.Decode(&f); err != nil {
			t.Fatal(err)
		}
		return f
	}
	start := func(t *testing.T) (*modeltest.Models, string) {
		m := modeltest.Ready(t, modeltest.Fast())
		m.Account(t, "a", 100)
		m.Charge(t, "a", "j", 40)
		return m, m.Claim(t, 1)[0].LeaseToken
	}
	t.Run("first try", func(t *testing.T) {
		m, token := start(t)
		if f := complete(t, m, token); f.Outcome != job.Applied || f.Signal.Job.LateSuccess != nil {
			t.Errorf("%+v", f)
		}
		if f := complete(t, m, token); f.Outcome != job.Duplicate {
			t.Errorf("again: %+v", f)
		}
	})
	t.Run("second try", func(t *testing.T) {
		m, _ := start(t)
		signal(t, m, "a", "j", fail)
		wake(t, m, "j")
		f := complete(t, m, m.Claim(t, 1)[0].LeaseToken)
		if f.Outcome != job.Applied || f.Signal.Outcome != job.Reclaimed || f.Signal.Job.LateSuccess != nil {
			t.Errorf("%+v", f)
		}
	})
	t.Run("after the failure", func(t *testing.T) {
		m, token := start(t)
		signal(t, m, "a", "j", fail)
		if f := complete(t, m, token); f.Outcome != job.LateReclaimed || *f.Signal.Job.LateSuccess != job.Retrying {
			t.Errorf("%+v", f)
		}
	})
	t.Run("of an attempt that was superseded", func(t *testing.T) {
		m, token := start(t)
		signal(t, m, "a", "j", fail)
		wake(t, m, "j")
		second := m.Claim(t, 1)[0].LeaseToken
		if f := complete(t, m, token); f.Outcome != job.LateReclaimed || !f.Signal.OlderAttempt || *f.Signal.Job.LateSuccess != job.Running {
			t.Errorf("%+v", f)
		}
		beat, err := m.Jobs.Heartbeat(ctx, second)
		if err != nil || beat.Continue || beat.State != job.Succeeded {
			t.Errorf("the second worker's heartbeat: %+v, %v", beat, err)
		}
		if f := complete(t, m, second); f.Outcome != job.Duplicate {
			t.Errorf("the second worker: %+v", f)
		}
		if got := m.Balance(t, "a"); got != 60 {
			t.Errorf("balance %d", got)
		}
	})
	for name, end := range map[string]func(*modeltest.Models) error{
		"canceled": func(m *modeltest.Models) error {
			_, err := m.Jobs.Cancel(ctx, job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j"})
			return err
		},
		"dead": func(m *modeltest.Models) error {
			_, err := m.Jobs.Signal(ctx, job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j",
				Signal: job.Signal{Type: job.SignalFailed, Class: job.Permanent, Attempt: n(1)}})
			return err
		},
	} {
		t.Run("after it was "+name, func(t *testing.T) {
			m, token := start(t)
			if err := end(m); err != nil {
				t.Fatal(err)
			}
			if f := complete(t, m, token); f.Outcome != job.LateReclaimed || string(*f.Signal.Job.LateSuccess) != name {
				t.Errorf("%+v", f)
			}
		})
	}
}

// TestHeartbeat extends a lease, also one that is over but not swept, and stops a worker whose attempt
// has ended.
func TestHeartbeat(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 100)
	m.Charge(t, "a", "j", 40)
	c := m.Claim(t, 1)[0]
	due(t, m, "j", "lease_until")
	beat, err := m.Jobs.Heartbeat(ctx, c.LeaseToken)
	if err != nil || !beat.Continue || !beat.LeaseUntil.After(c.LeaseUntil) {
		t.Fatalf("%+v, %v", beat, err)
	}
	j := row(t, m, "j")
	if done, err := m.Jobs.TimeOut(ctx, job.Bell{AccountKey: j.AccountKey, JobKey: j.Key, Attempt: 1}); done || err != nil {
		t.Errorf("a lease that was extended timed out: %t, %v", done, err)
	}
	due(t, m, "j", "lease_until")
	if done, err := m.Jobs.TimeOut(ctx, job.Bell{AccountKey: j.AccountKey, JobKey: j.Key, Attempt: 1}); !done || err != nil {
		t.Errorf("timed out: %t, %v", done, err)
	}
	if beat, err := m.Jobs.Heartbeat(ctx, c.LeaseToken); err != nil || beat.Continue || beat.State != job.Retrying {
		t.Errorf("after the time-out: %+v, %v", beat, err)
	}
}

// TestSignalIsChecked refuses what a signal may not say.
func TestSignalIsChecked(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 100)
	m.Charge(t, "a", "j", 40)
	before := snapshot(t, m)
	for name, c := range map[string]struct {
		account, id string
		sig         job.Signal
		code        string
	}{
		"unknown type":          {"a", "j", job.Signal{Type: "timed_out"}, fault.CodeInvalid},
		"no class":              {"a", "j", job.Signal{Type: job.SignalFailed}, fault.CodeInvalid},
		"class of a success":    {"a", "j", job.Signal{Type: job.SignalSucceeded, Class: job.Transient}, fault.CodeInvalid},
		"result of a failure":   {"a", "j", job.Signal{Type: job.SignalFailed, Class: job.Transient, Result: "x"}, fault.CodeInvalid},
		"attempt 0":             {"a", "j", job.Signal{Type: job.SignalSucceeded, Attempt: n(0)}, fault.CodeInvalid},
		"attempt -1":            {"a", "j", job.Signal{Type: job.SignalSucceeded, Attempt: n(-1)}, fault.CodeInvalid},
		"attempt beyond":        {"a", "j", job.Signal{Type: job.SignalSucceeded, Attempt: n(1 << 40)}, fault.CodeInvalid},
		"NUL":                   {"a", "j", job.Signal{Type: job.SignalFailed, Class: job.Transient, Message: "a\x00"}, fault.CodeInvalid},
		"not UTF-8":             {"a", "j", job.Signal{Type: job.SignalSucceeded, Result: "\xff"}, fault.CodeInvalid},
		"attempt not made":      {"a", "j", job.Signal{Type: job.SignalFailed, Class: job.Transient, Attempt: n(1)}, fault.CodeAttemptNotMade},
		"success not made":      {"a", "j", job.Signal{Type: job.SignalSucceeded, Attempt: n(1)}, fault.CodeAttemptNotMade},
		"job that is not":       {"a", "k", job.Signal{Type: job.SignalSucceeded}, fault.CodeJobNotFound},
		"job that cannot be":    {"a", "k\x00", job.Signal{Type: job.SignalSucceeded}, fault.CodeInvalid},
		"account that is not":   {"b", "j", job.Signal{Type: job.SignalSucceeded}, fault.CodeAccountNotFound},
		"account of upper case": {"A", "j", job.Signal{Type: job.SignalSucceeded}, fault.CodeAccountNotFound},
	} {
		_, err := m.Jobs.Signal(context.Background(), job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: c.account, JobID: c.id, Signal: c.sig})
		if !fault.Is(err, c.code) {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
	if after := snapshot(t, m); after != before {
		t.Errorf("refusals changed rows:\n%s\nto:\n%s", before, after)
	}
}

// TestPeopleNameJobsThatCannotBe asks for jobs whose ids no job can have.
func TestPeopleNameJobsThatCannotBe(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 100)
	for _, id := range []string{"nope", "a\x00", "\xff", ""} {
		r := job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: id, Reason: "too_old"}
		for name, do := range map[string]func(context.Context, job.PersonRequest) error{
			"cancel":  func(ctx context.Context, r job.PersonRequest) error { _, err := m.Jobs.Cancel(ctx, r); return err },
			"requeue": func(ctx context.Context, r job.PersonRequest) error { _, err := m.Jobs.Requeue(ctx, r); return err },
			"discard": func(ctx context.Context, r job.PersonRequest) error { _, err := m.Jobs.Discard(ctx, r); return err },
			"reopen":  func(ctx context.Context, r job.PersonRequest) error { _, err := m.Jobs.Reopen(ctx, r); return err },
		} {
			if err := do(ctx, r); !fault.Is(err, fault.CodeJobNotFound) && !fault.Is(err, fault.CodeInvalid) {
				t.Errorf("%s of %q: %v", name, id, err)
			}
		}
	}
}

// TestWakeTooEarly tells how long is left, and rings of the past change nothing.
func TestWakeTooEarly(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 100)
	m.Charge(t, "a", "j", 40)
	m.Claim(t, 1)
	signal(t, m, "a", "j", job.Signal{Type: job.SignalFailed, Class: job.Transient, Attempt: n(1)})
	if err := m.G.Exec(`UPDATE jobs SET not_before = clock_timestamp() + interval '30 seconds' WHERE id = 'j'`).Error; err != nil {
		t.Fatal(err)
	}
	j := row(t, m, "j")
	bell := job.Bell{AccountKey: j.AccountKey, JobKey: j.Key, Attempt: 1}
	_, err := m.Jobs.Wake(ctx, bell)
	early, ok := err.(job.Early)
	if !ok || early.Left < 25*time.Second || early.Left > 30*time.Second {
		t.Errorf("early: %v", err)
	}
	for _, old := range []job.Bell{{AccountKey: j.AccountKey, JobKey: j.Key, Attempt: 0}, {AccountKey: j.AccountKey, JobKey: j.Key, Attempt: 2},
		{AccountKey: j.AccountKey, JobKey: j.Key, Attempt: 1, Generation: 1}, {AccountKey: j.AccountKey, JobKey: 999, Attempt: 1}} {
		if woken, err := m.Jobs.Wake(ctx, old); woken || err != nil {
			t.Errorf("%+v: woken %t, %v", old, woken, err)
		}
	}
	wake(t, m, "j")
	if woken, err := m.Jobs.Wake(ctx, bell); woken || err != nil {
		t.Errorf("the second ring: woken %t, %v", woken, err)
	}
}
