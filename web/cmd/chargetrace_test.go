package cmd

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"recoup/models/actor"
	"recoup/models/credit"
	"recoup/models/ids"
	"recoup/models/modeltest"
	"recoup/models/pricing"
	"recoup/models/rollout"
)

// lines is a log that many write to.
type lines struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

// requests returns the lines of requests that name an operation, in order.
func (l *lines) requests(t *testing.T, operationID string) []map[string]any {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []map[string]any
	for _, line := range bytes.Split(bytes.TrimSpace(l.all.Bytes()), []byte("\n")) {
		var m map[string]any
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if m["msg"] == "request" && m["operation_id"] == operationID {
			out = append(out, m)
		}
	}
	return out
}

// trial starts a rollout that tries a candidate 10 % cheaper on accounts in the first tenth; its salt puts acct_42 inside and acct_1 outside.
func (s *stack) trial() (rolloutID string) {
	s.t.Helper()
	const id = "ro_2026_discount10"
	ctx := s.t.Context()
	n := pricing.NewRule{OperationID: ids.New(), Actor: actor.Staff("pm"), Action: modeltest.Action, Unit: "second", UnitPrice: 1000, DiscountBps: 1000,
		Rounding: credit.RoundHalfEven, Reason: "10 % off"}
	_, err := s.app.pricing.CreateRule(ctx, n)
	if err == nil {
		_, err = s.app.rollouts.Create(ctx, rollout.NewRollout{Envelope: modeltest.Envelope(), ID: id, Action: modeltest.Action, Candidate: modeltest.Action + "@v2",
			Reason: "trial", Stages: []pricing.Stage{{Number: 1, Threshold: 10_000}}})
	}
	if err == nil {
		_, err = s.app.rollouts.Start(ctx, rollout.StepRequest{Envelope: modeltest.Envelope(), RolloutID: id, Version: 1, Reason: "go"})
	}
	if err != nil {
		s.t.Fatal(err)
	}
	m := &modeltest.Models{G: s.app.g, Ops: s.app.ops, Ledger: s.app.ledger, Pricing: s.app.pricing, Jobs: s.app.jobs}
	m.Account(s.t, "acct_42", 1000)
	return id
}

// A charge that a rollout's candidate priced says so in its spans, as a real collector receives them, and in its log line: rollout, cohort,
// rule version, outcome and operation. So does its replay after the rollback, and a charge outside the rollout says what applies to it.
func TestAChargeUnderARolloutIsToldEverywhere(t *testing.T) {
	got := &spans{}
	server := httptest.NewServer(got)
	defer server.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "100")
	log := &lines{}
	s := startLoggingStack(t, map[string]string{"RECOUP_LOG_FORMAT": "json"}, log)
	id := s.trial()
	charge := func(account, job, operation string, want int) {
		t.Helper()
		status, answer := s.post("/v1/accounts/"+account+"/jobs", operation, "", map[string]any{"job_id": job, "action": modeltest.Action, "units": 60})
		s.must(status, answer, want)
	}
	charge("acct_42", "j1", "op-in", 201)
	charge("acct_1", "j2", "op-out", 201)
	if _, err := s.app.rollouts.RollBack(t.Context(), rollout.StepRequest{Envelope: modeltest.Envelope(), RolloutID: id, Version: 2, Reason: "enough"}); err != nil {
		t.Fatal(err)
	}
	charge("acct_42", "j1", "op-in", 200)
	charge("acct_42", "j9", "op-in", 422)
	charge("acct_42", "j3", "op-after", 201)
	charge("acct_42", "j3", "op-again", 409)

	const v1, v2 = modeltest.Action + "@v1", modeltest.Action + "@v2"
	type told struct{ outcome, rule, rollout, cohort string }
	want := map[string][]told{
		"op-in":    {{"applied", v2, id, "candidate"}, {"replayed", v2, id, "candidate"}, {"conflict", v2, id, "candidate"}},
		"op-out":   {{"applied", v1, id, "baseline"}},
		"op-after": {{"applied", v1, "", "baseline"}},
		"op-again": {{"refused", "", "", ""}},
	}
	eventually(t, 10*time.Second, "the collector has every operation", func() bool { return len(got.named("", "operation charge")) == 6 })
	spansOf := map[string][]told{}
	for _, span := range got.named("", "operation charge") {
		op := attr(span, "recoup.operation_id")
		spansOf[op] = append(spansOf[op], told{attr(span, "recoup.outcome"), attr(span, "recoup.rule_version"), attr(span, "recoup.rollout_id"), attr(span, "recoup.cohort")})
	}
	for op, wanted := range want {
		requests := log.requests(t, op)
		if len(requests) != len(wanted) || len(spansOf[op]) != len(wanted) {
			t.Errorf("%s: %d lines and %d spans, want %d", op, len(requests), len(spansOf[op]), len(wanted))
			continue
		}
		for i, w := range wanted {
			text := func(name string) string { v, _ := requests[i][name].(string); return v }
			if line := (told{text("outcome"), text("rule_version"), text("rollout_id"), text("cohort")}); line != w && w.rule != "" || line.outcome != w.outcome {
				t.Errorf("%s, line %d: %+v, want %+v", op, i+1, line, w)
			}
			if span := spansOf[op][i]; span != w && w.rule != "" || span.outcome != w.outcome {
				t.Errorf("%s, span %d: %+v, want %+v", op, i+1, span, w)
			}
		}
	}
	// The entry, the last thing that a charge writes, hangs in the same trace and says the same.
	first := got.named("", "operation charge")[0]
	entries := got.named(hex.EncodeToString(first.TraceId), "entry charge")
	if len(entries) != 1 || attr(entries[0], "recoup.rollout_id") != id || attr(entries[0], "recoup.cohort") != "candidate" || attr(entries[0], "recoup.rule_version") != v2 {
		t.Errorf("entries in the trace of the first charge: %v", entries)
	}
	if line := log.requests(t, "op-in")[0]; line["trace_id"] != hex.EncodeToString(first.TraceId) {
		t.Errorf("the line is of trace %v", line["trace_id"])
	}
}
