package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"recoup/models/modeltest"
)

// The main path: charged, failed twice, delivered twice; then the ledger, the job, its timeline and the
// operations tell the same story.
func TestMainPath(t *testing.T) {
	w := newWorld(t)
	put := w.send(request{method: http.MethodPut, path: "/v1/accounts/acct_7", op: "put-1",
		body: `{"name":"Ann <Media> & Co","plan":"pro","attributes":{"tier":"gold","gone":null}}`}).want(201)
	put.has("outcome", "applied", "operation_id", "put-1", "result.account_id", "acct_7", "result.created", "true", "result.attributes.tier", "gold",
		"result.attributes.gone", "<nil>")
	w.send(request{method: http.MethodPut, path: "/v1/accounts/acct_7", body: `{"region":"eu"}`}).want(200).
		has("result.name", "Ann <Media> & Co", "result.region", "eu", "result.created", "<nil>")
	w.post("/v1/accounts/acct_7/grants", `{"amount":100,"category":"paid","reference":"inv_1"}`).want(201).
		has("result.account_id", "acct_7", "result.entry.seq", "1", "result.entry.amount", "100", "result.entry.balance_after", "100", "result.entry.type", "grant")

	const j = "/v1/accounts/acct_7/jobs/j1"
	trace := "4bf92f3577b34da6a3ce929d0e0e4736"
	charged := w.send(request{method: http.MethodPost, path: "/v1/accounts/acct_7/jobs", op: "charge/1%",
		body:   `{"job_id":"j1","action":"` + modeltest.Action + `","units":36,"mode":"external"}`,
		header: http.Header{"Traceparent": {"00-" + trace + "-00f067aa0ba902b7-01"}}}).want(201)
	charged.has("result.job.state", "running", "result.job.cost", "36", "result.entry.amount", "-36", "result.entry.balance_after", "64",
		"result.job.rule_version", modeltest.Action+"@v1", "result.job.cohort", "baseline")
	if got := charged.header.Get("Traceparent"); !strings.Contains(got, trace) {
		t.Errorf("traceparent %q does not continue the caller's", got)
	}

	failed := `{"type":"failed","attempt":1,"class":"timed_out","code":"render_30s","message":"no answer"}`
	w.post(j+"/signals", failed).want(200).has("result.outcome", "refunded", "result.entry.amount", "36", "result.job.state", "retrying", "result.job.net", "0")
	w.post(j+"/signals", failed).want(200).has("result.outcome", "already_refunded", "result.entry", "<nil>")
	delivered := `{"type":"succeeded","attempt":1,"result":"s3://out/j1.mp4"}`
	w.post(j+"/signals", delivered).want(200).has("result.outcome", "reclaimed", "result.entry.amount", "-36", "result.job.state", "succeeded", "result.job.net", "-36")
	w.post(j+"/signals", delivered).want(200).has("result.outcome", "already_reclaimed", "result.delivery", "repeated", "result.entry", "<nil>")

	if got := w.entryTypes("acct_7"); got != "grant 100, charge -36, refund 36, reclaim -36" {
		t.Errorf("ledger: %s", got)
	}
	w.get("/v1/accounts/acct_7").want(200).has("account.balance", "64", "account.last_seq", "4", "account.frozen", "false", "account.attributes.tier", "gold")
	w.get("/v1/accounts/acct_7/balance").want(200).has("balance", "64", "as_of_seq", "4", "account_id", "acct_7")
	w.get(j).want(200).has("job.state", "succeeded", "job.net", "-36", "job.is_refunded", "true", "job.is_reclaimed", "true",
		"evidence.refund_signals", "2", "evidence.refunds_applied", "1", "evidence.reclaim_signals", "2", "evidence.reclaims_applied", "1")

	line := w.get(j + "/timeline").want(200)
	for i, kind := range []string{"charged", "failed", "failed", "succeeded", "succeeded"} {
		line.has("events."+string(rune('0'+i))+".kind", kind)
	}
	line.has("events.0.trace_id", trace, "events.0.operation_id", "charge/1%", "events.1.details.code", "render_30s", "events.3.entry_seq", "4", "events.5", "<nil>")

	entries := w.get("/v1/accounts/acct_7/entries").want(200)
	entries.has("entries.0.type", "reclaim", "entries.0.job_id", "j1", "entries.0.rule_version", modeltest.Action+"@v1", "entries.0.cohort", "baseline",
		"entries.2.operation_id", "charge/1%", "entries.2.trace_id", trace, "entries.3.category", "paid", "entries.3.reference", "inv_1", "next_cursor", "<nil>")

	w.postAs("charge/1%", "/v1/accounts/acct_7/jobs", `{"job_id":"j1","action":"`+modeltest.Action+`","units":36,"mode":"external"}`).want(200)
	w.get("/v1/operations?scope=account:acct_7&id=charge%2F1%25").want(200).has("operation.kind", "charge", "operation.job_id", "j1",
		"operation.trace_id", trace, "operation.result.job.cost", "36", "attempts.0.outcome", "replayed", "attempts.0.attempt", "2", "attempts.0.price", "36")
}

