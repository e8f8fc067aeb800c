package webhook_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"recoup/models/webhook"
)

// find returns an endpoint as it is now.
func (w *world) find(t *testing.T, id string) webhook.Endpoint {
	t.Helper()
	e, err := w.Find(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// A receiver that takes no calls is asked with one message at a time, and what else waits for it uses up no try. A
// person's test goes before all of it, and the first call that is taken brings the rest.
func TestReceiverThatIsDownIsLeftAlone(t *testing.T) {
	w, r := build(t, "127.0.0.0/8"), newReceiver(t)
	id := w.endpoint(t, r.URL, webhook.CheckFailed)
	for range 6 {
		w.emit(t, webhook.CheckFailed, nil)
	}
	r.says(http.StatusServiceUnavailable)
	if n := w.deliver(t); n != 1 {
		t.Fatalf("%d calls to a receiver that is down", n)
	}
	e := w.find(t, id)
	if e.FailingSince == nil || e.CallAt == nil || !e.CallAt.After(*e.FailingSince) {
		t.Fatalf("%+v", e)
	}
	if n := w.deliver(t); n != 0 {
		t.Errorf("called %d times in its pause", n)
	}
	untried := 0
	for _, d := range w.deliveries(t, id) {
		if d.Tries == 0 {
			untried++
			if d.DueAt.Before(*e.CallAt) {
				t.Errorf("next try %s, but nothing is called before %s", d.DueAt, e.CallAt)
			}
		}
	}
	if untried != 5 {
		t.Errorf("%d untried, want 5", untried)
	}

	r.says(http.StatusNoContent)
	if _, err := w.Test(context.Background(), by(), id); err != nil {
		t.Fatal(err)
	}
	if n := w.deliver(t); n != 6 {
		t.Errorf("%d calls once it is back, want the test and the five that were not tried", n)
	}
	if first := string(r.all()[1].body); !strings.Contains(first, `"ping"`) {
		t.Errorf("a person's test waits behind %s", first)
	}
	if e := w.find(t, id); e.FailingSince != nil || e.CallAt != nil {
		t.Errorf("back, but %+v", e)
	}
}

// A refusal of one message says nothing about the next: the others are called all the same.
func TestRefusedMessageStopsNoOther(t *testing.T) {
	w, r := build(t, "127.0.0.0/8"), newReceiver(t)
	id := w.endpoint(t, r.URL, webhook.CheckFailed)
	for range 6 {
		w.emit(t, webhook.CheckFailed, nil)
	}
	r.says(http.StatusUnprocessableEntity)
	if n := w.deliver(t); n != 6 {
		t.Errorf("%d calls, want 6", n)
	}
	if e := w.find(t, id); e.FailingSince != nil {
		t.Errorf("said to be down: %+v", e)
	}
}

// What waits for a receiver that has taken no call for three days is given up when it is as old, and no earlier.
func TestGivenUpUntried(t *testing.T) {
	w, r := build(t, "127.0.0.0/8"), newReceiver(t)
	id := w.endpoint(t, r.URL, webhook.CheckFailed)
	for range 3 {
		w.emit(t, webhook.CheckFailed, nil)
	}
	r.says(http.StatusServiceUnavailable)
	w.deliver(t)
	states := func() (waiting, failed int) {
		for _, d := range w.deliveries(t, id) {
			switch d.State {
			case webhook.Waiting:
				waiting++
			case webhook.Failed:
				failed++
			}
		}
		return waiting, failed
	}
	exec := func(q string) {
		t.Helper()
		if err := w.G.Exec(q).Error; err != nil {
			t.Fatal(err)
		}
	}
	exec(`UPDATE webhook_deliveries SET created_at = created_at - interval '80 hours'`)
	w.hurry(t)
	w.deliver(t)
	if waiting, failed := states(); waiting != 3 || failed != 0 {
		t.Fatalf("%d wait, %d failed: given up though it was down for a moment only", waiting, failed)
	}
	w.emit(t, webhook.CheckFailed, nil)
	exec(`UPDATE webhook_endpoints SET failing_since = failing_since - interval '73 hours'`)
	w.hurry(t)
	w.deliver(t)
	if waiting, failed := states(); waiting != 1 || failed != 3 {
		t.Fatalf("%d wait, %d failed; want what is younger to wait", waiting, failed)
	}
	if n := len(r.all()); n != 3 {
		t.Errorf("%d calls", n)
	}
	for _, d := range w.deliveries(t, id) {
		if d.State == webhook.Failed && d.LastError == "" {
			t.Errorf("nothing says why: %+v", d)
		}
	}
}

// One visit to a receiver at a time: a second bell does nothing while the first is being answered.
func TestOneVisitAtATime(t *testing.T) {
	w, r := build(t, "127.0.0.0/8"), newReceiver(t)
	id := w.endpoint(t, r.URL, webhook.CheckFailed)
	w.emit(t, webhook.CheckFailed, nil)
	if err := w.G.Exec(`UPDATE webhook_endpoints SET busy_until = clock_timestamp() + interval '1 minute'`).Error; err != nil {
		t.Fatal(err)
	}
	if err := w.Visit(context.Background(), w.find(t, id).Key); err != nil || len(r.all()) != 0 {
		t.Errorf("visited beside another visit: %d calls, %v", len(r.all()), err)
	}
}

// What waited for weeks and was then delivered is kept as long after its end as everything else.
func TestKeptAfterItsEnd(t *testing.T) {
	w, r := build(t, "127.0.0.0/8"), newReceiver(t)
	id := w.endpoint(t, r.URL, webhook.CheckFailed)
	for range 2 {
		w.emit(t, webhook.CheckFailed, nil)
	}
	w.deliver(t)
	late := w.deliveries(t, id)[1].Key
	for _, q := range []string{`UPDATE webhook_events SET created_at = created_at - interval '31 days'`,
		`UPDATE webhook_deliveries SET created_at = created_at - interval '31 days'`} {
		if err := w.G.Exec(q).Error; err != nil {
			t.Fatal(err)
		}
	}
	if err := w.G.Exec(`UPDATE webhook_deliveries SET finished_at = finished_at - interval '31 days' WHERE key <> ?`, late).Error; err != nil {
		t.Fatal(err)
	}
	n, err := w.DeleteOld(context.Background(), 30*24*time.Hour)
	if err != nil || n != 1 {
		t.Fatalf("%d removed, want 1; %v", n, err)
	}
	if d := w.deliveries(t, id); len(d) != 1 || d[0].Key != late {
		t.Errorf("left: %+v", d)
	}
}
