package api_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"recoup/models/modeltest"
)

const chargeOf10 = `{"job_id":"j1","action":"` + modeltest.Action + `","units":10,"mode":"external"}`

// sendAndHangUp sends a request and closes the connection without reading the answer, after done says
// that the server has applied it.
func (w *world) sendAndHangUp(op, path, body string, done func() bool) {
	w.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.server.URL, "http://"))
	if err != nil {
		w.t.Fatal(err)
	}
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: recoup\r\nAuthorization: Bearer %s\r\nIdempotency-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		path, w.key, op, len(body), body)
	if err != nil {
		w.t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatal("the request had no effect")
		}
	}
}

func (w *world) count(sql string, args ...any) int64 {
	w.t.Helper()
	var n int64
	if err := w.g.Raw(sql, args...).Scan(&n).Error; err != nil {
		w.t.Fatal(err)
	}
	return n
}

// F03: the answer of a committed change is lost. The same operation id brings the stored result; another
// operation id for the same job moves nothing.
func TestCase_F03_LostAnswerIsReplayed(t *testing.T) {
	w := newWorld(t)
	w.account("a", 100)
	const jobs, signals = "/v1/accounts/a/jobs", "/v1/accounts/a/jobs/j1/signals"
	w.sendAndHangUp("op-charge", jobs, chargeOf10, func() bool {
		return w.count(`SELECT count(*) FROM operations WHERE id = 'op-charge' AND result IS NOT NULL`) == 1
	})
	w.postAs("op-charge", jobs, chargeOf10).want(200).has("outcome", "replayed", "result.entry.amount", "-10", "result.entry.balance_after", "90")
	w.postAs("op-charge-2", jobs, chargeOf10).want(409).has("code", "job_exists", "existing_operation_id", "op-charge")

	failed := `{"type":"failed","attempt":1,"class":"transient"}`
	w.sendAndHangUp("op-fail", signals, failed, func() bool {
		return w.count(`SELECT count(*) FROM operations WHERE id = 'op-fail' AND result IS NOT NULL`) == 1
	})
	w.postAs("op-fail", signals, failed).want(200).has("outcome", "replayed", "result.outcome", "refunded", "result.entry.amount", "10")
	w.postAs("op-fail-2", signals, failed).want(200).has("outcome", "applied", "result.outcome", "already_refunded", "result.entry", "<nil>")
	if got := w.entryTypes("a"); got != "grant 100, charge -10, refund 10" {
		t.Errorf("ledger: %s", got)
	}
}

// F08: a replay has the bytes of the first answer, whatever happened to job, price and account since,
// and however many ask at once.
func TestCase_F08_ReplayIsByteIdentical(t *testing.T) {
	w := newWorld(t)
	put := w.send(request{method: http.MethodPut, path: "/v1/accounts/a", op: "op-put", body: `{"name":"<b>&\u2028","attributes":{"z":"1","a":"é"}}`}).want(201)
	grant := w.postAs("op-grant", "/v1/accounts/a/grants", `{"amount":100,"category":"paid"}`).want(201)
	charge := w.postAs("op-charge", "/v1/accounts/a/jobs", chargeOf10).want(201)
	signal := w.postAs("op-signal", "/v1/accounts/a/jobs/j1/signals", `{"type":"failed","attempt":1,"class":"permanent","message":"<&>"}`).want(200)

	w.models.Price(t, modeltest.Action, 7000)
	w.post("/v1/accounts/a/jobs/j1/signals", `{"type":"succeeded"}`).want(200)
	w.post("/v1/accounts/a/freeze", `{"reason":"x"}`).want(200)
	w.send(request{method: http.MethodPut, path: "/v1/accounts/a", body: `{"name":"other"}`}).want(200)

	for op, first := range map[string]response{"op-put": put, "op-grant": grant, "op-charge": charge, "op-signal": signal} {
		r := map[string]request{
			"op-put":    {method: http.MethodPut, path: "/v1/accounts/a", body: `{"name":"<b>&\u2028","attributes":{"z":"1","a":"é"}}`},
			"op-grant":  {method: http.MethodPost, path: "/v1/accounts/a/grants", body: `{"amount":100,"category":"paid"}`},
			"op-charge": {method: http.MethodPost, path: "/v1/accounts/a/jobs", body: chargeOf10},
			"op-signal": {method: http.MethodPost, path: "/v1/accounts/a/jobs/j1/signals", body: `{"type":"failed","attempt":1,"class":"permanent","message":"<&>"}`},
		}[op]
		r.op = op
		before := w.contents()
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				again := w.sendOnly(t.Context(), r)
				if again.status != 200 || again.header.Get("Idempotent-Replayed") != "true" || again.at("outcome") != "replayed" || again.at("operation_id") != op {
					t.Errorf("%s: %d %s", op, again.status, again.body)
				}
				if got, want := again.result(), first.result(); got != want {
					t.Errorf("%s:\n%s\nfirst:\n%s", op, got, want)
				}
			})
		}
		wg.Wait()
		w.unchanged(before)
		if first.header.Get("Idempotent-Replayed") != "" || first.at("outcome") != "applied" {
			t.Errorf("%s: the first answer is marked as a replay", op)
		}
		stored := w.get("/v1/operations?scope=account:a&id=" + op).want(200)
		var o struct {
			Operation struct{ Result json.RawMessage }
		}
		if err := json.Unmarshal(stored.body, &o); err != nil || string(o.Operation.Result) != first.result() {
			t.Errorf("%s: stored %s", op, o.Operation.Result)
		}
		stored.has("attempts.7.outcome", "replayed", "attempts.8", "<nil>")
	}
}

