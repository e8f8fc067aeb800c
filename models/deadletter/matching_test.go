package deadletter_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"recoup/models/deadletter"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/modeltest"
)

// What tallies add up to is what the list has, whatever is out of sight: by itself, with its group, or of a death that has no
// group yet.
func TestTalliesCountWhatTheListHas(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	ctx := context.Background()
	who := person(t, m, 1)
	codes := []string{"gpu_lost", "disk_full", "codec_error"}
	for a := range 2 {
		m.Account(t, fmt.Sprintf("a%d", a), 100_000)
		for j := range 6 {
			die(t, m, fmt.Sprintf("a%d", a), fmt.Sprintf("a%d-%d", a, j), 10, codes[j%3], []string{"stopped", "burnt"}[j/3], "w1")
		}
	}
	tomorrow := time.Now().Add(24 * time.Hour)
	if _, err := m.Letters.Snooze(ctx, deadletter.SnoozeRequest{Request: of(who, "a0", "a0-0"), Until: &tomorrow}); err != nil {
		t.Fatal(err)
	}
	var groups []string
	if err := m.G.Raw(`SELECT DISTINCT fingerprint FROM dead_letters WHERE error_code = 'disk_full' ORDER BY 1`).Scan(&groups).Error; err != nil || len(groups) != 2 {
		t.Fatalf("%v %v", groups, err)
	}
	_, err := m.Letters.SnoozeGroup(ctx, deadletter.GroupRequest{Envelope: ledger.Envelope{OperationID: ids.New(), Actor: who}, Fingerprint: groups[0], More: 100})
	if err != nil {
		t.Fatal(err)
	}
	// As a program from before there were groups left it.
	if err := m.G.Exec(`UPDATE dead_letters SET fingerprint = '', fingerprint_version = 0 WHERE job_key = (SELECT key FROM jobs WHERE id = 'a1-2')`).Error; err != nil {
		t.Fatal(err)
	}
	filters := []deadletter.Filter{{}, {Action: modeltest.Action}, {Action: "other"}, {ErrorCode: "gpu_lost"}, {ErrorCode: "disk_full"}, {ErrorCode: "codec_error"},
		{Fingerprints: groups}, {Fingerprints: groups[:1]}, {ErrorCode: "gpu_lost", Dependency: "nothing"}, {ErrorText: "burnt"}, {Account: "a0", ErrorCode: "gpu_lost"}}
	seen := map[int64]bool{}
	for _, tab := range []deadletter.Tab{deadletter.Review, deadletter.Open, deadletter.Snoozed, deadletter.Closed} {
		for _, f := range filters {
			want := int64(len(listed(t, m, tab, f)))
			got, more, err := m.Letters.CountMatching(ctx, tab, f, 100)
			if err != nil || got != want || more {
				t.Errorf("%s %+v: %d, more %v, %v, the list has %d", tab, f, got, more, err, want)
			}
			seen[want] = true
			// Where it stops it says so.
			if got, more, err := m.Letters.CountMatching(ctx, tab, f, 1); err != nil || got != want && (got != 1 || !more || want < 1) {
				t.Errorf("%s %+v up to 1: %d, more %v, %v", tab, f, got, more, err)
			}
		}
	}
	if len(seen) < 5 {
		t.Errorf("all counts are among %v: the test shows little", seen)
	}
}
