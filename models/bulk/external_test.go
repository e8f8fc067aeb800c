package bulk_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"recoup/models/bulk"
	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/page"
)

// externalDead charges jobs that their caller runs and lets them die.
func (w world) externalDead(n int) {
	w.t.Helper()
	for i := range n {
		id := fmt.Sprintf("e%03d", i)
		_, err := w.Jobs.Charge(context.Background(), job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: id, Action: modeltest.Action, Units: 10, Mode: job.External})
		if err != nil {
			w.t.Fatal(err)
		}
		w.told(id, 1, job.SignalFailed)
	}
}

// told is what the caller says of an attempt.
func (w world) told(id string, attempt int64, what job.SignalType) {
	w.t.Helper()
	s := job.Signal{Type: what, Attempt: &attempt}
	if what == job.SignalFailed {
		s.Class, s.Code = job.Permanent, "E_STORAGE"
	}
	if _, err := w.Jobs.Signal(context.Background(), job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: id, Signal: s}); err != nil {
		w.t.Fatal(err)
	}
}

// Jobs that callers run are put back and counted as with their callers. The work comes to an end without a word of theirs;
// what they say later counts as how the jobs came back.
func TestAWorkDoesNotWaitForCallers(t *testing.T) {
	w := newWorld(t)
	w.externalDead(6)
	set := w.prepare(bulk.Requeue, all())
	w.start(set, bulk.Pace{Probe: 2, PerMinute: bulk.MaxPerMinute, StopPercent: 20})
	if b := w.until(set.ID); b.State != bulk.Done {
		t.Fatalf("%+v", b)
	}
	if p := w.progress(set.ID); p.Done != 6 || p.Back != (bulk.Tally{WithCaller: 6}) {
		t.Errorf("%+v", p)
	}
	w.told("e000", 2, job.SignalSucceeded)
	w.told("e001", 2, job.SignalFailed)
	if p := w.progress(set.ID); p.Back != (bulk.Tally{WithCaller: 4, Succeeded: 1, Failed: 1}) {
		t.Errorf("%+v", p)
	}
	rows, err := w.bulk.Items(context.Background(), w.find(set.ID), bulk.ShowCaller, nil, page.Older, 10)
	if err != nil || len(rows.Rows) != 4 || rows.Rows[0].Back != bulk.WithCaller {
		t.Errorf("%+v, %v", rows, err)
	}
	w.consistent(set.ID)
}

// The first few are what workers run, however long the others are dead; what callers say counts for the stop as well.
func TestTheFirstFewAreWhatWorkersRun(t *testing.T) {
	w := newWorld(t)
	w.externalDead(12)
	modeltest.Dead(t, w.G, "b", "m", 2)
	set := w.prepare(bulk.Requeue, all())
	needs, err := w.bulk.Needs(context.Background(), w.find(set.ID), 5)
	if err != nil || needs.External != 12 {
		t.Errorf("%+v, %v", needs, err)
	}
	// Two and some that callers run are the first four. The rest waits for the two.
	w.start(set, bulk.Pace{Probe: 4, PerMinute: bulk.MaxPerMinute, StopPercent: 20})
	for range 5 {
		w.turn()
	}
	if p := w.progress(set.ID); p.Done != 4 || p.Back != (bulk.Tally{Out: 2, WithCaller: 2}) {
		t.Fatalf("before they came back: %+v", p)
	}
	w.again(2, false)
	for begun := time.Now(); w.progress(set.ID).Done < 14 && time.Since(begun) < time.Minute; time.Sleep(20 * time.Millisecond) {
		w.turn()
	}
	if p := w.progress(set.ID); p.Done != 14 || p.Back != (bulk.Tally{WithCaller: 12, Succeeded: 2}) {
		t.Errorf("%+v", p)
	}
	w.consistent(set.ID)
}
