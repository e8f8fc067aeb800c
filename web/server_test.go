package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"recoup/handlers/api"
	"recoup/handlers/console"
	"recoup/handlers/route"
	"recoup/models/fault"
	"recoup/models/staff"
	"recoup/web/telemetry"
)

func TestWrongRoutesAreRefusedAtStart(t *testing.T) {
	base, err := url.Parse("http://x")
	if err != nil {
		t.Fatal(err)
	}
	_, err = New(Options{BaseURL: base, Routes: []route.Route{{Method: "GET", Path: "/x", Name: "x", Handler: func(echo.Context) error { return nil }}}})
	if err == nil || !strings.Contains(err.Error(), "not classified") {
		t.Errorf("got %v", err)
	}
}

// TestTheRoutesOfAnInstallation: each is classified, and no word of a path stands where another route has a name that people
// or programs choose: a dependency called "new" is reached like any other.
func TestTheRoutesOfAnInstallation(t *testing.T) {
	if err := route.Check(Routes(&api.API{}, &console.Console{})); err != nil {
		t.Error(err)
	}
}

func TestRequestID(t *testing.T) {
	f := newFixture(t, nil)
	if got := f.send("GET", "/healthz", "", "X-Request-Id", "proxy-1:a_b.c").Header().Get("X-Request-Id"); got != "proxy-1:a_b.c" {
		t.Errorf("a sane id became %s", got)
	}
	for _, bad := range []string{"", "a b", "a\nb", strings.Repeat("a", 65), "<x>", "ü"} {
		if got := f.send("GET", "/healthz", "", "X-Request-Id", bad).Header().Get("X-Request-Id"); got == bad || len(got) != 36 {
			t.Errorf("%q became %q", bad, got)
		}
	}
}

func TestTraceparent(t *testing.T) {
	f := newFixture(t, nil)
	const id = "0af7651916cd43dd8448eb211c80319c"
	w := f.charge(`{"text":"x"}`, "traceparent", "00-"+id+"-b7ad6b7169203331-01", "baggage", "secret=1")
	if got := w.Header().Get("traceparent"); !strings.HasPrefix(got, "00-"+id+"-") || !strings.HasSuffix(got, "-01") || strings.Contains(got, "b7ad6b7169203331") {
		t.Errorf("traceparent %q", got)
	}
	if w.Header().Get("baggage") != "" {
		t.Error("baggage was sent back")
	}
	if got := f.charge(`{"text":"x"}`).Header().Get("traceparent"); len(got) != 55 {
		t.Errorf("without a parent: %q", got)
	}
	if !strings.Contains(f.log.String(), `"trace_id":"`+id+`"`) {
		t.Error("the trace id is not in the log")
	}
}

func TestAccess(t *testing.T) {
	f := newFixture(t, nil)
	signed := []string{"Cookie", "session=good"}
	for _, c := range []struct {
		method, path string
		headers      []string
		status       int
		body         string
	}{
		{"GET", "/healthz", nil, 200, "ok"},
		{"HEAD", "/healthz", nil, 200, ""},
		{"GET", "/ledger", signed, 200, "staff:st_1"},
		{"GET", "/ledger", nil, 401, "<h1>unauthenticated</h1>"},
		{"GET", "/ledger", []string{"Authorization", "Bearer reader"}, 401, "<h1>unauthenticated</h1>"},
		{"POST", "/staff", signed, 403, "<h1>forbidden</h1>"},
		{"POST", "/v1/accounts/a/jobs", nil, 401, `"code":"unauthenticated"`},
		{"POST", "/v1/accounts/a/jobs", signed, 401, `"code":"unauthenticated"`},
		{"POST", "/v1/accounts/a/jobs", []string{"Authorization", "Bearer no"}, 401, "Unknown key."},
		{"POST", "/v1/accounts/a/jobs", []string{"Authorization", "Bearer charger", "Authorization", "Bearer charger"}, 401, "one header"},
		{"POST", "/v1/accounts/a/jobs", []string{"Authorization", "Bearer reader"}, 403, `"scopes":["jobs:write"]`},
	} {
		w := f.send(c.method, c.path, "", c.headers...)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.body) {
			t.Errorf("%s %s %v: %d %s", c.method, c.path, c.headers, w.Code, w.Body)
		}
		if key := strings.HasPrefix(c.path, "/v1"); (w.Header().Get("WWW-Authenticate") != "") != (key && c.status == 401) {
			t.Errorf("%s %s: WWW-Authenticate %q", c.method, c.path, w.Header().Get("WWW-Authenticate"))
		}
	}
	want := "staff:st_1 staff.manage POST /staff|key:k2 job.charge POST /v1/accounts/a/jobs"
	if got := strings.Join(f.door.refused, "|"); got != want {
		t.Errorf("told of %s, want %s", got, want)
	}
}