// F09: an operation id of 255 characters is kept whole, one of 256 is refused and nothing is written.
func TestCase_F09_LongestOperationID(t *testing.T) {
	w := newWorld(t)
	w.account("a", 0)
	body := `{"amount":5,"category":"paid"}`
	longest := strings.Repeat("k", 254) + "~"
	w.postAs(longest, "/v1/accounts/a/grants", body).want(201).has("operation_id", longest)
	w.get("/v1/accounts/a/entries").has("entries.0.operation_id", longest)
	before := w.contents()
	if res := w.postAs(longest+"x", "/v1/accounts/a/grants", body).want(400); !res.names("Idempotency-Key") {
		t.Errorf("%s", res.body)
	}
	// Another id of 255 characters that begins the same is another operation.
	w.unchanged(before)
	w.postAs(longest[:254]+"!", "/v1/accounts/a/grants", body).want(201).has("result.entry.balance_after", "10")
	// The quoted form names the same operation.
	w.postAs(`"`+longest+`"`, "/v1/accounts/a/grants", body).want(200).has("outcome", "replayed")
}

// F10: key order does not matter, null is absent, a default is not filled in, 1.0 is no whole number.
func TestCase_F10_CanonicalInput(t *testing.T) {
	w := newWorld(t)
	w.account("a", 100)
	const path = "/v1/accounts/a/jobs"
	first := w.postAs("op", path, `{"job_id":"j1","action":"`+modeltest.Action+`","units":10,"payload":{"a":1,"b":[1,{"x":1,"y":2}]}}`).want(201)
	for name, same := range map[string]string{
		"key order":      `{"units":10,"payload":{"b":[1,{"y":2,"x":1}],"a":1},"action":"` + modeltest.Action + `","job_id":"j1"}`,
		"null":           `{"job_id":"j1","action":"` + modeltest.Action + `","units":10,"payload":{"a":1,"b":[1,{"x":1,"y":2}]},"mode":null,"max_attempts":null,"dependency":null}`,
		"blanks":         " {\n\"job_id\" : \"j1\",\"action\":\"" + modeltest.Action + "\",\"units\":10,\"payload\": { \"a\" :1,\"b\":[1,{\"x\":1,\"y\":2}]}} ",
		"escaped string": `{"job_id":"\u006a1","action":"` + modeltest.Action + `","units":10,"payload":{"a":1,"b":[1,{"x":1,"y":2}]}}`,
	} {
		res := w.postAs("op", path, same)
		if res.status != 200 || res.result() != first.result() {
			t.Errorf("%s: %d %s", name, res.status, res.body)
		}
	}
	before := w.contents()
	for field, other := range map[string]string{
		"mode":         `{"job_id":"j1","action":"` + modeltest.Action + `","units":10,"payload":{"a":1,"b":[1,{"x":1,"y":2}]},"mode":"managed"}`,
		"max_attempts": `{"job_id":"j1","action":"` + modeltest.Action + `","units":10,"payload":{"a":1,"b":[1,{"x":1,"y":2}]},"max_attempts":3}`,
		"payload":      `{"job_id":"j1","action":"` + modeltest.Action + `","units":10,"payload":{"a":1,"b":[{"x":1,"y":2},1]}}`,
		"units":        `{"job_id":"j1","action":"` + modeltest.Action + `","units":11,"payload":{"a":1,"b":[1,{"x":1,"y":2}]}}`,
	} {
		w.postAs("op", path, other).want(422).has("code", "operation_conflict", "fields.0.field", field, "fields.1", "<nil>")
	}
	for _, units := range []string{"10.0", "1e1", "1E+1"} {
		if res := w.postAs("op", path, `{"job_id":"j1","action":"`+modeltest.Action+`","units":`+units+`}`).want(400); !res.names("units") {
			t.Errorf("%s: %s", units, res.body)
		}
	}
	w.unchanged(before)
}

