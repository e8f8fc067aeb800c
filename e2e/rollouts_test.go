package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"recoup/models/actor"
	"recoup/models/comparison"
	"recoup/models/cost"
	"recoup/models/credit"
	"recoup/models/decimal"
	"recoup/models/horizon"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/operation"
	"recoup/models/pricing"
	"recoup/models/rollout"
	"recoup/models/staff"
)

// cheaper makes the next rule version of an action, 10 % off, and returns its id.
func (w *world) cheaper(action string) string {
	w.t.Helper()
	out, err := w.Pricing.CreateRule(context.Background(), pricing.NewRule{OperationID: ids.New(), Actor: actor.Staff("pm"), Action: action, Unit: "second",
		UnitPrice: 1000, DiscountBps: 1000, Rounding: credit.RoundHalfEven, Reason: "Ten percent off, to see whether more is rendered"})
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
	return []string{at + name, at + name + "?account=film-school", at + "ro_halted", at + "ro_draft", at + "ro_rolled_back", at + "ro_draft/start", at + "ro_draft/archive", at + name + "/pause",
		at + name + "/roll-back", at + "ro_halted/resume", jobPath("film-school", "film-3", ""), at + name + "/advance"}
}

// A rollout by three people: product makes it, starts it and is kept from widening it, first by missing data, then by a
// cost that nobody can place; finance places the cost; product widens it and takes it back. Support looks on.
func TestARolloutByThreePeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	candidate := w.cheaper(modeltest.Action)
	for _, a := range []string{"acct_7", "acct_8"} {
		w.Account(t, a, 100_000)
		w.named(a, "Ann Media", "pro")
	}
	const id, at = "ro_three", "/rollouts/ro_three"
	product, finance, support := w.as(staff.Product, staff.Preferences{}), w.as(staff.Finance, staff.Preferences{}), w.as(staff.Support, staff.Preferences{Language: "ja"})
	support.expectRefusals()
	product.expectRefusals()

	// Made and started.
	product.goTo("/rollouts")
	product.click(`a[href="/rollouts/new"]`)
	product.at("/rollouts/new")
	product.fill("#f-id", id)
	product.fill("#f-title", "Ten percent off")
	product.choose("#f-candidate", candidate)
	product.click("details > summary")
	product.fill("#f-accounts_1", "acct_7")
	product.fill("#f-threshold_2", "100000")
	product.fill("#f-min_charges", "2")
	product.fill("#f-reason", "Does a lower price bring more minutes?")
	product.click(`main form.confirm button[data-kind="primary"]`)
	product.at(at)
	product.sees("The draft is made", "it decides about nothing until it is started")
	step := func(who *tab, name, button, reason string) {
		t.Helper()
		who.goTo(at)
		who.until("document.documentElement.dataset.js === ''")
		who.click(fmt.Sprintf(`a[href="%s/%s"]`, at, name))
		who.until("document.querySelector('#dialog[open] #form') && document.activeElement.matches('#dialog [data-cancel]')")
		if reason == "" {
			return
		}
		who.fill("#dialog #f-reason", reason)
		who.doubleClick(fmt.Sprintf(`#dialog button[data-kind=%q]`, button))
		who.until("location.search.includes('op=') && document.querySelector('.notice')")
	}
	step(product, "start", "primary", "Agreed in the pricing meeting")
	product.sees("The rollout is running", "0 of 2 accounts pay")

	// Who only looks is offered no step and is refused one.
	for _, who := range []*tab{support, finance} {
		who.goTo(at)
		who.sees(id)
		if who.truth(`document.querySelector('a[href$="/advance"], a[href$="/roll-back"], a[href$="/pause"]')`) {
			t.Error("somebody who may not move a rollout is offered a step")
		}
	}
	support.goTo(at + "/advance")
	support.until("document.readyState === 'complete' && !document.querySelector('#form')")

	// Nothing was charged: the dialog says so and cannot be sent.
	step(product, "advance", "", "")
	blocked := `document.querySelector('#dialog button[data-kind="primary"]').disabled`
	product.until(blocked)
	product.sees("Uniqueness has no data.", "0 of at least 2 charges under the candidate", "more charges under the candidate come by themselves", "Checks made", "2 of 2")
	product.accessible("the blocked dialog")

	// Charged and delivered, but a cost belongs to nobody: red, halted, and finance can help.
	one := int64(1)
	for _, x := range []struct{ account, id string }{{"acct_7", "j1"}, {"acct_7", "j2"}, {"acct_8", "j3"}} {
		_, err := w.Jobs.Charge(ctx, job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: x.account, JobID: x.id, Action: modeltest.Action, Units: 60, Mode: job.External})
		if err == nil {
			_, err = w.Jobs.Signal(ctx, job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: x.account, JobID: x.id, Signal: job.Signal{Type: job.SignalSucceeded, Attempt: &one}})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	amount, err := decimal.Parse("0.0402")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	if _, err := cost.New(w.Ops).Record(ctx, cost.Batch{Envelope: modeltest.Envelope(), Source: "gpu", Records: []cost.NewRecord{
		{ExternalID: "line-1", Amount: amount, Currency: "USD", Time: now, AccountID: "acct_7", JobID: "j1"}, {ExternalID: "line-2", Amount: amount, Currency: "USD", Time: now}}}); err != nil {
		t.Fatal(err)
	}
	step(product, "advance", "", "")
	product.until(blocked)
	product.sees("Cost reconciliation failed.", "1 unattributed cost: gpu/line-2", "Finance can help")
	product.goTo(at)
	product.sees("Halted", "By Recoup: Cost reconciliation failed.")

	// Finance places it.
	finance.goTo(at)
	finance.sees("Halted", "Finance can help")
	finance.goTo("/costs?state=unattributed")
	finance.click(`#list tbody a[href^="/costs/records/"]`)
	finance.until("location.pathname.startsWith('/costs/records/')")
	finance.click(`a[href$="/attribution"]`)
	finance.until("document.querySelector('#dialog[open] #form')")
	finance.fill("#dialog #f-account", "acct_7")
	finance.fill("#dialog #f-job", "j2")
	finance.fill("#dialog #f-reason", "The provider's invoice names the job")
	finance.click(`#dialog button[data-kind="primary"]`)
	finance.sees("The record was attributed")

	// Green: resumed and widened, once, however often it is clicked.
	step(product, "resume", "primary", "Finance placed the cost")
	product.sees("The rollout is running again")
	step(product, "advance", "", "")
	product.until("!" + blocked)
	product.sees("Passed", "2 of 2", "Accounts that change to the candidate", "10 % off", "−6 in 28 days", "−18 credits")
	product.accessible("the dialog that widens")
	product.fill("#dialog #f-reason", "Quiet for a day")
	product.doubleClick(`#dialog button[data-kind="primary"]`)
	product.until("location.search.includes('op=') && document.querySelector('.notice')")
	product.sees("The rollout stands at its next stage")
	if r, err := w.Rollouts.Find(ctx, id); err != nil || r.Stage != 2 || r.State != rollout.Running {
		t.Errorf("after a double click: %+v %v", r, err)
	}
	if _, err := w.Jobs.Charge(ctx, job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "acct_8", JobID: "j4", Action: modeltest.Action, Units: 60, Mode: job.External}); err != nil {
		t.Fatal(err)
	}
	if got := w.Balance(t, "acct_8"); got != 100_000-60-54 {
		t.Errorf("acct_8 has %d", got)
	}

	// Taken back: nothing is erased, and whoever asks sees what decided each charge.
	step(product, "roll-back", "danger", "Support is asked too much")
	product.sees("The rollout is rolled back", "nothing was erased", "Support is asked too much")
	finance.goTo(jobPath("acct_8", "j4", ""))
	finance.sees(candidate, id, "Candidate", "Stage 2", "Its bucket was below the threshold of the stage")
	finance.goTo(at)
	finance.sees("Rolled back", "Quiet for a day", "Finance placed the cost")
	support.goTo(at)
	support.sees("ロールバック済み", "「費用の照合」が失敗しました", "未帰属の費用 1件：gpu/line-2")
	if body := support.body(); strings.Contains(body, "Check failed") || strings.Contains(body, "unattributed") {
		t.Errorf("English on a Japanese page:\n%s", body)
	}
}