// A managed job goes through workers: claimed, kept, failed for good, triaged, put back, delivered.
func TestWorkerAndTriage(t *testing.T) {
	w := newWorld(t)
	w.account("acct_7", 100)
	j := w.charge("acct_7", "j1", 10, `,"payload":{"src":"s3://in"},"max_attempts":1`)
	claim := w.post("/v1/jobs/claim", `{"actions":["`+modeltest.Action+`"],"max":5,"worker":"w1","worker_version":"1.2"}`).want(200)
	claim.has("outcome", "applied", "result.jobs.0.job_id", "j1", "result.jobs.0.attempt", "1", "result.jobs.0.payload.src", "s3://in", "result.jobs.1", "<nil>")
	token := `{"lease_token":"` + claim.at("result.jobs.0.lease_token").(string) + `"`
	w.send(request{method: http.MethodPost, path: "/v1/jobs/heartbeat", body: token + "}", op: "-"}).want(200).has("continue", "true", "state", "running", "attempt", "1")
	w.post("/v1/jobs/fail", token+`,"class":"permanent","code":"codec","message":"unreadable"}`).want(200).
		has("result.outcome", "refunded", "result.signal.job.state", "dead", "result.signal.entry.amount", "10")
	w.send(request{method: http.MethodPost, path: "/v1/jobs/heartbeat", body: token + "}", op: "-"}).want(200).has("continue", "false", "state", "dead", "lease_until", "<nil>")

	w.get("/v1/dead-letters").want(200).has("jobs.0.job_id", "j1", "jobs.0.dead_reason", "permanent_error", "jobs.0.last_error.code", "codec", "next_cursor", "<nil>")
	w.post(j+"/discard", `{"reason":"other","note":"broken file"}`).want(200).has("result.job.state", "discarded")
	w.get("/v1/dead-letters").want(200).has("jobs.0", "<nil>")
	w.post(j+"/reopen", `{"reason":"file was repaired"}`).want(200).has("result.job.state", "dead")
	w.post(j+"/requeue", `{"reason":"file was repaired"}`).want(200).has("result.job.state", "retrying", "result.job.generation", "1")

	// The worker whose attempt was given up delivers after all.
	w.post("/v1/jobs/complete", token+`,"result":"s3://out"}`).want(200).has("result.outcome", "late_reclaimed", "result.signal.entry.amount", "-10")
	w.post("/v1/jobs/complete", token+`,"result":"s3://out"}`).want(200).has("result.outcome", "duplicate")
	w.post("/v1/jobs/fail", token+`,"class":"transient"}`).want(200).has("result.outcome", "delivered_before", "result.signal.entry", "<nil>")
	if got := w.entryTypes("acct_7"); got != "grant 100, charge -10, refund 10, reclaim -10" {
		t.Errorf("ledger: %s", got)
	}
}

// Dead letters come in pages.
func TestDeadLetterPages(t *testing.T) {
	w := newWorld(t)
	w.account("a", 100)
	seen := map[string]bool{}
	for _, id := range []string{"j1", "j2", "j3", "j4", "j5"} {
		j := w.charge("a", id, 1, `,"mode":"external"`)
		w.post(j+"/signals", `{"type":"failed","attempt":1,"class":"permanent"}`).want(200).has("result.job.state", "dead")
	}
	for path, pages := "/v1/dead-letters?limit=2", 1; path != ""; pages++ {
		res := w.get(path).want(200)
		for _, j := range res.at("jobs").([]any) {
			id := j.(map[string]any)["job_id"].(string)
			if seen[id] {
				t.Errorf("%s came twice", id)
			}
			seen[id] = true
		}
		path = ""
		if next := res.at("next_cursor"); next != nil {
			path = "/v1/dead-letters?limit=2&cursor=" + next.(string)
		}
		if pages > 3 {
			t.Fatal("more than three pages of two for five rows")
		}
	}
	if len(seen) != 5 {
		t.Errorf("saw %v", seen)
	}
}

