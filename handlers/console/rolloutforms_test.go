package console_test

import (
	"context"
	"net/http"
	"testing"

	"recoup/models/actor"
	"recoup/models/credit"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/pricing"
	"recoup/models/rollout"
	"recoup/models/staff"
)

// The form of a step that the state does not allow, from a page of before, leads back to the rollout.
func TestAFormOfAStepThatCannotComeLeadsBack(t *testing.T) {
	w := newWorld(t)
	b := w.as(staff.Product)
	w.started(b)
	const at = "/rollouts/" + roID
	for _, step := range []string{"start", "resume", "complete", "archive"} {
		if rec := b.get(at + "/" + step); rec.Code != http.StatusSeeOther || rec.Header().Get("Location") != at {
			t.Errorf("%s of a running rollout at its first stage: %d to %q", step, rec.Code, rec.Header().Get("Location"))
		}
	}
	for _, step := range []string{"advance", "pause", "roll-back"} {
		b.page(at + "/" + step)
	}
}

// A candidate under which an earlier charge has no price in credits is no failure of the dialog: it says so.
func TestADialogSaysThatAPriceDoesNotFit(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 10_000)
	w.Charge(t, "acct_7", "j0", 60)
	ctx, pm := context.Background(), actor.Staff("pm")
	_, err := w.Pricing.CreateRule(ctx, pricing.NewRule{OperationID: ids.New(), Actor: pm, Action: modeltest.Action, Unit: "second", UnitPrice: 9223372036854775807,
		Rounding: credit.RoundHalfEven, ExampleUnits: 1, Reason: "dear"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Rollouts.Create(ctx, rollout.NewRollout{Envelope: ledger.Envelope{OperationID: ids.New(), Actor: pm}, ID: "ro_huge", Action: modeltest.Action, Candidate: modeltest.Action + "@v2",
		Reason: "x", Stages: []pricing.Stage{{Threshold: 100_000}}})
	if err != nil {
		t.Fatal(err)
	}
	many := chargeOf("acct_7", "j1")
	many.Units = 5_000 // 60 fit at this price, these do not
	if _, err := w.Jobs.Charge(ctx, many); err != nil {
		t.Fatal(err)
	}
	w.says(w.as(staff.Product).page("/rollouts/ro_huge/start"), "not started → becomes 100 %", "has no price in credits under one of the two rule versions")
}
