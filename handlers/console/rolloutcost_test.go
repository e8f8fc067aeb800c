package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"recoup/models/modeltest"
	"recoup/models/rollout"
	"recoup/models/staff"
)

// A cost that nobody can place halts the rollout within its next minute; the page names the record and does not let the rollout go on.
// Put down to its job by finance, the check is green, and product resumes, with a reason.
func TestACostThatNobodyCanPlaceHaltsTheRollout(t *testing.T) {
	w := newWorld(t)
	w.furnishRollouts()
	w.Account(t, "acct_7", 1000)
	product, finance, key := w.as(staff.Product), w.as(staff.Finance), w.apiKey()
	const at = "/rollouts/" + roID
	step := func(path, reason string) url.Values {
		t.Helper()
		page := product.page(at + "/" + path)
		return url.Values{"operation_id": {operationID(t, page)}, "version": {hidden(t, page, "version")}, "reason": {reason}}
	}
	w.says(product.sent(at+"/start", step("start", "go")), "The rollout is running")
	w.Charge(t, "acct_7", "j1", 60)
	w.program(key, http.MethodPost, "/v1/accounts/acct_7/jobs", "c2", `{"job_id":"j2","action":"`+modeltest.Action+`","units":60,"mode":"external"}`, 201, &struct{}{})
	w.program(key, http.MethodPost, "/v1/accounts/acct_7/jobs/j2/signals", "s2", `{"type":"succeeded","attempt":1}`, 200, &struct{}{})
	bill := func(op, line, more string) {
		t.Helper()
		w.program(key, http.MethodPost, "/v1/costs", op, `{"source":"farm","records":[{"external_id":"`+line+`","amount":"0.25","currency":"USD","time":"`+
			time.Now().UTC().Format(time.RFC3339Nano)+`"`+more+`}]}`, 201, &struct{}{})
	}
	bill("b1", "line-1", `,"account_id":"acct_7","job_id":"j2"`)
	w.says(product.sent(at+"/check", url.Values{}), "Safe to widen: yes")

	bill("b2", "line-2", "")
	if err := w.Rollouts.CheckLive(t.Context()); err != nil { // what runs each minute
		t.Fatal(err)
	}
	page := product.page(at)
	w.says(page, "Halted", "Cost reconciliation failed", "farm/line-2", "Enrolled accounts keep the candidate price; nobody new enters")
	record := fmt.Sprintf(`href="/costs/records/%d">farm/line-2<`, w.costKey("line-2"))
	if !strings.Contains(page, record) || !strings.Contains(product.page(at+"/resume"), record) {
		t.Errorf("the record that halted it is not a link:\n%s", text(page))
	}
	if support := w.as(staff.Support).page(at); strings.Contains(support, "/costs/") || !strings.Contains(text(support), "1 unattributed cost: farm/line-2") {
		t.Errorf("who may not see costs is led there, or not told:\n%s", text(support))
	}
	if !strings.Contains(page, at+"/resume") {
		t.Errorf("no way to resume:\n%s", text(page))
	}
	if rec := product.post(at+"/resume", step("resume", "try")); rec.Code != http.StatusConflict {
		t.Errorf("resumed over a red check: %d", rec.Code)
	}
	w.says(w.as(staff.Finance).page("/costs?state=unattributed"), "line-2")

	form := fmt.Sprintf("/costs/records/%d/attribution", w.costKey("line-2"))
	w.says(finance.sent(form, finance.form(form, "account", "acct_7", "job", "j2", "reason", "the invoice says so", "seq", "1")), "Whom the record is put down to was changed")
	page = product.sent(at+"/check", url.Values{})
	// The card is green; the history goes on naming the record.
	w.says(page, "Halted", "Safe to widen: no. It is halted: it has to be resumed first", "Cost reconciliation 0 decisions", "By Recoup: Cost reconciliation failed. 1 unattributed cost: farm/line-2")
	if rec := product.post(at+"/resume", step("resume", "")); rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("resumed without a reason: %d", rec.Code)
	}
	if r, err := w.Rollouts.Find(t.Context(), roID); err != nil || r.State != rollout.Halted {
		t.Fatalf("%s, %v", r.State, err)
	}
	w.says(product.sent(at+"/resume", step("resume", "finance placed the record")), "Running", "finance placed the record")
}

// A rollout that is halted before anybody was charged under its candidate: once the cost is placed, its page says that it can be
// resumed without charges, which nobody could make meanwhile, the dialog lets it, and new accounts are let in again.
func TestARolloutHaltedBeforeItsChargesCanBeResumed(t *testing.T) {
	w := newWorld(t)
	w.furnishRollouts()
	w.Account(t, "acct_1001", 1000)
	w.Charge(t, "acct_1001", "j0", 60)
	product, finance, key := w.as(staff.Product), w.as(staff.Finance), w.apiKey()
	const at = "/rollouts/" + roID
	step := func(path, reason string) url.Values {
		return product.form(at+"/"+path, "version", hidden(t, product.page(at+"/"+path), "version"), "reason", reason)
	}
	product.sent(at+"/start", step("start", "go"))
	w.program(key, http.MethodPost, "/v1/costs", "b1", `{"source":"farm","records":[{"external_id":"line-1","amount":"0.25","currency":"USD","time":"`+
		time.Now().UTC().Format(time.RFC3339Nano)+`"}]}`, 201, &struct{}{})
	w.says(product.sent(at+"/check", url.Values{}), "Halted", "Finance can help: unattributed costs")
	form := fmt.Sprintf("/costs/records/%d/attribution", w.costKey("line-1"))
	finance.sent(form, finance.form(form, "account", "acct_1001", "job", "j0", "reason", "the invoice says so", "seq", "1"))

	page := product.sent(at+"/check", url.Values{})
	w.says(page, "It is halted: it has to be resumed first", "It can be resumed without more charges")
	w.saysNot(page, "Finance can help")
	w.saysNot(page, "Nobody has to do anything")
	dialog := product.page(at + "/resume")
	w.says(dialog, "0 of at least 1 charge", "too little data yet, which does not keep it from running")
	if strings.Contains(dialog, "disabled") {
		t.Errorf("the button is disabled:\n%s", text(dialog))
	}
	w.says(product.sent(at+"/resume", step("resume", "finance placed the record")), "Running")
	w.Account(t, "acct_7", 1000)
	w.Charge(t, "acct_7", "j1", 60)
	w.says(product.page("/accounts/acct_7/jobs/j1"), "Candidate")
}
