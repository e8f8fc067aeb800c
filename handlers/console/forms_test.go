package console_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// A form sent twice is applied once, and the second answer says so with the first result.
func TestSameFormTwiceIsOneEntry(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	fin := w.as(staff.Finance)
	const at = "/accounts/acct_7/grants"
	form := fin.form(at, "amount", "40", "category", "goodwill", "reason", "sorry for the delay")
	first := fin.sent(at, form)
	w.says(first, "Credits were granted.", "140")
	w.saysNot(first, "Already done")
	second := fin.sent(at, form)
	w.says(second, "Already done.", "This is the first result", "Credits were granted.")
	if n := w.entries("acct_7"); n != 2 {
		t.Errorf("%d entries, want the opening grant and one more", n)
	}
	if b := w.Balance(t, "acct_7"); b != 140 {
		t.Errorf("balance %d", b)
	}
	// The back button shows the old form again: other input under its id is refused and not applied.
	form.Set("amount", "41")
	rec := fin.post(at, form)
	if rec.Code != http.StatusUnprocessableEntity {
		t.Fatalf("other input under the same id: %d", rec.Code)
	}
	w.says(rec.Body.String(), "This form was sent before with other input")
	if again := operationID(t, rec.Body.String()); again == form.Get("operation_id") {
		t.Error("the form keeps an operation id that belongs to another input")
	}
	if b := w.Balance(t, "acct_7"); b != 140 {
		t.Errorf("balance %d after a refused form", b)
	}
}

// Many clicks at once are one entry too.
func TestCase_F51_ClicksAtOnceAreOneEntry(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	fin := w.as(staff.Finance)
	const at = "/accounts/acct_7/adjustments"
	form := fin.form(at, "amount", "-150", "reason", "paid outside")
	var wait sync.WaitGroup
	for range 6 {
		b := &browser{world: w, cookies: map[string]*http.Cookie{}}
		for k, v := range fin.cookies {
			b.cookies[k] = v
		}
		wait.Go(func() {
			if rec := b.post(at, form); rec.Code != http.StatusSeeOther {
				t.Errorf("%d %s", rec.Code, text(rec.Body.String()))
			}
		})
	}
	wait.Wait()
	if n, b := w.entries("acct_7"), w.Balance(t, "acct_7"); n != 2 || b != -50 {
		t.Errorf("%d entries, balance %d", n, b)
	}
	w.says(fin.page("/accounts/acct_7"), "\u221250", "paid outside", "Pat finance")
}

func TestBadAmountsWriteNothing(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	fin := w.as(staff.Finance)
	const grants, adjustments = "/accounts/acct_7/grants", "/accounts/acct_7/adjustments"
	for _, x := range []struct{ at, amount, says string }{
		{grants, "", "Please fill this in."},
		{grants, "   ", "Please fill this in."},
		{grants, "1.5", "A whole number of credits, without fractions."},
		{grants, "1e3", "A whole number of credits, without fractions."},
		{grants, "0x10", "A whole number of credits, without fractions."},
		{grants, "forty", "A whole number of credits, without fractions."},
		{grants, "\u221e", "A whole number of credits, without fractions."},
		{grants, "4\x000", "A whole number of credits, without fractions."},
		{grants, "\xff", "A whole number of credits, without fractions."},
		{grants, strings.Repeat("9", 10_000), "This number is too large."},
		{grants, "9223372036854775808", "This number is too large."},
		{grants, "0", "A whole number above zero."},
		{grants, "-5", "A whole number above zero."},
		{adjustments, "0", "Zero would change nothing."},
		{adjustments, "", "Please fill this in."},
		{adjustments, "--5", "A whole number of credits, without fractions."},
		{adjustments, "-9223372036854775809", "This number is too large."},
	} {
		form := fin.form(x.at, "amount", x.amount, "category", "goodwill", "reason", "a reason to keep")
		rec := fin.post(x.at, form)
		page := rec.Body.String()
		if rec.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s %.20q: %d", x.at, x.amount, rec.Code)
			continue
		}
		w.says(page, x.says, "a reason to keep")
		w.saysNot(page, "were granted", "was adjusted")
		if operationID(t, page) != form.Get("operation_id") {
			t.Errorf("%.20q: nothing was written, and yet the form has a new operation id", x.amount)
		}
		if !strings.Contains(page, `aria-invalid="true"`) {
			t.Errorf("%.20q: no field is marked", x.amount)
		}
	}
	if n := w.entries("acct_7"); n != 1 {
		t.Errorf("%d entries", n)
	}
	if got := w.count(`SELECT count(*) FROM operations WHERE kind IN ('grant', 'adjustment')`); got != 1 {
		t.Errorf("%d operations were stored", got)
	}
	// The separators and signs of the screen are what a person may copy from it.
	for typed, want := range map[string]int64{"1,000": 1000, " 7 ": 7, "+3": 3} {
		before := w.Balance(t, "acct_7")
		fin.sent(grants, fin.form(grants, "amount", typed, "category", "goodwill", "reason", "x"))
		if got := w.Balance(t, "acct_7") - before; got != want {
			t.Errorf("%q granted %d", typed, got)
		}
	}
}

