// Package route is how handlers declare their URLs: once each, with the permission that opens it.
// web registers what is declared here and refuses to start with a route that is not classified.
package route

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/models/fault"
	"recoup/models/staff"
)

// Route is one URL.
type Route struct {
	Method string
	// Path is Echo's pattern, e.g. "/v1/accounts/:account/jobs/:job". Read its parameters with Param.
	// Paths are logged and traced, queries are not: no secret may be part of a path.
	Path string
	// Name is unique and stable, e.g. "api.job.charge".
	Name string
	// Access says who may come in. Its zero value is refused at start.
	Access Access
	// Handler runs when Access let the request in; Principal then tells who asks.
	Handler echo.HandlerFunc

	// Refuse answers a refusal in the route's own form; nil for that of its kind, a page or a problem document.
	Refuse func(c echo.Context, status int, f *fault.Error) error

	// Timeout bounds the request's context; DefaultTimeout when zero, NoTimeout for exports and event
	// streams, which extend their own write deadline while they send.
	Timeout time.Duration
	// EndsOnShutdown ends the request's context as soon as the server stops taking requests: for
	// event streams and long polls, which would otherwise use up the time to shut down.
	EndsOnShutdown bool
	// MaxBody bounds the request body in bytes; DefaultMaxBody when zero.
	MaxBody int64
	// Quiet keeps successful requests out of the log at level info: probes and assets.
	Quiet bool
}

// Limits of routes that set none.
const (
	DefaultTimeout       = 30 * time.Second
	DefaultMaxBody int64 = 1 << 20
	// NoTimeout is a Timeout without end.
	NoTimeout time.Duration = -1
)

// Kind is what an Access asks for.
type Kind int

// The kinds. The zero Kind is none of them.
const (
	// KindPublic lets everybody in.
	KindPublic Kind = iota + 1
	// KindSignedIn asks for a session of a person with the permission.
	KindSignedIn
	// KindKey asks for a bearer API key with a scope that opens the permission.
	KindKey
)

// Access says who may come in.
type Access struct {
	kind       Kind
	permission staff.Permission
}

// Public is open to everybody: probes, assets, the sign-in page.
func Public() Access { return Access{kind: KindPublic} }

// SignedIn is for people whose role has the permission.
func SignedIn(p staff.Permission) Access { return Access{kind: KindSignedIn, permission: p} }

// Key is for programs whose API key has a scope that opens the permission.
func Key(p staff.Permission) Access { return Access{kind: KindKey, permission: p} }

// Kind returns what is asked for; zero for an Access that nobody set.
func (a Access) Kind() Kind { return a.kind }

// Permission returns the permission, "" for Public.
func (a Access) Permission() staff.Permission { return a.permission }

// String is for logs and for the table of routes: "public", "person ledger.view", "key job.charge".
func (a Access) String() string {
	switch a.kind {
	case KindPublic:
		return "public"
	case KindSignedIn:
		return "person " + string(a.permission)
	case KindKey:
		return "key " + string(a.permission)
	}
	return "unclassified"
}

// Check returns everything that is wrong with a set of routes, nil when nothing is: no class, an
// unknown permission, a key's route that no scope opens, a missing name or handler, a name or a
// method and path declared twice, a public route that changes something under /v1, a word of a path where another route has
// a name that people or programs choose.
func Check(routes []Route) error {
	var faults []string
	names, places := map[string]bool{}, map[string]bool{}
	for _, r := range routes {
		wrong := func(format string, args ...any) {
			faults = append(faults, fmt.Sprintf("%s %s (%s): ", r.Method, r.Path, r.Name)+fmt.Sprintf(format, args...))
		}
		switch r.Access.kind {
		case KindPublic:
			if strings.HasPrefix(r.Path, "/v1/") && r.Method != http.MethodGet {
				wrong("a public route may not change anything under /v1")
			}
		case KindSignedIn, KindKey:
			if !slices.Contains(staff.All(), r.Access.permission) {
				wrong("unknown permission %q", r.Access.permission)
			}
		default:
			wrong("is not classified")
		}
		if r.Access.kind == KindKey && len(ScopesFor(r.Access.permission)) == 0 {
			wrong("no scope opens %q", r.Access.permission)
		}
		if !slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, r.Method) {
			wrong("unknown method")
		}
		if !strings.HasPrefix(r.Path, "/") {
			wrong("the path must begin with /")
		}
		if word := hidden(r.Path, routes); word != "" {
			wrong("what is named like %s could not be reached", word)
		}
		if r.Handler == nil {
			wrong("has no handler")
		}
		if r.Name == "" || names[r.Name] {
			wrong("the name is missing or taken")
		}
		if place := r.Method + " " + anonymous(r.Path); places[place] {
			wrong("is declared twice")
		} else {
			places[place] = true
		}
		names[r.Name] = true
		if r.Timeout < 0 && r.Timeout != NoTimeout || r.MaxBody < 0 {
			wrong("has a negative limit")
		}
	}
	if len(faults) > 0 {
		return fmt.Errorf("routes:\n  %s", strings.Join(faults, "\n  "))
	}
	return nil
}

// anonymous replaces the names of parameters, which do not tell two patterns apart.
func anonymous(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if strings.HasPrefix(p, ":") {
			parts[i] = ":"
		}
	}
	return strings.Join(parts, "/")
}

// ScopesFor returns the scopes that open a permission to API keys, in the order of staff.Scopes.
func ScopesFor(p staff.Permission) []staff.Scope {
	var out []staff.Scope
	for _, s := range staff.Scopes() {
		if staff.ScopeAllows(s, p) {
			out = append(out, s)
		}
	}
	return out
}
