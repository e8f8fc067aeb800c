package job_test

import (
	"context"
	"testing"

	"recoup/models/actor"
	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
)

// Whoever was looking at a dead letter while somebody else decided about it is told so, and nothing is done: also where what
// they wanted could be done to what it is by now.
func TestAFormActsOnWhatItShowed(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 1000)
	kenji := actor.Staff("st_kenji")
	by := func() ledger.Envelope {
		e := modeltest.Envelope()
		e.Actor = kenji
		return e
	}
	dead := []job.State{job.Dead}
	recovers := func(r job.PersonRequest) error { r.Result = "s3://x"; _, err := m.Jobs.Recover(ctx, r); return err }
	cancels := func(r job.PersonRequest) error { _, err := m.Jobs.Cancel(ctx, r); return err }
	requeues := func(r job.PersonRequest) error { _, err := m.Jobs.Requeue(ctx, r); return err }
	discards := func(r job.PersonRequest) error { r.Reason = "too_old"; _, err := m.Jobs.Discard(ctx, r); return err }
	for id, c := range map[string]struct {
		first, second func(job.PersonRequest) error
		now           job.State
	}{
		"canceled-then-recovered":  {cancels, recovers, job.Canceled},
		"discarded-then-recovered": {discards, recovers, job.Discarded},
		"requeued-then-canceled":   {requeues, cancels, job.Retrying},
	} {
		external(t, m, "a", id, 40, nil)
		signal(t, m, "a", id, job.Signal{Type: job.SignalFailed, Class: job.Permanent, Attempt: n(1)})
		before := m.Balance(t, "a")
		if err := c.first(job.PersonRequest{Envelope: by(), AccountID: "a", JobID: id, Reason: "first", Seen: dead}); err != nil {
			t.Fatal(id, err)
		}
		err := c.second(job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: id, Reason: "second", Seen: dead})
		if f := fault.As(err); f == nil || f.Code != fault.CodeStateConflict || f.Detail["state"] != string(c.now) || f.Detail["by"] != kenji.String() {
			t.Errorf("%s: %v", id, err)
		}
		if got := m.Balance(t, "a"); got != before {
			t.Errorf("%s: balance %d, was %d", id, got, before)
		}
		// Whoever sees it as it is by now, and a program, can.
		if err := c.second(job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: id, Reason: "second", Seen: []job.State{c.now}}); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}
