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

// What was canceled, or discarded because the customer asked, has not failed. Of a job that costs nothing there is no money to tell of.
func TestReplyToWhatWasNotToBe(t *testing.T) {
	refunded, delivered := at("2026-11-30T10:00:00Z"), at("2026-11-30T11:30:00Z")
	failed, canceled := [2]string{"could not be completed", "完了できませんでした"}, [2]string{"was canceled", "取り消されました"}
	done, working := [2]string{"is complete.", "は完了しました"}, [2]string{"is being worked on", "は処理中です"}
	for name, x := range map[string]struct {
		job  job.Job
		want [2]string
	}{
		"dead":                            {job.Job{State: job.Dead, IsRefunded: true, RefundedAt: &refunded}, failed},
		"canceled":                        {job.Job{State: job.Canceled, IsRefunded: true, RefundedAt: &refunded}, canceled},
		"discarded, the customer asked":   {job.Job{State: job.Discarded, Resolution: "customer_asked", IsRefunded: true, RefundedAt: &refunded}, canceled},
		"discarded, the input was bad":    {job.Job{State: job.Discarded, Resolution: "bad_input", IsRefunded: true, RefundedAt: &refunded}, failed},
		"queued":                          {job.Job{State: job.Queued}, working},
		"retrying":                        {job.Job{State: job.Retrying, IsRefunded: true, RefundedAt: &refunded}, [2]string{"trying it again", "再度処理して"}},
		"delivered":                       {job.Job{State: job.Succeeded, DeliveredAt: &delivered}, done},
		"delivered late":                  {job.Job{State: job.Succeeded, IsRefunded: true, RefundedAt: &refunded, IsReclaimed: true, ReclaimedAt: &delivered, DeliveredAt: &delivered}, done},
		"delivered after it was given up": {job.Job{State: job.Succeeded, IsRefunded: true, RefundedAt: &refunded, IsReclaimed: true, ReclaimedAt: &delivered, DeliveredAt: &delivered, LateSuccessOf: ref(job.Canceled)}, done},
	} {
		for _, cost := range []int64{40, 0} {
			j := job.Listed{Job: x.job}
			j.ID, j.Action, j.Cost = "j1", "video_render", cost
			for i, r := range english().replies(JobPage{Job: j}) {
				if !strings.Contains(r.Text, x.want[i]) || !strings.Contains(r.Text, "j1") || strings.Contains(r.Text, "{") {
					t.Errorf("%s at %d: %s", name, cost, r.Text)
				}
				if (cost == 0) == (strings.Contains(r.Text, "credit") || strings.Contains(r.Text, "クレジット")) {
					t.Errorf("%s at %d: money: %s", name, cost, r.Text)
				}
			}
		}
	}
}
