package console_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"recoup/models/actor"
	"recoup/models/approval"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// decidedRequest stands for the path of a change request in tables of paths.
const decidedRequest = "/approvals/decided"

// decidedRequest makes a change request that was rejected and returns its path.
func (w *world) decidedRequest(account string) string {
	w.t.Helper()
	ctx := context.Background()
	out, err := w.Ledger.Grant(ctx, ledger.GrantRequest{Envelope: modeltest.Envelope(), AccountID: account, Amount: 1 << 40, Category: ledger.Goodwill})
	var required approval.Required
	if err != nil || out.Decode(&required) != nil {
		w.t.Fatalf("%+v %v", out, err)
	}
	r, err := w.Requests.Find(ctx, required.ChangeRequest.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.Desk.Reject(ctx, approval.Decision{OperationID: ids.New(), Actor: actor.Staff("st_x"), ID: r.ID, Version: 1, Digest: r.Digest, Reason: "no"}); err != nil {
		w.t.Fatal(err)
	}
	return "/approvals/" + r.ID
}

// seen opens the form of a decision and returns what its page carries.
func (b *browser) seen(path, reason string) url.Values {
	b.t.Helper()
	page := b.page(path)
	v := url.Values{"operation_id": {operationID(b.t, page)}, "reason": {reason}}
	for _, name := range []string{"version", "digest"} {
		m := regexp.MustCompile(`name="` + name + `" value="([^"]+)"`).FindStringSubmatch(page)
		if m == nil {
			b.t.Fatalf("%s: no %s in\n%s", path, name, text(page))
		}
		v.Set(name, m[1])
	}
	return v
}

// asks posts a form that needs a second person and returns the path of its change request.
func (b *browser) asks(at string, form url.Values) string {
	b.t.Helper()
	rec := b.post(at, form)
	to := rec.Header().Get("Location")
	if rec.Code != http.StatusSeeOther || !strings.HasPrefix(to, "/approvals/cr_") {
		b.t.Fatalf("POST %s: %d to %q\n%s", at, rec.Code, to, text(rec.Body.String()))
	}
	return path(to)
}

// The whole way: one person asks, cannot decide, another approves; every form twice.
func TestAGrantWithASecondPerson(t *testing.T) {
	w := limitedWorld(t, 1000)
	w.Account(t, "acct_7", 100)
	w.name("acct_7", "Ann Media")
	fiona, lena := w.as(staff.Finance), w.as(staff.Lead)
	const at = "/accounts/acct_7/grants"
	w.says(fiona.page(at), "Above 1,000 credits a second person has to approve.")
	form := fiona.form(at, "amount", "5,000", "category", "paid", "reference", "INV-9", "reason", "annual plan")
	request := fiona.asks(at, form)
	if again := fiona.asks(at, form); again != request {
		t.Errorf("a double click made %s and %s", request, again)
	}
	if w.entries("acct_7") != 1 {
		t.Fatal("something was granted")
	}

	// Whoever asked sees who can help, and no button that decides.
	own := fiona.page(request)
	w.says(own, "Grant of +5,000 credits", "Open", "Pat finance asks for this", "You asked for this, so somebody else decides.", "Pat lead can help.",
		"Ann Media", "INV-9", "annual plan", "100", "5,100", "asked for it")
	for _, verb := range []string{"approve", "reject"} {
		if strings.Contains(own, request+"/"+verb) {
			t.Errorf("%s is offered to whoever asked", verb)
		}
	}
	for _, verb := range []string{"withdraw", "edit"} {
		if !strings.Contains(own, `href="`+request+"/"+verb+`"`) {
			t.Errorf("%s is not offered to whoever asked", verb)
		}
	}
	// The form put together by hand is refused, and the request stays open.
	rec := fiona.post(request+"/approve", lena.seen(request+"/approve", "me"))
	if rec.Code != http.StatusForbidden {
		t.Fatalf("whoever asked approved: %d", rec.Code)
	}
	w.says(rec.Body.String(), "Whoever asked cannot decide")

	viewer := w.as(staff.Viewer)
	w.says(viewer.page(request), "deciding needs another role", "can help.")
	w.saysNot(viewer.page(request), "You asked for this")

	for _, page := range []string{"/", "/approvals"} {
		w.says(lena.page(page), "Approvals 1")
	}
	list := lena.page("/approvals")
	w.says(list, "Grant of +5,000 credits", "acct_7", "Pat finance")
	if !strings.Contains(list, `href="`+request+`"`) {
		t.Error("the list does not lead to the request")
	}
	page := lena.page(request)
	for _, verb := range []string{"withdraw", "edit"} {
		if strings.Contains(page, request+"/"+verb) {
			t.Errorf("%s is offered to somebody else", verb)
		}
	}
	w.says(lena.page(request+"/approve"), "Approve: Grant of +5,000 credits", "It is applied at once", "100", "5,100")
	// Without a reason nothing happens.
	bare := lena.seen(request+"/approve", "")
	if rec := lena.post(request+"/approve", bare); rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("without a reason: %d", rec.Code)
	}
	yes := lena.seen(request+"/approve", "the invoice is paid")
	w.says(lena.sent(request+"/approve", yes), "Approved and applied.", "Approved", "Pat lead approved it", "the invoice is paid", "5,100")
	w.says(lena.sent(request+"/approve", yes), "Already done.")
	if n, b := w.entries("acct_7"), w.Balance(t, "acct_7"); n != 2 || b != 5100 {
		t.Errorf("%d entries, balance %d", n, b)
	}
	w.says(lena.page("/accounts/acct_7/entries/2"), "Pat finance", "Approved by Pat lead", "INV-9", strings.TrimPrefix(request, "/approvals/"))
	// The form that asked, sent once more, is a replay of the grant itself.
	w.says(fiona.sent(at, form), "Already done.", "Credits were granted.")
	w.saysNot(lena.page("/approvals"), "Grant of +5,000 credits", "Approvals 1")
	w.says(lena.page("/approvals?tab=decided"), "Grant of +5,000 credits", "Approved", "by Pat lead")
	w.says(fiona.page("/approvals?tab=mine"), "Grant of +5,000 credits")
	w.saysNot(lena.page("/approvals?tab=mine"), "Grant of +5,000 credits")
}

