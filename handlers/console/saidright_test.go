package console_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"recoup/models/bulk"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// diesAgain lets a job that was put back run and fail for good.
func (w *world) diesAgain(account, id string) {
	w.t.Helper()
	ctx := context.Background()
	for _, sql := range []string{`UPDATE jobs SET not_before = clock_timestamp() - interval '1 second' WHERE state = 'retrying'`,
		`UPDATE waiting_line SET due_at = clock_timestamp() - interval '1 second' WHERE phase = 'retrying'`} {
		if err := w.G.Exec(sql).Error; err != nil {
			w.t.Fatal(err)
		}
	}
	j := w.state(account, id)
	if _, err := w.Jobs.Wake(ctx, job.Bell{AccountKey: j.AccountKey, JobKey: j.Key, Attempt: j.Attempt, Generation: j.Generation}); err != nil {
		w.t.Fatal(err)
	}
	for _, c := range w.Claim(w.t, 1) {
		if _, err := w.Jobs.Fail(ctx, job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: c.LeaseToken, Class: job.Permanent, Code: "again"}); err != nil {
			w.t.Fatal(err)
		}
	}
	if now := w.state(account, id); now.State != job.Dead || now.Generation != j.Generation {
		w.t.Fatalf("%s in generation %d", now.State, now.Generation)
	}
}

// TestAnotherDeathIsSaid: a form about a death that is over, while the job is dead again, tells that it is another death.
func TestAnotherDeathIsSaid(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	w.dead("acct_7", "j1", 40, "no")
	one, two := w.as(staff.Support), w.as(staff.Lead)
	requeue := jobAt("acct_7", "j1", "/requeue")
	stale := two.form(requeue, "reason", "worth a try", "when", "now", "generation", "0")
	one.sent(requeue, one.form(requeue, "reason", "storage is back", "when", "now", "generation", "0"))
	w.says(two.sent(requeue, stale), "Too late: the job is waiting for a retry by now. It is in generation 1 now. By Pat support,")
	w.diesAgain("acct_7", "j1")
	page := two.sent(requeue, stale)
	w.says(page, "has died again", "it is in generation 1 now. By ", "Nothing was changed.")
	w.saysNot(page, "the job is dead by now")
}

// TestRequeueSaysWhatIsInTheWay: the dialog of one requeue warns of a held action and of a frozen account, as a bulk does.
func TestRequeueSaysWhatIsInTheWay(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	w.dead("acct_7", "j1", 40, "no")
	lead := w.as(staff.Lead)
	requeue, freeze := jobAt("acct_7", "j1", "/requeue"), "/accounts/acct_7/freeze"
	w.saysNot(lead.page(requeue), "is held back", "is frozen")
	lead.sent("/queue/hold", lead.form("/queue/hold", "action", modeltest.Action, "reason", "a bad model"))
	lead.sent(freeze, lead.form(freeze, "reason", "chargeback"))
	w.says(lead.page(requeue), "Its action is held back", "Pat lead holds the action video_render since", "“a bad model”", "acct_7 is frozen.")
}

// TestADeadJobThatIsNotRefunded: flags that do not fit the ledger are said to be wrong, and the net is the ledger's.
func TestADeadJobThatIsNotRefunded(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	w.dead("acct_7", "j1", 40, "no")
	b := w.as(staff.Support)
	w.says(b.page(jobAt("acct_7", "j1", "")), "Nothing was delivered")
	if err := w.G.Exec(`UPDATE jobs SET is_refunded = false, refunded_at = NULL`).Error; err != nil {
		t.Fatal(err)
	}
	page := b.page(jobAt("acct_7", "j1", ""))
	w.says(page, "not marked as refunded: this must not happen. By its entries acct_7 has paid 0 credits for it.", "Net, credits 0")
	w.saysNot(page, "Not delivered yet")

	// Its forms say so too, and nobody moves credits by what they state.
	for _, tail := range []string{"/requeue", "/discard", "/recover", "/cancel"} {
		w.says(b.page(jobAt("acct_7", "j1", tail)), "is not what its entries moved")
	}
	before := w.entries("acct_7")
	for tail, form := range map[string]url.Values{"/recover": {"result": {"s3://x"}, "reason": {"there"}}, "/cancel": {"reason": {"not wanted"}}} {
		form.Set("operation_id", ids.New())
		rec := b.post(jobAt("acct_7", "j1", tail), form)
		w.says(rec.Body.String(), "Nothing is moved by hand until somebody has looked at it", "Nothing was changed.")
		if rec.Code != http.StatusConflict {
			t.Errorf("%s: %d", tail, rec.Code)
		}
	}
	if now := w.entries("acct_7"); now != before || w.state("acct_7", "j1").State != job.Dead {
		t.Errorf("%d entries before, %d now", before, now)
	}
}