func (w *world) count(query string, args ...any) int64 {
	w.t.Helper()
	var n int64
	if err := w.G.Raw(query, args...).Scan(&n).Error; err != nil {
		w.t.Fatal(err)
	}
	return n
}

// An amount that the balance cannot hold is refused with the account as it was.
func TestOverflowIsRefused(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	fin := w.as(staff.Finance)
	const at = "/accounts/acct_7/grants"
	rec := fin.post(at, fin.form(at, "amount", "9223372036854775807", "category", "goodwill", "reason", "x"))
	if rec.Code != http.StatusConflict {
		t.Fatalf("%d", rec.Code)
	}
	w.says(rec.Body.String(), "The balance would be beyond what can be counted.")
	if w.entries("acct_7") != 1 {
		t.Error("an entry was written")
	}
}

func TestFreezeAndUnfreeze(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	fin := w.as(staff.Finance)
	const freeze, unfreeze = "/accounts/acct_7/freeze", "/accounts/acct_7/unfreeze"
	if rec := fin.post(freeze, fin.form(freeze)); rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("without a reason: %d", rec.Code)
	}
	form := fin.form(freeze, "reason", "card stolen")
	w.says(fin.sent(freeze, form), "The account was frozen.", "Frozen")
	// Somebody else freezes a frozen account: its state, no success.
	page := fin.sent(freeze, fin.form(freeze, "reason", "again"))
	w.says(page, "Too late: the account is frozen by now.", "Nothing was changed.", "Request id")
	w.saysNot(page, "The account was frozen.")
	w.says(fin.sent(unfreeze, fin.form(unfreeze, "reason", "card found")), "The account was unfrozen.")
	page = fin.sent(unfreeze, fin.form(unfreeze, "reason", "again"))
	w.says(page, "Too late: the account is not frozen any more.")
	w.saysNot(page, "was unfrozen")
}

func TestCancelRefundsOnce(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	w.Charge(t, "acct_7", "j1", 40)
	sup := w.as(staff.Support)
	at := jobAt("acct_7", "j1", "/cancel")
	form := sup.form(at, "reason", "customer changed their mind")
	w.says(sup.sent(at, form), "The job was canceled.", "Canceled", "customer changed their mind")
	w.says(sup.sent(at, form), "Already done.")
	if w.Balance(t, "acct_7") != 100 || w.entries("acct_7") != 3 {
		t.Errorf("balance %d, %d entries", w.Balance(t, "acct_7"), w.entries("acct_7"))
	}
	page := sup.sent(at, sup.form(at, "reason", "once more"))
	w.says(page, "Too late: the job is canceled by now.")
	w.saysNot(page, "The job was canceled.")
}

// F51: after a conflict the page shows the state as it is, never a success; the old form, pressed again, is refused
// again and changes nothing.
func TestCase_F51_SecondClickAfterAConflict(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	w.dead("acct_7", "j1", 40, "no")
	sup, lead := w.as(staff.Support), w.as(staff.Lead)
	requeue, discard := jobAt("acct_7", "j1", "/requeue"), jobAt("acct_7", "j1", "/discard")
	stale := sup.form(requeue, "reason", "worth a try", "when", "now")
	w.says(lead.sent(discard, lead.form(discard, "reason", "too_old", "note", "spoke with them")), "The job was discarded.", "Too old to be of use", "spoke with them")
	for click := range 2 {
		rec := sup.post(requeue, stale)
		if to := rec.Header().Get("Location"); rec.Code != http.StatusSeeOther || !strings.HasPrefix(to, jobAt("acct_7", "j1", "?")) {
			t.Fatalf("click %d: %d to %s", click, rec.Code, to)
		}
		page := sup.page(rec.Header().Get("Location"))
		w.says(page, "Too late: the job is discarded by now.", "Nothing was changed.", "The page shows the current state; decide again.", "Discarded")
		w.saysNot(page, "was requeued", "Already done")
		if j := w.state("acct_7", "j1"); j.State != job.Discarded || j.Generation != 0 {
			t.Fatalf("click %d: %s, generation %d", click, j.State, j.Generation)
		}
	}
	if n := w.count(`SELECT count(*) FROM operations WHERE id = ?`, stale.Get("operation_id")); n != 0 {
		t.Error("a refused operation was stored")
	}
	// The dialog opened anew carries another id.
	if fresh := sup.form(requeue); fresh.Get("operation_id") == stale.Get("operation_id") {
		t.Error("the form opened again has the refused id")
	}
}