// Clicks at once on the form that approves are one entry.
func TestApprovedManyTimesAtOnce(t *testing.T) {
	w := limitedWorld(t, 1000)
	w.Account(t, "acct_7", 100)
	fiona, lena := w.as(staff.Finance), w.as(staff.Lead)
	request := fiona.asks("/accounts/acct_7/adjustments", fiona.form("/accounts/acct_7/adjustments", "amount", "-2000", "reason", "paid outside"))
	form := lena.seen(request+"/approve", "checked")
	var wait sync.WaitGroup
	for range 6 {
		b := &browser{world: w, cookies: map[string]*http.Cookie{}}
		for k, v := range lena.cookies {
			b.cookies[k] = v
		}
		wait.Go(func() {
			if rec := b.post(request+"/approve", form); rec.Code != http.StatusSeeOther {
				t.Errorf("%d %s", rec.Code, text(rec.Body.String()))
			}
		})
	}
	wait.Wait()
	if n, b := w.entries("acct_7"), w.Balance(t, "acct_7"); n != 2 || b != -1900 {
		t.Errorf("%d entries, balance %d", n, b)
	}
}

// An edit is a new request; the page that somebody still has of the old one decides nothing.
func TestCase_F25_EditedWhileSomebodyLooks(t *testing.T) {
	w := limitedWorld(t, 1000)
	w.Account(t, "acct_7", 100)
	fiona, lena := w.as(staff.Finance), w.as(staff.Lead)
	const at = "/accounts/acct_7/grants"
	old := fiona.asks(at, fiona.form(at, "amount", "5000", "category", "paid", "reference", "INV-9", "reason", "annual plan"))
	stale := lena.seen(old+"/approve", "fine")
	editing := fiona.page(old + "/edit")
	w.says(editing, "An edit is a new request.", "annual plan")
	edit := fiona.seen(old+"/edit", "annual plan, less VAT")
	edit.Set("amount", "4000")
	edit.Set("category", "paid")
	edit.Set("reference", "INV-9")
	edited := fiona.asks(old+"/edit", edit)
	if edited == old {
		t.Fatal("the edit kept the request")
	}
	if again := fiona.asks(old+"/edit", edit); again != edited {
		t.Errorf("the edit sent twice made %s and %s", edited, again)
	}
	// F51: no success, the state as it is, and the dialog is gone.
	rec := lena.post(old+"/approve", stale)
	if rec.Code != http.StatusSeeOther {
		t.Fatalf("%d", rec.Code)
	}
	page := lena.page(rec.Header().Get("Location"))
	w.says(page, "Too late: the request is withdrawn or replaced by now.", "Nothing was changed.", "Replaced by Grant of +4,000 credits")
	w.saysNot(page, "Approved and applied")
	if rec := lena.get(old + "/approve"); rec.Code != http.StatusSeeOther || rec.Header().Get("Location") != old {
		t.Errorf("the form of a void request: %d to %q", rec.Code, rec.Header().Get("Location"))
	}
	w.says(fiona.sent(edited+"/withdraw", fiona.seen(edited+"/withdraw", "not needed")), "The request was withdrawn.", "Withdrawn", "took it back")
	if w.entries("acct_7") != 1 {
		t.Error("something was granted")
	}
	// A form of the void one, edited again, leads to the request as it is.
	again := url.Values{"operation_id": {ids.New()}, "version": {stale.Get("version")}, "digest": {stale.Get("digest")}, "amount": {"3000"}, "category": {"goodwill"}, "reason": {"x"}}
	rec = fiona.post(old+"/edit", again)
	if rec.Code != http.StatusSeeOther || !strings.HasPrefix(rec.Header().Get("Location"), old+"?refused=withdrawn") {
		t.Errorf("%d to %q", rec.Code, rec.Header().Get("Location"))
	}
	w.says(fiona.page(rec.Header().Get("Location")), "Too late")
}

