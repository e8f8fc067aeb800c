package api_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/http"
	"testing"

	"recoup/models/actor"
	"recoup/models/approval"
	"recoup/models/ids"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// limitedWorld lets one person or program move up to credits.
func limitedWorld(t testing.TB, credits int64) *world {
	t.Helper()
	g := modeltest.DB(t)
	return worldOver(t, g, modeltest.Limit(g, credits))
}

// decide lets a person say yes or no to the change request of an answer.
func (w *world) decide(res response, how func(*approval.Desk, context.Context, approval.Decision) error) {
	w.t.Helper()
	r, err := w.models.Requests.Find(w.t.Context(), fmt.Sprint(res.at("result.change_request.id")))
	if err != nil {
		w.t.Fatal(err)
	}
	d := approval.Decision{OperationID: ids.New(), Actor: actor.Staff("st_lena"), ID: r.ID, Version: r.Version, Digest: r.Digest, Reason: "checked"}
	if err := how(w.models.Desk, w.t.Context(), d); err != nil {
		w.t.Fatal(err)
	}
}

func approve(d *approval.Desk, ctx context.Context, in approval.Decision) error {
	_, err := d.Approve(ctx, in)
	return err
}

func reject(d *approval.Desk, ctx context.Context, in approval.Decision) error {
	_, err := d.Reject(ctx, in)
	return err
}

// The whole way of a grant above the limit as a program sees it.
func TestAboveTheLimitIs202UntilASecondPersonAgrees(t *testing.T) {
	w := limitedWorld(t, 1000)
	w.account("a", 500)
	const path, body = "/v1/accounts/a/grants", `{"amount":1001,"category":"paid","reference":"inv_1"}`
	w.postAs("at-limit", path, `{"amount":500,"category":"paid"}`).want(201)

	first := w.postAs("big", path, body).want(202).has("outcome", "approval_required", "operation_id", "big",
		"result.change_request.state", "open", "result.change_request.kind", "grant", "result.change_request.object", "account:a",
		"result.change_request.scope", "account:a", "result.change_request.operation_id", "big", "result.change_request.version", "1",
		"result.change_request.proposal.amount", "1001", "result.change_request.decided_by", "<nil>")
	if again := w.postAs("big", path, body).want(202); again.result() != first.result() {
		t.Errorf("the same request again: %s\nfirst: %s", again.result(), first.result())
	}
	before := w.contents()
	w.postAs("big", path, `{"amount":1002,"category":"paid","reference":"inv_1"}`).want(422).has("code", "operation_conflict")
	w.postAs("big", path, `{"amount":1,"category":"paid","reference":"inv_1"}`).want(422).has("code", "operation_conflict")
	w.postAs("big", "/v1/accounts/a/adjustments", `{"amount":1001,"reason":"x"}`).want(422).has("code", "operation_conflict")
	w.unchanged(before)
	w.get("/v1/accounts/a").want(200).has("account.balance", "1000")

	// Nothing else of the account waits for it.
	w.charge("a", "j", 100, "")

	id := fmt.Sprint(first.at("result.change_request.id"))
	w.get("/v1/change-requests/"+id).want(200).has("change_request.state", "open", "change_request.requested_by", fmt.Sprint(first.at("result.change_request.requested_by")))
	w.get("/v1/operations?scope=account:a&id=big").want(200).has("operation.kind", "grant", "operation.result", "<nil>", "operation.completed_at", "<nil>")

	w.decide(first, approve)
	w.postAs("big", path, body).want(200).has("outcome", "replayed", "result.entry.amount", "1001", "result.entry.balance_after", "1901")
	w.get("/v1/change-requests/"+id).want(200).has("change_request.state", "approved", "change_request.decided_by", "staff:st_lena", "change_request.version", "2")
	w.get("/v1/accounts/a").want(200).has("account.balance", "1901")
}

// An adjustment counts by its absolute amount, and a rejected one says so for ever.
func TestARejectedProposalIsToldByItsCode(t *testing.T) {
	w := limitedWorld(t, 1000)
	w.account("a", 500)
	const path, body = "/v1/accounts/a/adjustments", `{"amount":-1001,"reason":"paid outside"}`
	first := w.postAs("big", path, body).want(202).has("result.change_request.kind", "adjustment")
	w.decide(first, reject)
	for range 2 {
		w.postAs("big", path, body).want(409).has("code", "approval_rejected", "state", "rejected",
			"change_request", fmt.Sprint(first.at("result.change_request.id")), "decision_reason", "checked")
	}
	w.postAs("big", path, `{"amount":-1,"reason":"paid outside"}`).want(422).has("code", "operation_conflict")
	w.get("/v1/accounts/a").want(200).has("account.balance", "500")
}

// No key decides, and keys see change requests only with a scope that shows money.
func TestChangeRequestsOfKeys(t *testing.T) {
	w := limitedWorld(t, 1000)
	w.account("a", 0)
	res := w.post("/v1/accounts/a/grants", `{"amount":5000,"category":"goodwill"}`).want(202)
	path := "/v1/change-requests/" + fmt.Sprint(res.at("result.change_request.id"))
	for scope, want := range map[staff.Scope]int{staff.LedgerRead: 200, staff.LedgerWrite: 200, staff.JobsWork: 403, staff.FlagsRead: 403} {
		w.send(request{method: http.MethodGet, path: path, key: w.newKey(scope)}).want(want)
	}
	for _, id := range []string{"cr_aaaaaaaaaaaaaaaa", "nobody", "CR_1"} {
		w.get("/v1/change-requests/"+id).want(404).has("code", "change_request_not_found")
	}
	w.get("/v1/change-requests/%00").want(400)
	digest, err := hex.DecodeString(fmt.Sprint(res.at("result.change_request.digest")))
	if err != nil || len(digest) != 32 {
		t.Errorf("digest %x %v", digest, err)
	}
	_, err = w.models.Desk.Approve(t.Context(), approval.Decision{OperationID: ids.New(), Actor: actor.Key("other"), ID: path[len("/v1/change-requests/"):],
		Version: 1, Digest: digest, Reason: "x"})
	if err == nil {
		t.Error("a key approved")
	}
}
