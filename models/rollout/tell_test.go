package rollout_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"recoup/models/actor"
	"recoup/models/inbox"
	"recoup/models/page"
	"recoup/models/rollout"
	"recoup/models/staff"
)

// follower is a person who follows the rollout.
func (w *world) follower() actor.Actor {
	w.t.Helper()
	s := staff.New(w.G, staff.Options{Hash: staff.HashParams{MemoryKiB: 64, Passes: 1, Lanes: 1}})
	p, err := s.CreateStaff(context.Background(), staff.By{Actor: actor.System()}, staff.NewPerson{Email: "f@recoup.test", Name: "F", Role: staff.Product, Password: "a password of tests"})
	if err != nil {
		w.t.Fatal(err)
	}
	if err := inbox.New(w.G).Follow(context.Background(), rollout.Topic(discount), p.Actor()); err != nil {
		w.t.Fatal(err)
	}
	return p.Actor()
}

// told is what a person was told, in order: code and what happened.
func (w *world) told(who actor.Actor) (out []string) {
	w.t.Helper()
	list, err := inbox.New(w.G).List(context.Background(), who, false, nil, page.Older, 100)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, m := range slices.Backward(list.Rows) {
		var d struct{ Event, State, Code string }
		if err := json.Unmarshal([]byte(m.Detail), &d); err != nil {
			w.t.Fatal(err)
		}
		if _, _, err := w.Ops.Find(context.Background(), scopeOf(m.Scope), m.OperationID); err != nil {
			w.t.Errorf("%s: %v", m.Code, err)
		}
		out = append(out, fmt.Sprint(m.Code, " ", d.Event, " ", d.State, " ", d.Code))
	}
	return out
}

// Whoever follows a rollout is told of halts, scheduled steps, approvals and the cap, once each.
func TestWhoFollowsIsTold(t *testing.T) {
	w := newWorld(t)
	w.agreed(above(10_000), shares(10_000, 100_000)...)
	mei := w.follower()
	w.must(w.rollouts.Start, discount)
	w.charge("acct_42", "c1")
	cr := w.asks(w.rollouts.Advance, "wider", nil)
	w.must(w.rollouts.Pause, discount)
	w.must(w.rollouts.Resume, discount)
	if _, err := w.approve(cr, "lena"); err == nil {
		t.Fatal("approved though it has moved")
	}
	w.planned(rollout.StepComplete, 0)
	w.red()
	for range 3 {
		if _, err := w.rollouts.Check(context.Background(), discount); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"rollout_step started running ", "approval_asked  open ", "approval_decided  voided rollout_moved", "rollout_step paused paused ", "rollout_step resumed running ",
		"rollout_scheduled  cancelled halted", "rollout_step halted halted check_failed"}
	if got := w.told(mei); !slices.Equal(got, want) {
		t.Errorf("told %q", got)
	}
}

func TestWhoFollowsIsToldOfTheClockAndTheCap(t *testing.T) {
	w := newWorld(t)
	w.capped(5)
	mei := w.follower()
	w.charge("acct_42", "c1")
	w.watch()
	w.must(w.rollouts.Resume, discount)
	w.planned(rollout.StepComplete, 0)
	w.due()
	w.fire()
	want := []string{"rollout_step paused paused cap_reached", "rollout_step resumed running ", "rollout_step completed completed scheduled"}
	if got := w.told(mei); !slices.Equal(got, want) {
		t.Errorf("told %q", got)
	}
}
