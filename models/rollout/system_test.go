package rollout_test

import (
	"context"
	"testing"

	"recoup/models/operation"
	"recoup/models/rollout"
)

// red lets a cost be unattributed, which turns check 3 red.
func (w *world) red() {
	w.t.Helper()
	w.costs.Unattributed, w.costs.Names = 1, []string{"aws/line-1"}
}

// Whoever may move a rollout can choose any operation id, also the one that a halt would have: the halt happens all the same.
func TestNobodyTakesTheIdOfAHalt(t *testing.T) {
	w := newWorld(t)
	w.into(discount, rollout.Running)
	ctx := context.Background()
	step := func(do stepFunc, id string) {
		t.Helper()
		_, err := do(ctx, rollout.StepRequest{Envelope: by(id), RolloutID: discount, Version: w.state(discount).Version, Reason: "test"})
		if err != nil {
			t.Fatal(err)
		}
	}
	step(w.rollouts.Pause, "halt:4")
	step(w.rollouts.Resume, "halt:5")
	w.red()
	if _, err := w.rollouts.Check(ctx, discount); err != nil {
		t.Fatal(err)
	}
	r := w.state(discount)
	if r.State != rollout.Halted || r.Version != 5 {
		t.Fatalf("%s, version %d, though a check is red", r.State, r.Version)
	}
	// The history says in which scope each operation is, so that its page can be found.
	history, err := w.rollouts.History(ctx, discount)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range history {
		if _, _, err := w.Ops.Find(ctx, operation.ParseScope(e.Scope), e.OperationID); err != nil {
			t.Errorf("%s: operation %q in scope %q: %v", e.Kind, e.OperationID, e.Scope, err)
		}
	}
	if h := history[0]; h.Code != rollout.CodeCheckFailed || h.Actor != "system" {
		t.Errorf("the halt is %q by %s", h.Code, h.Actor)
	}
}

// A halt that was made before halts had a scope of their own is still the halt of its version.
func TestAHaltOfBeforeIsReplayed(t *testing.T) {
	w := newWorld(t)
	w.into(discount, rollout.Running)
	ctx := context.Background()
	version := w.state(discount).Version
	first, err := w.rollouts.Halt(ctx, discount, version, rollout.Checks{})
	if err != nil || first.Replayed {
		t.Fatal(first, err)
	}
	err = w.G.Exec(`ALTER TABLE rollout_events DISABLE TRIGGER USER; UPDATE rollout_events SET scope = NULL; ALTER TABLE rollout_events ENABLE TRIGGER USER;
		ALTER TABLE operations DISABLE TRIGGER USER; UPDATE operations SET scope = 'rollout:` + discount + `' WHERE kind = 'halt_rollout'; ALTER TABLE operations ENABLE TRIGGER USER`).Error
	if err != nil {
		t.Fatal(err)
	}
	again, err := w.rollouts.Halt(ctx, discount, version, rollout.Checks{})
	if err != nil || !again.Replayed || string(again.Result) != string(first.Result) {
		t.Errorf("replayed %t, %s, %v", again.Replayed, again.Result, err)
	}
	history, err := w.rollouts.History(ctx, discount)
	if err != nil || history[0].Scope != "rollout:"+discount || history[len(history)-1].Scope != "rollouts" {
		t.Errorf("%+v %v", history, err)
	}
}
