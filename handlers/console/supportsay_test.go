package console_test

import (
	"context"
	"encoding/hex"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/trace"

	"recoup/models/bulk"
	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// Where there is a trace viewer, the trace ids of a job and of an operation lead into it.
func TestTraceLinks(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	id := trace.TraceID{0x4b, 0xf9, 0x2f, 15: 0x36}
	ctx := trace.ContextWithSpanContext(context.Background(), trace.NewSpanContext(trace.SpanContextConfig{TraceID: id, SpanID: trace.SpanID{7: 1}, TraceFlags: trace.FlagsSampled}))
	e := modeltest.Envelope()
	if _, err := w.Jobs.Charge(ctx, job.ChargeRequest{Envelope: e, AccountID: "acct_7", JobID: "j1", Action: modeltest.Action, Units: 5}); err != nil {
		t.Fatal(err)
	}
	s := w.as(staff.Support)
	link := `href="https://traces.example/trace/` + hex.EncodeToString(id[:]) + `"`
	for _, at := range []string{jobAt("acct_7", "j1", ""), "/operations?scope=account%3Aacct_7&id=" + e.OperationID, "/accounts/acct_7/entries/2"} {
		if !strings.Contains(s.page(at), link) {
			t.Errorf("%s does not lead to the trace", at)
		}
	}
}

// The overview counts what waits for a person: not what people have put out of sight. And it shows what they hold.
func TestOverviewTellsWhatWaits(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.dead("acct_7", "j1", 40, "no")
	w.dead("acct_7", "j2", 40, "other")
	s := w.as(staff.Support)
	w.says(s.page("/"), "Dead letters that need a person: 2.")
	s.sent(jobAt("acct_7", "j1", "/snooze"), s.form(jobAt("acct_7", "j1", ""), "until", inAnHour()))
	w.says(s.page("/"), "Dead letters that need a person: 1.")
	group := groupOf("other")
	s.sent(group+"/snooze", s.form(group+"/snooze", "until", "never", "more", "5"))
	w.says(s.page("/"), "Nothing needs a person now.", "Held actions 0")
	s.sent("/queue/hold", s.form("/queue/hold", "action", modeltest.Action, "reason", "a bad model"))
	w.says(s.page("/"), "Dependencies that are not healthy: 0. Held actions: 1.", "Held actions 1 "+modeltest.Action)
}

// No worker gets an external job: the form that puts it back says who has to run it.
func TestRequeueOfAnExternalJob(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.dead("acct_7", "managed", 40, "no")
	_, err := w.Jobs.Charge(context.Background(), job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "acct_7", JobID: "external", Action: modeltest.Action, Units: 1, Mode: job.External})
	if err != nil {
		t.Fatal(err)
	}
	first := int64(1)
	if _, err = w.Jobs.Signal(context.Background(), job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: "acct_7", JobID: "external",
		Signal: job.Signal{Type: job.SignalFailed, Attempt: &first, Class: job.Permanent, Code: "no"}}); err != nil {
		t.Fatal(err)
	}
	s := w.as(staff.Support)
	w.says(s.page(jobAt("acct_7", "external", "/requeue")), "No worker gets this job: its caller runs it.")
	w.saysNot(s.page(jobAt("acct_7", "managed", "/requeue")), "No worker gets this job")
}

// The trend of a group reaches back a week, so that what a weekend brought is seen after it.
func TestTrendCoversAWeek(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.dead("acct_7", "j1", 40, "frame 7 is broken")
	w.dead("acct_7", "j2", 40, "frame 8 is broken")
	w.dead("acct_7", "j3", 40, "frame 9 is broken")
	for id, days := range map[string]int{"j2": 3, "j3": 8} {
		if err := w.G.Exec(`UPDATE dead_letters SET dead_at = dead_at - make_interval(days => ?) WHERE job_key = ?`, days, w.keyOf("acct_7", id)).Error; err != nil {
			t.Fatal(err)
		}
	}
	if page := w.as(staff.Support).page(groupOf("frame 7 is broken")); !strings.Contains(page, `aria-label="2 deaths in the last 7 days"`) {
		t.Error("the trend does not reach back a week")
	}
}

// What was canceled and arrived all the same is listed as both.
func TestResolvedThenDelivered(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	c := w.dead("acct_7", "j1", 40, "no")
	w.dead("acct_7", "j2", 40, "no")
	s := w.as(staff.Support)
	for _, id := range []string{"j1", "j2"} {
		cancel := jobAt("acct_7", id, "/cancel")
		s.sent(cancel, s.form(cancel, "reason", "not wanted"))
	}
	w.saysNot(rows(s.page("/dead-letters?tab=resolved")), "Delivered after all")
	if _, err := w.Jobs.Complete(context.Background(), job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: c.LeaseToken, Result: "s3://out"}); err != nil {
		t.Fatal(err)
	}
	if got := text(rows(s.page("/dead-letters?tab=resolved"))); strings.Count(got, "Canceled") != 2 || strings.Count(got, "Delivered after all") != 1 {
		t.Errorf("resolved: %s", got)
	}
}

// The list of dead letters names the keys that do something for the person who reads.
func TestKeysAreThoseThatWork(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.dead("acct_7", "j1", 40, "no")
	w.says(w.as(staff.Support).page("/dead-letters"), "Keys: j, k, Enter, x, a, s, n, r, d.", "Requeue the selected dead letter", "Go to Undo")
	page := w.as(staff.Viewer).page("/dead-letters")
	w.says(page, "Keys: j, k, Enter.")
	w.saysNot(page, "Requeue the selected dead letter", "Discard the selected dead letter", "Go to Undo")
}

// Who approves a discard of many is told what can be taken back, as who asked for it was.
func TestApprovalOfADiscardSaysWhatCanBeTakenBack(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	modeltest.Dead(t, w.G, "acct_7", "m", bulkLimit+1)
	if _, err := w.Letters.FillFingerprints(context.Background(), 1000); err != nil {
		t.Fatal(err)
	}
	b, lead := w.as(staff.Support), w.as(staff.Lead)
	form := formOf(t, b.page("/dead-letters?code=E_STORAGE"), worksAt)
	form.Set("kind", "discard")
	form.Set("all", "1")
	id := b.prepared(w, form)
	start := worksAt + "/" + id + "/start"
	b.sent(start, b.form(start, "reason", "too_old", "count", "61", "per_minute", "60000"))
	cr, err := w.Requests.OfOperation(context.Background(), bulk.Scope(), *w.bulkWork(id).OperationID)
	if err != nil || cr == nil {
		t.Fatal(cr, err)
	}
	page := lead.page("/approvals/" + cr.ID + "/approve")
	w.says(page, "The refunds stand. What is discarded can be reopened, one by one.")
	w.saysNot(page, "cannot be taken back")
}
