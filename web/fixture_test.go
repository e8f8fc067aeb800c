package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/handlers/api"
	"recoup/handlers/reqctx"
	"recoup/handlers/route"
	"recoup/models/actor"
	"recoup/models/fault"
	"recoup/models/staff"
	"recoup/web/telemetry"
)

// someone is a principal with a list of permissions.
type someone struct {
	actor actor.Actor
	may   []staff.Permission
}

func (s someone) Actor() actor.Actor { return s.actor }
func (s someone) Allows(p staff.Permission) bool {
	for _, m := range s.may {
		if m == p {
			return true
		}
	}
	return false
}

// door knows one person by cookie and two keys by token, and remembers whom it was told of.
type door struct {
	mu      sync.Mutex
	refused []string
}

func (d *door) Person(c echo.Context) (staff.Principal, error) {
	if cookie, err := c.Cookie("session"); err == nil && cookie.Value == "good" {
		return someone{actor.Staff("st_1"), []staff.Permission{staff.LedgerView}}, nil
	}
	return nil, fault.New(fault.Unauthenticated, fault.CodeUnauthenticated, "Sign in.")
}

func (d *door) Program(_ context.Context, token string) (staff.Principal, error) {
	switch token {
	case "charger":
		return someone{actor.Key("k1"), []staff.Permission{staff.JobCharge}}, nil
	case "reader":
		return someone{actor.Key("k2"), []staff.Permission{staff.LedgerView}}, nil
	}
	return nil, fault.New(fault.Unauthenticated, fault.CodeUnauthenticated, "Unknown key.")
}

func (d *door) Refused(_ context.Context, who staff.Principal, p staff.Permission, object string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refused = append(d.refused, fmt.Sprint(who.Actor(), " ", p, " ", object))
	return nil
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// fixture is a server with one route of each kind.
type fixture struct {
	*Server
	log  *lockedBuffer
	door *door
	tel  *telemetry.Telemetry
}

func newFixture(t *testing.T, change func(*Options), more ...route.Route) *fixture {
	t.Helper()
	f := &fixture{log: &lockedBuffer{}, door: &door{}}
	logger := telemetry.NewLogger(f.log, true, slog.LevelDebug)
	tel, err := telemetry.Setup(context.Background(), "test", logger)
	if err != nil {
		t.Fatal(err)
	}
	f.tel = tel
	t.Cleanup(func() { tel.Shutdown(context.Background()) }) //nolint:errcheck // the test is over
	base, err := url.Parse("https://recoup.example")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{
		Logger: logger, Telemetry: tel, Authenticator: f.door, BaseURL: base, ShutdownGrace: 2 * time.Second,
		ErrorPage: func(c echo.Context, status int, f *fault.Error) error {
			return c.HTML(status, "<h1>"+f.Code+"</h1><p>"+reqctx.RequestID(c.Request().Context()))
		},
		Routes: append([]route.Route{
			{Method: "GET", Path: "/healthz", Name: "healthz", Access: route.Public(), Quiet: true, Handler: func(c echo.Context) error { return c.String(200, "ok") }},
			{Method: "GET", Path: "/ledger", Name: "ledger", Access: route.SignedIn(staff.LedgerView), Handler: func(c echo.Context) error {
				return c.String(200, route.Principal(c).Actor().String())
			}},
			{Method: "POST", Path: "/staff", Name: "staff", Access: route.SignedIn(staff.StaffManage), Handler: func(c echo.Context) error { return c.NoContent(204) }},
			{Method: "POST", Path: "/preferences", Name: "prefs", Access: route.SignedIn(staff.LedgerView), Handler: func(c echo.Context) error { return c.NoContent(204) }},
			{Method: "POST", Path: "/v1/accounts/:account/jobs", Name: "charge", Access: route.Key(staff.JobCharge), Handler: func(c echo.Context) error {
				if _, err := api.OperationID(c); err != nil {
					return err
				}
				var in struct {
					Text string `json:"text"`
				}
				if err := api.Decode(c, &in); err != nil {
					return err
				}
				return c.JSON(201, map[string]int{"length": len(in.Text)})
			}},
			{Method: "GET", Path: "/v1/boom", Name: "boom", Access: route.Public(), Handler: func(echo.Context) error { return errors.New("password hunter2 rejected") }},
			{Method: "GET", Path: "/v1/panic", Name: "panic", Access: route.Public(), Handler: func(echo.Context) error { panic("oh no") }},
		}, more...),
	}
	if change != nil {
		change(&o)
	}
	if f.Server, err = New(o); err != nil {
		t.Fatal(err)
	}
	return f
}

// send answers one request. headers are name, value pairs.
func (f *fixture) send(method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	return w
}

func (f *fixture) charge(body string, headers ...string) *httptest.ResponseRecorder {
	return f.send("POST", "/v1/accounts/a/jobs", body, append([]string{
		"Authorization", "Bearer charger", "Content-Type", "application/json", "Idempotency-Key", "op-1"}, headers...)...)
}

func problemOf(t *testing.T, w *httptest.ResponseRecorder) map[string]any {
	t.Helper()
	if got := w.Header().Get("Content-Type"); got != api.MIMEProblem {
		t.Fatalf("content type %s: %s", got, w.Body)
	}
	var p map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		t.Fatal(err)
	}
	if p["request_id"] != w.Header().Get("X-Request-Id") || p["status"] != float64(w.Code) {
		t.Errorf("problem %v, headers %v, status %d", p, w.Header(), w.Code)
	}
	return p
}
