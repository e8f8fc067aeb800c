package console_test

import (
	"context"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// inAnHour is what a form sends for the first choice of a snooze.
func inAnHour() string { return "hour@" + time.Now().Add(time.Hour).UTC().Format(time.RFC3339) }

// TestSnoozeSentAgainIsAReplay: a form's choice carries its moment, so that whoever sends it again, at whatever time, asks
// for the same; of a job, of a group, of many.
func TestSnoozeSentAgainIsAReplay(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.dead("acct_7", "j1", 40, "no")
	b := w.as(staff.Support)
	ctx := context.Background()
	// A page that was made 20 minutes ago: its hour is over in 40.
	until := time.Now().Add(40 * time.Minute).UTC().Truncate(time.Second)
	choice := "hour@" + until.Format(time.RFC3339)

	at := jobAt("acct_7", "j1", "/snooze")
	page := b.page(jobAt("acct_7", "j1", ""))
	offered := regexp.MustCompile(`<option value="hour@([^"]*)"`).FindStringSubmatch(page)
	if offered == nil {
		t.Fatal("no choice of an hour")
	}
	if moment, err := time.Parse(time.RFC3339, offered[1]); err != nil || time.Until(moment) > time.Hour {
		t.Errorf("an hour from the page on: %s, %v", offered[1], err)
	}
	form := formOf(t, page, at)
	form.Set("until", choice)
	w.says(b.sent(at, form), "j1 is snoozed until")
	w.says(b.sent(at, form), "Already done.", "j1 is snoozed until")
	l, err := w.Letters.Find(ctx, w.state("acct_7", "j1").AccountKey, w.state("acct_7", "j1").Key)
	if err != nil || l.SnoozedUntil == nil || !l.SnoozedUntil.Equal(until) {
		t.Fatalf("%+v, %v", l, err)
	}
	for _, bad := range []string{"hour", "hour@", "hour@noon", "", "hour@2020-01-01T00:00:00Z", "hour@9999-01-01T00:00:00Z"} {
		if rec := b.post(at, url.Values{"operation_id": {"bad" + bad}, "until": {bad}}); rec.Code != 422 {
			t.Errorf("%q: %d", bad, rec.Code)
		}
	}

	group := groupOf("no") + "/snooze"
	form = b.form(group, "until", choice)
	b.sent(group, form)
	w.says(b.sent(group, form), "Already done.")

	modeltest.Dead(t, w.G, "acct_7", "m", 3)
	form = formOf(t, b.page("/dead-letters"), worksAt)
	form.Set("kind", "snooze")
	form.Set("query", "code=E_STORAGE")
	form.Set("all", "1")
	start := worksAt + "/" + b.prepared(w, form) + "/start"
	w.says(b.page(start), "For an hour")
	form = b.form(start, "until", choice, "count", "3")
	b.sent(start, form)
	w.says(b.sent(start, form), "Already done.")
}

// TestSnoozeOfAPageTooOld: the hour of a page that is older than that is refused, and the form offers moments as of now.
func TestSnoozeOfAPageTooOld(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.dead("acct_7", "j1", 40, "no")
	b := w.as(staff.Support)
	at := jobAt("acct_7", "j1", "/snooze")
	past := "hour@" + time.Now().Add(-time.Minute).UTC().Format(time.RFC3339)
	form := formOf(t, b.page(jobAt("acct_7", "j1", "")), at)
	form.Set("until", past)
	rec := b.post(at, form)
	if rec.Code != 422 || !strings.Contains(text(rec.Body.String()), "A time ahead") {
		t.Fatalf("%d", rec.Code)
	}
	if got := operationID(t, rec.Body.String()); got != form.Get("operation_id") {
		t.Error("nothing was written, and the form has another operation id")
	}
	if w.state("acct_7", "j1").State != job.Dead {
		t.Error("the job moved")
	}
}