func TestRequeueNowAndAtALocalTime(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	sup := w.signedIn(w.person(staff.Support, staff.Preferences{TimeZone: "Asia/Tokyo"}))
	w.dead("acct_7", "now1", 40, "no")
	at := jobAt("acct_7", "now1", "/requeue")
	w.says(sup.page(at), "Customer pays now, credits 0", "Next attempt 2")
	w.says(sup.sent(at, sup.form(at, "reason", "fixed", "when", "now", "at", "")), "The job was requeued.", "fixed", "Pat support")
	if j := w.state("acct_7", "now1"); j.State != job.Retrying || j.Generation != 1 || time.Until(j.NotBefore) > 2*time.Second {
		t.Errorf("%s, generation %d, not before %s", j.State, j.Generation, j.NotBefore)
	}
	if b := w.Balance(t, "acct_7"); b != 1000 {
		t.Errorf("requeueing charged: balance %d", b)
	}

	w.dead("acct_7", "later1", 40, "no")
	at = jobAt("acct_7", "later1", "/requeue")
	w.says(sup.page(at), "In Asia/Tokyo")
	local := time.Now().In(tokyo).Add(26 * time.Hour).Truncate(time.Minute)
	w.says(sup.sent(at, sup.form(at, "reason", "tomorrow", "when", "at", "at", local.Format("2006-01-02T15:04"))), "The job was requeued.", local.Format("2 Jan 2006 15:04:05")+" JST")
	if j := w.state("acct_7", "later1"); !j.NotBefore.Equal(local) {
		t.Errorf("not before %s, want %s", j.NotBefore, local)
	}

	w.dead("acct_7", "bad1", 40, "no")
	at = jobAt("acct_7", "bad1", "/requeue")
	for typed, says := range map[string]string{"": "A time such as 2026-11-30 18:00.", "tomorrow": "A time such as", "2026-13-40T99:99": "A time such as", "9999-01-01T00:00": "At most a year ahead.", "2020-01-01T00:00": "This time is past."} {
		rec := sup.post(at, sup.form(at, "reason", "x", "when", "at", "at", typed))
		if rec.Code != http.StatusUnprocessableEntity {
			t.Errorf("%q: %d", typed, rec.Code)
		}
		w.says(rec.Body.String(), says)
	}
	// A time that is typed while "now" is chosen is not passed over in silence.
	rec := sup.post(at, sup.form(at, "reason", "x", "when", "now", "at", local.Format("2006-01-02T15:04")))
	w.says(rec.Body.String(), "“Now” is chosen above.")
	if rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("now, and a time: %d", rec.Code)
	}
	if rec := sup.post(at, sup.form(at, "reason", " ", "when", "now")); rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("without a reason: %d", rec.Code)
	}
	if j := w.state("acct_7", "bad1"); j.State != job.Dead {
		t.Errorf("a refused form left the job %s", j.State)
	}
}

func TestDiscardAndReopen(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.dead("acct_7", "j1", 40, "no")
	sup := w.as(staff.Support)
	discard, reopen := jobAt("acct_7", "j1", "/discard"), jobAt("acct_7", "j1", "/reopen")
	for _, reason := range []string{"", "made up"} {
		rec := sup.post(discard, sup.form(discard, "reason", reason, "note", "kept note"))
		if rec.Code != http.StatusUnprocessableEntity {
			t.Errorf("%q: %d", reason, rec.Code)
		}
		w.says(rec.Body.String(), "Please choose a reason.", "kept note")
	}
	rec := sup.post(discard, sup.form(discard, "reason", "other", "note", " "))
	if rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("another reason without a note: %d", rec.Code)
	}
	w.says(rec.Body.String(), "Please fill this in.")
	w.says(sup.sent(discard, sup.form(discard, "reason", "bad_input")), "The job was discarded.")
	w.says(sup.page("/dead-letters?tab=resolved"), "The input cannot be processed", "j1")
	w.saysNot(sup.page("/dead-letters"), "j1")
	w.says(sup.sent(reopen, sup.form(reopen, "reason", "they sent a new file")), "The job was reopened.", "they sent a new file")
	w.says(sup.page("/dead-letters"), "j1")
	if j := w.state("acct_7", "j1"); j.State != job.Dead || j.ResolvedAt != nil {
		t.Errorf("%s, resolved %v", j.State, j.ResolvedAt)
	}
	if w.Balance(t, "acct_7") != 1000 {
		t.Error("the refund did not stand")
	}
}

