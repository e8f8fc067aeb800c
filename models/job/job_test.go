package job_test

import (
	"context"
	"os"
	"testing"

	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/modeltest"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

func signal(t *testing.T, m *modeltest.Models, account, id string, sig job.Signal) job.SignalResult {
	t.Helper()
	out, err := m.Jobs.Signal(context.Background(), job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: account, JobID: id, Signal: sig})
	if err != nil {
		t.Fatal(err)
	}
	var r job.SignalResult
	if err := out.Decode(&r); err != nil {
		t.Fatal(err)
	}
	return r
}

func n(i int64) *int64 { return &i }

func TestMainPath(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "acct_1", 100)
	m.Charge(t, "acct_1", "j1", 40)
	if got := m.Balance(t, "acct_1"); got != 60 {
		t.Fatalf("balance after charge %d, want 60", got)
	}
	claimed := m.Claim(t, 1)
	if len(claimed) != 1 || claimed[0].Attempt != 1 {
		t.Fatalf("claimed %+v", claimed)
	}
	r := signal(t, m, "acct_1", "j1", job.Signal{Type: job.SignalFailed, Class: job.Transient, Attempt: n(1)})
	if r.Outcome != job.Refunded || r.Job.State != job.Retrying || m.Balance(t, "acct_1") != 100 {
		t.Fatalf("after failure: %+v, balance %d", r, m.Balance(t, "acct_1"))
	}
	out, err := m.Jobs.Complete(context.Background(), job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: claimed[0].LeaseToken, Result: "s3://x"})
	if err != nil {
		t.Fatal(err)
	}
	var f job.FinishResult
	if err := out.Decode(&f); err != nil || f.Outcome != job.LateReclaimed {
		t.Fatalf("late completion: %s %v", out.Result, err)
	}
	if got := m.Balance(t, "acct_1"); got != 60 {
		t.Fatalf("balance after late success %d, want 60", got)
	}
	r = signal(t, m, "acct_1", "j1", job.Signal{Type: job.SignalFailed, Class: job.TimedOut, Attempt: n(1)})
	if r.Outcome != job.DeliveredBefore || m.Balance(t, "acct_1") != 60 {
		t.Fatalf("failure after success: %+v", r)
	}
	_, err = m.Jobs.Signal(context.Background(), job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: "acct_1", JobID: "j1",
		Signal: job.Signal{Type: job.SignalSucceeded, Attempt: n(2)}})
	if !fault.Is(err, fault.CodeAttemptNotMade) {
		t.Fatalf("signal of an attempt not made: %v", err)
	}
}