func TestCrossOrigin(t *testing.T) {
	f := newFixture(t, nil)
	for _, c := range []struct {
		headers []string
		status  int
	}{
		{[]string{"Sec-Fetch-Site", "cross-site"}, 403},
		{[]string{"Sec-Fetch-Site", "same-site"}, 403},
		{[]string{"Origin", "https://evil.example"}, 403},
		{[]string{"Origin", "null"}, 403},
		{[]string{"Sec-Fetch-Site", "same-origin"}, 204},
		{[]string{"Origin", "https://recoup.example"}, 204},
		{nil, 204},
	} {
		w := f.send("POST", "/preferences", "", append([]string{"Cookie", "session=good"}, c.headers...)...)
		if w.Code != c.status {
			t.Errorf("%v: %d %s", c.headers, w.Code, w.Body)
		}
	}
	if w := f.charge(`{"text":"x"}`, "Origin", "https://app.example", "Sec-Fetch-Site", "cross-site"); w.Code != 201 {
		t.Errorf("a bearer key from another origin: %d %s", w.Code, w.Body)
	}
}

func TestHeaders(t *testing.T) {
	f := newFixture(t, nil)
	for _, w := range []*httptest.ResponseRecorder{f.send("GET", "/ledger", "", "Cookie", "session=good"), f.send("GET", "/nowhere", ""), f.charge("")} {
		h := w.Header()
		csp := h.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
			if !strings.Contains(csp, part) {
				t.Errorf("CSP lacks %s", part)
			}
		}
		if strings.Contains(csp, "unsafe") || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != "no-store" ||
			h.Get("Strict-Transport-Security") == "" || h.Get("Referrer-Policy") != "same-origin" {
			t.Errorf("headers %v", h)
		}
	}
}

