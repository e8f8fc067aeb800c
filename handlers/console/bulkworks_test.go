package console_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"recoup/models/bulk"
	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

const (
	worksAt  = "/dead-letters/bulk"
	groupsAt = "/dead-letters/groups"
)

// bulkWorkSamples classifies the routes of bulk works.
func bulkWorkSamples() map[string]sample {
	const at = worksAt + "/bw_aaaaaaaaaaaaaaaa"
	reason := url.Values{"reason": {"because"}}
	return map[string]sample{
		"console.bulk_works":            {path: worksAt, opens: every()},
		"console.bulk_works.post":       {path: worksAt, form: url.Values{"kind": {"assign"}, "row": {"acct_7/j1/0"}}, opens: support()},
		"console.bulk_work":             {path: at, opens: every()},
		"console.bulk_work.progress":    {path: at + "/progress", opens: every()},
		"console.bulk_work.export":      {path: at + "/export", opens: every()},
		"console.bulk_work.start":       {path: at + "/start", opens: support()},
		"console.bulk_work.start.post":  {path: at + "/start", form: reason, opens: support()},
		"console.bulk_work.pause":       {path: at + "/pause", opens: support()},
		"console.bulk_work.pause.post":  {path: at + "/pause", form: url.Values{}, opens: support()},
		"console.bulk_work.resume":      {path: at + "/resume", opens: support()},
		"console.bulk_work.resume.post": {path: at + "/resume", form: reason, opens: support()},
		"console.bulk_work.abort":       {path: at + "/abort", opens: support()},
		"console.bulk_work.abort.post":  {path: at + "/abort", form: reason, opens: support()},
		"console.bulk_work.undo.post":   {path: at + "/undo", form: url.Values{}, opens: support()},
	}
}

// turns lets the workers do what is due, until a work rests.
func (w *world) turns(id string) bulk.Work {
	w.t.Helper()
	for range 1000 {
		if _, err := w.works.Turn(context.Background()); err != nil {
			w.t.Fatal(err)
		}
		if b := w.bulkWork(id); b.State != bulk.Running {
			return b
		}
	}
	w.t.Fatal("it runs and runs")
	return bulk.Work{}
}

