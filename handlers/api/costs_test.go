package api_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"recoup/models/modeltest"
)

func costLine(id, more string) string {
	return fmt.Sprintf(`{"external_id":%q,"currency":"USD","time":"2026-11-30T12:00:00Z"%s}`, id, more)
}

func costsOf(records ...string) string {
	return `{"source":"farm","records":[` + strings.Join(records, ",") + `]}`
}

func TestCosts(t *testing.T) {
	w := newWorld(t)
	w.account("acct", 100)
	w.postAs("charge-1", "/v1/accounts/acct/jobs", `{"job_id":"j1","action":"`+modeltest.Action+`","units":1}`).want(201)
	body := costsOf(
		costLine("job", `,"amount":"0.10","account_id":"acct","job_id":"j1"`),
		costLine("operation", `,"amount":"0.20","operation_scope":"account:acct","operation_id":"charge-1"`),
		costLine("nobody", `,"amount":"-0.000000000000000000000001","account_id":"acct","job_id":"other","dimensions":{"service":"gpu","none":null},"description":"x"`))
	first := w.postAs("batch-1", "/v1/costs", body).want(201).has("outcome", "applied", "result.source", "farm", "result.recorded", "3", "result.attributed", "2",
		"result.unattributed", "1", "result.replayed", "0")
	again := w.postAs("batch-1", "/v1/costs", body).want(200).has("outcome", "replayed")
	if again.result() != first.result() {
		t.Errorf("%s\n%s", again.result(), first.result())
	}
	// A period is kept, and its end is content.
	w.post("/v1/costs", strings.Replace(costsOf(costLine("period", `,"amount":"0","until":"2026-12-01T00:00:00Z"`)), "farm", "lab", 1)).want(201)
	w.post("/v1/costs", strings.Replace(costsOf(costLine("period", `,"amount":"0"`)), "farm", "lab", 1)).want(409).has("code", "cost_conflict")
	// Under another operation id the records are replays.
	w.post("/v1/costs", body).want(201).has("result.recorded", "0", "result.replayed", "3", "result.replays.0", "job")
	before := w.contents()
	// Another content under a known id refuses all.
	w.post("/v1/costs", costsOf(costLine("new", `,"amount":"1"`), costLine("job", `,"amount":"0.11","account_id":"acct","job_id":"j1"`))).
		want(409).has("code", "cost_conflict", "external_id", "job", "existing_operation_id", "batch-1")
	// The same operation id for other records.
	w.postAs("batch-1", "/v1/costs", costsOf(costLine("new", `,"amount":"1"`))).want(422).has("code", "operation_conflict", "fields.0.field", "records")
	w.unchanged(before)
	w.get("/v1/operations?scope=costs:render-farm&id=batch-1").want(404)
	w.get("/v1/operations?scope=costs:farm&id=batch-1").want(200).has("operation.kind", "costs", "operation.result.recorded", "3")
	w.get("/v1/operations?scope=costs:&id=batch-1").want(400)
	var sum string
	if err := w.g.Raw(`SELECT sum(amount)::text FROM cost_records`).Scan(&sum).Error; err != nil || sum != "0.299999999999999999999999" {
		t.Errorf("%s %v", sum, err)
	}
}

