package e2e

import (
	"context"
	"fmt"
	"testing"

	"recoup/models/actor"
	"recoup/models/credit"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/operation"
	"recoup/models/pricing"
	"recoup/models/rollout"
	"recoup/models/settlement"
	"recoup/models/staff"
	"recoup/models/task"
)

// The rollout that was taken back, and its action: one of its own, so that it stands in the way of no other.
const (
	dearer       = "denoising_twenty_percent_up"
	dearerAction = "denoising"
)

// takenBack is a rollout for everybody with a dearer candidate that charged the accounts, one delivered job each, and was rolled
// back.
func (w *world) takenBack(accounts ...string) {
	w.t.Helper()
	ctx := context.Background()
	w.Price(w.t, dearerAction, 1000)
	if _, err := w.Pricing.CreateRule(ctx, pricing.NewRule{OperationID: ids.New(), Actor: actor.Staff("pm"), Action: dearerAction, Unit: "second", UnitPrice: 1200,
		Rounding: credit.RoundHalfEven, Reason: "20 % up"}); err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.Rollouts.Create(ctx, rollout.NewRollout{Envelope: modeltest.Envelope(), ID: dearer, Title: "Denoising, 20 % up", Action: dearerAction,
		Candidate: dearerAction + "@v2", Stages: []pricing.Stage{{Threshold: pricing.Buckets}}, Reason: "test"}); err != nil {
		w.t.Fatal(err)
	}
	step := func(version int64, do func(context.Context, rollout.StepRequest) (operation.Outcome, error)) {
		if _, err := do(ctx, rollout.StepRequest{Envelope: modeltest.Envelope(), RolloutID: dearer, Version: version, Reason: "test"}); err != nil {
			w.t.Fatal(err)
		}
	}
	step(1, w.Rollouts.Start)
	for i, a := range accounts {
		id := fmt.Sprint("dearer-", i)
		_, err := w.Jobs.Charge(ctx, job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: a, JobID: id, Action: dearerAction, Units: 1000, Mode: job.External})
		if err == nil {
			_, err = w.Jobs.Signal(ctx, job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: a, JobID: id, Signal: job.Signal{Type: job.SignalSucceeded}})
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
	step(2, w.Rollouts.RollBack)
}

// settlementPages furnishes the world with settlements and returns their pages.
func (w *world) settlementPages() []string {
	w.t.Helper()
	w.takenBack("aurora-films", "hoshino-works")
	p := settlement.Proposal{Envelope: modeltest.Envelope(), RolloutID: dearer, Filter: settlement.Filter{Accounts: []string{"aurora-films"}}, Reason: "The price of November is taken back"}
	out, err := w.settlements.Propose(context.Background(), p)
	if err != nil || !out.Waiting {
		w.t.Fatalf("%+v %v", out, err)
	}
	list, err := w.settlements.List(context.Background(), "", nil, "older", 1)
	if err != nil || len(list.Rows) != 1 {
		w.t.Fatal(err)
	}
	at := "/settlements/" + list.Rows[0].ID
	return []string{"/settlements", "/settlements?rollout=" + dearer, "/settlements/new", "/settlements/new?rollout=" + dearer, at, at + "?account=aurora-films", at + "?outcome=excluded", "/rollouts/" + dearer}
}

// paid does the newest settlement's task, as a worker does.
func (w *world) paid() {
	w.t.Helper()
	ctx := context.Background()
	list, err := w.tasks.List(ctx, []task.Kind{settlement.Kind}, 1)
	if err != nil || len(list) != 1 {
		w.t.Fatalf("%d tasks, %v", len(list), err)
	}
	run, err := w.tasks.Take(ctx, list[0].Key, "w")
	if err != nil || run == nil {
		w.t.Fatal("the task was not taken", err)
	}
	result, err := w.settlements.Run(ctx, run)
	if err == nil {
		err = run.Finish(ctx, result)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// A settlement by three people with a browser each: product sees what the rollback left, finance proposes with the preview in
// sight, a lead approves in Japanese, and the page that finance has open tells by itself when it is paid.
func TestSettlementByThreePeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(t, "acct_7", 5000)
	w.Account(t, "acct_8", 5000)
	w.takenBack("acct_7", "acct_8")
	mika, fiona, lena := w.as(staff.Product, staff.Preferences{}), w.as(staff.Finance, staff.Preferences{}), w.as(staff.Lead, staff.Preferences{Language: "ja"})
	mika.goTo("/rollouts/" + dearer)
	mika.sees("2 delivered charges were priced by the candidate")
	if mika.truth(`document.querySelector('main a[href^="/settlements/new"]')`) {
		t.Error("product is offered to propose")
	}

	fiona.goTo("/rollouts/" + dearer)
	fiona.click(`main a[href="/settlements/new?rollout=` + dearer + `"]`)
	fiona.at("/settlements/new")
	fiona.sees("2 charges of 2 accounts: charged 2,400 credits, 2,000 under the baseline.")
	// The preview follows the form.
	fiona.click(`input[name="sign"][value="debits"]`)
	fiona.until(`document.querySelector("#preview").textContent.includes("No delivered charge is left")`)
	fiona.click(`input[name="sign"][value="credits"]`)
	fiona.until(`document.querySelector('#preview').textContent.includes('+400')`)
	fiona.accessible("the form of a settlement")
	fiona.fill("#f-reason", "The price was taken back")
	fiona.doubleClick(`#form button[data-kind="primary"]`)
	fiona.until("location.pathname.startsWith('/approvals/cr_') && document.querySelector('main h1')")
	fiona.sees("Settlement of +400 credits", "You asked for this, so somebody else decides.")
	request := eval[string](fiona, "location.pathname")
	fiona.click(`main a[href^="/settlements/stl_"]`)
	fiona.until("location.pathname.startsWith('/settlements/stl_') && document.querySelector('main h1')")
	at := eval[string](fiona, "location.pathname")

	lena.goTo(at)
	lena.click(`a[href="` + request + `/approve"]`)
	lena.until("document.querySelector('#dialog[open] #form')")
	lena.fill("#dialog #f-reason", "確認済み")
	lena.doubleClick(`#dialog button[data-kind="primary"]`)
	lena.until("location.search.includes('op=') && document.querySelector('.notice')")

	fiona.goTo(at)
	fiona.sees("It is approved and waits for a worker.")
	w.paid()
	fiona.until(`document.querySelector('#settlement-state').textContent.includes('2 jobs were paid, 0 were left out.')`)
	fiona.goTo(at + "?account=acct_7")
	fiona.sees("Jobs of acct_7", "entry 3", "+200")
	fiona.accessible("a settlement that is paid")
	if a, b := w.Balance(t, "acct_7"), w.Balance(t, "acct_8"); a != 4000 || b != 4000 {
		t.Errorf("balances %d %d after double clicks", a, b)
	}
}
