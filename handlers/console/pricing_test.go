package console_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"recoup/models/cost"
	"recoup/models/decimal"
	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// An action that a person made in the console gets its first price there, and can be charged then.
func TestAnActionMadeInTheConsoleGetsItsPriceThere(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	b := w.as(staff.Product)
	const at, force = "/pricing/actions/poster", "/pricing/rules/poster@v1/force"
	page := b.sent("/pricing/new", b.form("/pricing/new", "action", "poster", "unit", "image", "unit_price", "2", "rounding", "up", "example_units", "3", "reason", "first"))
	w.says(page, "The rule version is made", "poster@v1", "No rule version is in force", "3 images = 6 credits")
	w.says(b.page("/pricing"), "poster", "No price in force")
	if page := b.page("/pricing/new?action=poster"); !strings.Contains(page, `value="image"`) {
		t.Error("the form of its next version does not know its unit")
	}
	if found := b.get("/search?q=poster"); found.Header().Get("Location") != at {
		t.Errorf("the search leads to %q", found.Header().Get("Location"))
	}
	w.says(b.page(force), "No price in force → becomes poster@v1: 2 credits per image")
	w.says(b.sent(force, b.form(force, "reason", "on sale", "expected", "")), "The rule version is in force", "poster@v1 is in force since")

	charge := job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "acct_7", JobID: "j1", Action: "poster", Units: 3}
	if _, err := w.Jobs.Charge(context.Background(), charge); err != nil {
		t.Error(err)
	}
	w.says(b.page(at), "What was in force, and when", "still in force", "on sale")
	gone := b.get("/pricing/actions/nothing")
	if gone.Code != http.StatusNotFound {
		t.Errorf("an action that there is not: %d", gone.Code)
	}
	w.says(text(gone.Body.String()), "There is no such action")
}

// The page of an action says who put each price in force, for what, and until when; once the action is retired, none is.
func TestWhoPutWhichPriceInForce(t *testing.T) {
	w := newWorld(t)
	w.furnishRollouts()
	b := w.as(staff.Product)
	const force, at = "/pricing/rules/" + modeltest.Action + "@v2/force", "/pricing/actions/" + modeltest.Action
	b.sent(force, b.form(force, "reason", "the summer sale", "expected", modeltest.Action+"@v1"))
	w.says(b.page(at), "What was in force, and when", "the summer sale", b.who.Name, "still in force", modeltest.Action+"@v1")
	b.sent(at+"/retire", b.form(at+"/retire", "reason", "over"))
	page := b.page(at)
	w.says(page, "Retired", "Not in force")
	w.saysNot(page, "In force In force", "still in force")
}

// Whoever makes a price, puts it in force or tries it is told that it falls below what jobs of the action cost.
func TestAPriceBelowKnownCostIsSaid(t *testing.T) {
	w := newWorld(t)
	w.furnishRollouts()
	w.Account(t, "acct_7", 1000)
	w.Charge(t, "acct_7", "j1", 60)
	if _, err := w.Jobs.Signal(context.Background(), job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: "acct_7", JobID: "j1", Signal: job.Signal{Type: job.SignalSucceeded}}); err != nil {
		t.Fatal(err)
	}
	costs := cost.New(w.Ops)
	hour := time.Now().Add(-time.Hour)
	cents := func(n int64) decimal.Decimal { return decimal.FromInt(n).Over(100, 2) }
	if _, err := costs.Record(context.Background(), cost.Batch{Envelope: modeltest.Envelope(), Source: "farm",
		Records: []cost.NewRecord{{ExternalID: "a", Amount: cents(57), Currency: "USD", Time: hour, AccountID: "acct_7", JobID: "j1"}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := costs.SetValue(context.Background(), cost.ValueRequest{Envelope: modeltest.Envelope(), Currency: "USD", Value: cents(1), ValidFrom: hour, Reason: "list price"}); err != nil {
		t.Fatal(err)
	}
	const below = "Below known cost. The newest delivered job with a known cost brings in 0.54 USD at this price and cost 0.57 USD."
	b := w.as(staff.Product)
	preview := "/pricing/preview?action=" + modeltest.Action + "&unit=second&unit_price=1&rounding=up&discount="
	w.says(b.page(preview+"10"), below)
	w.saysNot(b.page(preview+"0"), "Below known cost")
	w.says(b.page("/pricing/rules/"+modeltest.Action+"@v2/force"), below)
	w.says(b.page("/rollouts/"+roID), below)
	w.says(b.page("/rollouts/"+roID+"/start"), below)
	// A draft is warned of when its candidate is chosen, and every form says it again after a refusal.
	for _, at := range []string{"/new/rollout", "/new/rollout?candidate=" + modeltest.Action + "@v2", "/new/rollout/candidate?candidate=" + modeltest.Action + "@v2"} {
		w.says(b.page(at), below, "54 credits, was 60")
	}
	w.saysNot(b.page("/new/rollout/candidate?candidate=none"), "Below known cost")
	for at, form := range map[string]url.Values{"/new/rollout": {"candidate": {modeltest.Action + "@v2"}}, "/pricing/rules/" + modeltest.Action + "@v2/force": {"expected": {modeltest.Action + "@v1"}},
		"/pricing/new": {"action": {modeltest.Action}, "unit": {"second"}, "unit_price": {"1"}, "discount": {"10"}, "rounding": {"up"}}} {
		form.Set("operation_id", "refused")
		if rec := b.post(at, form); rec.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", at, rec.Code)
		} else {
			w.says(rec.Body.String(), below)
		}
	}
	w.says(b.page(strings.Replace(preview, "second", "frame", 1)), "Unit: This action is counted in “second”, which cannot change.")
	// v3 is retired and v1 covers its cost.
	w.saysNot(b.page("/pricing/actions/"+modeltest.Action), "Below known cost")
	// Who may not see costs is not told of them.
	w.saysNot(w.as(staff.Viewer).page("/rollouts/"+roID), "Below known cost")
}