// Whatever is wrong with a record is named by its place, and nothing is kept.
func TestBadCostRecords(t *testing.T) {
	w := newWorld(t)
	before := w.contents()
	good := costLine("good", `,"amount":"1"`)
	for _, x := range []struct{ field, record string }{
		{"amount", costLine("bad", ``)},
		{"until", costLine("bad", `,"amount":"1","until":"2026-11-30T12:00:00Z"`)},
		{"until", costLine("bad", `,"amount":"1","until":"soon"`)},
		{"amount", costLine("bad", `,"amount":0.1`)},
		{"amount", costLine("bad", `,"amount":1`)},
		{"amount", costLine("bad", `,"amount":"1e3"`)},
		{"amount", costLine("bad", `,"amount":"1.5E-07"`)},
		{"amount", costLine("bad", `,"amount":"NaN"`)},
		{"amount", costLine("bad", `,"amount":"Infinity"`)},
		{"amount", costLine("bad", `,"amount":"+1"`)},
		{"amount", costLine("bad", `,"amount":"1,5"`)},
		{"amount", costLine("bad", `,"amount":" 1"`)},
		{"amount", costLine("bad", `,"amount":""`)},
		{"amount", costLine("bad", `,"amount":null`)},
		{"amount", costLine("bad", `,"amount":"100000000000000000000"`)},
		{"amount", costLine("bad", `,"amount":"`+strings.Repeat("9", 10_000)+`"`)},
		{"external_id", costLine("", `,"amount":"1"`)},
		{"external_id", costLine(strings.Repeat("x", 201), `,"amount":"1"`)},
		{"external_id", costLine("good", `,"amount":"1"`)},
		{"currency", `{"external_id":"bad","amount":"1","currency":"usd","time":"2026-11-30T12:00:00Z"}`},
		{"currency", `{"external_id":"bad","amount":"1","currency":"ZZZ","time":"2026-11-30T12:00:00Z"}`},
		{"currency", `{"external_id":"bad","amount":"1","time":"2026-11-30T12:00:00Z"}`},
		{"time", `{"external_id":"bad","amount":"1","currency":"USD"}`},
		{"time", `{"external_id":"bad","amount":"1","currency":"USD","time":"yesterday"}`},
		{"time", `{"external_id":"bad","amount":"1","currency":"USD","time":"0000-01-01T00:00:00Z"}`},
		{"job_id", costLine("bad", `,"amount":"1","account_id":"acct"`)},
		{"account_id", costLine("bad", `,"amount":"1","job_id":"j1"`)},
		{"operation_id", costLine("bad", `,"amount":"1","operation_scope":"account:acct"`)},
		{"operation_id", costLine("bad", `,"amount":"1","operation_scope":"account:acct","operation_id":"op","job_id":"j1"`)},
		{"operation_scope", costLine("bad", `,"amount":"1","operation_scope":"settings","operation_id":"op"`)},
		{"action", costLine("bad", `,"amount":"1","action":"no_such"`)},
		{"dimensions", costLine("bad", `,"amount":"1","dimensions":{"":"x"}`)},
		{"dimensions", costLine("bad", `,"amount":"1","dimensions":{"k":1}`)},
		{"description", costLine("bad", `,"amount":"1","description":"`+strings.Repeat("x", 501)+`"`)},
		{"description", costLine("bad", `,"amount":"1","description":"a\u0000"`)},
		{"no_such", costLine("bad", `,"amount":"1","no_such":1`)},
	} {
		res := w.post("/v1/costs", costsOf(good, x.record))
		if res.status != 400 || !res.names("records[1]."+x.field) {
			t.Errorf("%s %.80s: %d %.200s", x.field, x.record, res.status, res.body)
		}
	}
	many := make([]string, 1001)
	for i := range many {
		many[i] = costLine(fmt.Sprint(i), `,"amount":"1"`)
	}
	if res := w.post("/v1/costs", costsOf(many...)).want(400); !res.names("records") {
		t.Errorf("%s", res.body)
	}
	w.unchanged(before)
	w.post("/v1/costs", costsOf(many[:1000]...)).want(201).has("result.recorded", "1000")
}

// The same batch sent by many at once has one effect.
func TestSameCostsByMany(t *testing.T) {
	w := newWorld(t)
	body := costsOf(costLine("a", `,"amount":"1"`), costLine("b", `,"amount":"2"`))
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			op := "same"
			if i%2 == 0 {
				op = fmt.Sprintf("own-%d", i)
			}
			if res := w.postAs(op, "/v1/costs", body); res.status != 200 && res.status != 201 {
				t.Errorf("%d %s", res.status, res.body)
			}
		})
	}
	wait.Wait()
	if n := w.count(`SELECT count(*) FROM cost_records`); n != 2 {
		t.Errorf("%d records", n)
	}
}
