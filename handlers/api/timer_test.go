package api_test

import (
	"context"
	"testing"
	"time"
)

// What a timer did is found like any operation, in the account's scope of timers, which no caller's id
// can reach.
func TestTimersOperation(t *testing.T) {
	w := newWorld(t)
	w.account("a", 10)
	j := w.charge("a", "j1", 10, `,"mode":"external","expires_in_s":1`)
	for end := time.Now().Add(10 * time.Second); w.get(j).at("job.state") != "dead"; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the job did not expire")
		}
		due, err := w.models.Jobs.Overdue(context.Background(), 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range due {
			if _, err := w.models.Jobs.Settle(context.Background(), o); err != nil {
				t.Fatal(err)
			}
		}
	}
	refund := w.get("/v1/accounts/a/entries?type=refund").want(200).has("entries.0.amount", "10", "entries.0.actor", "system", "entries.1", "<nil>")
	id := refund.at("entries.0.operation_id").(string)
	w.get("/v1/operations?scope=system:a&id="+id).want(200).has("operation.kind", "expire", "operation.scope", "system:a", "operation.actor", "system",
		"operation.job_id", "j1", "operation.result.outcome", "refunded", "attempts.0", "<nil>")
	w.get("/v1/operations?scope=account:a&id=" + id).want(404)
	// A caller who happens to use the same id has an operation of its own.
	w.postAs(id, "/v1/accounts/a/grants", `{"amount":1,"category":"paid"}`).want(201)
}