// F11: a replay answers with the whole first result, for every kind of operation.
func TestCase_F11_ReplayTellsTheResult(t *testing.T) {
	w := newWorld(t)
	w.account("a", 100)
	j := w.charge("a", "j1", 10, `,"mode":"external"`)
	for i, step := range []struct{ path, body string }{
		{"/v1/accounts/a/grants", `{"amount":1,"category":"goodwill"}`},
		{"/v1/accounts/a/adjustments", `{"amount":-1,"reason":"r"}`},
		{"/v1/accounts/a/freeze", `{"reason":"r"}`},
		{"/v1/accounts/a/unfreeze", `{"reason":"r"}`},
		{"/v1/accounts/a/jobs", `{"job_id":"j2","action":"` + modeltest.Action + `","units":1}`},
		{j + "/signals", `{"type":"failed","attempt":1,"class":"permanent"}`},
		{j + "/discard", `{"reason":"too_old"}`},
		{j + "/reopen", `{"reason":"r"}`},
		{j + "/requeue", `{"reason":"r"}`},
		{j + "/cancel", ``},
		{j + "/recover", `{"reason":"r","result":"s3://x"}`},
		{"/v1/jobs/claim", `{"actions":["` + modeltest.Action + `"],"max":1}`},
	} {
		op := fmt.Sprintf("op-%d", i)
		first := w.postAs(op, step.path, step.body)
		if first.status != 200 && first.status != 201 || first.at("outcome") != "applied" {
			t.Fatalf("%s: %d %s", step.path, first.status, first.body)
		}
		again := w.postAs(op, step.path, step.body).want(200).has("outcome", "replayed")
		if again.result() != first.result() || again.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%s: %s\nfirst: %s", step.path, again.body, first.body)
		}
	}
}

// F16: a top-up that is sent twice credits once, also when both come at the same time.
func TestCase_F16_GrantOnce(t *testing.T) {
	w := newWorld(t)
	w.account("a", 0)
	var wg sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	for range 10 {
		wg.Go(func() {
			res := w.sendOnly(t.Context(), request{method: http.MethodPost, path: "/v1/accounts/a/grants", op: "topup", body: `{"amount":50,"category":"paid","reference":"ch_1"}`})
			mu.Lock()
			defer mu.Unlock()
			statuses[res.status]++
		})
	}
	wg.Wait()
	if statuses[201] != 1 || statuses[200] != 9 {
		t.Errorf("statuses %v", statuses)
	}
	if got := w.entryTypes("a"); got != "grant 50" {
		t.Errorf("ledger: %s", got)
	}
}

// F18: the same key with another amount is refused at once and says what differs.
func TestCase_F18_OtherAmountIsRefused(t *testing.T) {
	w := newWorld(t)
	w.account("a", 0)
	w.postAs("op", "/v1/accounts/a/grants", `{"amount":50,"category":"paid"}`).want(201)
	before := w.contents()
	w.postAs("op", "/v1/accounts/a/grants", `{"amount":500,"category":"paid"}`).want(422).
		has("code", "operation_conflict", "fields.0.field", "amount", "fields.1", "<nil>")
	// Another kind of change is other input too.
	w.postAs("op", "/v1/accounts/a/adjustments", `{"amount":50,"reason":"r"}`).want(422).has("code", "operation_conflict")
	w.unchanged(before)
	w.get("/v1/operations?scope=account:a&id=op").want(200).has("attempts.0.outcome", "conflict", "attempts.0.fields.0", "amount", "attempts.1.attempt", "3")
}

