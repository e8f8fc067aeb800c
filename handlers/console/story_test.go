package console_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"recoup/models/actor"
	"recoup/models/credit"
	"recoup/models/ids"
	"recoup/models/modeltest"
	"recoup/models/pricing"
	"recoup/models/rollout"
	"recoup/models/staff"
	"recoup/models/verify"
)

// call sends a request of a program and returns the answer as it is.
func (w *world) call(key, path, operationID, body string) *httptest.ResponseRecorder {
	w.t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", operationID)
	rec := httptest.NewRecorder()
	w.server.ServeHTTP(rec, r)
	return rec
}

// result is the stored result within an answer, byte for byte.
func result(t testing.TB, rec *httptest.ResponseRecorder) string {
	t.Helper()
	_, after, found := strings.Cut(rec.Body.String(), `"result":`)
	if !found {
		t.Fatalf("no result in %d %s", rec.Code, rec.Body)
	}
	return after
}

// rows counts every row of the tables that nothing is deleted from.
func (w *world) rows() map[string]int64 {
	w.t.Helper()
	out := map[string]int64{}
	for _, table := range []string{"entries", "operations", "decisions", "enrolments", "jobs", "job_events", "rollout_events", "rule_versions", "audit_log", "settlements",
		"settlement_items", "settlement_payments", "change_requests"} {
		var n int64
		if err := w.G.Raw("SELECT count(*) FROM " + table).Scan(&n).Error; err != nil {
			w.t.Fatal(err)
		}
		out[table] = n
	}
	return out
}

