package console_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"recoup/models/actor"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

func noters() []staff.Role {
	return []staff.Role{staff.Finance, staff.Support, staff.Lead, staff.Admin}
}

// peopleSamples are the samples of the routes about what staff keep on an account.
func peopleSamples() map[string]sample {
	const at = "/accounts/acct_7"
	return map[string]sample{
		"console.profile":          {path: at + "/profile", opens: money()},
		"console.profile.post":     {path: at + "/profile", form: url.Values{"name": {"Acme"}}, opens: money()},
		"console.notes":            {path: at + "/notes", opens: every()},
		"console.note":             {path: at + "/notes/new", opens: noters()},
		"console.note.post":        {path: at + "/notes/new", form: url.Values{"text": {"called"}}, opens: noters()},
		"console.note.strike":      {path: at + "/notes/1/strike", opens: noters()},
		"console.note.strike.post": {path: at + "/notes/1/strike", form: url.Values{"reason": {"because"}}, opens: noters()},
	}
}

// note puts a note on an account.
func (w *world) note(account, text string) {
	w.t.Helper()
	_, err := w.Ledger.AddNote(context.Background(), ledger.NoteRequest{Envelope: modeltest.Envelope(), AccountID: account, Text: text})
	if err != nil {
		w.t.Fatal(err)
	}
}

func hidden(t testing.TB, page, name string) string {
	t.Helper()
	m := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("no field %s in\n%s", name, text(page))
	}
	return m[1]
}

// A profile is reviewed, then saved, once; what was reviewed is what is saved.
func TestProfileIsReviewedThenSaved(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	w.name("acct_7", "Acme")
	fin := w.as(staff.Finance)
	const at = "/accounts/acct_7/profile"
	open := fin.page(at)
	form := url.Values{"operation_id": {operationID(t, open)}, "seen": {hidden(t, open, "seen")}, "reviewed": {hidden(t, open, "reviewed")},
		"name": {"Acme Films"}, "plan": {"studio"}, "attributes": {"tier = 2\r\nnote = a = b\r\n"}, "reason": {"asked by mail"}}
	rec := fin.post(at, form)
	review := rec.Body.String()
	w.says(review, "This is what will change.", "Acme → becomes Acme Films", "not set → becomes a = b", "Save profile")
	if rec.Code != http.StatusOK || w.count(`SELECT count(*) FROM operations WHERE id = ?`, form.Get("operation_id")) != 0 {
		t.Fatalf("%d: the review saved something", rec.Code)
	}
	form.Set("reviewed", hidden(t, review, "reviewed"))
	other := url.Values{}
	for k, v := range form {
		other[k] = v
	}
	other.Set("plan", "enterprise")
	w.says(fin.post(at, other).Body.String(), "This is what will change.", "enterprise")
	w.says(fin.sent(at, form), "The profile was saved.", "Acme Films", "studio", "tier", "a = b")
	w.says(fin.sent(at, form), "Already done.", "The profile was saved.")
	if n := w.count(`SELECT count(*) FROM audit_log WHERE action = 'put_account' AND reason = 'asked by mail' AND after->>'name' = 'Acme Films'`); n != 1 {
		t.Errorf("%d audit rows", n)
	}
	// From a page that is stale by now nothing is saved.
	form.Set("operation_id", ids.New())
	page := fin.sent(at, form)
	w.says(page, "Too late: somebody else changed the account meanwhile.", "Nothing was changed.")
	form.Set("attributes", "no sign")
	rec = fin.post(at, form)
	if rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("a bad line: %d", rec.Code)
	}
	w.says(rec.Body.String(), "This line is not a name with a value", "no sign")
	form.Set("attributes", "tier = 2\nnote = a = b")
	form.Set("reviewed", "")
	w.says(fin.post(at, form).Body.String(), "There is nothing to save.")
}

func TestNotesAreAddedAndStruckOut(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	sup := w.as(staff.Support)
	w.says(sup.page("/accounts/acct_7"), "No notes yet.")
	page := sup.sent("/accounts/acct_7/notes/new", sup.form("/accounts/acct_7/notes/new", "text", "wants a call"))
	w.says(page, "The note was added.", "wants a call", "Pat support")
	if rec := sup.post("/accounts/acct_7/notes/new", sup.form("/accounts/acct_7/notes/new")); rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("an empty note: %d", rec.Code)
	}
	at := regexp.MustCompile(`/accounts/acct_7/notes/\d+/strike`).FindString(page)
	if strings.Contains(w.as(staff.Viewer).page("/accounts/acct_7/notes"), at) {
		t.Error("a viewer is offered to strike a note out")
	}
	stale := sup.form(at, "reason", "late")
	w.says(sup.sent(at, sup.form(at, "reason", "another customer")), "The note was struck out.", "wants a call", "Struck out by Pat support: another customer")
	w.says(sup.sent(at, stale), "Too late: the note is struck out by now.")
	if rec := sup.get("/accounts/acct_7/notes/999/strike"); rec.Code != http.StatusNotFound {
		t.Errorf("no such note: %d", rec.Code)
	}
	for range pageOfNotes {
		w.note("acct_7", "one more")
	}
	first := sup.page("/accounts/acct_7/notes")
	w.saysNot(first, "wants a call")
	w.says(sup.page(follow(first, "next")), "wants a call")
}

// pageOfNotes is how many notes fill a page.
const pageOfNotes = 50

// The account's page counts what could still be reclaimed and leads to all of it.
func TestReclaimableJobsAreCounted(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.dead("acct_7", "j1", 40, "no")
	w.dead("acct_7", "j2", 2, "no")
	w.Charge(t, "acct_7", "fine", 5)
	b := w.as(staff.Viewer)
	page := b.page("/accounts/acct_7")
	w.says(page, "2 jobs. If all of these are still delivered, 42 credits are taken back, once each.")
	if !strings.Contains(page, `href="/jobs?account=acct_7&amp;money=refunded"`) {
		t.Error("no link to the list")
	}
	page = b.page("/jobs?account=acct_7&money=refunded")
	w.says(page, "2 jobs. If all of these", "j1", "j2")
	w.saysNot(page, "fine")
}

// Accounts below zero are listed by age.
func TestNegativeAccountsStandByAge(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{"zeta", "alpha"} {
		w.Account(t, id, 0)
		if _, err := w.Ledger.Adjust(context.Background(), ledger.AdjustRequest{Envelope: ledger.Envelope{OperationID: ids.New(), Actor: actor.System()}, AccountID: id, Amount: -5, Reason: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	page := text(w.as(staff.Viewer).page("/accounts?negative=1"))
	if z, a := strings.Index(page, "zeta"), strings.Index(page, "alpha"); z < 0 || a < z || !strings.Contains(page, "Longest below zero first.") {
		t.Errorf("not by age:\n%s", page)
	}
}