// F26: a form whose version or digest was changed on the way decides nothing.
func TestCase_F26_AFormOfAnotherVersion(t *testing.T) {
	w := limitedWorld(t, 1000)
	w.Account(t, "acct_7", 100)
	fiona, lena := w.as(staff.Finance), w.as(staff.Lead)
	request := fiona.asks("/accounts/acct_7/adjustments", fiona.form("/accounts/acct_7/adjustments", "amount", "2000", "reason", "x"))
	for name, value := range map[string]string{"version": "2", "digest": strings.Repeat("0", 64)} {
		form := lena.seen(request+"/approve", "fine")
		form.Set(name, value)
		rec := lena.post(request+"/approve", form)
		if rec.Code != http.StatusSeeOther {
			t.Fatalf("%s: %d", name, rec.Code)
		}
		w.says(lena.page(rec.Header().Get("Location")), "not what was shown", "Nothing was changed.")
	}
	for _, value := range []string{"", "x", "zz"} {
		form := lena.seen(request+"/reject", "no")
		form.Set("digest", value)
		form.Set("version", value)
		if rec := lena.post(request+"/reject", form); rec.Code != http.StatusSeeOther {
			t.Errorf("%q: %d", value, rec.Code)
		}
	}
	if w.entries("acct_7") != 1 {
		t.Error("something was applied")
	}
	w.says(lena.page(request), "Open")
	w.says(lena.sent(request+"/reject", lena.seen(request+"/reject", "not ours")), "The request was rejected.", "Rejected", "not ours")
	// The form that asked says what became of it, and where it stands.
	w.says(lena.page("/operations?scope=account:acct_7&id="+w.operationOf(request)), "never applied", "Adjustment of +2,000 credits")
}

