package console_test

import (
	"net/http"
	"strings"
	"testing"

	"recoup/handlers/route"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// TestWhatIsNamedLikeAForm: a dependency and a rollout may be called "new", and are reached like any other.
func TestWhatIsNamedLikeAForm(t *testing.T) {
	w := newWorld(t)
	w.furnishRollouts()
	b := w.as(staff.Admin)
	w.says(b.sent("/new/hold", b.form("/new/hold", "name", "new", "unnamed", "new", "reason", "moving house")), "Held by Pat admin: moving house.")
	if list := b.page("/dependencies"); !strings.Contains(list, `href="/dependencies/new"`) {
		t.Error("the list does not lead to the dependency")
	}
	w.says(b.page("/dependencies/new"), "Held by Pat admin: moving house.")
	const at = "/dependencies/new/release"
	w.says(b.sent(at, b.form(at, "per_minute", "60", "reason", "moved")), "Releasing at 60 a minute")
	w.says(b.sent("/new/rollout", b.form("/new/rollout", "id", "new", "title", "Called so", "candidate", modeltest.Action+"@v2", "threshold_1", "100", "reason", "x")), "Called so")
	w.says(b.page("/rollouts/new"), "Called so")
}

// TestNoPathIsMisread asks for every page with ids that none can have: dots, slashes and percent signs, plain, encoded and
// encoded twice. Each is answered as not found or wrong, or leads to the list; none is another page or an error of ours.
func TestNoPathIsMisread(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	w.dead("acct_7", "j1", 40, "no")
	w.furnishRollouts()
	b := w.as(staff.Admin)
	for _, r := range w.console.Routes() {
		if r.Method != http.MethodGet || r.Access.Kind() == route.KindPublic || !strings.Contains(r.Path, ":") {
			continue
		}
		known := strings.NewReplacer(":account", "acct_7", ":job", "j1", ":rollout", roID, ":action", modeltest.Action)
		parts := strings.Split(r.Path, "/")
		for i, part := range parts {
			if !strings.HasPrefix(part, ":") {
				continue
			}
			for _, odd := range []string{"%2E%2E", "%2e", "a%2Fb", "..%2F..%2Fledger", "%25", "a%2525", "%00", "a%FF", "%20", "no such thing"} {
				parts[i] = strings.ReplaceAll(odd, " ", "%20")
				path := known.Replace(strings.Join(parts, "/"))
				if rec := b.get(path); strings.HasPrefix(rec.Header().Get("Location"), "/integrity") || strings.HasPrefix(rec.Header().Get("Location"), "/queue") {
					continue
				} else if rec.Code != http.StatusNotFound && rec.Code != http.StatusBadRequest && rec.Code != http.StatusUnprocessableEntity {
					t.Errorf("%s: %s: %d, location %q", r.Name, path, rec.Code, rec.Header().Get("Location"))
				}
			}
			parts[i] = part
		}
	}
}
