package console_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"recoup/models/actor"
	"recoup/models/bulkgrant"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// An amount may be looked for by its size: a charge of 40 is found beside the grant of 40.
func TestAmountsOfEitherSign(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 0)
	for _, n := range []int64{39, 40, -40, 41, -41, -42, 100} {
		if _, err := w.Ledger.Adjust(context.Background(), ledger.AdjustRequest{Envelope: modeltest.Envelope(), AccountID: "acct_7", Amount: n, Reason: "r"}); err != nil {
			t.Fatal(err)
		}
	}
	b := w.as(staff.Finance)
	for q, want := range map[string][]string{
		"min=40&max=41":            {"41", "40"},
		"min=40&max=41&sign=any":   {"-41", "41", "-40", "40"},
		"min=-40&max=-41&sign=any": {"-41", "41", "-40", "40"},
		"max=40&sign=any":          {"-40", "40", "39"},
		"min=42&sign=any":          {"100", "-42"},
		"min=-42&max=-40":          {"-42", "-41", "-40"},
	} {
		path := "/ledger?account=acct_7&" + q
		page := b.page(path)
		if got := amounts(b.onScreen(path)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", q, got, want)
		}
		if strings.Contains(q, "sign=any") {
			w.says(page, "either sign")
		}
		_, file := b.exported(exportLink(page, "csv"))
		if rows, _ := inFile(t, file); !slices.Equal(amounts(rows), want) {
			t.Errorf("%s: the file has %v", q, amounts(rows))
		}
	}
	if rec := b.get("/ledger?min=-9223372036854775808&sign=any"); rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("a size that no number has: %d", rec.Code)
	}
}

// Who made an entry can be said by name, by e-mail address or as it is recorded; a name of two people is asked back.
func TestEntriesByTheNameOfAPerson(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 5)
	who := func(name string) staff.Person {
		t.Helper()
		p, err := w.staff.CreateStaff(context.Background(), staff.By{Actor: actor.System()},
			staff.NewPerson{Email: "m" + ids.New()[24:] + "@recoup.test", Name: name, Role: staff.Finance, Password: password})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	mika, twin1, twin2 := who("Mika Sato"), who("Kim Lee"), who("Kim Lee")
	for i, p := range []staff.Person{mika, twin1, twin2} {
		_, err := w.Ledger.Adjust(context.Background(), ledger.AdjustRequest{Envelope: ledger.Envelope{OperationID: ids.New(), Actor: p.Actor()},
			AccountID: "acct_7", Amount: int64(10 + i), Reason: "r"})
		if err != nil {
			t.Fatal(err)
		}
	}
	b := w.signedIn(mika)
	for typed, want := range map[string]string{"Mika Sato": "10", "mika sato": "10", mika.Actor().String(): "10", mika.Email: "10", twin1.Email: "11",
		strings.ToUpper(twin2.Email): "12", "nobody": ""} {
		path := "/ledger?" + url.Values{"actor": {typed}}.Encode()
		if got := strings.Join(amounts(b.onScreen(path)), " "); got != want {
			t.Errorf("%s: %q, want %q", typed, got, want)
		}
		if want == "10" {
			w.says(b.page(path), "Actor Mika Sato")
		}
	}
	rec := b.get("/ledger?actor=Kim+Lee")
	if rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("two of one name: %d", rec.Code)
	}
	w.says(rec.Body.String(), "Several people or keys have this name: type the e-mail address.")
	// What the field suggests is what it understands.
	page := b.page("/ledger")
	for _, option := range []string{`<option value="Mika Sato">` + mika.Email, `<option value="` + twin1.Email + `">Kim Lee`, `<option value="system">`} {
		if !strings.Contains(page, option) {
			t.Errorf("the field does not suggest %s", option)
		}
	}
}

func TestAccountsAreSuggested(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 0)
	w.Account(t, "acct_8", 0)
	w.name("acct_8", "Hoshino & Sons")
	w.Account(t, "other", 0)
	b := w.as(staff.Viewer)
	for typed, want := range map[string]string{"acct": `<option value="acct_7"></option><option value="acct_8">Hoshino &amp; Sons</option>`,
		"hoshi": `<option value="acct_8">Hoshino &amp; Sons</option>`, "": "", "%": "", "zzz": ""} {
		if got := strings.TrimSpace(b.page("/suggestions/accounts?" + url.Values{"account": {typed}}.Encode())); got != want {
			t.Errorf("%q: %s", typed, got)
		}
	}
}

