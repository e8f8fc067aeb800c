package e2e

import (
	"context"
	"fmt"
	"time"

	"recoup/models/actor"
	"recoup/models/comparison"
	"recoup/models/credit"
	"recoup/models/horizon"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/operation"
	"recoup/models/pricing"
	"recoup/models/rollout"
)

// cheaper makes the next rule version of an action, 10 % off, and returns its id.
func (w *world) cheaper(action string) string {
	w.t.Helper()
	return w.nextRule(action, 1000, 1000, "Ten percent off, to see whether more is rendered")
}

// nextRule makes the next rule version of an action and returns its id.
func (w *world) nextRule(action string, unitPrice, discountBps int64, reason string) string {
	w.t.Helper()
	out, err := w.Pricing.CreateRule(context.Background(), pricing.NewRule{OperationID: ids.New(), Actor: actor.Staff("pm"), Action: action, Unit: "second",
		UnitPrice: unitPrice, DiscountBps: discountBps, Rounding: credit.RoundHalfEven, Reason: reason})
	var made pricing.RuleResult
	if err != nil || out.Decode(&made) != nil {
		w.t.Fatal(err)
	}
	return made.RuleVersion
}

// stepped makes one step of a rollout from the version it has.
func (w *world) stepped(id string, do func(context.Context, rollout.StepRequest) (operation.Outcome, error)) {
	w.t.Helper()
	r, err := w.Rollouts.Find(context.Background(), id)
	if err == nil {
		_, err = do(context.Background(), rollout.StepRequest{Envelope: ledger.Envelope{OperationID: ids.New(), Actor: actor.Staff("pm")}, RolloutID: id, Version: r.Version,
			Reason: "Agreed with finance in the pricing meeting of 28 November"})
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// rolloutPages makes rollouts in every state that a page can show, and returns their pages and dialogs. The dialog that
// widens comes last: it makes the checks.
func (w *world) rolloutPages() []string {
	w.t.Helper()
	ctx := context.Background()
	must := func(err error) {
		w.t.Helper()
		if err != nil {
			w.t.Fatal(err)
		}
	}
	w.Account(w.t, "film-school", 1_000_000)
	draft := func(id, action string) {
		candidate := w.cheaper(action)
		_, err := w.Rollouts.Create(ctx, rollout.NewRollout{Envelope: ledger.Envelope{OperationID: ids.New(), Actor: actor.Staff("pm")}, ID: id, Title: "Ten percent off for those who render much",
			Action: action, Candidate: candidate, Reason: "Does a lower price bring more minutes?", Stages: []pricing.Stage{
				{Segment: pricing.Segment{Accounts: []string{"film-school"}}}, {Threshold: 25_000, Segment: pricing.Segment{Plans: []string{"pro", "studio"}, Attributes: map[string]string{"beta": "yes"}}, MinDwellS: 86_400}, {Threshold: 100_000}}})
		must(err)
	}
	for _, action := range []string{"captioning", "upscaling", "dubbing"} {
		w.Price(w.t, action, 1000)
	}
	draft("ro_2026_video_render_ten_percent_off", modeltest.Action)
	draft("ro_halted", "captioning")
	draft("ro_draft", "upscaling")
	draft("ro_rolled_back", "dubbing")
	for _, id := range []string{"ro_2026_video_render_ten_percent_off", "ro_halted", "ro_rolled_back"} {
		w.stepped(id, w.Rollouts.Start)
	}
	for i := range 30 {
		w.Charge(w.t, "film-school", fmt.Sprintf("film-%d", i), int64(600+i))
	}
	w.stepped("ro_rolled_back", w.Rollouts.RollBack)
	halted, err := w.Rollouts.Find(ctx, "ro_halted")
	must(err)
	_, err = w.Rollouts.Halt(ctx, "ro_halted", halted.Version, rollout.Checks{At: time.Now(), All: []rollout.Check{{Name: rollout.Uniqueness, Outcome: rollout.Pass},
		{Name: rollout.Consistency, Outcome: rollout.Fail, Found: 1, Example: &rollout.Example{What: "entry_price:12", OperationID: ids.New(), Expected: "54|captioning@v2", Found: "60|captioning@v1"}},
		{Name: rollout.Reconciliation, Outcome: rollout.Fail, Found: 2, Unattributed: 2, Costs: []string{"gpu-cloud/line-2026-11-24-000017", "gpu-cloud/line-2026-11-24-000018"}}}})
	must(err)
	_, err = horizon.Settle(ctx, w.G)
	must(err)
	live, err := w.Rollouts.Live(ctx)
	must(err)
	must(comparison.New(w.G, 0).Refresh(ctx, live))
	_, err = w.Rollouts.Check(ctx, "ro_2026_video_render_ten_percent_off")
	must(err)
	const at, name = "/rollouts/", "ro_2026_video_render_ten_percent_off"
	return []string{at + name, at + name + "?account=film-school", at + name + "/accounts", at + "ro_draft/accounts", "/accounts/film-school", at + "ro_halted", at + "ro_draft", at + "ro_rolled_back", at + "ro_draft/start", at + "ro_draft/archive", at + name + "/pause",
		at + name + "/roll-back", at + "ro_halted/resume", jobPath("film-school", "film-3", ""), at + name + "/advance"}
}
