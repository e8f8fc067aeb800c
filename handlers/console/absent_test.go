package console_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"recoup/models/staff"
)

// What does not exist is said in the reader's language, whatever it is.
func TestWhatIsNotThereIsSaidInJapanese(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	known := samples()
	for _, more := range []map[string]sample{triageSamples(), bulkWorkSamples(), costSamples(), integritySamples(), holdSamples(), rolloutSamples(), peopleSamples()} {
		maps.Copy(known, more)
	}
	ja := w.signedIn(w.person(staff.Admin, staff.Preferences{Language: "ja"}))
	missing := 0
	for _, r := range w.console.Routes() {
		s, found := known[r.Name]
		if !found || r.Method != http.MethodGet {
			continue
		}
		rec := ja.get(s.path)
		if rec.Code != http.StatusNotFound {
			continue
		}
		missing++
		if page := text(rec.Body.String()); strings.Contains(page, "There is") || strings.Contains(page, "You have") || strings.Contains(page, "Nothing was") {
			t.Errorf("%s: %s", s.path, page)
		}
	}
	if missing < 20 {
		t.Errorf("only %d pages of what is not there", missing)
	}
}
