package rollout_test

import (
	"context"
	"fmt"
	"testing"

	"recoup/models/page"
	"recoup/models/rollout"
)

// However many things the checks found, each is on one page, and those of one check are not crowded out by those of another.
func TestEveryFindingIsOnAPage(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	w.draft(discount, shares(10_000, 100_000)...)
	w.must(w.rollouts.Start, discount)
	for i := range 7 {
		w.charge("acct_42", fmt.Sprintf("c%d", i))
	}
	w.damage(`UPDATE decisions SET price = price + 1`)
	if _, err := w.rollouts.Check(ctx, discount); err != nil {
		t.Fatal(err)
	}
	w.damage(`UPDATE rollout_findings SET gone_at = now() WHERE operation_id = 'c3'`)
	for _, of := range append(rollout.CheckNames(), "") {
		want := w.count(`SELECT count(*) FROM rollout_findings WHERE ? IN ('', "check")`, string(of))
		if (of == rollout.Uniqueness) != (want == 0) {
			t.Fatalf("%d findings of %q", want, of)
		}
		seen := map[string]bool{}
		var back *rollout.FindingPosition
		gone, first := false, ""
		for from := (*rollout.FindingPosition)(nil); ; {
			p, err := w.rollouts.Findings(ctx, discount, of, from, page.Older, 3)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range p.Rows {
				if of != "" && f.Check != of || gone && f.GoneAt == nil {
					t.Errorf("%q: %+v is out of place", of, f)
				}
				gone = f.GoneAt != nil
				seen[string(f.Check)+f.OperationID+f.What] = true
			}
			if from == nil && len(p.Rows) > 0 {
				first = fmt.Sprint(p.Rows)
			}
			if from, back = p.Older, p.Newer; from == nil {
				break
			}
		}
		if int64(len(seen)) != want {
			t.Errorf("%q: %d of %d findings on pages", of, len(seen), want)
		}
		for back != nil {
			p, err := w.rollouts.Findings(ctx, discount, of, back, page.Newer, 3)
			if err != nil {
				t.Fatal(err)
			}
			if back = p.Newer; back == nil && fmt.Sprint(p.Rows) != first {
				t.Errorf("%q: back at the first page there is %v", of, p.Rows)
			}
		}
	}
}