// Freezing, adjusting and cancelling, each with what it refuses.
func TestPeopleLikeOperations(t *testing.T) {
	w := newWorld(t)
	w.account("a", 50)
	j := w.charge("a", "j1", 10, "")
	w.post("/v1/accounts/a/freeze", `{"reason":"chargeback"}`).want(200).has("result.frozen", "true")
	w.post("/v1/accounts/a/jobs", `{"job_id":"j2","action":"`+modeltest.Action+`","units":1}`).want(409).has("code", "account_frozen")
	w.post(j+"/cancel", "").want(200).has("result.outcome", "refunded", "result.job.state", "canceled", "result.entry.amount", "10")
	w.post("/v1/accounts/a/unfreeze", `{"reason":"settled"}`).want(200).has("result.frozen", "false")
	w.post("/v1/accounts/a/adjustments", `{"amount":-70,"reason":"double payment"}`).want(201).has("result.entry.balance_after", "-20")
	w.get("/v1/accounts/a").want(200).has("account.balance", "-20")
	w.post("/v1/accounts/a/jobs", `{"job_id":"j2","action":"`+modeltest.Action+`","units":1}`).want(402)

	// The balance at a time is that of the entries made until then.
	at := w.get("/v1/accounts/a/entries?type=refund").want(200).at("entries.0.created_at").(string)
	w.get("/v1/accounts/a/balance?at="+at).want(200).has("balance", "50", "as_of_seq", "3", "at", at)
	w.get("/v1/accounts/a/balance?at=2001-01-01T00:00:00Z").want(200).has("balance", "0", "as_of_seq", "0")
}

// Dead letters are found by what is known of them, and a filter is carried by the cursor.
func TestDeadLetterFilters(t *testing.T) {
	w := newWorld(t)
	for _, a := range []string{"a", "b"} {
		w.account(a, 100)
		for i, code := range []string{"codec", "memory", "codec"} {
			j := w.charge(a, fmt.Sprintf("%s%d", a, i), 10, `,"mode":"external"`)
			w.post(j+"/signals", fmt.Sprintf(`{"type":"failed","attempt":1,"class":"permanent","code":%q,"message":"Frame %d is broken"}`, code, i)).want(200)
		}
	}
	list := func(query string) string {
		var ids []string
		jobs, _ := w.get("/v1/dead-letters?" + query).want(200).at("jobs").([]any)
		for _, j := range jobs {
			ids = append(ids, j.(map[string]any)["job_id"].(string))
		}
		return strings.Join(ids, " ")
	}
	for query, want := range map[string]string{"account=a": "a0 a1 a2", "account=a&code=codec": "a0 a2", "code=memory": "a1 b1", "text=frame+2": "a2 b2", "class=transient": "",
		"before=2020-01-01T00:00:00Z": "", "account=nobody": "", "action=video_render&account=b&text=frame+0": "b0"} {
		if got := list(query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	next := w.get("/v1/dead-letters?code=codec&limit=3").want(200).at("next_cursor").(string)
	if got := list("limit=3&cursor=" + next); got != "b2" {
		t.Errorf("the cursor alone leads to %s", got)
	}
	if got := list("limit=3&code=codec&cursor=" + next); got != "b2" {
		t.Errorf("with its filter it leads to %s", got)
	}
	w.get("/v1/dead-letters?code=memory&cursor=" + next).want(400)
}

// A result that exists after all is delivered once; a payload is replaced when a job is put back.
func TestRecoverAndEditedPayload(t *testing.T) {
	w := newWorld(t)
	w.account("acct_7", 100)
	j := w.charge("acct_7", "j1", 10, `,"payload":{"src":"s3://in"},"max_attempts":1`)
	dies := func() {
		token := w.post("/v1/jobs/claim", `{"actions":["`+modeltest.Action+`"],"max":1,"wait_s":5}`).want(200).at("result.jobs.0.lease_token").(string)
		w.post("/v1/jobs/fail", `{"lease_token":"`+token+`","class":"permanent","code":"codec"}`).want(200)
	}
	dies()
	w.post(j+"/requeue", `{"reason":"r","payload":{"src":1.0}}`).want(200).has("result.job.state", "retrying", "result.job.cost", "10")
	w.post(j+"/recover", `{"reason":"r","result":"s3://x"}`).want(409).has("code", "state_conflict", "state", "retrying")
	w.post(j+"/cancel", `{"reason":"r"}`).want(200)
	w.post(j+"/recover", `{"reason":"found","result":"s3://x"}`).want(200).has("result.outcome", "reclaimed", "result.entry.amount", "-10", "result.entry.balance_after", "90", "result.job.state", "succeeded")
	w.post(j+"/recover", `{"reason":"found","result":"s3://x"}`).want(409).has("state", "succeeded")
	w.post(j+"/recover", `{"reason":"found"}`).want(400)
	if got := w.entryTypes("acct_7"); got != "grant 100, charge -10, refund 10, reclaim -10" {
		t.Errorf("ledger: %s", got)
	}
}
