package e2e

import (
	"context"
	"fmt"

	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/operation"
	"recoup/models/pricing"
	"recoup/models/rollout"
	"recoup/models/settlement"
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
	candidate := w.nextRule(dearerAction, 1200, 0, "20 % up")
	if _, err := w.Rollouts.Create(ctx, rollout.NewRollout{Envelope: modeltest.Envelope(), ID: dearer, Title: "Denoising, 20 % up", Action: dearerAction,
		Candidate: candidate, Stages: []pricing.Stage{{Threshold: pricing.Buckets}}, Reason: "test"}); err != nil {
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
