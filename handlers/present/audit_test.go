package present

import (
	"testing"
	"time"

	"recoup/models/audit"
	"recoup/views/text"
)

// A row of the audit log says in the reader's language what changed: the names of members, states and counts; what no word is
// known for stands as it was recorded.
func TestAuditRow(t *testing.T) {
	doc := func(s string) *string { return &s }
	japanese := Presenter{L: text.Locale{Lang: text.Japanese, Zone: time.UTC}, Now: time.Unix(1800000000, 0)}
	english := Presenter{L: text.Locale{Lang: text.English, Zone: time.UTC}, Now: japanese.Now}
	for name, c := range map[string]struct {
		row                  audit.Stored
		url                  string
		label, before, after [2]string // English, Japanese
	}{
		"a step of a rollout": {audit.Stored{Action: "halt_rollout", Object: "rollout:r 1", Before: doc(`{"state":"running"}`), After: doc(`{"state":"halted"}`)},
			"/rollouts/r%201", [2]string{"state", "状態"}, [2]string{"Running", "実行中"}, [2]string{"Halted", "停止"}},
		"a breaker": {audit.Stored{Action: "breaker_opened", Object: "dependency:farm", After: doc(`{"state":"open"}`)},
			"/dependencies/farm", [2]string{"state", "状態"}, [2]string{}, [2]string{"Open", "遮断中"}},
		"a change request": {audit.Stored{Action: "propose", Object: "change_request:cr_1", After: doc(`{"state":"open"}`)},
			"/approvals/cr_1", [2]string{"state", "状態"}, [2]string{}, [2]string{"Open", "承認待ち"}},
		"more credits than 64 bits": {audit.Stored{Action: "x", Object: "costs:", Before: doc(`{"credits":-99999999999999999999}`), After: doc(`{"credits":1234}`)},
			"", [2]string{"credits", "クレジット"}, [2]string{"−99,999,999,999,999,999,999", "−99,999,999,999,999,999,999"}, [2]string{"1,234", "1,234"}},
		"a member of a newer release": {audit.Stored{Action: "x", Object: "account:a", After: doc(`{"novel_thing":"1234"}`)},
			"/accounts/a", [2]string{"novel_thing", "novel_thing"}, [2]string{}, [2]string{"1234", "1234"}},
	} {
		t.Run(name, func(t *testing.T) {
			for i, p := range []Presenter{english, japanese} {
				row := p.AuditRow(c.row)
				if row.Object.URL != c.url {
					t.Errorf("the object leads to %q, want %q", row.Object.URL, c.url)
				}
				if len(row.Changes) != 1 {
					t.Fatalf("changes %+v", row.Changes)
				}
				if got := row.Changes[0]; got.Label != c.label[i] || got.Before != c.before[i] || got.After != c.after[i] {
					t.Errorf("%+v, want %s %s → %s", got, c.label[i], c.before[i], c.after[i])
				}
			}
		})
	}
}
