package cmd

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"recoup/models/actor"
	"recoup/models/ids"
	"recoup/models/modeltest"
	"recoup/models/process"
	"recoup/models/staff"
	"recoup/web/config"
	"recoup/web/local"
)

// spans is an OTLP collector that keeps what it is sent.
type spans struct {
	mu  sync.Mutex
	all []*tracepb.Span
}

func (s *spans) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var message collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &message)
	}
	if err != nil || r.URL.Path != "/v1/traces" {
		http.Error(w, fmt.Sprint(r.URL.Path, err), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, resource := range message.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			s.all = append(s.all, scope.Spans...)
		}
	}
}

// named returns the spans of a name in one trace, oldest first; of any trace when the trace is "".
func (s *spans) named(trace, name string) []*tracepb.Span {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []*tracepb.Span
	for _, sp := range s.all {
		if sp.Name == name && (trace == "" || hex.EncodeToString(sp.TraceId) == trace) {
			found = append(found, sp)
		}
	}
	slices.SortFunc(found, func(a, b *tracepb.Span) int { return int(int64(a.StartTimeUnixNano) - int64(b.StartTimeUnixNano)) })
	return found
}

// names lists what a trace holds, for messages.
func (s *spans) names(trace string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, sp := range s.all {
		if hex.EncodeToString(sp.TraceId) == trace {
			out = append(out, sp.Name)
		}
	}
	return strings.Join(out, ", ")
}

// attr is an attribute as text, "" where the span has none.
func attr(s *tracepb.Span, name string) string {
	for _, kv := range s.Attributes {
		if kv.Key != name {
			continue
		}
		if v := kv.Value.GetStringValue(); v != "" {
			return v
		}
		return fmt.Sprint(kv.Value.GetIntValue())
	}
	return ""
}

func eventNames(s *tracepb.Span) []string {
	var out []string
	for _, e := range s.Events {
		out = append(out, e.Name)
	}
	return out
}

// stack is everything that `recoup dev` runs, over a database and a Redis of its own.
type stack struct {
	t   *testing.T
	app *app
	url string
	key string
}

func startStack(t *testing.T, more map[string]string) *stack {
	t.Helper()
	return startLoggingStack(t, more, io.Discard)
}

// startLoggingStack is startStack whose log goes somewhere.
func startLoggingStack(t *testing.T, more map[string]string, logTo io.Writer) *stack {
	t.Helper()
	return startTunedStack(t, more, logTo, func(*app) {})
}

// startTunedStack is startLoggingStack with what a test changes before it runs.
func startTunedStack(t *testing.T, more map[string]string, logTo io.Writer, tune func(*app)) *stack {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} { // as root, Redis runs as another user
		if err := os.Chmod(d, 0o711); err != nil {
			t.Fatal(err)
		}
	}
	redis, err := local.StartRedis(context.Background(), local.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := redis.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	vars := map[string]string{"DATABASE_URL": modeltest.URL(t), "REDIS_URL": redisURL(redis), "RECOUP_SECRET": modeltest.Secret,
		"RECOUP_LISTEN": freeAddress(t), "RECOUP_BACKOFF_BASE": "1s", "RECOUP_BACKOFF_MAX": "2s", "RECOUP_JITTER": "false", "RECOUP_SHUTDOWN_GRACE": "5s"}
	for name, value := range more {
		vars[name] = value
	}
	cfg, err := config.Load(func(name string) (string, bool) { v, ok := vars[name]; return v, ok }, config.Database, config.Redis, config.Secret)
	if err != nil {
		t.Fatal(err)
	}
	a, err := open(context.Background(), cfg, logTo, true)
	if err != nil {
		t.Fatal(err)
	}
	tune(a)
	s := &stack{t: t, app: a, url: "http://" + cfg.Listen}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.run(ctx, process.Dev, true) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		a.close(context.Background())
	})
	m := &modeltest.Models{G: a.g, Ops: a.ops, Ledger: a.ledger, Pricing: a.pricing, Jobs: a.jobs}
	m.Price(t, modeltest.Action, 1000)
	m.Account(t, "acct_1", 1000)
	if _, s.key, err = a.staff.CreateKey(context.Background(), staff.By{Actor: actor.System()}, staff.NewKey{Name: "test", Scopes: staff.Scopes()}); err != nil {
		t.Fatal(err)
	}
	eventually(t, 20*time.Second, "the server answers", func() bool {
		res, err := http.Get(s.url + "/readyz")
		if err != nil {
			return false
		}
		res.Body.Close()
		return res.StatusCode == http.StatusOK && a.relay.Status().RedisOK
	})
	return s
}

