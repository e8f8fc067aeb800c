package api_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"recoup/models/actor"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// Each row of the table of answers: status, code, the facts that come with it; and what is refused
// leaves nothing.
func TestEveryKindOfAnswer(t *testing.T) {
	w := newWorld(t)
	w.account("a", 100)
	const path = "/v1/accounts/a/jobs"
	charge := func(id string, units int) string {
		return fmt.Sprintf(`{"job_id":%q,"action":%q,"units":%d,"mode":"external"}`, id, modeltest.Action, units)
	}

	// Applied: 201 with the operation id as it was sent, no mark of a replay.
	first := w.postAs("op-1", path, charge("j1", 10)).want(201).has("outcome", "applied", "operation_id", "op-1")
	if first.header.Get("Idempotent-Replayed") != "" {
		t.Error("the first answer is marked as a replay")
	}
	w.post(path+"/j1/signals", `{"type":"succeeded","attempt":1}`).want(200).has("outcome", "applied")

	before := w.contents()
	// Replayed.
	replay := w.postAs("op-1", path, charge("j1", 10)).want(200).has("outcome", "replayed", "operation_id", "op-1")
	if replay.header.Get("Idempotent-Replayed") != "true" || replay.result() != first.result() {
		t.Errorf("replay %v %s", replay.header, replay.body)
	}
	// Other input.
	w.postAs("op-1", path, charge("j9", 11)).want(422).has("code", "operation_conflict", "fields.0.field", "job_id", "fields.1.field", "units", "fields.2", "<nil>")
	// Charged before.
	w.postAs("op-2", path, charge("j1", 10)).want(409).has("code", "job_exists", "existing_operation_id", "op-1", "state", "succeeded")
	// Not enough credits.
	w.postAs("op-3", path, charge("j2", 91)).want(402).has("code", "insufficient_credits", "balance", "90", "cost", "91", "status", "402",
		"type", "urn:recoup:problem:insufficient_credits")
	// Key missing or malformed.
	for _, op := range []string{"-", strings.Repeat("x", 256), "tab\tinside"} {
		if res := w.postAs(op, path, charge("j2", 1)).want(400).has("code", "invalid_request"); !res.names("Idempotency-Key") {
			t.Errorf("%q: %s", op, res.body)
		}
	}
	// State.
	w.post(path+"/j1/cancel", "").want(409).has("code", "state_conflict", "state", "succeeded")
	w.post(path+"/j1/requeue", `{"reason":"r"}`).want(409).has("code", "state_conflict", "state", "succeeded")
	w.post("/v1/accounts/a/unfreeze", `{"reason":"r"}`).want(409).has("code", "state_conflict", "state", "active")
	// Unknown.
	w.post("/v1/accounts/nobody/jobs", charge("j1", 1)).want(404).has("code", "account_not_found")
	w.post("/v1/accounts/nobody/grants", `{"amount":1,"category":"paid"}`).want(404).has("code", "account_not_found")
	w.post("/v1/accounts/nobody/freeze", `{"reason":"r"}`).want(404).has("code", "account_not_found")
	w.post(path+"/nothing/signals", `{"type":"succeeded"}`).want(404).has("code", "job_not_found")
	w.post(path+"/nothing/cancel", "").want(404).has("code", "job_not_found")
	for _, p := range []string{"/v1/accounts/nobody", "/v1/accounts/nobody/balance", "/v1/accounts/nobody/balance?at=2026-01-01T00:00:00Z", "/v1/accounts/nobody/entries"} {
		w.get(p).want(404).has("code", "account_not_found")
	}
	for _, p := range []string{path + "/nothing", path + "/nothing/timeline", "/v1/accounts/nobody/jobs/j1"} {
		w.get(p).want(404).has("code", "job_not_found")
	}
	w.get("/v1/operations?scope=account:a&id=nothing").want(404).has("code", "operation_not_found")
	w.get("/v1/operations?scope=account:nobody&id=op-1").want(404).has("code", "operation_not_found")
	// Unknown action, price beyond 64 bits.
	w.post(path, `{"job_id":"j2","action":"no_such","units":1}`).want(400).has("code", "action_not_found", "field", "action")
	if res := w.post(path, `{"job_id":"j2","action":"`+modeltest.Action+`","units":9223372036854775807}`); res.status != 402 {
		t.Errorf("%d %s", res.status, res.body)
	}
	w.unchanged(before)

	// An attempt that was never made, for a managed job.
	m := w.charge("a", "m1", 1, "")
	before = w.contents()
	w.post(m+"/signals", `{"type":"failed","attempt":1,"class":"transient"}`).want(409).has("code", "attempt_not_made", "attempt", "0")
	w.post(m+"/signals", `{"type":"succeeded","attempt":1}`).want(409).has("code", "attempt_not_made")
	// A lease that nobody holds; one whose attempt no integer can hold.
	forged := base64.RawURLEncoding.EncodeToString(make([]byte, 36))
	w.post("/v1/jobs/complete", `{"lease_token":"`+forged+`"}`).want(404).has("code", "lease_unknown")
	huge := base64.RawURLEncoding.EncodeToString([]byte(strings.Repeat("\xff", 36)))
	for _, path := range []string{"/v1/jobs/complete", "/v1/jobs/heartbeat"} {
		if res := w.post(path, `{"lease_token":"`+huge+`"}`).want(400); !res.names("lease_token") {
			t.Errorf("%s", res.body)
		}
	}
	// An overflow is an error, not a wrap.
	w.post("/v1/accounts/a/grants", `{"amount":9223372036854775807,"category":"paid"}`).want(409).has("code", "amount_overflow")
	// Too large.
	w.post(path, `{"job_id":"big","action":"`+modeltest.Action+`","units":1,"payload":"`+strings.Repeat("x", 1<<20)+`"}`).want(413).has("code", "body_too_large")
	w.unchanged(before)
}

