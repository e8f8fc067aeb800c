package console_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

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
	page := b.sent("/pricing/new", b.form("/pricing/new", "action", "poster", "unit", "image", "unit_price", "2000", "rounding", "up", "example_units", "3", "reason", "first"))
	w.says(page, "The rule version is made", "poster@v1", "No rule version is in force", "3 image = 6 credits")
	w.says(b.page("/pricing"), "poster", "No price in force")
	if page := b.page("/pricing/new?action=poster"); !strings.Contains(page, `value="image"`) {
		t.Error("the form of its next version does not know its unit")
	}
	if found := b.get("/search?q=poster"); found.Header().Get("Location") != at {
		t.Errorf("the search leads to %q", found.Header().Get("Location"))
	}
	w.says(b.page(force), "No price in force → becomes poster@v1: 2 credits a image")
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
