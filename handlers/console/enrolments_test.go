package console_test

import (
	"context"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"testing"

	"recoup/models/ids"
	"recoup/models/modeltest"
	"recoup/models/pricing"
	"recoup/models/rollout"
	"recoup/models/staff"
)

// An account’s page tells which rollouts enrolled it and what it pays; a rollout’s, which accounts it enrolled, page by page.
func TestWhoIsEnrolledInWhat(t *testing.T) {
	w := newWorld(t)
	w.furnishRollouts()
	ctx := context.Background()
	zero, one := int64(0), int64(1)
	const everybody = "ro_everybody"
	create := rollout.NewRollout{Envelope: modeltest.Envelope(), ID: everybody, Title: "For everybody", Action: modeltest.Action, Candidate: modeltest.Action + "@v2", MinCharges: &one, MinCostsBps: &zero,
		Stages: []pricing.Stage{{Threshold: pricing.Buckets}}, Reason: "x"}
	if _, err := w.Rollouts.Create(ctx, create); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Rollouts.Start(ctx, rollout.StepRequest{Envelope: modeltest.Envelope(), RolloutID: everybody, Version: 1, Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	const accounts = 52
	for i := range accounts {
		id := fmt.Sprintf("acct_%02d", i)
		w.Account(t, id, 100)
		if i > 0 {
			w.Charge(t, id, "j1", 10)
		}
	}
	b := w.as(staff.Support)
	w.saysNot(b.page("/accounts/acct_00"), "Rollouts it is enrolled in")
	w.says(b.page("/accounts/acct_07"), "Rollouts it is enrolled in", everybody, "For everybody", "Running", modeltest.Action+"@v2", "Stage 1", "Its bucket was below the threshold of the stage")

	w.says(b.page("/rollouts/"+everybody), "51 accounts enrolled")
	seen := map[string]bool{}
	next := "/rollouts/" + everybody + "/accounts"
	pages := 0
	for ; next != "" && pages < 9; pages++ {
		page := b.page(next)
		for _, found := range regexp.MustCompile(`href="/accounts/(acct_\d\d)"`).FindAllStringSubmatch(page, -1) {
			if seen[found[1]] {
				t.Errorf("%s is listed twice", found[1])
			}
			seen[found[1]] = true
		}
		next = ""
		if older := regexp.MustCompile(`href="([^"]+)" rel="next"`).FindStringSubmatch(page); older != nil {
			next = html.UnescapeString(older[1])
		}
	}
	if len(seen) != accounts-1 || seen["acct_00"] || pages < 2 {
		t.Errorf("%d of %d accounts on %d pages", len(seen), accounts-1, pages)
	}

	at := "/rollouts/" + everybody + "/roll-back"
	pm := w.as(staff.Product)
	pm.sent(at, url.Values{"operation_id": {ids.New()}, "version": {hidden(t, pm.page(at), "version")}, "reason": {"because"}})
	page := b.page("/accounts/acct_07")
	w.says(page, "Rolled back", "The same as everybody")
}
