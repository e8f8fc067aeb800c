package console_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// TestLateSuccessFiltersByWhatItSays: the tab's account is an id or the beginning of a name, as its field says, and what the
// tab does not filter by is no chip of it, but is there again on the tabs that do.
func TestLateSuccessFiltersByWhatItSays(t *testing.T) {
	w := newWorld(t)
	for account, name := range map[string]string{"blue-heron": "Blue Heron Podcasts", "acct_7": "Hoshino Studio"} {
		w.Account(t, account, 100)
		w.name(account, name)
		c := w.dead(account, "late-"+account, 40, "no")
		if _, err := w.Jobs.Complete(context.Background(), job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: c.LeaseToken, Result: "s3://x"}); err != nil {
			t.Fatal(err)
		}
	}
	b := w.as(staff.Support)
	for _, account := range []string{"blue-heron", "blue", "BLUE+HERON"} {
		page := b.page("/dead-letters?tab=late&account=" + account)
		w.says(rows(page), "late-blue-heron")
		w.saysNot(rows(page), "late-acct_7")
	}
	w.says(b.page("/dead-letters?tab=late&account=nobody"), "No match")
	page := b.page("/dead-letters?tab=late&code=gpu_lost&class=permanent&min=999999&text=zzzz")
	w.says(rows(page), "late-blue-heron", "late-acct_7")
	w.saysNot(page, "gpu_lost", "999,999", "zzzz")
	review := regexp.MustCompile(`href="(/dead-letters\?[^"]*code=gpu_lost[^"]*)"`).FindStringSubmatch(page)
	if review == nil {
		t.Fatal("no tab keeps the filter")
	}
	w.says(b.page(strings.ReplaceAll(review[1], "&amp;", "&")), "gpu_lost", "999,999", "zzzz")

	// Whose a dead letter is cannot be asked of one's own.
	w.dead("acct_7", "mine1", 2, "no")
	b.sent(jobAt("acct_7", "mine1", "/assign"), formOf(t, b.page("/dead-letters"), jobAt("acct_7", "mine1", "/assign")))
	page = b.page("/dead-letters?tab=mine&assignee=nobody")
	w.says(rows(page), "mine1")
	w.saysNot(page, "Assignee Nobody")
}

// TestFilterThatIsNotUnderstood: a value that is none of a filter's is named and refused, on the list and by a bulk work: it
// does not mean everything.
func TestFilterThatIsNotUnderstood(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.dead("acct_7", "j1", 40, "no")
	b := w.as(staff.Support)
	for _, bad := range []string{"assignee=st_nobodyhere", "money=xx", "age=5y", "within=30d", "class=odd", "min=x", "tab=resolved&outcome=lost"} {
		page := b.page("/dead-letters?" + bad)
		w.says(page, "A part of the filter is not understood", "Clear all")
		w.saysNot(rows(page), "j1")
		rec := b.post(worksAt, url.Values{"kind": {"requeue"}, "query": {bad}, "all": {"1"}, "operation_id": {"op." + bad}})
		if rec.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", bad, rec.Code)
		}
	}
	if rec := b.post(worksAt, url.Values{"kind": {"requeue"}, "query": {"tab=mien"}, "all": {"1"}, "operation_id": {"tab"}}); rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("a tab that is none: %d", rec.Code)
	}
	if n := w.count(`SELECT count(*) FROM bulk_works`); n != 0 {
		t.Errorf("%d sets were frozen", n)
	}
}

// TestBulkSaysWhatSelected: who starts a bulk work and who approves it read by what its set was selected.
func TestBulkSaysWhatSelected(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	modeltest.Dead(t, w.G, "acct_7", "m", bulkLimit+1)
	b := w.as(staff.Support)
	id := b.prepared(w, url.Values{"kind": {"requeue"}, "query": {"code=E_STORAGE&assignee=nobody"}, "all": {"1"}, "operation_id": {"x"}})
	start := worksAt + "/" + id + "/start"
	const selected = "Selected by Needs review · Reason code E_STORAGE · Assignee Nobody"
	w.says(b.page(start), selected)
	w.says(b.sent(start, b.form(start, "reason", "back", "count", "61", "probe", "1", "per_minute", "60", "stop_percent", "20")), selected)
}
