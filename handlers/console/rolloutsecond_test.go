package console_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"recoup/models/modeltest"
	"recoup/models/staff"
)

// Somebody asks for a start, cannot decide on it, and a product manager agrees; finance may, support may not.
func TestAStepWithASecondPerson(t *testing.T) {
	w := limitedWorld(t, 5000)
	w.furnishRollouts()
	w.Account(t, "acct_7", 1000)
	mei, ken := w.as(staff.Product), w.as(staff.Product)
	w.says(mei.sent("/new/rollout", mei.form("/new/rollout", "id", "ro_two", "candidate", modeltest.Action+"@v2", "threshold_1", "10", "threshold_2", "100",
		"second", "start", "approve_above", "25", "reason", "x")), "The draft is made", "A second person is needed for: Start, start and advance beyond 25 %.")
	const at = "/rollouts/ro_two"
	form := mei.page(at + "/start")
	w.says(form, "A second person has to approve", "Ask a second person")
	typed := url.Values{"operation_id": {operationID(t, form)}, "version": {hidden(t, form, "version")}, "reason": {"the season begins"}}
	request := mei.asks(at+"/start", typed)
	if again := mei.asks(at+"/start", typed); again != request {
		t.Errorf("a double click made %s and %s", request, again)
	}
	w.says(mei.page(request), "Start of ro_two at 10 %", modeltest.Action+"@v1 → "+modeltest.Action+"@v2", "Stage 1: 10 %", "void once it moves", "You asked for this")
	w.says(mei.page(at), "Draft", "Waits for a second person", "Start of ro_two at 10 %", "Asked by Pat product")
	// Somebody else cannot ask beside it; whoever asked replaces it.
	w.says(ken.page(at+"/start"), "A step waits for a second person already")
	again := mei.page(at + "/start")
	w.says(again, "This takes the place of what you asked for")
	edit := url.Values{"operation_id": {operationID(t, again)}, "version": {hidden(t, again, "version")}, "reason": {"the season begins early"}}
	for _, name := range []string{"replaces", "replaces_version", "replaces_digest"} {
		edit.Set(name, hidden(t, again, name))
	}
	second := mei.asks(at+"/start", edit)
	w.says(mei.page(request), "Withdrawn", "another request took its place")

	for role, may := range map[staff.Role]bool{staff.Viewer: false, staff.Support: false, staff.Finance: true, staff.Lead: true} {
		if rec := w.as(role).get(second + "/approve"); (rec.Code == http.StatusOK) != may {
			t.Errorf("%s opens the form: %d", role, rec.Code)
		}
	}
	w.says(ken.page("/approvals?tab=yours"), "Yours to decide 1", "Start of ro_two at 10 %", "ro_two")
	w.saysNot(mei.page("/approvals?tab=yours"), "Start of ro_two at 10 %")
	w.says(ken.sent(second+"/approve", ken.seen(second+"/approve", "go")), "Approved and applied", "Approved")
	w.says(mei.page(at), "Running", "the season begins early (approved by Pat product)")

	// Money is not for product people to decide.
	grant := w.decidedRequest("acct_7")
	if rec := ken.get(grant + "/approve"); rec.Code != http.StatusForbidden {
		t.Errorf("product on a grant: %d", rec.Code)
	}
	if rec := ken.post(grant+"/approve", url.Values{"operation_id": {"x"}, "reason": {"x"}}); rec.Code != http.StatusForbidden {
		t.Errorf("product approves a grant: %d", rec.Code)
	}
}

// An approval over a check that has turned red is refused, and what was found halts the rollout at once.
func TestAnApprovalOverARedCheckHalts(t *testing.T) {
	w := newWorld(t)
	w.furnishRollouts()
	w.Account(t, "acct_7", 1000)
	mei, ken := w.as(staff.Product), w.as(staff.Product)
	mei.sent("/new/rollout", mei.form("/new/rollout", "id", "ro_two", "candidate", modeltest.Action+"@v2", "threshold_1", "100", "threshold_2", "100",
		"second", "complete", "min_charges", "1", "min_costs", "0", "approve_above", "0", "reason", "x"))
	const at = "/rollouts/ro_two"
	ask := func(step string) string {
		t.Helper()
		page := mei.page(at + "/" + step)
		return mei.asks(at+"/"+step, url.Values{"operation_id": {operationID(t, page)}, "version": {hidden(t, page, "version")}, "reason": {"because"}})
	}
	start := ask("start")
	ken.sent(start+"/approve", ken.seen(start+"/approve", "go"))
	if _, err := w.Jobs.Charge(context.Background(), chargeOf("acct_7", "j1")); err != nil {
		t.Fatal(err)
	}
	advance := ask("advance")
	if err := w.G.Exec(`ALTER TABLE entries DISABLE TRIGGER USER; UPDATE entries SET rule_version = '` + modeltest.Action + `@v1' WHERE type = 'charge'; ALTER TABLE entries ENABLE TRIGGER USER`).Error; err != nil {
		t.Fatal(err)
	}
	rec := ken.post(advance+"/approve", ken.seen(advance+"/approve", "go"))
	if rec.Code != http.StatusConflict || !strings.Contains(text(rec.Body.String()), "Not all checks pass") {
		t.Errorf("approved over a red check: %d %s", rec.Code, text(rec.Body.String()))
	}
	w.says(ken.page(at), "Halted", "Decision consistency failed")
	w.says(ken.page(advance), "Void", "The rollout has moved on since")
}
