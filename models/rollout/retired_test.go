package rollout_test

import (
	"context"
	"strings"
	"testing"

	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/modeltest"
	"recoup/models/pricing"
	"recoup/models/rollout"
)

// A draft whose action was retired meanwhile is not started, neither by a person nor by a clock, and the reason is said.
func TestADraftOfARetiredActionIsNotStarted(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	w.draft(discount, shares(100_000)...)
	planned := w.planned(rollout.StepStart, 0)
	if _, err := w.Pricing.RetireAction(ctx, pricing.RetireRequest{OperationID: ids.New(), Actor: by("").Actor, ID: modeltest.Action, Reason: "not sold any more"}); err != nil {
		t.Fatal(err)
	}
	because := func(what string, err error) {
		t.Helper()
		if f := fault.As(err); f == nil || f.Code != fault.CodeStateConflict || f.Detail[fault.DetailWhy] != pricing.WhyActionRetired || f.Detail["action"] != modeltest.Action {
			t.Errorf("%s: %v", what, err)
		}
	}
	because("start", w.step(w.rollouts.Start, discount))
	_, err := w.schedule(rollout.StepStart, 0)
	because("scheduling", err)
	w.due()
	w.fire()
	if s := w.stands(planned); s.State != rollout.Refused || s.EndDetail == nil || !strings.Contains(*s.EndDetail, pricing.WhyActionRetired) {
		t.Errorf("by the clock: %+v", s)
	}
	if r := w.state(discount); r.State != rollout.Draft || r.Version != 1 {
		t.Errorf("%+v", r)
	}
}

// Accounts exist by PUT alone, and a stage that names one which does not is refused by name, whoever asks.
func TestStagesNameAccountsThatThereAre(t *testing.T) {
	w := newWorld(t)
	named := func(accounts ...string) pricing.Stage {
		return pricing.Stage{Segment: pricing.Segment{Accounts: accounts}}
	}
	_, err := w.rollouts.Create(context.Background(), rollout.NewRollout{Envelope: by(ids.New()), ID: discount, Action: modeltest.Action, Candidate: v2, Reason: "x",
		Stages: []pricing.Stage{named("acct_42"), named("acct_1", "acct_01", "Acct_1"), named("nobody")}})
	f := fault.As(err)
	if f == nil || f.Code != fault.CodeInvalid || len(f.Fields) != 2 || f.Fields[0].Name != "stages[2].segment.accounts" || !strings.HasSuffix(f.Fields[0].Message, ": acct_01, Acct_1") ||
		f.Fields[1].Name != "stages[3].segment.accounts" || !strings.HasSuffix(f.Fields[1].Message, ": nobody") {
		t.Errorf("%v", err)
	}
	if n := w.count(`SELECT count(*) FROM rollouts`); n != 0 {
		t.Errorf("%d rollouts", n)
	}
	w.draft(discount, named("acct_42"), named("acct_1"))
}
