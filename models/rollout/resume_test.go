package rollout_test

import (
	"context"
	"testing"

	"recoup/models/fault"
	"recoup/models/rollout"
)

// A rollout that is halted before anybody was charged under its candidate lets nobody in, so charges cannot come: it
// resumes once nothing is red, and an advance asks for them then. What a person can bring while it is halted, the costs of
// what was delivered, is asked for.
func TestARolloutHaltedBeforeItsChargesResumes(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	w.draft(discount, shares(100_000, 100_000)...)
	w.must(w.rollouts.Start, discount)
	w.costs = rollout.Costs{Unattributed: 1, Names: []string{"farm/a"}, Keys: []int64{1}}
	if _, err := w.rollouts.Check(ctx, discount); err != nil {
		t.Fatal(err)
	}
	refused := func(what string, do stepFunc, state rollout.State) {
		t.Helper()
		if err := w.step(do, discount); !fault.Is(err, fault.CodeChecksNotPassed) || w.state(discount).State != state {
			t.Errorf("%s: %v, %s", what, err, w.state(discount).State)
		}
	}
	refused("resumed over a red check", w.rollouts.Resume, rollout.Halted)
	w.costs = rollout.Costs{Delivered: 3, Known: 1}
	refused("resumed with the costs of one of three known", w.rollouts.Resume, rollout.Halted)
	w.costs = rollout.Costs{}
	w.must(w.rollouts.Resume, discount)
	refused("advanced without a charge", w.rollouts.Advance, rollout.Running)
	if _, v := w.charge("acct_1", "c1"); under(v) != candidate {
		t.Errorf("after the resume: %s", under(v))
	}
}