func freeAddress(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

func eventually(t *testing.T, within time.Duration, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(within); !ok(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", within, what)
		}
	}
}

// post sends a change and returns status and body; traceparent may be empty.
func (s *stack) post(path, operation, traceparent string, body any) (int, map[string]any) {
	s.t.Helper()
	payload, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPost, s.url+path, bytes.NewReader(payload))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", operation)
	if traceparent != "" {
		req.Header.Set("traceparent", traceparent)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	var answer map[string]any
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, answer
}

// claim waits for the next job and returns its lease token and traceparent.
func (s *stack) claim() (token, traceparent string) {
	s.t.Helper()
	status, answer := s.post("/v1/jobs/claim", ids.New(), "", map[string]any{"actions": []string{modeltest.Action}, "max": 1, "wait_s": 20})
	jobs, _ := answer["result"].(map[string]any)["jobs"].([]any)
	if status != 200 || len(jobs) != 1 {
		s.t.Fatalf("claim: %d %v", status, answer)
	}
	j := jobs[0].(map[string]any)
	token, _ = j["lease_token"].(string)
	traceparent, _ = j["traceparent"].(string)
	return token, traceparent
}

func (s *stack) must(status int, answer map[string]any, wants ...int) {
	s.t.Helper()
	if !slices.Contains(wants, status) {
		s.t.Fatalf("%d %v, want %v", status, answer, wants)
	}
}

// column reads one text column.
func (s *stack) column(query string, args ...any) []string {
	s.t.Helper()
	var out []string
	if err := s.app.g.Raw(query, args...).Scan(&out).Error; err != nil {
		s.t.Fatal(err)
	}
	return out
}

const (
	callerTrace  = "0af7651916cd43dd8448eb211c80319c"
	callerParent = "00-" + callerTrace + "-b7ad6b7169203331-01"
	otherTrace   = "4bf92f3577b34da6a3ce929d0e0e4736"
	otherParent  = "00-" + otherTrace + "-00f067aa0ba902b7-01"
)