// TestAViewerTakesCareOfNothing: no form, however it was made, gives a dead letter to somebody who may not triage.
func TestAViewerTakesCareOfNothing(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	w.dead("acct_7", "j1", 40, "no")
	b, viewer := w.as(staff.Support), w.as(staff.Viewer)
	at := jobAt("acct_7", "j1", "/assign")
	form := formOf(t, b.page("/dead-letters"), at)
	form.Set("assignee", viewer.who.ID)
	w.says(b.post(at, form).Body.String(), "Choose somebody whose role takes care of dead letters.")
	set := formOf(t, b.page("/dead-letters"), worksAt)
	set.Set("kind", string(bulk.Assign))
	set.Set("row", "acct_7/j1/0")
	start := worksAt + "/" + b.prepared(w, set) + "/start"
	w.says(b.post(start, b.form(start, "assignee", viewer.who.ID, "count", "1")).Body.String(), "Choose somebody whose role takes care of dead letters.")
}

// TestManySmallWorksAreOneLargeOne: the form of a bulk work goes by what the person started alone before.
func TestManySmallWorksAreOneLargeOne(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	modeltest.Dead(t, w.G, "acct_7", "m", bulkLimit/2+1)
	b, other := w.as(staff.Lead), w.as(staff.Lead)
	start := func(who *browser) string {
		t.Helper()
		form := formOf(t, who.page("/dead-letters"), worksAt)
		form.Set("kind", string(bulk.Discard))
		form.Set("all", "1")
		return worksAt + "/" + who.prepared(w, form) + "/start"
	}
	at := start(b)
	w.saysNot(b.page(at), "second person")
	w.says(b.sent(at, b.form(at, "count", "31", "reason", "too_old", "per_minute", "600")), "31")
	modeltest.Dead(t, w.G, "acct_7", "n", bulkLimit/2)
	at = start(b)
	w.says(b.page(at), "With the 31 that you started alone within 24 hours, this is more than 60 and needs a second person")
	w.saysNot(other.page(start(other)), "second person")
}

// TestSnoozedWithItsGroup: what is out of sight because its group is says so, in the list and on the job's page.
func TestSnoozedWithItsGroup(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	w.dead("acct_7", "j1", 40, "frame 7 is broken")
	b := w.as(staff.Support)
	const words = "snoozed with its group"
	page, list := jobAt("acct_7", "j1", ""), "/dead-letters?tab=snoozed"
	w.saysNot(b.page(page)+b.page(list), words)
	snooze := groupOf("frame 7 is broken") + "/snooze"
	b.sent(snooze, b.form(snooze, "until", "never", "more", "5"))
	w.says(b.page(list), "j1", words)
	w.says(b.page(page), words)
	w.saysNot(b.page(page), "Not snoozed")
	// The rail counts what waits for somebody. Whoever wakes this one sees it, and the group stays as it is.
	waits := func(want string) {
		t.Helper()
		_, rail, _ := strings.Cut(b.page("/jobs"), `href="/dead-letters"`)
		rail, _, _ = strings.Cut(rail, "</a>")
		if got := strings.Fields(text("<a" + rail)); strings.Join(got, " ") != strings.TrimSpace("Dead letters "+want) {
			t.Errorf("the rail says %q, want %s", got, want)
		}
	}
	waits("")
	w.says(b.page(list), "Wake")
	wake := jobAt("acct_7", "j1", "/snooze")
	w.saysNot(rows(b.sent(wake, formOf(t, b.page(list), wake))), "j1")
	w.says(rows(b.page("/dead-letters")), "j1")
	waits("1")
	w.says(b.page(groupOf("frame 7 is broken")), "Snoozed until 5 more")
}

