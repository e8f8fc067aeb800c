package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"recoup/handlers/route"
	"recoup/models/staff"
)

// Who may call what, written out: a new route fails until somebody classifies it here too, on purpose.
// W jobs:write, K jobs:work, R ledger:read, G ledger:write, C costs:write, F flags:read.
var scopeTable = map[string]string{
	"api.healthz":            "public",
	"api.readyz":             "public",
	"api.openapi":            "public",
	"api.account.put":        "G",
	"api.account.get":        "R",
	"api.account.freeze":     "G",
	"api.account.unfreeze":   "G",
	"api.account.grant":      "G",
	"api.account.adjust":     "G",
	"api.account.balance":    "R",
	"api.account.entries":    "R",
	"api.quote":              "W",
	"api.job.charge":         "W",
	"api.job.get":            "WKR",
	"api.job.timeline":       "WKR",
	"api.job.cancel":         "W",
	"api.job.signal":         "W",
	"api.work.claim":         "K",
	"api.work.heartbeat":     "K",
	"api.work.complete":      "K",
	"api.work.fail":          "K",
	"api.deadletters":        "WR",
	"api.job.requeue":        "W",
	"api.dependencies":       "W",
	"api.dependency.get":     "W",
	"api.dependency.hold":    "W",
	"api.dependency.release": "W",
	"api.job.recover":        "W",
	"api.job.discard":        "W",
	"api.job.reopen":         "W",
	"api.job.assign":         "W",
	"api.job.snooze":         "W",
	"api.job.note":           "W",
	"api.groups":             "WR",
	"api.group.get":          "WR",
	"api.group.note":         "W",
	"api.group.snooze":       "W",
	"api.group.resolve":      "W",
	"api.group.reopen":       "W",
	"api.costs":              "C",
	"api.operation.get":      "WR",
	"api.flag.evaluate":      "F",
	"api.flag.evaluate_all":  "F",
	"api.change_request.get": "RG",
}

var scopeLetters = map[staff.Scope]string{staff.JobsWrite: "W", staff.JobsWork: "K", staff.LedgerRead: "R", staff.LedgerWrite: "G",
	staff.CostsWrite: "C", staff.FlagsRead: "F"}

// Every route with a key of every single scope: let in or refused as the table says, each refusal with
// the permission and the scopes that would do, and a row in the audit log.
func TestEveryRouteAndScope(t *testing.T) {
	w := newWorld(t)
	keys := map[staff.Scope]string{}
	for _, s := range staff.Scopes() {
		if scopeLetters[s] == "" {
			t.Fatalf("scope %s is not in the table", s)
		}
		keys[s] = w.newKey(s)
	}
	routes := w.api.Routes()
	if err := route.Check(routes); err != nil {
		t.Fatal(err)
	}
	if len(routes) != len(scopeTable) {
		t.Errorf("%d routes, %d in the table", len(routes), len(scopeTable))
	}
	before := w.contents()
	for _, r := range routes {
		allowed, ok := scopeTable[r.Name]
		if !ok {
			t.Errorf("%s is not in the table", r.Name)
			continue
		}
		path := strings.NewReplacer(":account_id", "nobody", ":job_id", "nothing", ":change_request_id", "cr_x", ":dependency", "nothing", ":group", "nothing").Replace(r.Path)
		if allowed == "public" {
			if res := w.sendOnly(t.Context(), request{method: r.Method, path: path, key: "-"}); res.status != 200 {
				t.Errorf("%s without a key: %d", r.Name, res.status)
			}
			continue
		}
		if res := w.send(request{method: r.Method, path: path, key: "-"}); res.status != 401 {
			t.Errorf("%s without a key: %d", r.Name, res.status)
		}
		for scope, key := range keys {
			refusals := w.count(`SELECT count(*) FROM audit_log WHERE outcome = 'refused' AND code = 'forbidden'`)
			res := w.send(request{method: r.Method, path: path, key: key})
			refusals = w.count(`SELECT count(*) FROM audit_log WHERE outcome = 'refused' AND code = 'forbidden'`) - refusals
			if strings.Contains(allowed, scopeLetters[scope]) {
				if res.status == 401 || res.status == 403 || res.status >= 500 || refusals != 0 {
					t.Errorf("%s with %s: %d, %d refusals: %s", r.Name, scope, res.status, refusals, res.body)
				}
				continue
			}
			if res.status != 403 || refusals != 1 {
				t.Errorf("%s with %s: %d, %d refusals: %s", r.Name, scope, res.status, refusals, res.body)
				continue
			}
			res.has("code", "forbidden", "permission", string(r.Access.Permission()))
			for _, s := range res.at("scopes").([]any) {
				if !strings.Contains(allowed, scopeLetters[staff.Scope(s.(string))]) {
					t.Errorf("%s: the answer names scope %s, which does not open it", r.Name, s)
				}
			}
		}
	}
	w.unchanged(before)
}