// TestOneTrace follows a job from its caller's charge through failure, bell, second attempt and delivery:
// one trace holds all of it, in spans and in rows, though neither worker passed it on.
func TestOneTrace(t *testing.T) {
	got := &spans{}
	server := httptest.NewServer(got)
	defer server.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "100")
	s := startStack(t, nil)
	charge := map[string]any{"job_id": "j1", "action": modeltest.Action, "units": 7}
	status, answer := s.post("/v1/accounts/acct_1/jobs", "op-charge", callerParent, charge)
	s.must(status, answer, 201)
	// The decision of a rollout is to reach every span of the job. No rollout is needed to see that.
	if err := s.app.g.Exec(`UPDATE jobs SET rollout_id = 'ro_1', cohort = 'candidate'`).Error; err != nil {
		t.Fatal(err)
	}
	token, parent := s.claim()
	if !strings.Contains(parent, callerTrace) {
		t.Errorf("the worker is given traceparent %q", parent)
	}
	status, answer = s.post("/v1/jobs/fail", "op-fail", "", map[string]any{"lease_token": token, "class": "transient", "code": "gpu_lost"})
	s.must(status, answer, 200, 201)
	token, _ = s.claim()
	status, answer = s.post("/v1/jobs/complete", "op-complete", "", map[string]any{"lease_token": token})
	s.must(status, answer, 200, 201)
	// The same charge again, from a caller with another trace.
	status, answer = s.post("/v1/accounts/acct_1/jobs", "op-charge", otherParent, charge)
	s.must(status, answer, 200)
	if answer["outcome"] != "replayed" {
		t.Fatalf("the replay answers %v", answer["outcome"])
	}
	eventually(t, 10*time.Second, "the collector has every span", func() bool {
		return len(got.named(callerTrace, "operation complete")) == 1 && len(got.named(otherTrace, "operation charge")) == 1 &&
			len(got.named(callerTrace, "claimed")) == 2
	})

	const attempt, outcome = "recoup.attempt", "recoup.outcome"
	for _, want := range []struct {
		name  string
		attrs map[string]string
	}{
		{"POST /v1/accounts/:account_id/jobs", nil},
		{"operation charge", map[string]string{"recoup.operation_id": "op-charge", outcome: "applied", "recoup.operation_attempt": "1",
			"recoup.job_id": "j1", "recoup.rule_version": modeltest.Action + "@v1", "recoup.cohort": "baseline", "recoup.cost": "7"}},
		{"guard charge", map[string]string{outcome: "won"}},
		{"entry charge", map[string]string{"recoup.amount": "-7", "recoup.rule_version": modeltest.Action + "@v1"}},
		{"claimed", map[string]string{attempt: "1", "recoup.rollout_id": "ro_1"}},
		{"operation fail", map[string]string{"recoup.operation_id": "op-fail", outcome: "applied", attempt: "1", "recoup.job_id": "j1",
			"recoup.rollout_id": "ro_1", "recoup.cohort": "candidate", "recoup.rule_version": modeltest.Action + "@v1"}},
		{"guard refund", map[string]string{outcome: "won", "recoup.guard": "refund"}},
		{"entry refund", map[string]string{"recoup.amount": "7", "recoup.rollout_id": "ro_1", "recoup.cohort": "candidate"}},
		{"enqueue job:wake", map[string]string{outcome: "enqueued", attempt: "1"}},
		{"task job:wake", map[string]string{outcome: "woken", attempt: "1"}},
		{"guard wake", map[string]string{outcome: "won"}},
		{"operation complete", map[string]string{"recoup.operation_id": "op-complete", outcome: "applied", attempt: "2",
			"recoup.rollout_id": "ro_1", "recoup.cohort": "candidate"}},
		{"guard deliver", map[string]string{outcome: "won"}},
		{"guard reclaim", map[string]string{outcome: "won"}},
		{"entry reclaim", map[string]string{"recoup.amount": "-7", "recoup.rollout_id": "ro_1"}},
	} {
		found := got.named(callerTrace, want.name)
		if len(found) == 0 {
			t.Errorf("no span %q in the caller's trace, which holds %s", want.name, got.names(callerTrace))
			continue
		}
		for name, value := range want.attrs {
			if v := attr(found[0], name); v != value {
				t.Errorf("span %q: %s is %q, want %q", want.name, name, v, value)
			}
		}
	}
	if claimed := got.named(callerTrace, "claimed"); attr(claimed[1], attempt) != "2" || len(claimed[0].Links) != 1 {
		t.Errorf("second claim: %v", claimed[1])
	}
	// The bell hangs below its enqueueing, and what nobody passed a trace on for names the request it came by.
	enqueued, task := got.named(callerTrace, "enqueue job:wake"), got.named(callerTrace, "task job:wake")
	if len(enqueued) > 0 && len(task) > 0 && !bytes.Equal(task[0].ParentSpanId, enqueued[0].SpanId) {
		t.Error("the task is not a child of its enqueueing")
	}
	if fail := got.named(callerTrace, "operation fail")[0]; !slices.Contains(eventNames(fail), "outbox owed") || len(fail.Links) != 1 {
		t.Errorf("operation fail has events %v and %d links", eventNames(fail), len(fail.Links))
	}

	replay := got.named(otherTrace, "operation charge")[0]
	for name, value := range map[string]string{outcome: "replayed", "recoup.operation_attempt": "2", "recoup.operation_id": "op-charge",
		"recoup.rule_version": modeltest.Action + "@v1", "recoup.job_id": "j1"} {
		if v := attr(replay, name); v != value {
			t.Errorf("replay: %s is %q, want %q", name, v, value)
		}
	}
	if n := len(got.named(otherTrace, "entry charge")); n != 0 {
		t.Errorf("a replay posted %d times", n)
	}

	for what, query := range map[string]string{
		"operations":         `SELECT DISTINCT encode(trace_id, 'hex') FROM operations WHERE job_key IS NOT NULL`,
		"job_events":         `SELECT DISTINCT encode(trace_id, 'hex') FROM job_events`,
		"entries":            `SELECT DISTINCT encode(trace_id, 'hex') FROM entries WHERE job_key IS NOT NULL`,
		"operation_attempts": `SELECT encode(trace_id, 'hex') FROM operation_attempts`,
	} {
		want := callerTrace
		if what == "operation_attempts" {
			want = otherTrace
		}
		if ids := s.column(query); len(ids) != 1 || ids[0] != want {
			t.Errorf("%s keep traces %v, want %s", what, ids, want)
		}
	}
	if kinds := s.column(`SELECT kind FROM job_events ORDER BY key`); strings.Join(kinds, " ") != "charged claimed failed woken claimed succeeded" {
		t.Errorf("events %v", kinds)
	}
}

