package api_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"recoup/models/modeltest"
)

// goodBodies has a request for every call that takes a body, with every field the document knows of. It
// is good as it stands but for what no single request can have (a signal is a success or a failure).
// The values are raw JSON.
func goodBodies(lease string) map[string]map[string]string {
	action := `"` + modeltest.Action + `"`
	return map[string]map[string]string{
		"api.account.put":      {"name": `"n"`, "plan": `"p"`, "region": `"r"`, "attributes": `{"k":"v"}`},
		"api.account.freeze":   {"reason": `"r"`},
		"api.account.unfreeze": {"reason": `"r"`},
		"api.account.grant":    {"amount": `5`, "category": `"paid"`, "reference": `"x"`, "reason": `"r"`},
		"api.account.adjust":   {"amount": `5`, "reason": `"r"`, "reference": `"x"`},
		"api.quote":            {"action": action, "units": `1`},
		"api.job.charge": {"job_id": `"new"`, "action": action, "units": `1`, "payload": `{"k":1}`, "max_attempts": `3`, "deadline_s": `60`,
			"expires_in_s": `600`, "dependency": `"gpu"`, "mode": `"managed"`},
		"api.job.cancel":         {"reason": `"r"`},
		"api.job.signal":         {"type": `"failed"`, "attempt": `1`, "class": `"transient"`, "code": `"c"`, "message": `"m"`, "result": `""`},
		"api.work.claim":         {"actions": `[` + action + `]`, "max": `1`, "wait_s": `0`, "worker": `"w"`, "worker_version": `"1"`},
		"api.work.heartbeat":     {"lease_token": lease},
		"api.work.complete":      {"lease_token": lease, "result": `"r"`},
		"api.work.fail":          {"lease_token": lease, "class": `"transient"`, "code": `"c"`, "message": `"m"`},
		"api.job.requeue":        {"reason": `"r"`, "at": `"2026-12-01T00:00:00Z"`, "payload": `{"k":1}`},
		"api.job.recover":        {"reason": `"r"`, "result": `"s3://x"`},
		"api.job.discard":        {"reason": `"other"`, "note": `"n"`},
		"api.job.reopen":         {"reason": `"r"`},
		"api.dependency.hold":    {"reason": `"r"`},
		"api.dependency.release": {"reason": `"r"`, "per_minute": `60`},
		"api.job.assign":         {"assignee": `"staff:st_1"`},
		"api.job.snooze":         {"until": `"2026-12-01T00:00:00Z"`},
		"api.job.note":           {"note": `"n"`},
		"api.group.note":         {"note": `"n"`, "link": `"https://x.example"`, "revision": `0`},
		"api.group.snooze":       {"until": `"2026-12-01T00:00:00Z"`, "more": `5`, "revision": `0`},
		"api.group.resolve":      {"reason": `"r"`, "revision": `0`},
		"api.group.reopen":       {"reason": `"r"`, "revision": `0`},
		"api.flag.evaluate":      {"context": `{"targetingKey":"acct","units":60}`},
		"api.flag.evaluate_all":  {"context": `{"targetingKey":"acct","units":60}`},
		"api.costs":              {"source": `"farm"`, "records": `[{"external_id":"x","amount":"0.5","currency":"USD","time":"2026-11-30T00:00:00Z"}]`},
	}
}

