package deadletter_test

import (
	"slices"
	"testing"

	"recoup/models/deadletter"
	"recoup/models/job"
	"recoup/models/modeltest"
)

// A text is looked for in the messages themselves where there is no group, or one whose pattern was made by other rules.
func TestTextIsFoundWithoutAGroup(t *testing.T) {
	m := modeltest.Ready(t, job.DefaultPolicy())
	m.Account(t, "a", 1000)
	die(t, m, "a", "j1", 1, "codec", "frame 17 is broken", "1.0")
	die(t, m, "a", "j2", 1, "memory", "out of memory", "1.0")
	finds := func(when string, want ...string) {
		t.Helper()
		if got := listed(t, m, deadletter.Open, deadletter.Filter{ErrorText: "17 Is"}); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	finds("in its group", "j1")
	change := func(sql string) {
		t.Helper()
		if err := m.G.Exec(sql).Error; err != nil {
			t.Fatal(err)
		}
	}
	change(`UPDATE dead_letter_groups SET pattern = 'something else'`)
	finds("of groups of other messages")
	change(`UPDATE dead_letter_groups SET version = version - 1`)
	finds("of older groups", "j1")
	change(`UPDATE dead_letter_groups SET version = version + 1`)
	change(`UPDATE dead_letters SET fingerprint = '', fingerprint_version = 0 WHERE error_code = 'codec'`)
	finds("without a group", "j1")
}
