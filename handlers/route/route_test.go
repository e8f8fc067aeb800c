package route

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"recoup/models/fault"
	"recoup/models/staff"
)

func ok(echo.Context) error { return nil }

func TestCheck(t *testing.T) {
	good := []Route{
		{Method: "GET", Path: "/healthz", Name: "healthz", Access: Public(), Handler: ok},
		{Method: "GET", Path: "/ledger", Name: "ledger", Access: SignedIn(staff.LedgerView), Handler: ok},
		{Method: "POST", Path: "/v1/accounts/:account/jobs", Name: "charge", Access: Key(staff.JobCharge), Handler: ok, Timeout: NoTimeout},
	}
	if err := Check(good); err != nil {
		t.Errorf("good routes: %v", err)
	}
	for name, change := range map[string]func(*Route){
		"is not classified":  func(r *Route) { r.Access = Access{} },
		"unknown permission": func(r *Route) { r.Access = SignedIn("ledger.burn") },
		"no scope opens":     func(r *Route) { r.Access = Key(staff.StaffManage) },
		"has no handler":     func(r *Route) { r.Handler = nil },
		"missing or taken":   func(r *Route) { r.Name = "ledger" },
		"unknown method":     func(r *Route) { r.Method = "get" },
		"begin with /":       func(r *Route) { r.Path = "x" },
		"declared twice":     func(r *Route) { r.Method, r.Path = "POST", "/v1/accounts/:id/jobs" },
		"may not change":     func(r *Route) { r.Method, r.Path, r.Access = "POST", "/v1/x", Public() },
		"negative limit":     func(r *Route) { r.Timeout = -7 },
		"could not be":       func(r *Route) { r.Path = "/v1/accounts/new" },
		"(healthz): is not":  func(r *Route) { r.Access = Access{} },
	} {
		routes := append([]Route(nil), good...)
		change(&routes[0])
		if err := Check(routes); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// Every scope's permission can be used on a key's route and says which scopes open it.
func TestScopesFor(t *testing.T) {
	if got := ScopesFor(staff.JobView); len(got) != 3 || got[0] != staff.JobsWrite {
		t.Errorf("got %v", got)
	}
	if got := ScopesFor(staff.StaffManage); got != nil {
		t.Errorf("got %v", got)
	}
}

func TestAccessString(t *testing.T) {
	for want, a := range map[string]Access{"public": Public(), "person ledger.view": SignedIn(staff.LedgerView), "key job.charge": Key(staff.JobCharge), "unclassified": {}} {
		if a.String() != want {
			t.Errorf("got %s, want %s", a, want)
		}
	}
}

// A parameter is decoded once, neither never nor twice, through Echo's real router.
func TestParam(t *testing.T) {
	e := echo.New()
	var got string
	var err error
	e.GET("/a/:id/tail", func(c echo.Context) error { got, err = Param(c, "id"); return nil })
	for path, want := range map[string]string{
		"/a/acct_7/tail": "acct_7", "/a/a%40b/tail": "a@b", "/a/a@b:c/tail": "a@b:c", "/a/a%2Fb/tail": "a/b", "/a/a%252Fb/tail": "a%2Fb",
		"/a/a%2541/tail": "a%41", "/a/100%25/tail": "100%", "/a/a%2F%2541/tail": "a/%41", "/a/%E8%B4%A6/tail": "账", "/a/a+b/tail": "a+b", "/a/a%2Bb/tail": "a+b", "/a/a%20b/tail": "a b",
	} {
		got, err = "", nil
		w := httptest.NewRecorder()
		e.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != 200 || err != nil || got != want {
			t.Errorf("%s: %d %q %v, want %q", path, w.Code, got, err, want)
		}
	}
	for _, path := range []string{"/a/a%00b/tail", "/a/a%FFb/tail", "/a/%2F%00/tail"} {
		w := httptest.NewRecorder()
		e.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if f := fault.As(err); f == nil || f.Fields[0].Name != "id" {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestBearer(t *testing.T) {
	for in, want := range map[string]string{"Bearer abc": "abc", "bearer abc": "abc", "Basic abc": "", "": "", "Bearer": "", "Bearer  abc ": "abc", "Bearerabc": ""} {
		if got := Bearer(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