// The whole story, as its people and programs live it. A charge is made in the 10 % stage and its answer is lost. The stage moves
// to 25 %, the charge is sent again: the first decision, marked as a replay. The rollout is rolled back; a late retry still gets
// the first decision, and new charges the baseline. A settlement puts right exactly what was delivered under the candidate; what
// is delivered late comes as a supplement. History shows all of it, and nothing was deleted.
func TestTheWholeStoryOfARolloutAndItsSettlement(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	// acct_42 is in the first 10 %, acct_1 in the first 25 %, acct_1001 in neither.
	for _, a := range []string{"acct_42", "acct_1", "acct_1001"} {
		w.Account(t, a, 10_000)
	}
	key := w.apiKey()
	if _, err := w.Pricing.CreateRule(ctx, pricing.NewRule{OperationID: ids.New(), Actor: actor.Staff("pm"), Action: modeltest.Action, Unit: "second", UnitPrice: 1200,
		Rounding: credit.RoundHalfEven, Reason: "20 % up"}); err != nil {
		t.Fatal(err)
	}
	const ro = "ro_2026_discount10" // whose buckets are known
	one, none := int64(1), int64(0)
	if _, err := w.Rollouts.Create(ctx, rollout.NewRollout{Envelope: modeltest.Envelope(), ID: ro, Action: modeltest.Action, Candidate: modeltest.Action + "@v2",
		Stages: []pricing.Stage{{Threshold: 10_000}, {Threshold: 25_000}}, MinCharges: &one, MinCostsBps: &none, Reason: "test"}); err != nil {
		t.Fatal(err)
	}
	mika, fiona, lena, vera := w.as(staff.Product), w.as(staff.Finance), w.as(staff.Lead), w.as(staff.Viewer)
	at := "/rollouts/" + ro
	step := func(name string) {
		t.Helper()
		page := mika.page(at + "/" + name)
		form := url.Values{"operation_id": {operationID(t, page)}, "version": {hidden(t, page, "version")}, "reason": {"because"}}
		if rec := mika.post(at+"/"+name, form); rec.Code != http.StatusSeeOther {
			t.Fatalf("%s: %d\n%s", name, rec.Code, text(rec.Body.String()))
		}
	}
	charge := func(account, op string) *httptest.ResponseRecorder {
		return w.call(key, "/v1/accounts/"+account+"/jobs", op, `{"job_id":"job-`+op+`","action":"`+modeltest.Action+`","units":100,"mode":"external"}`)
	}
	signal := func(account, op, kind string) {
		t.Helper()
		body := `{"type":"` + kind + `"}`
		if kind == "failed" {
			body = `{"type":"failed","class":"timed_out"}`
		}
		if rec := w.call(key, "/v1/accounts/"+account+"/jobs/job-"+op+"/signals", ids.New(), body); rec.Code != http.StatusOK && rec.Code != http.StatusCreated {
			t.Fatalf("signal %s: %d %s", kind, rec.Code, rec.Body)
		}
	}

	step("start")
	// The answer of this one never reaches the caller.
	lost := charge("acct_42", "c1")
	if lost.Code != http.StatusCreated || !strings.Contains(lost.Body.String(), `"cost":120`) {
		t.Fatalf("%d %s", lost.Code, lost.Body)
	}
	charge("acct_1", "c2") // not in the stage yet: 100
	step("advance")
	again := charge("acct_42", "c1")
	if again.Code != http.StatusOK || again.Header().Get("Idempotent-Replayed") != "true" || result(t, again) != result(t, lost) {
		t.Errorf("sent again at 25 %%: %d %s\n%s", again.Code, again.Header().Get("Idempotent-Replayed"), again.Body)
	}
	if rec := charge("acct_1", "c3"); !strings.Contains(rec.Body.String(), `"cost":120`) {
		t.Errorf("widened: %s", rec.Body)
	}
	charge("acct_42", "c4") // never delivered
	charge("acct_1", "c5")  // delivered after the settlement
	charge("acct_1001", "c6")
	for account, ops := range map[string][]string{"acct_42": {"c1"}, "acct_1": {"c2", "c3"}, "acct_1001": {"c6"}} {
		for _, op := range ops {
			signal(account, op, "succeeded")
		}
	}
	signal("acct_42", "c4", "failed")
	signal("acct_1", "c5", "failed")
	step("roll-back")
	late := charge("acct_42", "c1")
	if late.Header().Get("Idempotent-Replayed") != "true" || result(t, late) != result(t, lost) {
		t.Errorf("sent again after the rollback: %s", late.Body)
	}
	if rec := charge("acct_42", "c7"); !strings.Contains(rec.Body.String(), `"cost":100`) {
		t.Errorf("a new charge after the rollback: %s", rec.Body)
	}
	signal("acct_42", "c7", "succeeded")
	before := w.rows()

	// Finance proposes, somebody else approves, a worker pays: 20 for c1, 20 for c3, nothing for the others.
	settle := func() string {
		t.Helper()
		rec := fiona.post("/settlements/new", url.Values{"operation_id": {ids.New()}, "rollout": {ro}, "reason": {"the price was taken back"}})
		request := path(rec.Header().Get("Location"))
		lena.approves(request)
		w.pay()
		return w.settlementIn(request).ID
	}
	w.says(fiona.page(at), "2 delivered charges were priced by the candidate", "2 still to be settled")
	first := settle()
	if a, b, c := w.Balance(t, "acct_42"), w.Balance(t, "acct_1"), w.Balance(t, "acct_1001"); a != 10_000-100-100 || b != 10_000-100-100 || c != 10_000-100 {
		t.Errorf("balances %d %d %d", a, b, c)
	}
	w.says(vera.page("/settlements/"+first+"?account=acct_42"), "job-c1", "+20")
	signal("acct_1", "c5", "succeeded")
	w.says(fiona.page("/settlements/"+first), "1 charge of this rollout could be proposed now")
	second := settle()
	if b := w.Balance(t, "acct_1"); b != 10_000-100-100-100 {
		t.Errorf("balance %d after the supplement", b)
	}
	w.says(vera.page("/settlements"), "Supplement")

	// Everything can be read afterwards, by somebody who may only look.
	w.says(vera.page(at), "Rolled back", "Advanced", "Started", "Created", "every one that differs from the baseline is settled")
	w.says(vera.page("/accounts/acct_42/jobs/job-c1"), "−120", "Settled", "+20", "ro_2026_")
	w.says(vera.page("/accounts/acct_42/jobs/job-c4"), "refunded")
	w.says(vera.page("/operations?scope=account:acct_42&id=c1"), modeltest.Action+"@v2", ro)
	for _, id := range []string{first, second} {
		w.says(vera.page("/settlements/"+id), "Proposed", "Approved", "Payment begun", "Paid")
	}
	if rec := charge("acct_42", "c1"); result(t, rec) != result(t, lost) {
		t.Errorf("sent again after the settlement: %s", rec.Body)
	}
	after := w.rows()
	for table, n := range before {
		if after[table] < n {
			t.Errorf("%s had %d rows and has %d", table, n, after[table])
		}
	}
	report, err := verify.New(w.G).Run(ctx, verify.Options{OnProblem: func(p verify.Problem) error { t.Error(p); return nil }})
	if err != nil || !report.OK() {
		t.Errorf("verify: %d problems, %v", report.Problems, err)
	}
}
