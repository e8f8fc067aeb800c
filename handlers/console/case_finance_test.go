package console_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"recoup/handlers/route"
	"recoup/models/audit"
	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// F47: whatever a form of the console does is asked for on a page of its own first. That page does nothing, names the object, and has
// the focus on Cancel; without the operation id that it carries nothing happens either.
func TestCase_F47_EveryActionConfirms(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	w.dead("acct_7", "j1", 40, "no")
	w.dead("acct_7", "j2", 40, "no")
	if _, err := w.Jobs.Discard(t.Context(), job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "acct_7", JobID: "j2", Reason: "bad_input"}); err != nil {
		t.Fatal(err)
	}
	// One that waits for its next try can be tried now.
	claimed := w.charged("acct_7", "j3", 40)
	if _, err := w.Jobs.Fail(t.Context(), job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: claimed.LeaseToken, Class: job.Transient, Code: "gpu_lost"}); err != nil {
		t.Fatal(err)
	}
	if err := w.G.Exec(`UPDATE jobs SET not_before = not_before + interval '1 hour' WHERE id = 'j3'`).Error; err != nil {
		t.Fatal(err)
	}
	routes := w.console.Routes()
	admin := w.as(staff.Admin)
	checked := 0
	for _, r := range routes {
		if r.Method != http.MethodPost || !strings.HasPrefix(r.Path, "/accounts/:account") {
			continue // signing in and out, and one's own preferences, concern nobody else
		}
		if strings.HasSuffix(r.Path, "/export") || strings.HasSuffix(r.Path, "/notes") {
			continue // asking for a file and adding a note take nothing away; one can be canceled, the other struck
		}
		if slices.Contains([]string{"console.assign.post", "console.snooze.post", "console.undo.post"}, r.Name) {
			continue // no dialog, but an undo: TestTakeSnoozeAndUndo
		}
		if !slices.ContainsFunc(routes, func(x route.Route) bool { return x.Method == http.MethodGet && x.Path == r.Path }) {
			t.Errorf("%s acts without a page that confirms it", r.Path)
			continue
		}
		id := "j1"
		if strings.HasSuffix(r.Path, "/reopen") {
			id = "j2"
		}
		if strings.HasSuffix(r.Path, "/run") {
			id = "j3"
		}
		path := strings.NewReplacer(":account", "acct_7", ":job", id).Replace(r.Path)
		before := w.count(`SELECT (SELECT count(*) FROM operations) + (SELECT count(*) FROM entries)`)
		rec := admin.get(path)
		if rec.Code == http.StatusNotFound {
			continue // there is nothing of the kind to act on
		}
		page := rec.Body.String()
		if rec.Code != http.StatusOK {
			t.Errorf("%s: %d", path, rec.Code)
			continue
		}
		if !strings.Contains(page, `id="form"`) || !strings.Contains(page, "data-cancel autofocus") || !strings.Contains(page, `name="operation_id"`) {
			t.Errorf("%s does not confirm with the focus on Cancel", path)
		}
		if !strings.Contains(text(page), "acct_7") && !strings.Contains(text(page), id) {
			t.Errorf("%s does not name its object", path)
		}
		// Refused or shown again, it did nothing.
		if rec := admin.post(path, url.Values{"reason": {"too_old"}, "amount": {"1"}, "category": {"goodwill"}}); rec.Code == http.StatusSeeOther || rec.Code >= 500 {
			t.Errorf("%s without an operation id: %d", path, rec.Code)
		}
		if after := w.count(`SELECT (SELECT count(*) FROM operations) + (SELECT count(*) FROM entries)`); after != before {
			t.Errorf("%s: without the operation id of its form something was written", path)
		}
		checked++
	}
	if checked < 6 {
		t.Errorf("only %d forms were looked at", checked)
	}
}

// F47: what finance does to an account is undone by its opposite, and both stay on record with person and reason.
func TestCase_F47_FinanceActionsAreUndoneAndOnRecord(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	fin := w.as(staff.Finance)
	const adjust, freeze, unfreeze = "/accounts/acct_7/adjustments", "/accounts/acct_7/freeze", "/accounts/acct_7/unfreeze"
	fin.sent(adjust, fin.form(adjust, "amount", "-30", "reason", "wrong account"))
	w.says(fin.sent(adjust, fin.form(adjust, "amount", "30", "reason", "right account after all")), "100")
	w.says(fin.page("/accounts/acct_7"), "wrong account", "right account after all", "by Pat finance", "\u221230", "+30")
	fin.sent(freeze, fin.form(freeze, "reason", "card stolen"))
	fin.sent(unfreeze, fin.form(unfreeze, "reason", "card found"))
	rows, err := audit.Of(t.Context(), w.G, "account:acct_7", 10)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, r := range rows {
		if r.Actor == fin.who.Actor().String() && r.Outcome == "done" && r.OperationID != "" && r.RequestID != "" {
			said = append(said, r.Reason)
		}
	}
	for _, reason := range []string{"card stolen", "card found"} {
		if !slices.Contains(said, reason) {
			t.Errorf("the audit log does not have %q: %v", reason, said)
		}
	}
}

// F51 for an account: somebody else was faster. Each click of the old form is refused anew, nothing says that it was done, and the form
// opened again is another operation.
func TestCase_F51_SecondClickOnAnAccount(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	one, other := w.as(staff.Finance), w.as(staff.Finance)
	const freeze = "/accounts/acct_7/freeze"
	stale := one.form(freeze, "reason", "card stolen")
	other.sent(freeze, other.form(freeze, "reason", "chargeback"))
	for click := range 2 {
		page := one.sent(freeze, stale)
		w.says(page, "Too late: the account is frozen by now.", "Nothing was changed.", "Request id", "Frozen")
		w.saysNot(page, "The account was frozen.", "Already done")
		if strings.Contains(page, stale.Get("operation_id")) {
			t.Errorf("click %d: the page still carries the refused operation id", click)
		}
	}
	if n := w.count(`SELECT count(*) FROM operations WHERE id = ?`, stale.Get("operation_id")); n != 0 {
		t.Error("a refused operation was stored")
	}
	if n := w.count(`SELECT count(*) FROM audit_log WHERE action = 'freeze' AND outcome = 'done'`); n != 1 {
		t.Errorf("%d freezes are on record", n)
	}
}

// F50 for the filters of finance: each of them stays in the address of page two, of the files and of the chips.
func TestCase_F50_EveryFilterOfTheLedgerSurvives(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 0)
	for range 53 {
		w.grant("acct_7", 7)
	}
	b := w.as(staff.Finance)
	for name, value := range map[string]string{"type": "grant", "account": "acct_7", "actor": "key:test", "min": "7", "max": "7", "sign": "any", "period": "today"} {
		q := url.Values{name: {value}}
		if name != "account" {
			q.Set("account", "acct_7")
		}
		if name == "sign" {
			q.Set("max", "7")
		}
		page := b.page("/ledger?" + q.Encode())
		next := follow(page, "next")
		for what, link := range map[string]string{"page two": next, "the file": exportLink(page, "csv")} {
			u, err := url.Parse(link)
			if err != nil || u.Query().Get(name) != value {
				t.Errorf("%s loses %s: %s", what, name, link)
			}
		}
		second := b.page(next)
		w.says(second, "Clear")
		if got := strings.Count(second, "<tr data-row>"); got != 3 {
			t.Errorf("%s: %d rows on page two", name, got)
		}
	}
}