// wakeAll lets every job that waits for its next try into the line.
func (w *world) wakeAll() {
	w.t.Helper()
	for _, sql := range []string{`UPDATE jobs SET not_before = clock_timestamp() - interval '1 second' WHERE state = 'retrying'`,
		`UPDATE waiting_line SET due_at = clock_timestamp() - interval '1 second' WHERE phase = 'retrying'`} {
		if err := w.G.Exec(sql).Error; err != nil {
			w.t.Fatal(err)
		}
	}
	var bells []job.Bell
	if err := w.G.Raw(`SELECT account_key, key AS job_key, attempt, generation FROM jobs WHERE state = 'retrying'`).Scan(&bells).Error; err != nil {
		w.t.Fatal(err)
	}
	for _, b := range bells {
		if _, err := w.Jobs.Wake(context.Background(), b); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) bulkWork(id string) bulk.Work {
	w.t.Helper()
	b, err := w.works.Find(context.Background(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

// prepared sends the bar of a list and returns the id of the set that it leads to.
func (b *browser) prepared(w *world, form url.Values) string {
	w.t.Helper()
	rec := b.post(worksAt, form)
	at := rec.Header().Get("Location")
	if rec.Code != http.StatusSeeOther || !strings.HasSuffix(at, "/start") {
		w.t.Fatalf("%d, %q\n%s", rec.Code, at, text(rec.Body.String()))
	}
	return strings.TrimSuffix(strings.TrimPrefix(at, worksAt+"/"), "/start")
}

// TestBulkOnGroups ticks groups in their list and gets a set of all that is open in them, what is out of sight included.
func TestBulkOnGroups(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.dead("acct_7", "j1", 40, "frame 7 is broken")
	w.dead("acct_7", "j2", 40, "frame 8 is broken")
	w.dead("acct_7", "j3", 40, "no room")
	w.dead("acct_7", "j4", 40, "no voice")
	b := w.as(staff.Support)
	at := "/accounts/acct_7/jobs/j2/snooze"
	b.sent(at, formOf(t, b.page("/dead-letters"), at))
	page := b.page(groupsAt)
	form := formOf(t, page, worksAt)
	boxes := regexp.MustCompile(`name="group" value="([^"]*)" form="bulk"`).FindAllStringSubmatch(page, -1)
	if len(boxes) != 3 || strings.Contains(page, `name="row"`) {
		t.Fatalf("%v", boxes)
	}
	form.Set("kind", "assign")
	nothing := b.post(worksAt, form)
	if nothing.Code != http.StatusUnprocessableEntity || !strings.Contains(nothing.Body.String(), `href="`+groupsAt+`"`) {
		t.Errorf("nothing is ticked: %d\n%s", nothing.Code, text(nothing.Body.String()))
	}
	frames := strings.TrimPrefix(groupOf("frame 7 is broken"), groupsAt+"/")
	room := strings.TrimPrefix(groupOf("no room"), groupsAt+"/")
	form["group"] = []string{frames, room}
	id := b.prepared(w, form)
	if again := b.prepared(w, form); again != id {
		t.Errorf("a second click prepared %s beside %s", again, id)
	}
	if set := w.bulkWork(id); set.Count != 3 || set.Kind != bulk.Assign {
		t.Fatalf("%+v", set)
	}
	w.says(b.page(worksAt+"/"+id), "Group "+frames, "Group "+room)
	both := b.page("/dead-letters?" + url.Values{"group": {frames, room}}.Encode())
	w.says(rows(both), "j1", "j3")
	w.saysNot(rows(both), "j4", "j2")
	if viewer := w.as(staff.Viewer).page(groupsAt); strings.Contains(viewer, "bulkbar") || strings.Contains(viewer, `name="group"`) {
		t.Error("who may only look has boxes")
	}
}

var box = regexp.MustCompile(`name="row" value="([^"]*)" form="bulk"`)

// TestBulkWithoutScript ticks rows of a list, looks at the set, starts it and reads what came of it, as plain forms.
func TestBulkWithoutScript(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.Account(t, "cold", 1000)
	for i := range 3 {
		w.dead("acct_7", fmt.Sprintf("j%d", i+1), 40, "no room")
	}
	w.dead("cold", "f1", 10, "no room")
	if _, err := w.Ledger.Freeze(context.Background(), ledger.FreezeRequest{Envelope: modeltest.Envelope(), AccountID: "cold", Reason: "fraud"}); err != nil {
		t.Fatal(err)
	}
	b := w.as(staff.Support)
	page := b.page("/dead-letters?code=unsupported_codec")
	form := formOf(t, page, worksAt)
	boxes := box.FindAllStringSubmatch(page, -1)
	if len(boxes) != 4 || form.Get("query") != "code=unsupported_codec" {
		t.Fatalf("%d boxes, %v", len(boxes), form)
	}
	form.Set("kind", "requeue")
	for _, m := range boxes[1:] {
		form.Add("row", m[1])
	}
	id := b.prepared(w, form)
	if again := b.prepared(w, form); again != id {
		t.Errorf("a double click froze %s beside %s", again, id)
	}
	start := worksAt + "/" + id + "/start"
	page = b.page(start)
	w.says(page, "Requeue 2 dead letters", "No customer pays now", "80 credits if all do", "Left out", "The account is frozen 1", "No named dependency", "Type 2 to confirm")
	w.says(b.page(worksAt+"/"+id), "Not started", "f1", "Left out", "To do 2")
	if rec := b.post(start, b.form(start, "reason", "storage is back", "count", "3", "probe", "10", "per_minute", "300", "stop_percent", "20")); rec.Code != http.StatusUnprocessableEntity ||
		!strings.Contains(text(rec.Body.String()), "That is not the number of dead letters in the set.") {
		t.Fatalf("%d %s", rec.Code, text(rec.Body.String()))
	}
	if rec := b.post(start, b.form(start, "count", "2", "probe", "x", "per_minute", "0", "stop_percent", "101")); rec.Code != http.StatusUnprocessableEntity {
		t.Fatalf("%d", rec.Code)
	}
	sent := b.form(start, "reason", "storage is back", "count", "2", "probe", "0", "per_minute", "60,000", "stop_percent", "20")
	page = b.sent(start, sent)
	w.says(page, "The bulk work was started.", "Running", "0 of 2", "storage is back", "Pause")
	w.says(b.sent(start, sent), "Already done.")
	// Somebody is first with one of them.
	who := w.as(staff.Lead)
	requeue := jobAt("acct_7", "j3", "/requeue")
	who.sent(requeue, who.form(requeue, "reason", "mine", "when", "now"))
	w.turns(id)
	page = b.page(worksAt + "/" + id)
	w.says(page, "Done", "2 of 2", "Somebody was first", "Pat lead was first, at", "The account is frozen", "Out 1")
	if j := w.state("acct_7", "j2"); j.Generation != 1 || j.State != job.Retrying {
		t.Errorf("%+v", j)
	}
	w.says(rows(b.page(worksAt+"/"+id+"?show=lost")), "j3")
	w.saysNot(rows(b.page(worksAt+"/"+id+"?show=lost")), "j2")
	w.says(b.page(worksAt), "Requeue", "Pat support", "storage is back", "Done")
	file := b.get(worksAt + "/" + id + "/export?show=lost").Body.String()
	if lines := strings.Split(strings.TrimSpace(file), "\r\n"); len(lines) != 2 || !strings.Contains(lines[1], ",acct_7,j3,0,40,lost,retrying,staff:") {
		t.Errorf("%q", file)
	}
	// A viewer sees all of it and can do nothing.
	viewer := w.as(staff.Viewer)
	w.saysNot(viewer.page("/dead-letters"), "All on this page")
	w.says(viewer.page(worksAt+"/"+id), "storage is back")
}

// TestASetThatIsTooOld: a set that nobody started in time says so, offers no start and blames nobody.
func TestASetThatIsTooOld(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.dead("acct_7", "j1", 40, "no room")
	b := w.as(staff.Support)
	form := formOf(t, b.page("/dead-letters"), worksAt)
	form.Set("kind", "requeue")
	form.Set("row", box.FindStringSubmatch(b.page("/dead-letters"))[1])
	id := b.prepared(w, form)
	at := worksAt + "/" + id
	late := b.form(at+"/start", "reason", "storage is back", "count", "1", "probe", "0", "per_minute", "60", "stop_percent", "20")
	if err := w.G.Exec(`UPDATE bulk_works SET created_at = created_at - interval '24 hours 10 minutes'`).Error; err != nil {
		t.Fatal(err)
	}
	page := b.sent(at+"/start", late)
	w.says(page, "The set was prepared more than 24 hours ago and cannot be started any more.", "nobody started it within 24 hours")
	w.saysNot(page, "Start…", " By Pat", "by now")
	if rec := b.get(at + "/start"); rec.Code != http.StatusSeeOther {
		t.Errorf("the form is still there: %d", rec.Code)
	}
}

// TestWhatIsOutBehindAHoldIsSaid: the page of a work whose jobs wait behind a hold names it.
func TestWhatIsOutBehindAHoldIsSaid(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	for _, id := range []string{"j1", "j2", "j3"} {
		w.dead("acct_7", id, 40, "no room")
	}
	b := w.as(staff.Support)
	form := formOf(t, b.page("/dead-letters"), worksAt)
	form.Set("kind", "requeue")
	for _, m := range box.FindAllStringSubmatch(b.page("/dead-letters"), -1) {
		form.Add("row", m[1])
	}
	at := worksAt + "/" + b.prepared(w, form)
	b.sent(at+"/start", b.form(at+"/start", "reason", "storage is back", "count", "3", "probe", "2", "per_minute", "60000", "stop_percent", "20"))
	b.sent("/queue/hold", b.form("/queue/hold", "action", modeltest.Action, "reason", "a bad model"))
	for range 3 {
		if _, err := w.works.Turn(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	w.saysNot(b.page(at), "behind a hold")
	w.wakeAll()
	page := b.page(at)
	w.says(page, "The first 2 go first: 0 have come back", "2 jobs that are out wait behind a hold", "Pat support holds the action video_render since", "a bad model")
	if !strings.Contains(page, `href="/queue?action=`+modeltest.Action) {
		t.Error("the hold is not linked")
	}
}

// TestBulkOfAllThatMatch acts on a group and on a filter, above what one person may, and is paused and aborted.
func TestBulkOfAllThatMatch(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	modeltest.Dead(t, w.G, "acct_7", "m", bulkLimit+1)
	if _, err := w.Letters.FillFingerprints(context.Background(), 1000); err != nil {
		t.Fatal(err)
	}
	b, lead := w.as(staff.Support), w.as(staff.Lead)
	page := b.page("/dead-letters?code=E_STORAGE")
	w.says(page, "All 61 that match", "All on this page")
	form := formOf(t, page, worksAt)
	form.Set("kind", "requeue")
	if rec := b.post(worksAt, form); rec.Code != http.StatusUnprocessableEntity || !strings.Contains(rec.Body.String(), "No dead letter is selected") {
		t.Errorf("nothing was selected: %d", rec.Code)
	}
	form.Set("all", "1")
	id := b.prepared(w, form)
	start := worksAt + "/" + id + "/start"
	w.says(b.page(start), "More than 60 need a second person", "Type 61 to confirm")
	page = b.sent(start, b.form(start, "reason", "storage is back", "count", "61", "probe", "0", "per_minute", "60000", "stop_percent", "20"))
	w.says(page, "Requeue 61 dead letters", "183", "storage is back")
	w.says(b.page(worksAt+"/"+id), "Awaits approval", "It waits for a second person.", "Reason code E_STORAGE")
	cr, err := w.Requests.OfOperation(context.Background(), bulk.Scope(), *w.bulkWork(id).OperationID)
	if err != nil || cr == nil {
		t.Fatal(cr, err)
	}
	approve := "/approvals/" + cr.ID + "/approve"
	w.says(lead.page(approve), "Requeue 61 dead letters", "183", "first 0, then 60,000 a minute")
	lead.sent(approve, lead.seen(approve, "looked at it"))
	if state := w.bulkWork(id).State; state != bulk.Running {
		t.Fatalf("%s after it was approved", state)
	}

	pause, resume, abort := worksAt+"/"+id+"/pause", worksAt+"/"+id+"/resume", worksAt+"/"+id+"/abort"
	stale := formOf(t, lead.page(pause), pause)
	w.says(b.sent(pause, formOf(t, b.page(pause), pause)), "The bulk work is paused.", "Pat support paused it at")
	w.says(lead.sent(pause, stale), "The bulk work was at another point by now.", "Pat support")
	w.says(b.sent(resume, b.form(resume, "reason", "go on", "probe", "2", "per_minute", "60000", "stop_percent", "10")), "The bulk work goes on.")
	for range 5 {
		if _, err := w.works.Turn(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	w.says(b.page(worksAt+"/"+id+"/progress?version="+fmt.Sprint(w.bulkWork(id).Version)), "The first 2 go first: 0 have come back", "2 of 61")
	if rec := b.get(worksAt + "/" + id + "/progress?version=0"); rec.Code != http.StatusSeeOther {
		t.Errorf("another state: %d", rec.Code)
	}
	w.says(b.sent(abort, b.form(abort, "reason", "the wrong ones")), "The bulk work was aborted.", "59 were not touched", "Not touched 59")
	w.saysNot(b.page(worksAt+"/"+id), "To do")

	// The rest of the group, from its page.
	page = b.page("/dead-letters/groups")
	group := regexp.MustCompile(`/dead-letters/groups/[0-9a-z-]+`).FindString(page)
	form = formOf(t, b.page(group), worksAt)
	form.Set("kind", "discard")
	id = b.prepared(w, form)
	start = worksAt + "/" + id + "/start"
	w.says(b.page(start), "Discard 59 dead letters", "The refunds stand")
	w.says(b.sent(start, b.form(start, "reason", "too_old", "note", "from March", "count", "59", "per_minute", "60000")), "The bulk work was started.")
	w.turns(id)
	w.says(b.page(worksAt+"/"+id), "59 of 59", "from March", "Group")
	if f, err := w.Letters.Figures(context.Background()); err != nil || f.Open != 0 {
		t.Errorf("%+v, %v", f, err)
	}
	if rec := b.post(worksAt, url.Values{"kind": {"assign"}, "query": {"tab=late"}, "all": {"1"}, "operation_id": {"x"}}); rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("late successes: %d", rec.Code)
	}
	if rec := b.post(worksAt, url.Values{"kind": {"explode"}, "operation_id": {"x"}}); rec.Code != http.StatusBadRequest {
		t.Errorf("no such kind: %d", rec.Code)
	}
}

// TestAssignAndSnoozeMany: what moves no work asks for no count.
func TestAssignAndSnoozeMany(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	modeltest.Dead(t, w.G, "acct_7", "m", 3)
	b := w.as(staff.Support)
	// In this order: what is snoozed leaves the list.
	for _, x := range []struct {
		kind   string
		fields []string
	}{{"assign", nil}, {"snooze", []string{"until", inAnHour()}}} {
		kind, fields := x.kind, x.fields
		form := formOf(t, b.page("/dead-letters"), worksAt)
		form.Set("kind", kind)
		form.Set("query", "code=E_STORAGE")
		form.Set("all", "1")
		id := b.prepared(w, form)
		start := worksAt + "/" + id + "/start"
		sent := b.form(start, append(fields, "count", "3")...)
		if kind == "assign" {
			me := regexp.MustCompile(`<option value="(st_[^"]*)"[^>]*>Me<`).FindStringSubmatch(b.page(start))
			if me == nil {
				t.Fatal("nobody to choose")
			}
			sent.Set("assignee", me[1])
		}
		w.says(b.sent(start, sent), "The bulk work was started.")
		w.turns(id)
	}
	w.says(rows(b.page("/dead-letters?tab=mine")), "m1", "m2", "m3")
	w.says(rows(b.page("/dead-letters?tab=snoozed")), "m1", "m2", "m3")
	if _, err := w.works.Find(context.Background(), "bw_x"); !fault.Is(err, bulk.CodeNotFound) {
		t.Error(err)
	}
}
