package present

import (
	"testing"
	"time"

	"recoup/models/dependency"
)

// The figure of failures says of which time it is: results from before a breaker moved do not count in it.
func TestFailuresOfADependency(t *testing.T) {
	p := english()
	moved, longAgo := p.Now.Add(-time.Minute), p.Now.Add(-48*time.Hour)
	for name, x := range map[string]struct {
		status      dependency.Status
		value, note string
	}{
		"results":                {dependency.Status{Results: 4, Failures: 1}, "25 %", "1 of 4 failed"},
		"the breaker just moved": {dependency.Status{Dependency: dependency.Dependency{State: dependency.Open, ChangedAt: &moved}}, "–", "no result since 30 Nov 2026 11:59:00 UTC"},
		"it moved long ago":      {dependency.Status{Dependency: dependency.Dependency{State: dependency.Closed, ChangedAt: &longAgo}}, "–", "no result for a day"},
		"it never moved":         {dependency.Status{}, "–", "no result for a day"},
	} {
		f := p.Dependency(x.status, nil).Facts[1]
		if f.Label != "Failed" || f.Value != x.value || f.Note != x.note {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