func (w *world) operationOf(request string) string {
	w.t.Helper()
	r, err := w.Requests.Find(context.Background(), strings.TrimPrefix(request, "/approvals/"))
	if err != nil {
		w.t.Fatal(err)
	}
	return r.OperationID
}

// Filters are in the address, pages keep them, and what is odd in an address is no error.
func TestTheListOfApprovals(t *testing.T) {
	w := limitedWorld(t, 1000)
	w.Account(t, "acct_7", 100)
	w.Account(t, "acct_8", 100)
	fiona := w.as(staff.Finance)
	for range 51 {
		_, err := w.Ledger.Adjust(context.Background(), ledger.AdjustRequest{Envelope: ledger.Envelope{OperationID: ids.New(), Actor: fiona.who.Actor()}, AccountID: "acct_7", Amount: 2000, Reason: "x"})
		if err != nil {
			t.Fatal(err)
		}
	}
	fiona.asks("/accounts/acct_8/grants", fiona.form("/accounts/acct_8/grants", "amount", "3000", "category", "goodwill", "reason", "y"))
	page := fiona.page("/approvals?account=acct_7&kind=adjustment")
	w.says(page, "Adjustment of +2,000 credits", "Kind Adjustment", "Account id acct_7")
	w.saysNot(page, "Grant of +3,000")
	older := regexp.MustCompile(`href="(/approvals\?[^"]*cursor=[^"]*)" rel="next"`).FindStringSubmatch(page)
	if older == nil {
		t.Fatal("there is no second page")
	}
	second := fiona.page(strings.ReplaceAll(older[1], "&amp;", "&"))
	if n := strings.Count(second, "data-row"); n != 1 {
		t.Errorf("%d rows on the second page", n)
	}
	w.says(second, "Kind Adjustment", "Account id acct_7")
	w.says(fiona.page("/approvals?account=nobody"), "No match.")
	w.says(w.as(staff.Lead).page("/approvals?tab=mine"), "You have asked for nothing")
	for _, path := range []string{"/approvals?tab=x&kind=%00&state=%ff", "/approvals?cursor=x", "/approvals?tab=decided&state=expired"} {
		fiona.page(path)
	}
	for _, path := range []string{"/approvals/x", "/approvals/cr_aaaaaaaaaaaaaaaa", "/approvals/cr_aaaaaaaaaaaaaaaa/approve"} {
		if rec := fiona.get(path); rec.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, rec.Code)
		}
	}
}

// A form whose request came to nothing is shown again with an id of its own: under the old one nothing can ever be done.
func TestAFormOfARequestThatEndedCanBeSentAgain(t *testing.T) {
	w := limitedWorld(t, 1000)
	w.Account(t, "acct_7", 100)
	fiona, lena := w.as(staff.Finance), w.as(staff.Lead)
	const at = "/accounts/acct_7/grants"
	form := fiona.form(at, "amount", "5,000", "category", "paid", "reference", "INV-9", "reason", "annual plan")
	request := fiona.asks(at, form)
	lena.sent(request+"/reject", lena.seen(request+"/reject", "not ours"))
	rec := fiona.post(at, form)
	if rec.Code != http.StatusConflict {
		t.Fatalf("the form of a rejected request: %d", rec.Code)
	}
	id := operationID(t, rec.Body.String())
	if id == form.Get("operation_id") {
		t.Fatal("it is shown again under the id that is used up")
	}
	form.Set("operation_id", id)
	if again := fiona.asks(at, form); again == request {
		t.Errorf("it led to the request that was rejected")
	}
	// The page of what was applied says when it was asked for and when it was applied.
	second := fiona.asks(at, form)
	lena.sent(second+"/approve", lena.seen(second+"/approve", "fine"))
	w.says(fiona.page("/operations?scope=account:acct_7&id="+id), "Asked", "Applied", "Change request", "Grant of +5,000 credits")
}