// A success that arrives for a discarded job is a late success: it leaves the resolved ones.
func TestLateSuccessLeavesResolved(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	c := w.dead("acct_7", "j1", 40, "no")
	sup := w.as(staff.Support)
	discard := jobAt("acct_7", "j1", "/discard")
	sup.sent(discard, sup.form(discard, "reason", "other", "note", "x"))
	if _, err := w.Jobs.Complete(context.Background(), job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: c.LeaseToken, Result: "s3://out"}); err != nil {
		t.Fatal(err)
	}
	resolved := sup.page("/dead-letters?tab=resolved")
	w.says(rows(resolved), "j1", "Succeeded", "Had been discarded")
	if strings.Contains(resolved, "/reopen") {
		t.Error("what was delivered can be reopened")
	}
	w.says(sup.page("/dead-letters?tab=late"), "j1")
	w.says(sup.page(jobAt("acct_7", "j1", "")), "Late success", "Reclaim", "\u221240")
	if w.Balance(t, "acct_7") != 960 {
		t.Errorf("balance %d", w.Balance(t, "acct_7"))
	}
}

// The job's page counts how often each of its operations was sent again, and how often with other input.
func TestJobPageCountsRepeats(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	charge := job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "acct_7", JobID: "j1", Action: modeltest.Action, Units: 40}
	for _, units := range []int64{40, 40, 40, 41} {
		charge.Units = units
		if _, err := w.Jobs.Charge(context.Background(), charge); (err != nil) != (units == 41) {
			t.Fatal(units, err)
		}
	}
	w.says(w.as(staff.Viewer).page(jobAt("acct_7", "j1", "")), "Charge Applied key:test 2 1")
}

// An operation id that no form minted is refused before anything is written.
func TestOperationIDOfAFormIsChecked(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	fin := w.as(staff.Finance)
	for _, id := range []string{"", strings.Repeat("x", 300), "a\x00b", "\xff"} {
		form := url.Values{"operation_id": {id}, "amount": {"1"}, "category": {"goodwill"}, "reason": {"x"}}
		if rec := fin.post("/accounts/acct_7/grants", form); rec.Code < 400 || rec.Code >= 500 {
			t.Errorf("%.10q: %d", id, rec.Code)
		}
	}
	if w.entries("acct_7") != 1 {
		t.Error("an entry was written")
	}
}

// A notice tells only of what this person did, not of what somebody writes into a link.
func TestNoticesCannotBeForged(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	e := w.grant("acct_7", 5)
	fin := w.as(staff.Finance)
	for _, q := range []string{"op_scope=account:acct_7&op=" + e.OperationID, "op_scope=account:acct_7&op=" + ids.New(), "op_scope=%00&op=%00", "op=x", "op_scope=account:acct_7&op=" + e.OperationID + "&replayed=1"} {
		w.saysNot(fin.page("/accounts/acct_7?"+q), "Credits were granted", "Already done")
	}
}

// TestRequeueAtATimeThatTheClockLeavesOut: half past two of the night in which the clocks go forward is half past three.
func TestRequeueAtATimeThatTheClockLeavesOut(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.dead("acct_7", "j1", 40, "no")
	// The next such night, in the north's spring or the south's: one of them is within reach of a requeue at any time of the year.
	var zone *time.Location
	var night time.Time
	for _, name := range []string{"America/New_York", "Australia/Sydney"} {
		in, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		next := time.Now().In(in)
		for next = time.Date(next.Year(), next.Month(), next.Day()+1, 2, 30, 0, 0, in); next.Hour() == 2; {
			next = time.Date(next.Year(), next.Month(), next.Day()+1, 2, 30, 0, 0, in)
		}
		if zone == nil || next.Before(night) {
			zone, night = in, next
		}
	}
	sup := w.signedIn(w.person(staff.Support, staff.Preferences{TimeZone: zone.String()}))
	at := jobAt("acct_7", "j1", "/requeue")
	form := sup.form(at, "reason", "at night", "when", "at", "at", night.Format(time.DateOnly)+"T02:30")
	w.says(sup.sent(at, form), "The job was requeued.")
	want := time.Date(night.Year(), night.Month(), night.Day(), 3, 30, 0, 0, zone)
	if j := w.state("acct_7", "j1"); !j.NotBefore.Equal(want) {
		t.Errorf("not before %s, want %s", j.NotBefore.In(zone), want)
	}
}