// The refused request may be sent again under the same operation id, and is priced anew.
func TestRefusedMayBeTriedAgain(t *testing.T) {
	w := newWorld(t)
	w.account("a", 0)
	body := `{"job_id":"j1","action":"` + modeltest.Action + `","units":10}`
	w.postAs("op", "/v1/accounts/a/jobs", body).want(402)
	w.post("/v1/accounts/a/grants", `{"amount":100,"category":"paid"}`).want(201)
	w.models.Price(t, modeltest.Action, 2000)
	w.postAs("op", "/v1/accounts/a/jobs", body).want(201).has("result.job.cost", "20")
}

// While the first request of an operation runs, the second waits and then says so.
func TestOperationInProgress(t *testing.T) {
	w := newWorld(t)
	w.account("a", 100)
	// Another process has the operation: its row is there and not committed.
	tx := w.g.Begin()
	defer tx.Rollback()
	err := tx.Exec(`INSERT INTO operations (account_key, scope, id, kind, input_version, input, actor)
		SELECT key, '', 'op', 'grant', 1, '{}', 'key:other' FROM accounts WHERE id = 'a'`).Error
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	res := w.postAs("op", "/v1/accounts/a/grants", `{"amount":5,"category":"paid"}`).want(409).has("code", "operation_in_progress")
	if took := time.Since(start); took < shortWait {
		t.Errorf("answered after %s, without waiting", took)
	}
	if got := res.header.Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After %q", got)
	}
	// It was refused: the id is free again.
	tx.Rollback()
	w.postAs("op", "/v1/accounts/a/grants", `{"amount":5,"category":"paid"}`).want(201)
}

func TestKeysAreChecked(t *testing.T) {
	w := newWorld(t)
	w.account("a", 0)
	by := staff.By{Actor: actor.System()}
	soon := time.Now().Add(300 * time.Millisecond)
	_, expiring, err := w.staff.CreateKey(context.Background(), by, staff.NewKey{Name: "expiring", Scopes: staff.Scopes(), ExpiresAt: &soon})
	if err != nil {
		t.Fatal(err)
	}
	revoked, revokedToken, err := w.staff.CreateKey(context.Background(), by, staff.NewKey{Name: "revoked", Scopes: staff.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	w.send(request{method: http.MethodGet, path: "/v1/accounts/a", key: revokedToken}).want(200)
	if err := w.staff.RevokeKey(context.Background(), by, revoked.ID, "test"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Until(soon))
	before := w.contents()
	for name, key := range map[string]string{"missing": "-", "unknown": "rk_aaaaaaaaaaaaaaaa_secret", "nonsense": "x", "expired": expiring, "revoked": revokedToken,
		"wrong secret": w.key + "x"} {
		for _, r := range []request{
			{method: http.MethodGet, path: "/v1/accounts/a", key: key},
			{method: http.MethodPost, path: "/v1/accounts/a/grants", body: `{"amount":5,"category":"paid"}`, key: key},
		} {
			res := w.send(r).want(401).has("code", "unauthenticated")
			if got := res.header.Get("WWW-Authenticate"); !strings.HasPrefix(got, "Bearer") {
				t.Errorf("%s: WWW-Authenticate %q", name, got)
			}
			if strings.Contains(string(res.body), key) && len(key) > 5 {
				t.Errorf("%s: the answer repeats the key", name)
			}
		}
	}
	w.unchanged(before)
	// Two keys at once are none.
	two := w.send(request{method: http.MethodGet, path: "/v1/accounts/a", header: http.Header{"Authorization": {"Bearer " + w.key, "Bearer " + w.key}}})
	two.want(401)
}

// The actor of a change is the key that asked for it, in the ledger, the operation and the timeline.
func TestActorIsTheKey(t *testing.T) {
	w := newWorld(t)
	w.account("a", 10)
	key := w.newKey(staff.JobsWrite)
	id := strings.Split(key, "_")[1]
	w.send(request{method: http.MethodPost, path: "/v1/accounts/a/jobs", key: key, op: "op",
		body: `{"job_id":"j1","action":"` + modeltest.Action + `","units":1}`}).want(201)
	w.get("/v1/accounts/a/entries?type=charge").has("entries.0.actor", "key:"+id)
	w.get("/v1/accounts/a/jobs/j1/timeline").has("events.0.actor", "key:"+id)
	w.get("/v1/operations?scope=account:a&id=op").has("operation.actor", "key:"+id)
}
