package console_test

import (
	"context"
	"strings"
	"testing"

	"recoup/models/actor"
	"recoup/models/approval"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// Whoever made the API key that asked is offered no form to decide with, and told why.
func TestWhoseOwnKeyAskedIsOfferedNoDecision(t *testing.T) {
	ctx := context.Background()
	w := limitedWorld(t, 1000)
	w.Account(t, "acct_7", 100)
	lena := w.person(staff.Lead, staff.Preferences{})
	other := w.as(staff.Admin)
	key, _, err := w.staff.CreateKey(ctx, staff.By{Actor: lena.Actor()}, staff.NewKey{Name: "import", Scopes: staff.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	e := modeltest.Envelope()
	e.Actor = actor.Key(key.ID)
	out, err := w.Ledger.Grant(ctx, ledger.GrantRequest{Envelope: e, AccountID: "acct_7", Amount: 5000, Category: ledger.Goodwill})
	var required approval.Required
	if err != nil || out.Decode(&required) != nil {
		t.Fatalf("%+v %v", out, err)
	}
	at := "/approvals/" + required.ChangeRequest.ID
	b := w.signedIn(lena)
	page := b.page(at)
	w.says(page, "An API key that you made asked for this, so somebody else decides.")
	if strings.Contains(page, at+"/approve") || strings.Contains(page, at+"/reject") || strings.Contains(page, at+"/withdraw") {
		t.Error("a form to decide is offered")
	}
	for _, verb := range []string{"approve", "reject"} {
		if rec := b.get(at + "/" + verb); rec.Header().Get("Location") != at {
			t.Errorf("the form %s: %d", verb, rec.Code)
		}
	}
	if strings.Contains(b.page("/approvals?tab=yours"), required.ChangeRequest.ID) {
		t.Error("it is listed as one that waits for its own maker")
	}
	if page := other.page(at); !strings.Contains(page, at+"/approve") {
		t.Error("somebody else is offered no form")
	}
	if page := other.page("/approvals?tab=yours"); !strings.Contains(page, required.ChangeRequest.ID) {
		t.Error("it does not wait for somebody else")
	}
}

// The hint beside an amount goes by what the person has moved there, as the server does.
func TestHintOfTheLimitKnowsTheDay(t *testing.T) {
	w := limitedWorld(t, 1000)
	w.Account(t, "acct_7", 100)
	b := w.as(staff.Finance)
	const at = "/accounts/acct_7/adjustments"
	page := b.page(at)
	w.says(page, "Above 1,000 credits a second person has to approve.")
	if !strings.Contains(page, `data-limit-add="1000"`) || !strings.Contains(page, `data-limit-take="1000"`) {
		t.Error("at first not all of the limit is left")
	}
	if rec := b.post(at, b.form(at, "amount", "700", "reason", "put right")); rec.Code != 303 {
		t.Fatalf("%d %s", rec.Code, text(rec.Body.String()))
	}
	page = b.page(at)
	w.says(page, "Above 1,000 credits within 24 hours a second person has to approve; you have 300 left to add here and 1,000 to take away.")
	if !strings.Contains(page, `data-limit-add="300"`) || !strings.Contains(page, `data-limit-take="1000"`) {
		t.Error("the script does not know what is left")
	}
}