// F48: a payload reaches the worker byte for byte: large integers, blanks, escapes and order.
func TestCase_F48_PayloadIsExact(t *testing.T) {
	w := newWorld(t)
	w.account("a", 100)
	payload := "{ \"n\":9007199254740993, \"f\":1.50e+2,\"big\":123456789012345678901234567890,\n\t\"z\":\"<&>\\u2028\\/\\u00e9é\",\"a\":[ ] }"
	w.charge("a", "j1", 1, `,"payload":`+payload)
	w.charge("a", "j2", 1, "")
	for _, want := range []string{"applied", "replayed"} {
		res := w.postAs("op", "/v1/jobs/claim", `{"actions":["`+modeltest.Action+`"],"max":2}`).want(200).has("outcome", want)
		if !strings.Contains(string(res.body), `"payload":`+payload+`}`) {
			t.Errorf("%s: %s", want, res.body)
		}
		res.has("result.jobs.0.payload.n", "9007199254740993", "result.jobs.1.job_id", "j2", "result.jobs.1.payload", "<nil>")
	}
	// Amounts beyond 2^53 are exact as well.
	w.post("/v1/accounts/a/grants", `{"amount":9007199254740893,"category":"paid"}`).want(201)
	w.get("/v1/accounts/a").has("account.balance", "9007199254740991")
	w.post("/v1/accounts/a/grants", `{"amount":2,"category":"paid"}`).want(201).has("result.entry.balance_after", "9007199254740993")
	w.get("/v1/accounts/a/entries?limit=1").has("entries.0.balance_after", "9007199254740993")
}

// F50: the cursor carries the filters; what is given beside it may not contradict.
func TestCase_F50_CursorCarriesFilters(t *testing.T) {
	w := newWorld(t)
	w.account("a", 100)
	w.account("b", 100)
	for i := range 5 {
		w.charge("a", fmt.Sprintf("j%d", i), int64(i+1), "")
		w.post("/v1/accounts/a/grants", `{"amount":1,"category":"goodwill"}`).want(201)
	}
	first := w.get("/v1/accounts/a/entries?type=charge&limit=2").want(200)
	first.has("entries.0.amount", "-5", "entries.1.amount", "-4", "entries.2", "<nil>")
	cursor := first.at("next_cursor").(string)
	second := w.get("/v1/accounts/a/entries?limit=2&cursor="+cursor).want(200).has("entries.0.amount", "-3", "entries.1.amount", "-2", "entries.0.type", "charge")
	w.get("/v1/accounts/a/entries?limit=2&cursor="+second.at("next_cursor").(string)).want(200).has("entries.0.amount", "-1", "entries.1", "<nil>", "next_cursor", "<nil>")
	w.get("/v1/accounts/a/entries?type=charge&limit=2&cursor="+cursor).want(200).has("entries.0.amount", "-3")

	for query, field := range map[string]string{
		"type=grant&cursor=" + cursor:                "type",
		"job=j1&cursor=" + cursor:                    "job",
		"from=2026-01-01T00:00:00Z&cursor=" + cursor: "from",
		"to=2026-01-01T00:00:00Z&cursor=" + cursor:   "to",
		"cursor=" + cursor[:len(cursor)-4]:           "cursor",
		"cursor=":                                    "cursor",
		"cursor=bm90IGpzb24":                         "cursor",
		"cursor=" + cursor + "&cursor=" + cursor:     "cursor",
		"limit=2&limit=3":                            "limit",
		"limit=0":                                    "limit",
		"limit=501":                                  "limit",
		"limit=1.0":                                  "limit",
		"limit=":                                     "limit",
		"types=charge":                               "types",
		"type=Charge":                                "type",
		"type=charge,":                               "type",
		"type=":                                      "type",
		"job=":                                       "job",
		"job=a%2Fb":                                  "job",
		"job=%00":                                    "job",
		"from=yesterday":                             "from",
		"to=2026-13-01T00:00:00Z":                    "to",
	} {
		if res := w.get("/v1/accounts/a/entries?" + query).want(400); !res.names(field) {
			t.Errorf("%s: %s", query, res.body)
		}
	}
	if res := w.get("/v1/accounts/b/entries?cursor=" + cursor).want(400); !res.names("cursor") {
		t.Errorf("%s", res.body)
	}
	if res := w.get("/v1/dead-letters?cursor=" + cursor).want(400); !res.names("cursor") {
		t.Errorf("%s", res.body)
	}
}

// A raw request with a bad header must not be mended by Go's client: it is written by hand.
func TestHeadersThatClientsRefuseToSend(t *testing.T) {
	w := newWorld(t)
	w.account("a", 0)
	before := w.contents()
	for name, key := range map[string]string{"latin-1": "k\xe9", "space": "a b", "twice": "k1\r\nIdempotency-Key: k2", "empty": "", "open quote": `"k`} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(w.server.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		body := `{"amount":5,"category":"paid"}`
		fmt.Fprintf(conn, "POST /v1/accounts/a/grants HTTP/1.1\r\nHost: recoup\r\nAuthorization: Bearer %s\r\nIdempotency-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
			w.key, key, len(body), body)
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if res.StatusCode != 400 {
			t.Errorf("%s: %d", name, res.StatusCode)
		}
		res.Body.Close()
		conn.Close()
	}
	w.unchanged(before)
}
