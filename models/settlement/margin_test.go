package settlement_test

import (
	"context"
	"testing"
	"time"

	"recoup/models/actor"
	"recoup/models/cost"
	"recoup/models/decimal"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/settlement"
)

// What a settlement gave back was not earned: margins of rule version and rollout know it, at the value of a credit then. An
// adjustment that is about no job changes none.
func TestMarginsKnowWhatSettlementsGaveBack(t *testing.T) {
	w := newWorld(t, 1100, 0)
	ctx := context.Background()
	costs := cost.New(w.Ops)
	begin := time.Now().Add(-time.Hour)
	if _, err := costs.SetValue(ctx, cost.ValueRequest{Envelope: modeltest.Envelope(), Currency: "USD", Value: decimal.FromInt(2), ValidFrom: begin, Reason: "list price"}); err != nil {
		t.Fatal(err)
	}
	w.Account(t, "a", 1000)
	w.delivered("a", "j1", 60)
	w.step(w.rollouts.RollBack)
	if _, err := w.Ledger.Adjust(ctx, ledger.AdjustRequest{Envelope: ledger.Envelope{OperationID: ids.New(), Actor: actor.Staff("fiona")}, AccountID: "a", Amount: 500, Reason: "something else"}); err != nil {
		t.Fatal(err)
	}
	earned := func(by cost.By, group, credits, revenue string) {
		t.Helper()
		m, err := costs.Margins(ctx, by, begin, time.Now().Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range m.Rows {
			if r.Group == group {
				if r.Charged.String() != credits || r.Revenue == nil || r.Revenue.Canonical() != revenue {
					t.Errorf("by %s: %+v", by, r)
				}
				return
			}
		}
		t.Errorf("by %s: no %s in %+v", by, group, m.Rows)
	}
	earned(cost.ByRuleVersion, modeltest.Action+"@v2", "66", "132")
	w.pay(w.approve(w.propose(settlement.Filter{})))
	earned(cost.ByRuleVersion, modeltest.Action+"@v2", "60", "120")
	earned(cost.ByRollout, ro, "60", "120")
	earned(cost.ByAction, modeltest.Action, "60", "120")
}
