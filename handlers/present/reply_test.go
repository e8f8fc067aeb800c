package present

import (
	"strings"
	"testing"

	"recoup/models/job"
)

// What a person gave up had not taken too long: the customer is told so, in both languages.
func TestReplyToALateResult(t *testing.T) {
	for state, want := range map[job.State][2]string{
		job.Dead:      {"It took longer than planned", "予定より時間がかかった"},
		job.Canceled:  {"We had given it up", "いったん処理を取りやめ"},
		job.Discarded: {"We had given it up", "いったん処理を取りやめ"},
	} {
		refunded, delivered := at("2026-11-30T10:00:00Z"), at("2026-11-30T11:30:00Z")
		j := job.Listed{Job: job.Job{ID: "j1", Action: "video_render", State: job.Succeeded, Cost: 40, IsRefunded: true, IsReclaimed: true, RefundedAt: &refunded, ReclaimedAt: &delivered,
			DeliveredAt: &delivered, LateSuccessOf: ref(state)}}
		for i, r := range english().replies(JobPage{Job: j}) {
			if !strings.Contains(r.Text, want[i]) || !strings.Contains(r.Text, "40") || !strings.Contains(r.Text, "j1") || strings.Contains(r.Text, "{") {
				t.Errorf("%s: %s", state, r.Text)
			}
			for s, other := range map[job.State][2]string{job.Dead: {"longer", "予定より"}, job.Canceled: {"given it up", "取りやめ"}} {
				if (s == job.Dead) != (state == job.Dead) && strings.Contains(r.Text, other[i]) {
					t.Errorf("%s: %s", state, r.Text)
				}
			}
		}
	}
}
