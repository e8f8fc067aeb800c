package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"recoup/models/bulkgrant"
	"recoup/models/ids"
	"recoup/models/staff"
)

// A file that cannot be applied after all says which line it was, in the words of whoever reads.
func TestAFileThatFailsNamesItsLine(t *testing.T) {
	w := limitedWorld(t, 1000)
	w.Account(t, "acct_7", 100)
	w.Account(t, "acct_8", 100)
	fiona := w.as(staff.Finance)
	var at []string
	for _, account := range []string{"acct_7", "acct_8"} {
		rec := fiona.sendFile("/grants/import", ids.New(), account+".csv", bulkHeader+"g-1,"+account+",10,paid,x\n")
		at = append(at, path(rec.Header().Get("Location")))
	}
	for _, file := range at {
		fiona.sent(file, url.Values{"operation_id": {operationID(t, fiona.page(file))}})
	}
	w.applied(at[0])
	if err := w.fails(at[1]); err == nil {
		t.Fatal("one reference was granted to two accounts")
	}
	w.says(fiona.page(at[1]), "Line 2: This reference was granted to the account acct_7.")
	if got := w.Balance(t, "acct_8"); got != 100 {
		t.Errorf("balance %d", got)
	}
	if rec := fiona.post("/preferences", url.Values{"lang": {"ja"}}); rec.Code != http.StatusSeeOther {
		t.Fatalf("%d", rec.Code)
	}
	page := fiona.page(at[1])
	w.says(page, "2行目：このreferenceはアカウントacct_7に付与済みです。")
	w.saysNot(page, "cannot be applied")
}

// The form asks for what a person has to say, and takes digits as an input method writes them.
func TestAGrantSaysWhy(t *testing.T) {
	w := limitedWorld(t, 100)
	w.Account(t, "acct_7", 10)
	fiona := w.as(staff.Finance)
	const form = "/accounts/acct_7/grants"
	for _, x := range []struct{ category, reference, reason string }{{"paid", "", "x"}, {"goodwill", "INV-1", ""}, {"promotion", "", "\u200b "}} {
		rec := fiona.post(form, fiona.form(form, "amount", "5", "category", x.category, "reference", x.reference, "reason", x.reason))
		if rec.Code != http.StatusUnprocessableEntity || !strings.Contains(text(rec.Body.String()), "Please fill this in.") {
			t.Errorf("%+v: %d", x, rec.Code)
		}
	}
	if got := w.Balance(t, "acct_7"); got != 10 {
		t.Errorf("balance %d", got)
	}
	fiona.sent(form, fiona.form(form, "amount", "１０", "category", "paid", "reference", "INV-1"))
	if got := w.Balance(t, "acct_7"); got != 20 {
		t.Errorf("balance %d", got)
	}
	// Ninety more are within the limit of one request, and above it with the ten before.
	request := fiona.asks(form, fiona.form(form, "amount", "91", "category", "paid", "reference", "INV-2"))
	if got := w.Balance(t, "acct_7"); got != 20 {
		t.Errorf("balance %d", got)
	}
	// Whoever asked is not offered to decide, and is told who can.
	rec := fiona.get(request + "/approve")
	if rec.Code != http.StatusSeeOther || rec.Header().Get("Location") != request {
		t.Errorf("%d %s", rec.Code, rec.Header().Get("Location"))
	}
	lena := w.as(staff.Lead)
	rec = fiona.post(request+"/approve", lena.seen(request+"/approve", "fine"))
	if rec.Code != http.StatusForbidden {
		t.Errorf("%d", rec.Code)
	}
	w.says(rec.Body.String(), "Somebody else has to decide.")
	w.saysNot(rec.Body.String(), "Ask an administrator")
}

// A double click on a grant that waits says that it was done already, as one that was applied does.
func TestADoubleClickAboveTheLimit(t *testing.T) {
	w := limitedWorld(t, 100)
	w.Account(t, "acct_7", 10)
	fiona := w.as(staff.Finance)
	const form = "/accounts/acct_7/grants"
	filled := fiona.form(form, "amount", "101", "category", "paid", "reference", "INV-1")
	first := fiona.asks(form, filled)
	w.saysNot(fiona.page(first), "Already done.")
	again := fiona.post(form, filled).Header().Get("Location")
	if path(again) != first {
		t.Fatalf("%s and %s", first, again)
	}
	w.says(fiona.page(again), "Already done.", "It waits for a second person.")
}

func TestWhoFrozeAnAccount(t *testing.T) {
	w := limitedWorld(t, 100)
	w.Account(t, "acct_7", 10)
	fiona, viewer := w.as(staff.Finance), w.as(staff.Viewer)
	const freeze = "/accounts/acct_7/freeze"
	w.saysNot(viewer.page("/accounts/acct_7"), "Frozen by")
	fiona.sent(freeze, fiona.form(freeze, "reason", "card stolen"))
	w.says(viewer.page("/accounts/acct_7"), "Frozen by Pat finance", "card stolen")
}

// fails lets the task of a file do its work and end with a fault.
func (w *world) fails(path string) error {
	w.t.Helper()
	ctx := w.t.Context()
	f, err := w.bulk.Find(ctx, strings.TrimPrefix(path, "/grants/import/"))
	if err != nil || f.TaskID == nil {
		w.t.Fatalf("%+v %v", f, err)
	}
	task, err := w.tasks.Find(ctx, *f.TaskID)
	if err != nil {
		w.t.Fatal(err)
	}
	run, err := w.tasks.Take(ctx, task.Key, "w")
	if err != nil || run == nil {
		w.t.Fatal(err)
	}
	_, failed := w.bulk.Run(ctx, run)
	if failed != nil {
		if err := run.Fail(ctx, bulkgrant.CodeBadLines, failed.Error()); err != nil {
			w.t.Fatal(err)
		}
	}
	return failed
}

// Everything that is wrong with a grant is named at once.
func TestAGrantOfNothingWithoutItsDocument(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 0)
	b := w.as(staff.Finance)
	const at = "/accounts/acct_7/grants"
	rec := b.post(at, b.form(at, "amount", "0", "category", "paid"))
	for _, name := range []string{"amount", "reference"} {
		if !regexp.MustCompile(`(?s)id="f-` + name + `"[^>]*aria-invalid="true"`).MatchString(rec.Body.String()) {
			t.Errorf("%s is not named", name)
		}
	}
}
