package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"recoup/handlers/api"
	"recoup/migrations"
	"recoup/models/actor"
	"recoup/models/approval"
	"recoup/models/cost"
	"recoup/models/deadletter"
	"recoup/models/dependency"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/operation"
	"recoup/models/pricing"
	"recoup/models/staff"
	"recoup/models/verify"
	"recoup/web"
	"recoup/web/session"
	"recoup/web/telemetry"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

// shortWait is how long a request waits for its running twin in these tests.
const shortWait = 300 * time.Millisecond

// world is the API as it is served, over a database of its own.
type world struct {
	t      testing.TB
	g      *gorm.DB
	api    *api.API
	server *httptest.Server
	models *modeltest.Models
	staff  *staff.Service
	// key is a token with every scope.
	key string
	doc document
	// queue is what Redis answers.
	queue error
}

func newWorld(t testing.TB) *world {
	t.Helper()
	return worldOver(t, modeltest.DB(t))
}

func worldOver(t testing.TB, g *gorm.DB, options ...ledger.Option) *world {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	tel, err := telemetry.Setup(context.Background(), "test", log)
	if err != nil {
		t.Fatal(err)
	}
	tp, mp := tel.TracerProvider(), tel.MeterProvider()
	ops, err := operation.NewStore(g, operation.Options{Wait: shortWait}, tp, mp)
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.New(ops, mp, options...)
	if err != nil {
		t.Fatal(err)
	}
	policy := modeltest.Fast()
	policy.Lease = time.Minute
	jobs, err := job.New(ops, l, job.Options{Policy: policy, Secret: []byte(modeltest.Secret)}, mp)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, g: g, staff: staff.New(g, staff.Options{}),
		models: &modeltest.Models{G: g, Ops: ops, Ledger: l, Pricing: pricing.New(ops), Jobs: jobs,
			Dependencies: dependency.New(ops), Requests: approval.NewStore(g, 0), Desk: approval.NewDesk(ops, l.Executors())}}
	w.models.Price(t, modeltest.Action, 1000)
	pool, err := g.DB()
	if err != nil {
		t.Fatal(err)
	}
	w.api = api.New(api.Deps{Ledger: l, Verifier: verify.New(g), Pricing: w.models.Pricing, Jobs: jobs, Ops: ops, Costs: cost.New(ops), Dependencies: w.models.Dependencies, Letters: deadletter.New(ops), Requests: w.models.Requests,
		Database: func(ctx context.Context) error { return migrations.Check(ctx, pool) },
		Queue:    func(context.Context) error { return w.queue }})
	base, err := url.Parse("http://recoup.test")
	if err != nil {
		t.Fatal(err)
	}
	handler, err := web.New(web.Options{Logger: log, Telemetry: tel, Authenticator: session.New(w.staff, false),
		Routes: w.api.Routes(), BaseURL: base})
	if err != nil {
		t.Fatal(err)
	}
	w.server = httptest.NewServer(handler)
	t.Cleanup(w.server.Close)
	w.key = w.newKey(staff.Scopes()...)
	w.doc = readDocument(t, w.api)
	return w
}

func (w *world) newKey(scopes ...staff.Scope) string {
	w.t.Helper()
	_, token, err := w.staff.CreateKey(context.Background(), staff.By{Actor: actor.System()}, staff.NewKey{Name: "test", Scopes: scopes})
	if err != nil {
		w.t.Fatal(err)
	}
	return token
}

// request is one HTTP request of a test.
type request struct {
	method, path, body string
	// header replaces what send would set; an empty list leaves the header out.
	header http.Header
	// key replaces the world's API key; "-" sends none.
	key string
	// op is the operation id; "-" sends none, "" a fresh one for POST and PUT.
	op string
}

type response struct {
	t      testing.TB
	status int
	header http.Header
	body   []byte
}

// send sends a request and checks the answer against the OpenAPI document.
func (w *world) send(r request) response {
	w.t.Helper()
	res := w.sendOnly(w.t.Context(), r)
	w.doc.check(w.t, r, res)
	return res
}