// bodyOf writes a body with the fields in alphabetical order; replace names a field and its raw value,
// "" leaves it out.
func bodyOf(fields map[string]string, replace ...string) string {
	all := map[string]string{}
	for name, value := range fields {
		all[name] = value
	}
	for i := 0; i < len(replace); i += 2 {
		all[replace[i]] = replace[i+1]
	}
	var names []string
	for name, value := range all {
		if value != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = fmt.Sprintf("%q:%s", name, all[name])
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// badWorld has an account with a job in every state that a call needs.
func badWorld(t *testing.T) (w *world, lease string) {
	t.Helper()
	w = newWorld(t)
	w.account("acct", 1000)
	w.charge("acct", "held", 1, "")
	claim := w.post("/v1/jobs/claim", `{"actions":["`+modeltest.Action+`"],"max":1}`).want(200)
	w.charge("acct", "queued", 1, "")
	w.charge("acct", "external", 1, `,"mode":"external"`)
	for _, id := range []string{"dead", "discarded", "lost"} {
		w.post(w.charge("acct", id, 1, `,"mode":"external"`)+"/signals", `{"type":"failed","attempt":1,"class":"permanent"}`).want(200)
	}
	w.post("/v1/accounts/acct/jobs/discarded/discard", `{"reason":"too_old"}`).want(200)
	return w, `"` + claim.at("result.jobs.0.lease_token").(string) + `"`
}

// jobFor is the job on which a call would succeed.
func jobFor(id string) string {
	switch id {
	case "api.job.cancel":
		return "queued"
	case "api.job.requeue", "api.job.discard", "api.job.assign", "api.job.snooze", "api.job.note":
		return "dead"
	case "api.job.reopen":
		return "discarded"
	case "api.job.recover":
		return "lost"
	}
	return "external"
}

func pathFor(op documented, account, job string) string {
	return strings.NewReplacer("{account_id}", account, "{job_id}", job, "{dependency}", dependencyFor(job), "{group}", dependencyFor(job), "{key}", "pricing."+modeltest.Action).Replace(op.template)
}

// dependencyFor is the dependency in a path: what stands in the job's place where that is no job of these tests.
func dependencyFor(job string) string {
	if slices.Contains([]string{"external", "managed", "dead", "new"}, job) {
		return "gpu"
	}
	return job
}

// wrongValues are values that a field of a documented type must not have, by what is wrong with them.
func wrongValues(field string, schema map[string]any) map[string]string {
	out := map[string]string{"bad UTF-8": "\"a\xff\"", "lone surrogate": `"\ud800"`, "NUL": `"a\u0000b"`, "NUL nested": `{"x":["\u0000"]}`,
		"deep": strings.Repeat("[", 70) + strings.Repeat("]", 70)}
	kinds := texts(schema["type"])
	add := func(values map[string]string) {
		for name, value := range values {
			out[name] = value
		}
	}
	switch {
	case slices.Contains(kinds, "string"):
		add(map[string]string{"number": "7", "true": "true", "array": `["x"]`, "object": `{}`, "long": `"` + strings.Repeat("x", 6000) + `"`,
			"long unicode": `"` + strings.Repeat("账", 3000) + `"`})
		if schema["enum"] != nil {
			add(map[string]string{"unknown value": `"no_such"`, "other case": `"` + strings.ToUpper(fmt.Sprint(schema["enum"].([]any)[0])) + `"`})
		}
		if schema["format"] == "date-time" {
			add(map[string]string{"no time": `"tomorrow"`, "no zone": `"2026-12-01T00:00:00"`, "year 0": `"0000-01-01T00:00:00Z"`, "far": `"9999-01-01T00:00:00Z"`})
		}
		if field == "job_id" || field == "dependency" || field == "worker" || field == "worker_version" || field == "action" {
			add(map[string]string{"slash": `"a/b"`, "dots": `".."`, "65 characters": `"` + strings.Repeat("a", 65) + `"`, "unicode": `"é"`, "blank": `" "`, "percent": `"a%2Fb"`})
		}
	case slices.Contains(kinds, "integer"):
		add(map[string]string{"fraction": "1.5", "1.0": "1.0", "exponent": "1e3", "beyond 64 bits": "9223372036854775808", "below 64 bits": "-9223372036854775809",
			"very long": strings.Repeat("9", 400), "string": `"5"`, "true": "true", "array": "[1]", "object": "{}"})
		if field != "amount" && field != "units" {
			out["huge"] = "9223372036854775807"
		}
		if field != "wait_s" && field != "revision" {
			out["zero"] = "0"
		}
		if field != "amount" {
			out["negative"] = "-1"
		}
	case slices.Contains(kinds, "array"):
		add(map[string]string{"string": `"x"`, "object": `{}`, "number": "1", "empty": "[]", "numbers": "[1]", "objects": "[{}]", "bad member": `["a/b"]`, "the same twice": `["a","a"]`,
			"many": "[" + strings.Repeat(`"a",`, 50) + `"a"]`})
	case slices.Contains(kinds, "object"):
		add(map[string]string{"string": `"x"`, "array": `[]`, "number value": `{"k":1}`, "object value": `{"k":{}}`, "twice": `{"k":"1","k":"2"}`,
			"empty name": `{"":"v"}`, "long name": `{"` + strings.Repeat("k", 101) + `":"v"}`, "long value": `{"k":"` + strings.Repeat("v", 501) + `"}`})
	}
	return out
}

// refused sends a bad request and fails the test unless it is refused by the field's name and nothing
// is written.
func (w *world) refused(what string, r request, field, before string) {
	w.t.Helper()
	res := w.send(r)
	if res.status != 400 || !res.names(field) {
		w.t.Errorf("%s %s, %s: %d %.300s", r.method, r.path, what, res.status, res.body)
	}
	if now := w.contents(); now != before {
		w.t.Fatalf("%s %s, %s: something was written:\n%s\nbefore:\n%s", r.method, r.path, what, now, before)
	}
}

// Every field of every body with every kind of bad value: 400 that names the field, nothing written.
func TestBadBodies(t *testing.T) {
	w, lease := badWorld(t)
	bodies := goodBodies(lease)
	before := w.contents()
	for _, op := range w.doc.ops {
		schema := w.doc.bodySchema(op)
		if schema == nil {
			continue
		}
		good, ok := bodies[op.id]
		properties := schema["properties"].(map[string]any)
		if !ok || len(good) != len(properties) {
			t.Errorf("%s: goodBodies has %d fields, the document %d", op.id, len(good), len(properties))
			continue
		}
		send := func(what, body, field string) {
			t.Helper()
			w.refused(what, request{method: op.method, path: pathFor(op, "acct", jobFor(op.id)), body: body}, field, before)
		}
		for field, value := range good {
			property, ok := properties[field].(map[string]any)
			if !ok {
				t.Errorf("%s: %s is not in the document", op.id, field)
				continue
			}
			for what, wrong := range wrongValues(field, property) {
				send(field+" "+what, bodyOf(good, field, wrong), field)
			}
			twice := strings.TrimSuffix(bodyOf(good), "}") + fmt.Sprintf(",%q:%s}", field, value)
			send(field+" twice", twice, field)
			if slices.Contains(texts(schema["required"]), field) {
				send(field+" missing", bodyOf(good, field, ""), field)
				send(field+" null", bodyOf(good, field, "null"), field)
			}
			send(field+" in capitals", bodyOf(good, field, "", strings.ToUpper(field), value), strings.ToUpper(field))
		}
		send("unknown field", bodyOf(good, "no_such", "1"), "no_such")
		send("data after", bodyOf(good)+"{}", "body")
		send("cut off", strings.TrimSuffix(bodyOf(good), "}"), "body")
		send("array", "["+bodyOf(good)+"]", "body")
		send("null", "null", "body")
		send("blank", " ", "body")
		send("not JSON", "amount=5", "body")
		for what, value := range map[string][]string{"form": {"application/x-www-form-urlencoded"}, "latin-1": {"application/json; charset=latin1"}, "twice": {"application/json", "application/json"}, "none": {}} {
			w.refused("Content-Type "+what, request{method: op.method, path: pathFor(op, "acct", jobFor(op.id)), body: bodyOf(good),
				header: http.Header{"Content-Type": value}}, "Content-Type", before)
		}
		w.refused("compressed", request{method: op.method, path: pathFor(op, "acct", jobFor(op.id)), body: bodyOf(good),
			header: http.Header{"Content-Encoding": {"gzip"}}}, "Content-Encoding", before)
	}
	for id := range bodies {
		if !slices.ContainsFunc(w.doc.ops, func(o documented) bool { return o.id == id }) {
			t.Errorf("%s is no call", id)
		}
	}
}

// Rules that bind several fields of a signal.
func TestBadSignals(t *testing.T) {
	w, lease := badWorld(t)
	before := w.contents()
	const path = "/v1/accounts/acct/jobs/external/signals"
	for body, field := range map[string]string{
		`{"type":"failed"}`: "class", `{"type":"failed","class":""}`: "class", `{"type":"failed","class":"transient","result":"x"}`: "result",
		`{"type":"succeeded","class":"transient"}`: "class", `{"type":"succeeded","code":"x"}`: "code", `{"type":"succeeded","message":"x"}`: "message",
		`{"type":"timed_out"}`: "type", `{"type":"succeeded","attempt":2147483648}`: "attempt",
	} {
		w.refused(body, request{method: http.MethodPost, path: path, body: body}, field, before)
	}
	for _, token := range []string{`"x"`, `""`, lease[:len(lease)-2] + `"`, `"` + strings.Repeat("A", 48) + `="`} {
		for _, call := range []string{"complete", "heartbeat"} {
			w.refused(token, request{method: http.MethodPost, path: "/v1/jobs/" + call, body: `{"lease_token":` + token + `}`}, "lease_token", before)
		}
	}
}

// hostileIDs cannot name an account or a job, as they stand in a path.
func hostileIDs() map[string]string {
	return map[string]string{"dots": "..", "dot": ".", "slash": "%2F", "slash inside": "a%2Fb", "up": "..%2F..%2Fetc", "NUL": "a%00", "NUL only": "%00",
		"65 characters": strings.Repeat("a", 65), "2000 characters": strings.Repeat("a", 2000), "bad UTF-8": "%FF", "unicode": "%E8%B4%A6", "raw unicode": "账",
		"blank": "a%20b", "only a blank": "%20", "percent": "%25", "encoded twice": "a%252Fb", "quote": "'%20OR%201=1", "line break": "a%0Ab", "plus": "a+b",
		"semicolon": "a;b", "brackets": "%7B%7D"}
}

// Every path parameter of every call with every hostile id: 400 by the parameter's name, nothing written.
func TestHostileIDs(t *testing.T) {
	w, lease := badWorld(t)
	bodies := goodBodies(lease)
	before := w.contents()
	for _, op := range w.doc.ops {
		body := ""
		if good := bodies[op.id]; good != nil {
			body = bodyOf(good)
		}
		for _, param := range op.parameters("path") {
			if param == "key" {
				continue // of a flag: what is none is not found, see TestKeysThatAreNoFlags
			}
			for what, id := range hostileIDs() {
				account, job := "acct", jobFor(op.id)
				if param == "account_id" {
					account = id
				} else {
					job = id
				}
				w.refused(param+" "+what, request{method: op.method, path: pathFor(op, account, job), body: body}, param, before)
			}
		}
		// An id of another account does not reach this one's job.
		if strings.Contains(op.template, "{job_id}") {
			res := w.send(request{method: op.method, path: pathFor(op, "other", jobFor(op.id)), body: body})
			if res.status != 404 {
				t.Errorf("%s on another account: %d %s", op.id, res.status, res.body)
			}
		}
	}
	w.unchanged(before)
}

// Queries with hostile values: 400 by the parameter's name.
func TestHostileQueries(t *testing.T) {
	w, _ := badWorld(t)
	before := w.contents()
	forged := func(cursor string) string { return base64.RawURLEncoding.EncodeToString([]byte(cursor)) }
	cases := map[string]string{ // query → parameter
		"/v1/operations?scope=account:acct":                                "id",
		"/v1/operations?id=x":                                              "scope",
		"/v1/operations?scope=&id=x":                                       "scope",
		"/v1/operations?scope=staff&id=x":                                  "scope",
		"/v1/operations?scope=settings&id=x":                               "scope",
		"/v1/operations?scope=account:&id=x":                               "scope",
		"/v1/operations?scope=account:a%2Fb&id=x":                          "scope",
		"/v1/operations?scope=account:%00&id=x":                            "scope",
		"/v1/operations?scope=" + strings.Repeat("a", 300) + "&id=x":       "scope",
		"/v1/operations?scope=account:acct&id=":                            "id",
		"/v1/operations?scope=account:acct&id=a%20b":                       "id",
		"/v1/operations?scope=account:acct&id=%C3%A9":                      "id",
		"/v1/operations?scope=account:acct&id=" + strings.Repeat("x", 256): "id",
		"/v1/operations?scope=account:acct&id=x&id=y":                      "id",
		"/v1/accounts/acct/balance?at=2099-01-01T00:00:00Z":                "at",
		"/v1/accounts/acct/balance?at=now":                                 "at",
		"/v1/accounts/acct/balance?at=":                                    "at",
		"/v1/accounts/acct/balance?at=2026-12-01T00:00:00+09:00":           "at",
		"/v1/accounts/acct/balance?at=0001-01-01T00:00:00Z":                "at",
		"/v1/accounts/acct/entries?%zz":                                    "query",
		"/v1/accounts/acct/entries?a;b":                                    "query",
		"/v1/accounts/acct/entries?job=" + strings.Repeat("j", 65):         "job",
		// Cursors are the caller's text.
		"/v1/accounts/acct/entries?cursor=" + forged(`{"q":{"account":"acct","job":"a\u0000"},"p":{"s":1},"d":"older"}`):    "cursor",
		"/v1/accounts/acct/entries?cursor=" + forged(`{"q":{"account":"acct","types":["x'"]},"p":{"s":1},"d":"older"}`):     "cursor",
		"/v1/accounts/acct/entries?cursor=" + forged(`{"q":{},"p":{"s":1},"d":"older"}`):                                    "cursor",
		"/v1/accounts/acct/entries?cursor=" + forged(`{"q":{"account":"acct"},"p":{"s":1},"d":"newer"}`):                    "cursor",
		"/v1/accounts/acct/entries?cursor=" + forged(`{"q":{"account":"acct"},"p":{"s":99999999999999999999},"d":"older"}`): "cursor",
		"/v1/accounts/acct/entries?cursor=" + forged(`[]`):                                                                  "cursor",
		"/v1/dead-letters?cursor=" + forged(`{"q":{},"p":{},"d":"older"}`):                                                  "cursor",
		"/v1/dead-letters?limit=-1":                  "limit",
		"/v1/dead-letters?limit=9223372036854775808": "limit",
		"/v1/dead-letters?state=dead":                "state",
	}
	for path, param := range cases {
		w.refused("query", request{method: http.MethodGet, path: path}, param, before)
	}
	// A forged position is only another place in the list.
	for _, at := range []string{"0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "0000-01-01T00:00:00Z"} {
		w.get("/v1/dead-letters?cursor=" + forged(`{"q":{"list":"dead"},"p":{"t":"`+at+`","a":-9223372036854775808,"k":9223372036854775807},"d":"older"}`)).want(200)
		w.get("/v1/accounts/acct/entries?cursor=" + forged(`{"q":{"account":"acct","from":"`+at+`"},"p":{"s":-9223372036854775808},"d":"older"}`)).want(200)
	}
}