// TestARefusedChoiceIsAboutWhatWasSeen: the form that comes again after a choice that could not be is sent against what the
// person saw, their own older snooze and assignee included.
func TestARefusedChoiceIsAboutWhatWasSeen(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	w.dead("acct_7", "j1", 40, "frame 7 is broken")
	b := w.as(staff.Support)
	snooze, assign := jobAt("acct_7", "j1", "/snooze"), jobAt("acct_7", "j1", "/assign")
	b.sent(assign, formOf(t, b.page("/dead-letters"), assign))
	b.sent(snooze, formOf(t, b.page("/dead-letters"), snooze))
	for at, bad := range map[string][2]string{snooze: {"until", "2020-01-01T00:00:00Z"}, assign: {"assignee", "st_gone"}} {
		form := formOf(t, b.page(jobAt("acct_7", "j1", "")), at)
		form.Set(bad[0], bad[1])
		rec := b.post(at, form)
		if rec.Code != http.StatusUnprocessableEntity {
			t.Fatalf("%s: %d", at, rec.Code)
		}
		again := formOf(t, rec.Body.String(), at)
		again.Set(bad[0], map[string]string{"until": inAnHour(), "assignee": ""}[bad[0]])
		w.saysNot(b.sent(at, again), "meanwhile")
	}
}

// TestWhatSomebodyLeftBehind: the dead letters of who may not take care of them any more can be asked for.
func TestWhatSomebodyLeftBehind(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	w.dead("acct_7", "j1", 40, "frame 7 is broken")
	b := w.as(staff.Support)
	assign := jobAt("acct_7", "j1", "/assign")
	b.sent(assign, formOf(t, b.page("/dead-letters"), assign))
	lead := w.as(staff.Lead)
	option := func() bool { return strings.Contains(lead.page("/dead-letters"), ">Pat support</option>") }
	if !option() {
		t.Fatal("who may take care of them is not offered")
	}
	if err := w.G.Exec(`UPDATE staff SET disabled_at = clock_timestamp() WHERE role = 'support'`).Error; err != nil {
		t.Fatal(err)
	}
	if !option() {
		t.Error("who has left is not offered, with one left behind")
	}
	if err := w.G.Exec(`UPDATE dead_letters SET assignee = ''`).Error; err != nil {
		t.Fatal(err)
	}
	if option() {
		t.Error("who has left and has none is offered")
	}
}

// TestRunNowIsForWhatWaits: a job that cannot be tried now shows no form for it.
func TestRunNowIsForWhatWaits(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	w.dead("acct_7", "j1", 40, "no")
	b := w.as(staff.Lead)
	if rec := b.get(jobAt("acct_7", "j1", "/run")); rec.Code != http.StatusSeeOther {
		t.Errorf("a dead job: %d", rec.Code)
	}
}

// TestFormsOfOtherStates: a form that could only be refused is not shown; the job's page is.
func TestFormsOfOtherStates(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	w.dead("acct_7", "j1", 40, "no")
	w.Charge(t, "acct_7", "j2", 1)
	b := w.as(staff.Lead)
	for path, shown := range map[string]bool{jobAt("acct_7", "j1", "/reopen"): false, jobAt("acct_7", "j1", "/recover"): true, jobAt("acct_7", "j2", "/recover"): false} {
		rec := b.get(path)
		if got := rec.Code == http.StatusOK; got != shown || !shown && rec.Code != http.StatusSeeOther {
			t.Errorf("%s: %d", path, rec.Code)
		}
	}
}

// TestTextThatTurnsAround: a message cannot be made to read other than it is.
func TestTextThatTurnsAround(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	w.dead("acct_7", "j1", 40, "cannot read invoice\u202efdp.exe")
	b := w.as(staff.Support)
	for _, path := range []string{"/dead-letters", jobAt("acct_7", "j1", ""), groupsAt, groupOf("cannot read invoice\u202efdp.exe")} {
		page := b.page(path)
		w.says(page, "invoice[U+202E]fdp.exe")
		if strings.Contains(page, "\u202e") {
			t.Errorf("%s turns around", path)
		}
	}
}

// TestACursorOfAnotherList leads to the first page, also where neither list has a filter.
func TestACursorOfAnotherList(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	modeltest.Dead(t, w.G, "acct_7", "m", 51)
	if _, err := w.Letters.FillFingerprints(context.Background(), 100); err != nil {
		t.Fatal(err)
	}
	b := w.as(staff.Viewer)
	older, err := url.Parse(follow(b.page("/dead-letters"), "next"))
	if err != nil || older.Query().Get("cursor") == "" {
		t.Fatalf("%v, %v", older, err)
	}
	page := b.page(groupsAt + "?cursor=" + url.QueryEscape(older.Query().Get("cursor")))
	w.saysNot(page, "No groups here.")
	if rows(page) != rows(b.page(groupsAt)) {
		t.Error("the cursor of the dead letters was followed among the groups")
	}
}
