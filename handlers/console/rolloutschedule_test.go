package console_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"recoup/models/modeltest"
	"recoup/models/staff"
)

// A step at a time through the console: the form, a time that a change of the clock repeats, cancelling, firing.
func TestAStepIsScheduled(t *testing.T) {
	w := newWorld(t)
	w.furnishRollouts()
	mei := w.as(staff.Product)
	const at = "/rollouts/" + roID
	w.says(mei.page(at), "Scheduled steps", "Advance: 100 %", "Waiting", "Asia/Tokyo")
	form := mei.page(at + "/schedule")
	w.says(form, "Start: 1 named + 10 %", "Advance: 25 %", "Complete", "Where a change of the clock repeats it, the first is meant")
	typed := func(step, local string) url.Values {
		t.Helper()
		return mei.form(at+"/schedule", "step", step, "local", local, "zone", "America/New_York", "reason", "at night")
	}
	for field, local := range map[string]string{"local": "2020-01-01T00:00", "zone": soon()} {
		v := typed("start:1", local)
		if field == "zone" {
			v.Set("zone", "Mars/Base")
		}
		if rec := mei.post(at+"/schedule", v); rec.Code != http.StatusUnprocessableEntity || !strings.Contains(rec.Body.String(), `id="f-`+field+`-error"`) {
			t.Errorf("%s: %d", field, rec.Code)
		}
	}
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	// The next night in which the clock is set back.
	night := time.Now().In(zone).AddDate(0, 0, 2)
	for {
		night = time.Date(night.Year(), night.Month(), night.Day()+1, 0, 0, 0, 0, zone)
		if time.Date(night.Year(), night.Month(), night.Day()+1, 0, 0, 0, 0, zone).Sub(night) == 25*time.Hour {
			break
		}
	}
	twice := typed("start:1", night.Format("2006-01-02")+"T01:30")
	w.says(mei.sent(at+"/schedule", twice), "The step is scheduled", night.Format("2006-01-02")+" 01:30 America/New_York", "The clock shows this twice: the first is meant", "05:30")
	w.says(mei.sent(at+"/schedule", twice), "Already done")
	if rec := mei.post(at+"/schedule", typed("start:1", soon())); rec.Code != http.StatusSeeOther || !strings.Contains(rec.Header().Get("Location"), "refused=") {
		t.Errorf("a second start: %d", rec.Code)
	}
	cancel := at + "/schedule/2/cancel"
	w.says(mei.sent(cancel, mei.form(cancel, "reason", "too early")), "The scheduled step is cancelled", "Cancelled", "By Pat product: too early")
	mei.sent(at+"/schedule", typed("start:1", soon()))
	err = w.G.Exec(`ALTER TABLE rollout_schedule DISABLE TRIGGER USER; UPDATE rollout_schedule SET at = clock_timestamp() WHERE state = 'waiting' AND step = 'start'; ALTER TABLE rollout_schedule ENABLE TRIGGER USER`).Error
	if err != nil {
		t.Fatal(err)
	}
	if n, err := w.Rollouts.FireDue(context.Background()); n != 1 || err != nil {
		t.Fatalf("%d fired, %v", n, err)
	}
	w.says(mei.page(at), "Running", "Made", "at night (scheduled by Pat product)")
	w.says(mei.sent(at+"/roll-back", mei.moveForm(at+"/roll-back")), "The rollout was rolled back.")
	w.saysNot(mei.page(at), "Schedule a step")
}

// moveForm opens the form of a step and returns the values that its page carries, with a reason.
func (b *browser) moveForm(path string) url.Values {
	b.t.Helper()
	page := b.page(path)
	return url.Values{"operation_id": {operationID(b.t, page)}, "version": {hidden(b.t, page, "version")}, "reason": {"because"}}
}

// Where a second person is needed, the approval is asked for when the step is scheduled.
func TestAScheduledStepWithASecondPerson(t *testing.T) {
	w := newWorld(t)
	w.furnishRollouts()
	mei, ken := w.as(staff.Product), w.as(staff.Product)
	mei.sent("/new/rollout", mei.form("/new/rollout", "id", "ro_two", "candidate", modeltest.Action+"@v2", "threshold_1", "100", "second", "start", "reason", "x"))
	const at = "/rollouts/ro_two"
	request := mei.asks(at+"/schedule", mei.form(at+"/schedule", "step", "start:1", "local", soon(), "zone", "Asia/Tokyo", "reason", "at night"))
	w.says(mei.page(request), "Start: 100 % of ro_two on", "Asia/Tokyo", "Void once the step does not lie ahead")
	w.says(mei.page(at), "Waits for a second person", "Start: 100 %")
	w.says(ken.sent(request+"/approve", ken.seen(request+"/approve", "fine")), "Approved and applied")
	w.says(mei.page(at), "Waiting", "approved")
}