func TestErrorAnswers(t *testing.T) {
	f := newFixture(t, nil)
	if p := problemOf(t, f.send("GET", "/v1/nowhere", "", "Accept", "text/html")); p["code"] != "not_found" {
		t.Errorf("%v", p)
	}
	if p := problemOf(t, f.send("GET", "/nowhere", "", "Accept", "*/*")); p["code"] != "not_found" {
		t.Errorf("%v", p)
	}
	if w := f.send("GET", "/nowhere", "", "Accept", "text/html,*/*"); w.Code != 404 || !strings.Contains(w.Body.String(), "<h1>not_found") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := f.send("DELETE", "/v1/accounts/a/jobs", ""); w.Code != 405 || problemOf(t, w)["code"] != "method_not_allowed" || !strings.Contains(w.Header().Get("Allow"), "POST") {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if p := problemOf(t, f.charge(`{"text":7}`)); p["status"] != float64(400) || !strings.Contains(fmt.Sprint(p["fields"]), "text") {
		t.Errorf("%v", p)
	}
	w := f.send("GET", "/v1/boom", "", "X-Request-Id", "find-me")
	if p := problemOf(t, w); w.Code != 500 || p["code"] != "internal_error" || strings.Contains(w.Body.String(), "hunter2") {
		t.Errorf("%s", w.Body)
	}
	if log := f.log.String(); !strings.Contains(log, "hunter2") || !strings.Contains(log, `"request_id":"find-me"`) {
		t.Errorf("the detail is not in the log: %s", log)
	}
	w = f.send("GET", "/v1/panic", "")
	if p := problemOf(t, w); w.Code != 500 || p["code"] != "internal_error" || strings.Contains(w.Body.String(), "oh no") {
		t.Errorf("%s", w.Body)
	}
	if log := f.log.String(); !strings.Contains(log, "oh no") || !strings.Contains(log, "server_test.go") {
		t.Error("the panic and its place are not in the log")
	}
}

// A broken error page must not cost the answer.
func TestErrorPageFails(t *testing.T) {
	f := newFixture(t, func(o *Options) {
		o.ErrorPage = func(echo.Context, int, *fault.Error) error { return errors.New("template broken") }
	})
	w := f.send("GET", "/ledger", "")
	if p := problemOf(t, w); w.Code != 401 || p["code"] != "unauthenticated" || !strings.Contains(f.log.String(), "template broken") {
		t.Errorf("%d %v", w.Code, p)
	}
}

func TestBodyLimit(t *testing.T) {
	f := newFixture(t, nil)
	frame := len(`{"text":""}`)
	exact := `{"text":"` + strings.Repeat("x", 1<<20-frame) + `"}`
	if w := f.charge(exact); w.Code != 201 {
		t.Errorf("1 MiB: %d %s", w.Code, w.Body)
	}
	if w := f.charge(exact + " "); w.Code != 413 || problemOf(t, w)["code"] != "body_too_large" || w.Header().Get("Connection") != "close" {
		t.Errorf("1 MiB + 1: %d %s", w.Code, w.Body)
	}
	// Without a length the limit is found while reading.
	r := httptest.NewRequest("POST", "/v1/accounts/a/jobs", io.MultiReader(strings.NewReader(exact), strings.NewReader(" ")))
	r.ContentLength = -1
	r.Header.Set("Authorization", "Bearer charger")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", "k")
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	if w.Code != 413 {
		t.Errorf("chunked: %d %s", w.Code, w.Body)
	}
}

func TestLogLine(t *testing.T) {
	f := newFixture(t, nil)
	f.log.b.Reset()
	f.charge(`{"text":"private"}`)
	f.send("GET", "/ledger?token=private&x=1", "", "Cookie", "session=good")
	f.send("GET", "/healthz", "")
	log := f.log.String()
	if strings.Contains(log, "private") || strings.Contains(log, "charger") {
		t.Errorf("a secret in the log: %s", log)
	}
	var line map[string]any
	lines := strings.Split(strings.TrimSpace(log), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines: %s", len(lines), log)
	}
	if err := json.Unmarshal([]byte(lines[0]), &line); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{
		"level": "INFO", "msg": "request", "method": "POST", "path": "/v1/accounts/a/jobs", "route": "charge", "status": float64(201),
		"actor": "key:k1", "operation_id": "op-1", "remote_ip": "192.0.2.1",
	} {
		if line[name] != want {
			t.Errorf("%s: %v, want %v", name, line[name], want)
		}
	}
	if !strings.Contains(lines[2], `"level":"DEBUG"`) {
		t.Errorf("a probe is not quiet: %s", lines[2])
	}
}

func TestClientAddress(t *testing.T) {
	for _, c := range []struct {
		proxies []string
		xff     string
		want    string
	}{
		{nil, "203.0.113.9", "192.0.2.1"},
		{[]string{"192.0.2.0/24"}, "203.0.113.9", "203.0.113.9"},
		{[]string{"192.0.2.0/24"}, "6.6.6.6, 203.0.113.9", "203.0.113.9"},
		{[]string{"192.0.2.0/24"}, "6.6.6.6, 10.0.0.1", "10.0.0.1"},
		{[]string{"198.51.100.0/24"}, "203.0.113.9", "192.0.2.1"},
		{[]string{"192.0.2.1/32", "2001:db8::/32"}, "203.0.113.9, 2001:db8::7", "203.0.113.9"},
	} {
		var ip, scheme string
		f := newFixture(t, func(o *Options) {
			for _, p := range c.proxies {
				o.TrustedProxies = append(o.TrustedProxies, netip.MustParsePrefix(p))
			}
		}, route.Route{Method: "GET", Path: "/ip", Name: "ip", Access: route.Public(), Handler: func(c echo.Context) error {
			ip, scheme = c.RealIP(), c.Scheme()
			return nil
		}})
		f.send("GET", "/ip", "", "X-Forwarded-For", c.xff, "X-Real-Ip", "9.9.9.9", "X-Forwarded-Proto", "https")
		wantScheme := "http"
		if len(c.proxies) > 0 && c.proxies[0] != "198.51.100.0/24" {
			wantScheme = "https"
		}
		if ip != c.want || scheme != wantScheme {
			t.Errorf("%v %s: %s %s, want %s %s", c.proxies, c.xff, ip, scheme, c.want, wantScheme)
		}
	}
}

// Labels come from routes, never from what callers send.
func TestMetricsHaveFewLabels(t *testing.T) {
	f := newFixture(t, nil)
	f.charge(`{"text":"x"}`)
	f.send("GET", "/v1/whatever-1", "", "Host", "evil")
	f.send("BREW", "/v1/whatever-2", "")
	w := httptest.NewRecorder()
	f.tel.MetricsHandler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	text := w.Body.String()
	if !strings.Contains(text, `http_route="/v1/accounts/:account/jobs"`) {
		t.Error("the route is not a label")
	}
	if strings.Contains(text, "whatever") || strings.Contains(text, "BREW") || strings.Contains(text, "evil") {
		t.Error("a label that callers choose")
	}
}

func TestMetricsRoute(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Routes = append(o.Routes, MetricsRoute(o.Telemetry.MetricsHandler())) })
	if w := f.send("GET", "/metrics", ""); w.Code != 200 || !strings.Contains(w.Body.String(), "go_goroutines") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func BenchmarkMiddleware(b *testing.B) {
	tel, err := telemetry.Setup(context.Background(), "bench", slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	base, err := url.Parse("http://localhost")
	if err != nil {
		b.Fatal(err)
	}
	s, err := New(Options{
		Logger: telemetry.NewLogger(io.Discard, true, slog.LevelInfo), Telemetry: tel, Authenticator: &door{}, BaseURL: base,
		Routes: []route.Route{{Method: "POST", Path: "/v1/x", Name: "x", Access: route.Key(staff.JobCharge), Handler: func(c echo.Context) error { return c.NoContent(204) }}},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest("POST", "/v1/x", nil)
		r.Header.Set("Authorization", "Bearer charger")
		s.ServeHTTP(httptest.NewRecorder(), r)
	}
}
