package console_test

import (
	"context"
	"fmt"
	"net/url"
	"testing"

	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/staff"
)

// TestHeldIsSaid: the page of a job and the form of a bulk requeue say what holds the work, since when and what happens
// next, whoever or whatever holds it.
func TestHeldIsSaid(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 1000)
	s := w.as(staff.Support)
	fails := func(class string, ids ...string) {
		t.Helper()
		for _, c := range w.Claim(t, 100) {
			if _, err := w.Jobs.Fail(context.Background(), job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: c.LeaseToken, Class: class, Code: "E_FARM"}); err != nil {
				t.Fatal(err)
			}
		}
		for _, id := range ids {
			if w.count(`SELECT count(*) FROM jobs WHERE id = ? AND state IN ('dead', 'retrying')`, id) != 1 {
				t.Fatalf("%s did not fail", id)
			}
		}
	}
	w.chargeOn("acct_7", "d1", "render-farm")
	w.chargeOn("acct_7", "d2", "render-farm")
	w.chargeOn("acct_7", "d3", "")
	fails(job.Permanent, "d1", "d2", "d3")
	prepared := func() string {
		t.Helper()
		form := formOf(t, s.page("/dead-letters"), worksAt)
		form.Set("kind", "requeue")
		for _, m := range box.FindAllStringSubmatch(s.page("/dead-letters"), -1) {
			form.Add("row", m[1])
		}
		return worksAt + "/" + s.prepared(w, form) + "/start"
	}
	set := prepared()
	w.says(s.page(set), "Requeue 3 dead letters", "render-farm", "No named dependency")
	w.saysNot(s.page(set), "would not run at once")

	const j1, farm = "/accounts/acct_7/jobs/j1", "/dependencies/render-farm"
	w.chargeOn("acct_7", "j1", "render-farm")
	w.chargeOn("acct_7", "free", "")
	w.round()
	w.saysNot(s.page(j1), "This job is held")
	s.sent(farm+"/hold", s.form(farm+"/hold", "reason", "the vendor called"))
	w.says(s.page(j1), "This job is held", "Pat support holds render-farm since", "“the vendor called”", "until somebody releases it", "If it still waits at", "is refunded")
	w.saysNot(s.page("/accounts/acct_7/jobs/free"), "This job is held")
	w.saysNot(s.page("/accounts/acct_7/jobs/d1"), "This job is held")
	w.says(s.page(set), "2 jobs of this set would not run at once", "Pat support holds render-farm since", "The first few come back only when they have run")

	s.sent("/queue/hold", s.form("/queue/hold", "action", modeltest.Action, "reason", "a bad model"))
	w.says(s.page(j1), "Pat support holds the action video_render since", "Pat support holds render-farm since")
	w.says(s.page(set), "3 jobs of this set would not run at once")
	const release = "/queue/actions/" + modeltest.Action + "/release"
	s.sent(release, s.form(release, "reason", "a good one", "per_minute", "600"))
	s.sent(farm+"/release", s.form(farm+"/release", "reason", "back", "per_minute", "600"))
	w.says(s.page(j1), "This job waits for its turn", "What waited for render-farm is being released since", "at most 600 a minute")
	w.saysNot(s.page(j1), "This job is held")

	// The farm fails, and its breaker opens: what failed waits for a next try that will be held.
	for i := range 30 {
		w.chargeOn("acct_7", fmt.Sprint("b", i), "render-farm")
	}
	w.round()
	for range 5 {
		fails(job.Transient)
		if err := w.G.Exec(`UPDATE holds SET paced_at = paced_at - interval '1 minute'`).Error; err != nil {
			t.Fatal(err)
		}
	}
	w.round()
	w.says(s.page(j1), "Its next try will be held", "The breaker of render-farm is open since", "to try. If they succeed, the others follow", "It is refunded already.")
	w.says(s.page(set), "2 jobs of this set would not run at once", "The breaker of render-farm is open since")
	ja := w.as(staff.Lead)
	ja.post("/preferences", url.Values{"lang": {"ja"}})
	w.says(ja.page(j1), "次の試行は保留されます")
}