func (w *world) sendOnly(ctx context.Context, r request) response {
	w.t.Helper()
	req, err := http.NewRequestWithContext(ctx, r.method, w.server.URL+r.path, strings.NewReader(r.body))
	if err != nil {
		w.t.Fatal(err)
	}
	if r.key == "" {
		r.key = w.key
	}
	if r.key != "-" {
		req.Header.Set("Authorization", "Bearer "+r.key)
	}
	if r.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.method != http.MethodGet && r.op == "" {
		r.op = ids.New()
	}
	if r.op != "" && r.op != "-" {
		req.Header.Set("Idempotency-Key", r.op)
	}
	for name, values := range r.header {
		req.Header[name] = values
	}
	got, err := w.server.Client().Do(req)
	if err != nil {
		w.t.Fatalf("%s %s: %v", r.method, r.path, err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		w.t.Fatalf("%s %s: %v", r.method, r.path, err)
	}
	return response{t: w.t, status: got.StatusCode, header: got.Header, body: body}
}

func (w *world) get(path string) response {
	w.t.Helper()
	return w.send(request{method: http.MethodGet, path: path})
}

func (w *world) post(path, body string) response {
	w.t.Helper()
	return w.send(request{method: http.MethodPost, path: path, body: body})
}

func (w *world) postAs(op, path, body string) response {
	w.t.Helper()
	return w.send(request{method: http.MethodPost, path: path, body: body, op: op})
}

// want fails the test unless the status is this one.
func (r response) want(status int) response {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("status %d, want %d: %s", r.status, status, r.body)
	}
	return r
}

// at reads a member by its path, e.g. "result.job.state" or "entries.0.seq". Numbers are json.Number.
func (r response) at(path string) any {
	r.t.Helper()
	d := json.NewDecoder(bytes.NewReader(r.body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		r.t.Fatalf("%v in %s", err, r.body)
	}
	for _, name := range strings.Split(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			v = in[name]
		case []any:
			var i int
			if _, err := fmt.Sscan(name, &i); err != nil || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

// has checks members, given as path and the text of their values.
func (r response) has(pairs ...string) response {
	r.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if got := fmt.Sprint(r.at(pairs[i])); got != pairs[i+1] {
			r.t.Errorf("%s is %s, want %s in %s", pairs[i], got, pairs[i+1], r.body)
		}
	}
	return r
}

// result is the envelope's result with the bytes it came in.
func (r response) result() string {
	r.t.Helper()
	var e struct{ Result json.RawMessage }
	if err := json.Unmarshal(r.body, &e); err != nil {
		r.t.Fatal(err)
	}
	return string(e.Result)
}

// names reports whether a refusal names this field or a member of it.
func (r response) names(field string) bool {
	var p struct {
		Field  string
		Fields []struct{ Field string }
	}
	if json.Unmarshal(r.body, &p) != nil {
		return false
	}
	for _, f := range p.Fields {
		if rest, ok := strings.CutPrefix(f.Field, field); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return p.Field == field
}

// account makes an account with credits through the API.
func (w *world) account(id string, credits int64) {
	w.t.Helper()
	w.send(request{method: http.MethodPut, path: "/v1/accounts/" + id, body: `{}`}).want(201)
	if credits > 0 {
		w.post("/v1/accounts/"+id+"/grants", fmt.Sprintf(`{"amount":%d,"category":"paid"}`, credits)).want(201)
	}
}

// charge charges a job of the test's action and returns its path.
func (w *world) charge(account, id string, units int64, more string) string {
	w.t.Helper()
	w.post("/v1/accounts/"+account+"/jobs", fmt.Sprintf(`{"job_id":%q,"action":%q,"units":%d%s}`, id, modeltest.Action, units, more)).want(201)
	return "/v1/accounts/" + account + "/jobs/" + id
}

// entryTypes lists an account's entries, oldest first, as "type amount".
func (w *world) entryTypes(account string) string {
	w.t.Helper()
	var list struct {
		Entries []struct {
			Type   string
			Amount int64
		}
	}
	if err := json.Unmarshal(w.get("/v1/accounts/"+account+"/entries?limit=500").want(200).body, &list); err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, e := range list.Entries {
		out = append([]string{fmt.Sprintf("%s %d", e.Type, e.Amount)}, out...)
	}
	return strings.Join(out, ", ")
}

// contents is a digest of every row of every table but those that tell of refusals and replays, and
// the keys, whose last use is noted.
func (w *world) contents() string {
	w.t.Helper()
	var tables []string
	err := w.g.Raw(`SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
		AND table_name NOT IN ('audit_log', 'operation_attempts', 'api_keys', 'goose_db_version') ORDER BY 1`).Scan(&tables).Error
	if err != nil {
		w.t.Fatal(err)
	}
	if len(tables) < 8 {
		w.t.Fatalf("only %v", tables)
	}
	parts := make([]string, len(tables))
	for i, name := range tables {
		parts[i] = fmt.Sprintf(`(SELECT '%s ' || count(*) || ' ' || COALESCE(md5(string_agg(x::text, ' ' ORDER BY x::text)), '') FROM %q x)`, name, name)
	}
	var out string
	if err := w.g.Raw("SELECT concat_ws(E'\n', " + strings.Join(parts, ", ") + ")").Scan(&out).Error; err != nil {
		w.t.Fatal(err)
	}
	return out
}

// unchanged fails the test when something was written since before.
func (w *world) unchanged(before string) {
	w.t.Helper()
	if now := w.contents(); now != before {
		w.t.Errorf("something was written:\n%s\nbefore:\n%s", now, before)
	}
}