// Search jumps on what is exact: an account, a job, an entry, and an operation whether or not it wrote an entry.
func TestSearchJumps(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	w.Charge(t, "acct_7", "render-1", 40)
	frozen := modeltest.Envelope()
	if _, err := w.Ledger.Freeze(context.Background(), ledger.FreezeRequest{Envelope: frozen, AccountID: "acct_7", Reason: "r"}); err != nil {
		t.Fatal(err)
	}
	granted := w.grant("acct_7", 3)
	b := w.as(staff.Viewer)
	for q, want := range map[string]string{
		"acct_7": "/accounts/acct_7", "render-1": "/accounts/acct_7/jobs/render-1", "acct_7/2": "/accounts/acct_7/entries/2", "acct_7/#2": "/accounts/acct_7/entries/2", "acct_7 #2": "/accounts/acct_7/entries/2",
		modeltest.Action: "/pricing/actions/" + modeltest.Action, modeltest.Action + "@v1": "/pricing/actions/" + modeltest.Action,
		granted.OperationID: "/operations?" + url.Values{"scope": {"account:acct_7"}, "id": {granted.OperationID}}.Encode(),
		frozen.OperationID:  "/operations?" + url.Values{"scope": {"account:acct_7"}, "id": {frozen.OperationID}}.Encode(),
	} {
		rec := b.get("/search?" + url.Values{"q": {q}}.Encode())
		if rec.Code != http.StatusSeeOther || rec.Header().Get("Location") != want {
			t.Errorf("%s: %d %s, want %s", q, rec.Code, rec.Header().Get("Location"), want)
			continue
		}
		b.page(want)
	}
	for _, q := range []string{"acct_7/4", "acct_7/0", "acct_7/-1", "acct_7/x", "nobody/1", "acct_7/99999999999999999999", "/", "acct_7/", "acct_7 #", "# 2"} {
		if rec := b.get("/search?" + url.Values{"q": {q}}.Encode()); rec.Code != http.StatusOK {
			t.Errorf("%s: %d %s", q, rec.Code, rec.Header().Get("Location"))
		}
	}
	// One id in two scopes is a choice, not a jump.
	w.Account(t, "acct_8", 0)
	if _, err := w.Ledger.Grant(context.Background(), ledger.GrantRequest{Envelope: granted, AccountID: "acct_8", Amount: 3, Category: ledger.Paid}); err != nil {
		t.Fatal(err)
	}
	w.says(b.page("/search?q="+granted.OperationID), "account:acct_7", "account:acct_8")
	// A file of grants is found by whoever may grant.
	out, err := w.bulk.Upload(t.Context(), modeltest.Envelope(), "x.csv", []byte(bulkHeader+"s1,acct_7,1,paid,because\n"))
	var up bulkgrant.Uploaded
	if err != nil || out.Decode(&up) != nil {
		t.Fatal(err)
	}
	if rec := w.as(staff.Finance).get("/search?q=" + up.ID); rec.Header().Get("Location") != "/grants/import/"+up.ID {
		t.Errorf("a file of grants: %d %s", rec.Code, rec.Header().Get("Location"))
	}
}

// What a statement cannot filter by is not passed over: the ledger can, and a file of it is refused. Nor is the second of two.
func TestNoFilterIsPassedOver(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 0)
	w.grant("acct_7", 3)
	b := w.as(staff.Finance)
	rec := b.get("/accounts/acct_7?min=5&type=grant")
	if rec.Code != http.StatusSeeOther || rec.Header().Get("Location") != "/ledger?account=acct_7&min=5&type=grant" {
		t.Errorf("%d to %s", rec.Code, rec.Header().Get("Location"))
	}
	if rec := b.get("/accounts/acct_7/export?format=csv&min=5"); rec.Code != http.StatusUnprocessableEntity && rec.Code != http.StatusBadRequest {
		t.Errorf("a file: %d", rec.Code)
	}
	rec = b.get("/ledger?account=acct_7&account=acct_8")
	if rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("two accounts: %d", rec.Code)
	}
	w.says(rec.Body.String(), "It is given twice. One counts.")
	if rec := b.get("/ledger?account=acct_7&account=acct_7"); rec.Code != http.StatusOK {
		t.Errorf("the same account twice: %d", rec.Code)
	}
	page := b.get("/ledger?period=custom&from=2026-12-02&to=2026-11-01").Body.String()
	w.saysNot(page, "since 2 Dec 2026")
}

// Days that are typed while a period with days of its own is on are what is filtered by; a period that is chosen while days are on takes
// their place.
func TestDaysBesideAPeriod(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 100)
	b := w.as(staff.Finance)
	for _, path := range []string{"/ledger", "/accounts/acct_7", "/audit", "/costs"} {
		b := b
		if path == "/audit" {
			b = w.as(staff.Admin)
		}
		for query, custom := range map[string]bool{"?was=this_month&period=this_month&from=2026-01-01&to=2026-01-31": true,
			"?period=this_month&from=2026-01-01&to=2026-01-31": true, "?was=custom&period=this_month&from=2026-01-01&to=2026-01-31": false} {
			page := b.page(path + query)
			if strings.Contains(text(page), "1–31 Jan 2026") != custom || strings.Contains(page, `value="2026-01-31"`) != custom {
				t.Errorf("%s: not filtered by what was asked for", path+query)
			}
		}
		if !strings.Contains(b.page(path+"?period=this_month"), `name="was" value="this_month"`) {
			t.Errorf("%s: the form does not say what it showed", path)
		}
		if path == "/audit" || path == "/costs" {
			continue
		}
		if rec := b.get(path + "?period=today&period=yesterday"); rec.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s: two periods: %d", path, rec.Code)
		}
	}
	if page := text(b.page("/costs/margin?period=this_month&from=2026-01-01&to=2026-01-31")); !strings.Contains(page, "1–31 Jan 2026") {
		t.Errorf("margin: %s", page)
	}
	if rec := b.get("/ledger?action=a&action=b"); rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("two actions: %d", rec.Code)
	}
}

// What a key entered, and what lies between amounts, is added up at once like every other filter of no more entries than that.
func TestTotalsOfAKeyAndOfAmountsAreThereAtOnce(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 0)
	for range 60 {
		w.grant("acct_7", 3)
	}
	b := w.as(staff.Finance)
	for _, q := range []string{"min=-5&max=5", "actor=" + url.QueryEscape("key:test"), "category=paid"} {
		page := b.page("/ledger?" + q)
		w.says(page, "Of this filter, credits", "180")
		w.saysNot(page, "Add them up")
	}
}
