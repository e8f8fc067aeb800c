package api_test

import (
	"testing"

	"recoup/models/modeltest"
)

// TestCase_F20: what a customer was shown is what the charge under the same operation id costs.
func TestCase_F20_TheQuoteIsThePrice(t *testing.T) {
	w := newWorld(t)
	w.account("a", 100)
	const quotes, jobs = "/v1/accounts/a/quotes", "/v1/accounts/a/jobs"
	const body = `{"action":"` + modeltest.Action + `","units":10}`
	first := w.postAs("op-1", quotes, body).want(201).has("outcome", "applied", "operation_id", "op-1", "result.price", "10",
		"result.rule_version", modeltest.Action+"@v1", "result.cohort", "baseline", "result.reason", "no_rollout", "result.flag_reason", "STATIC")
	w.models.Price(t, modeltest.Action, 5000)
	again := w.postAs("op-1", quotes, body).want(200).has("outcome", "replayed")
	if again.result() != first.result() {
		t.Errorf("asked again: %s; first %s", again.result(), first.result())
	}
	w.postAs("op-1", quotes, `{"action":"`+modeltest.Action+`","units":11}`).want(422).has("code", "operation_conflict")
	w.postAs("op-1", jobs, `{"job_id":"j1","action":"`+modeltest.Action+`","units":11}`).want(422).has("code", "operation_conflict")
	w.postAs("op-1", jobs, chargeOf10).want(201).has("result.job.cost", "10", "result.job.rule_version", modeltest.Action+"@v1")
	w.postAs("op-2", jobs, `{"job_id":"j2","action":"`+modeltest.Action+`","units":10}`).want(201).has("result.job.cost", "50")
	for name, bad := range map[string]string{"units": `{"action":"x","units":0}`, "action": `{"action":"a b","units":1}`} {
		w.postAs("op-3", quotes, bad).want(400).has("code", "invalid_request", "fields.0.field", name)
	}
}
