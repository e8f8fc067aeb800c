package cost_test

import (
	"context"
	"testing"

	"recoup/models/cost"
	"recoup/models/modeltest"
)

// A bill may come before the charge it is for: once the job is there, its cost is put down to it, by the system and once. What
// somebody has decided meanwhile stays.
func TestACostThatOvertookItsCharge(t *testing.T) {
	b := newBooks(t)
	ctx := context.Background()
	b.record("farm", rec("early", "1", ofJob("acct_7", "tomorrow")), rec("judged", "1", ofJob("acct_7", "tomorrow")), rec("never", "1", ofJob("acct_7", "nothing")), rec("silent", "1"))
	look := func(want int64) {
		t.Helper()
		if n, err := b.costs.AttributeLate(ctx); err != nil || n != want {
			t.Fatalf("put down %d, want %d: %v", n, want, err)
		}
	}
	look(0)
	if r := b.one("early"); r.State != cost.Unattributed {
		t.Fatalf("%+v", r)
	}
	for _, to := range []string{"j1", ""} {
		if err := b.attribute(b.one("judged"), account(to), to, "as the provider says"); err != nil {
			t.Fatal(err)
		}
	}
	b.Charge(t, "acct_7", "tomorrow", 40)
	look(1)
	look(0)
	r := b.one("early")
	if r.State != cost.Attributed || *r.ToJobID != "tomorrow" || r.Seq != 2 || *r.KnownAction != modeltest.Action {
		t.Errorf("%+v", r)
	}
	history, err := b.costs.History(ctx, r.Key)
	if err != nil || len(history) != 2 {
		t.Fatalf("%v %v", history, err)
	}
	for _, h := range history {
		if h.Seq == 2 && (h.Cause != "came_later" || h.Actor != "system") {
			t.Errorf("%+v", h)
		}
	}
	for _, id := range []string{"judged", "never", "silent"} {
		if r := b.one(id); r.State != cost.Unattributed {
			t.Errorf("%s: %+v", id, r)
		}
	}
}

// account is the account of a job, none for no job.
func account(job string) string {
	if job == "" {
		return ""
	}
	return "acct_7"
}
