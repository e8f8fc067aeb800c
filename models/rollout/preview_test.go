package rollout_test

import (
	"context"
	"testing"

	"recoup/models/fault"
	"recoup/models/modeltest"
)

// PreviewAll says of each action what Preview says of it, leaves out what is not for sale, and writes nothing.
func TestPreviewAllIsPreviewOfEachAction(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	w.Price(t, "transcription", 250)
	w.draft(discount, shares(10_000)...)
	w.must(w.rollouts.Start, discount)
	for account, rule := range map[string]string{"acct_42": v2, "acct_1001": v1} {
		all, err := w.Pricing.PreviewAll(ctx, account, 60)
		if err != nil {
			t.Fatal(err)
		}
		if len(all) != 2 || all[0].Action != modeltest.Action && all[1].Action != modeltest.Action {
			t.Fatalf("%s: %+v", account, all)
		}
		for _, p := range all {
			one, err := w.Pricing.Preview(ctx, account, p.Action, 60)
			if err != nil || p.Err != nil {
				t.Fatal(err, p.Err)
			}
			if one.RuleVersion != p.Decision.RuleVersion || one.Price != p.Decision.Price || one.Reason != p.Decision.Reason || one.Cohort != p.Decision.Cohort {
				t.Errorf("%s, %s: %+v, alone %+v", account, p.Action, p.Decision, one)
			}
			if p.Action == modeltest.Action && one.RuleVersion != rule {
				t.Errorf("%s: %s, want %s", account, one.RuleVersion, rule)
			}
		}
	}
	if _, err := w.Pricing.PreviewAll(ctx, "nobody", 1); !fault.Is(err, fault.CodeAccountNotFound) {
		t.Errorf("nobody: %v", err)
	}
	if _, err := w.Pricing.PreviewAll(ctx, "acct_42", 0); !fault.Is(err, fault.CodeInvalid) {
		t.Errorf("0 units: %v", err)
	}
	for _, table := range []string{"enrolments", "decisions"} {
		var n int64
		if err := w.G.Table(table).Count(&n).Error; err != nil || n != 0 {
			t.Errorf("%d rows in %s, %v", n, table, err)
		}
	}
	// So many units that one action's cost does not fit refuse that action alone.
	w.Price(t, modeltest.Action+"_dear", 1<<40)
	all, err := w.Pricing.PreviewAll(ctx, "acct_1001", 1<<62)
	if err != nil {
		t.Fatal(err)
	}
	refused := map[string]bool{}
	for _, p := range all {
		refused[p.Action] = fault.Is(p.Err, fault.CodeInvalid)
	}
	if len(all) != 3 || refused["transcription"] || !refused[modeltest.Action+"_dear"] {
		t.Errorf("%v", refused)
	}
	if err := w.G.Exec(`UPDATE actions SET retired_at = now()`).Error; err != nil {
		t.Fatal(err)
	}
	if all, err = w.Pricing.PreviewAll(ctx, "acct_1001", 1); err != nil || len(all) != 0 {
		t.Errorf("all retired: %v %v", all, err)
	}
}