// TestMetricsOfAScenario reads every promised series after a scenario whose figures are known.
func TestMetricsOfAScenario(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
	s := startStack(t, nil)
	job := func(id string, units int) map[string]any {
		return map[string]any{"job_id": id, "action": modeltest.Action, "units": units, "mode": "external"}
	}
	signal := func(id, operation, kind string, attempt int, class string) {
		body := map[string]any{"type": kind, "attempt": attempt}
		if class != "" {
			body["class"] = class
		}
		status, answer := s.post("/v1/accounts/acct_1/jobs/"+id+"/signals", operation, "", body)
		s.must(status, answer, 200, 201)
	}
	status, answer := s.post("/v1/accounts/acct_1/jobs", "c1", "", job("j1", 30))
	s.must(status, answer, 201)
	for range 2 { // replays, not applied
		status, answer = s.post("/v1/accounts/acct_1/jobs", "c1", "", job("j1", 30))
		s.must(status, answer, 200)
	}
	status, answer = s.post("/v1/accounts/acct_1/jobs", "c1", "", job("j1", 31))
	s.must(status, answer, 422)
	status, answer = s.post("/v1/accounts/acct_1/jobs", "c2", "", job("j2", 100_000))
	s.must(status, answer, 402)
	status, answer = s.post("/v1/accounts/acct_1/jobs", "c3", "", job("j3", 5))
	s.must(status, answer, 201)
	signal("j1", "f1", "failed", 1, "transient")
	signal("j1", "f2", "failed", 1, "transient") // another operation, the same failure
	signal("j1", "s1", "succeeded", 1, "")
	signal("j1", "s2", "succeeded", 1, "")
	signal("j3", "f3", "failed", 1, "permanent")
	// An idle worker asks and gets nothing: no operation, no failure.
	status, answer = s.post("/v1/jobs/claim", "idle", "", map[string]any{"actions": []string{modeltest.Action}, "max": 1})
	s.must(status, answer, 200)

	// A charge whose guard wins and whose transaction is then refused has won nothing.
	if err := s.app.g.Exec(`UPDATE accounts SET last_hash = sha256('another')`).Error; err != nil {
		t.Fatal(err)
	}
	status, answer = s.post("/v1/accounts/acct_1/jobs", "c4", "", job("j4", 1))
	s.must(status, answer, 409)

	var text string
	eventually(t, 10*time.Second, "the relay has nothing left", func() bool {
		res, err := http.Get(s.url + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		text = "\n" + string(body)
		return strings.Contains(text, "\nrecoup_relay_lag_seconds 0\n") && strings.Contains(text, "\nrecoup_outbox_rows 0\n")
	})
	for _, want := range []string{
		`recoup_operations_total{kind="charge",outcome="applied"} 2`,
		`recoup_operations_total{kind="charge",outcome="replayed"} 2`,
		`recoup_operations_total{kind="charge",outcome="conflict"} 1`,
		`recoup_operations_total{kind="charge",outcome="refused"} 2`,
		`recoup_operations_total{kind="signal",outcome="applied"} 5`,
		`recoup_operations_total{kind="grant",outcome="applied"} 1`,
		`recoup_entries_total{type="grant"} 1`,
		`recoup_entries_total{type="charge"} 2`,
		`recoup_entries_total{type="refund"} 2`,
		`recoup_entries_total{type="reclaim"} 1`,
		`recoup_credits_total{type="grant"} 1000`,
		`recoup_credits_total{type="charge"} 35`,
		`recoup_credits_total{type="refund"} 35`,
		`recoup_credits_total{type="reclaim"} 30`,
		`recoup_guards_total{guard="charge",outcome="won"} 2`,
		`recoup_guards_total{guard="charge",outcome="lost"} 1`,
		`recoup_guards_total{guard="refund",outcome="won"} 2`,
		`recoup_guards_total{guard="refund",outcome="lost"} 1`,
		`recoup_guards_total{guard="deliver",outcome="won"} 1`,
		`recoup_guards_total{guard="deliver",outcome="lost"} 1`,
		`recoup_guards_total{guard="reclaim",outcome="won"} 1`,
		`recoup_guards_total{guard="reclaim",outcome="lost"} 1`,
		`recoup_dead_letters_total{reason="permanent_error"} 1`,
		`recoup_redis_up 1`,
	} {
		if !strings.Contains(text, "\n"+want+"\n") {
			name, _, _ := strings.Cut(want, "{")
			var has []string
			for line := range strings.Lines(text) {
				if strings.HasPrefix(line, name) {
					has = append(has, strings.TrimSpace(line))
				}
			}
			t.Errorf("no %s; there is %s", want, strings.Join(has, "; "))
		}
	}
	for _, never := range []string{`kind="claim"`, `outcome="failed"`} {
		if strings.Contains(text, never) {
			t.Errorf("/metrics has %s", never)
		}
	}
}