// The document has exactly the routes, and says of each the scopes, parameters and need of an operation
// id that requests find.
func TestDocumentAgreesWithRoutes(t *testing.T) {
	w := newWorld(t)
	served := w.get("/v1/openapi.json").want(200)
	served.has("openapi", "3.1.0", "info.title", "Recoup")
	routes := w.api.Routes()
	if len(w.doc.ops) != len(routes) {
		t.Errorf("%d operations, %d routes", len(w.doc.ops), len(routes))
	}
	for _, r := range routes {
		i := slices.IndexFunc(w.doc.ops, func(o documented) bool { return o.id == r.Name })
		if i < 0 {
			t.Errorf("%s is not in the document", r.Name)
			continue
		}
		op := w.doc.ops[i]
		if got := strings.NewReplacer("{", ":", "}", "").Replace(op.template); op.method != r.Method || got != r.Path {
			t.Errorf("%s is %s %s, documented as %s %s", r.Name, r.Method, r.Path, op.method, got)
		}
		w.checkSecurity(op)
		w.checkParameters(op)
	}
	for name, schema := range w.doc.root["components"].(map[string]any)["schemas"].(map[string]any) {
		if schema == nil {
			t.Errorf("schema %s is empty", name)
		}
	}
}

func (w *world) checkSecurity(op documented) {
	w.t.Helper()
	var got []string
	list, _ := op.node["security"].([]any)
	for _, s := range list {
		got = append(got, texts(s.(map[string]any)["key"])...)
	}
	var want []string
	for _, s := range staff.Scopes() {
		if table := scopeTable[op.id]; table != "public" && strings.Contains(table, scopeLetters[s]) {
			want = append(want, string(s))
		}
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("%s: documented scopes %v, want %v", op.id, got, want)
	}
}

// checkParameters asks the server what it knows: it refuses by name what it does not.
func (w *world) checkParameters(op documented) {
	w.t.Helper()
	if scopeTable[op.id] == "public" {
		return
	}
	path := strings.NewReplacer("{account_id}", "nobody", "{job_id}", "nothing", "{change_request_id}", "cr_x", "{dependency}", "nothing", "{group}", "nothing").Replace(op.template)
	body := ""
	if w.doc.bodySchema(op) != nil {
		body = `{}`
	}
	if want := strings.Count(op.template, "{"); len(op.parameters("path")) != want {
		w.t.Errorf("%s: documented path parameters %v, want %d", op.id, op.parameters("path"), want)
	}
	for _, candidate := range []string{"limit", "cursor", "type", "job", "from", "to", "at", "scope", "id", "wait_s", "no_such"} {
		res := w.send(request{method: op.method, path: path + "?" + candidate + "=%00", body: body})
		known := !strings.Contains(string(res.body), "is not a known parameter")
		if documented := slices.Contains(op.parameters("query"), candidate); known != documented {
			w.t.Errorf("%s: parameter %s documented %v, known %v: %s", op.id, candidate, documented, known, res.body)
		}
		if res.status != 400 || !res.names(candidate) {
			w.t.Errorf("%s?%s: %d %s", op.id, candidate, res.status, res.body)
		}
	}
	res := w.send(request{method: op.method, path: path, body: body, op: "-"})
	needs := res.status == 400 && res.names("Idempotency-Key")
	if documented := slices.Contains(op.parameters("header"), "Idempotency-Key"); needs != documented {
		w.t.Errorf("%s: operation id documented %v, required %v", op.id, documented, needs)
	}
	if op.method != http.MethodGet && !needs && op.id != "api.work.heartbeat" && !strings.HasPrefix(op.id, "api.flag.") {
		w.t.Errorf("%s changes something without an operation id", op.id)
	}
	if schema := w.doc.bodySchema(op); schema != nil {
		// What is documented as required is refused when it is missing, and only that.
		optional := op.node["requestBody"].(map[string]any)["required"] == false
		res := w.send(request{method: op.method, path: path})
		if missing := res.status == 400 && res.names("body") || res.names("Content-Type"); missing == optional {
			w.t.Errorf("%s: body optional %v: %s", op.id, optional, res.body)
		}
	}
}
