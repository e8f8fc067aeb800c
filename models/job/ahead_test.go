package job_test

import (
	"context"
	"testing"

	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/modeltest"
)

// The caller of an external job numbers its attempts, and may be ahead; but no single number leaves none to tell of.
func TestACallerIsNotAMillionAttemptsAhead(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 100)
	external(t, m, "a", "j", 40, nil)
	tell := func(attempt int64, what job.SignalType) error {
		s := job.Signal{Type: what, Attempt: n(attempt)}
		if what == job.SignalFailed {
			s.Class = job.Permanent
		}
		_, err := m.Jobs.Signal(ctx, job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j", Signal: s})
		return err
	}
	start, err := m.Jobs.Find(ctx, "a", "j")
	if err != nil {
		t.Fatal(err)
	}
	first := int64(start.Attempt)
	before := snapshot(t, m)
	for _, what := range []job.SignalType{job.SignalFailed, job.SignalSucceeded} {
		for _, attempt := range []int64{first + 1001, 1_000_000} {
			err := tell(attempt, what)
			if f := fault.As(err); f == nil || f.Code != fault.CodeAttemptNotMade || f.Detail["attempt"] != int(first) {
				t.Errorf("%s of attempt %d: %v", what, attempt, err)
			}
		}
	}
	if after := snapshot(t, m); after != before {
		t.Errorf("what was refused changed something:\n%s", after)
	}
	// What one may be ahead by is told of, and all that follows as well.
	if err := tell(first+1000, job.SignalFailed); err != nil {
		t.Fatal(err)
	}
	if m.Balance(t, "a") != 100 {
		t.Errorf("balance %d after the refund", m.Balance(t, "a"))
	}
	if _, err := m.Jobs.Requeue(ctx, job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j", Reason: "again"}); err != nil {
		t.Fatal(err)
	}
	if err := tell(first+1001, job.SignalSucceeded); err != nil || m.Balance(t, "a") != 60 {
		t.Errorf("%v, balance %d", err, m.Balance(t, "a"))
	}
	// One that stands at a million from before tells of the next.
	external(t, m, "a", "old", 10, nil)
	if err := m.G.Exec(`UPDATE jobs SET attempt = 1000000, generation_base = 999999 WHERE id = 'old'`).Error; err != nil {
		t.Fatal(err)
	}
	_, err = m.Jobs.Signal(ctx, job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "old", Signal: job.Signal{Type: job.SignalFailed, Class: job.Transient, Attempt: n(1_000_001)}})
	if err != nil {
		t.Error(err)
	}
}

// A discard that says to see the note has one, whoever asks for it.
func TestTheReasonOtherNeedsANote(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 100)
	external(t, m, "a", "j", 40, nil)
	signal(t, m, "a", "j", job.Signal{Type: job.SignalFailed, Class: job.Permanent, Attempt: n(1)})
	r := job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j", Reason: "other", Note: " \u200b"}
	_, err := m.Jobs.Discard(ctx, r)
	if f := fault.As(err); f == nil || f.Code != fault.CodeInvalid || len(f.Fields) != 1 || f.Fields[0].Name != "note" {
		t.Fatalf("%v", err)
	}
	r.Note = "the customer has a new file"
	if _, err := m.Jobs.Discard(ctx, r); err != nil {
		t.Error(err)
	}
}

// A job of very many signals tells its first and its newest events, and of those between what changed something.
func TestAHistoryOfManySignals(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 100)
	external(t, m, "a", "j", 40, nil)
	j := row(t, m, "j")
	repeat := func(count int) {
		t.Helper()
		err := m.G.Exec(`INSERT INTO job_events (account_key, job_key, kind, attempt, generation, outcome, state_before, state_after, actor, operation_id)
			SELECT ?, ?, 'failed', 1, 0, 'already_refunded', 'dead', 'dead', 'key:k', 'again-' || g FROM generate_series(1, ?) g`, j.AccountKey, j.Key, count).Error
		if err != nil {
			t.Fatal(err)
		}
	}
	signal(t, m, "a", "j", job.Signal{Type: job.SignalFailed, Class: job.Permanent, Attempt: n(1)})
	repeat(600)
	if _, err := m.Jobs.Requeue(ctx, job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j", Reason: "in the midst"}); err != nil {
		t.Fatal(err)
	}
	repeat(1200)
	signal(t, m, "a", "j", job.Signal{Type: job.SignalSucceeded, Attempt: n(2)})
	h, err := m.Jobs.History(ctx, j.AccountKey, j.Key)
	if err != nil {
		t.Fatal(err)
	}
	if total := int64(1 + 1 + 600 + 1 + 1200 + 1); h.LeftOut != total-int64(len(h.Events)) || len(h.Events) != 100+1+900 {
		t.Errorf("%d events, %d left out of %d", len(h.Events), h.LeftOut, total)
	}
	kinds := map[string]int{}
	for i, e := range h.Events {
		kinds[e.Kind]++
		if i > 0 && e.Key <= h.Events[i-1].Key {
			t.Fatal("not in order")
		}
	}
	if last := h.Events[len(h.Events)-1]; h.Events[0].Kind != job.EventCharged || kinds[job.EventRequeued] != 1 || last.Kind != job.EventSucceeded || last.EntrySeq == nil {
		t.Errorf("%v, last %+v", kinds, last)
	}
}
