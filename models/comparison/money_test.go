package comparison_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"recoup/models/comparison"
	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/pricing"
)

// What was given away is the sum over the candidate's charges, to the credit, however it was taken up; a refund gives
// nothing back, and only what is delivered counts as delivered.
func TestGivenIsExact(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	for _, id := range []string{"in_0", "in_1", "out_0"} {
		w.Account(t, id, 100_000)
	}
	w.charge("in_0", "before", 60)
	w.draft(pricing.Stage{Segment: pricing.Segment{Accounts: []string{"in_0", "in_1"}}})
	if err := w.compare.Advance(ctx, ro); err != nil {
		t.Fatal(err)
	}
	if g, err := w.compare.Given(ctx, ro); g != nil || err != nil {
		t.Fatalf("a draft: %+v %v", g, err)
	}
	w.step(w.Rollouts.Start)
	one := int64(1)
	check := func(charges, all, deliveries, delivered int64) {
		t.Helper()
		w.settle()
		for range 2 { // a second time adds nothing
			if err := w.compare.Advance(ctx, ro); err != nil {
				t.Fatal(err)
			}
		}
		g, err := w.compare.Given(ctx, ro)
		if err != nil || g == nil {
			t.Fatal(g, err)
		}
		if g.Charges != charges || g.All().String() != fmt.Sprint(all) || g.Deliveries != deliveries || g.ForDelivered().String() != fmt.Sprint(delivered) {
			t.Errorf("given: %+v: %s of all, %s of delivered", g, g.All(), g.ForDelivered())
		}
	}
	w.charge("in_0", "a", 60)  // 54 instead of 60
	w.charge("in_1", "b", 5)   // 4.5, rounded half to even: 4 instead of 5
	w.charge("out_0", "c", 60) // the baseline
	check(2, 7, 0, 0)
	w.charge("in_1", "d", 100)
	w.signal("in_0", "a", job.Signal{Type: job.SignalFailed, Class: job.Permanent, Attempt: &one})
	w.signal("in_1", "b", job.Signal{Type: job.SignalSucceeded, Attempt: &one})
	w.signal("out_0", "c", job.Signal{Type: job.SignalSucceeded, Attempt: &one})
	check(3, 17, 1, 1)
	// Rolled back, and delivered late.
	w.step(w.Rollouts.RollBack)
	w.charge("in_0", "e", 60)
	w.signal("in_0", "a", job.Signal{Type: job.SignalSucceeded, Attempt: &one})
	if err := w.compare.Refresh(ctx, nil); err != nil {
		t.Fatal(err)
	}
	check(3, 17, 2, 7)
	if err := w.compare.Advance(ctx, "nobody"); err != nil {
		t.Error(err)
	}
}

// The next stage is worked out from the accounts and their charges: who gains, who stays, what they pay less.
func TestWhatTheNextStageDoes(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	// Segments count: of the forty only the twenty with the plan are of the second stage.
	for i, id := range named("a", 40) {
		w.Account(t, id, 100_000)
		if i%2 == 0 {
			w.exec(`UPDATE accounts SET plan = 'pro' WHERE id = ?`, id)
		}
	}
	w.draft(pricing.Stage{Segment: pricing.Segment{Accounts: []string{"a_0", "a_1"}}}, pricing.Stage{Threshold: 100_000, Segment: pricing.Segment{Plans: []string{"pro"}}},
		pricing.Stage{Threshold: 100_000})
	e, err := w.compare.NextStage(ctx, w.state())
	if err != nil {
		t.Fatal(err)
	}
	if e.Accounts != 40 || e.Now != 0 || e.After != 2 || e.Gain != 2 || e.Leave != 0 || e.About || e.Expected.Sign() != 0 || e.Worst.Sign() != 0 {
		t.Errorf("start of a draft: %+v", e)
	}
	w.step(w.Rollouts.Start)
	one := int64(1)
	w.charge("a_0", "a", 60)   // has the candidate already
	w.charge("a_2", "b", 100)  // gains: 90 instead of 100
	w.charge("a_2", "c", 1000) // gains, but is refunded
	w.signal("a_2", "c", job.Signal{Type: job.SignalFailed, Class: job.Permanent, Attempt: &one})
	w.charge("a_3", "d", 500) // is not of the stage
	if e, err = w.compare.NextStage(ctx, w.state()); err != nil {
		t.Fatal(err)
	}
	// a_0 and a_1, and the pros but a_0.
	if e.Now != 2 || e.After != 21 || e.Gain != 19 || e.Leave != 0 || e.Charges != 3 || e.Days != 1 || !e.Young {
		t.Errorf("stage 2: %+v", e)
	}
	if e.Expected.String() != "-10" || e.Paid.String() != "100" || e.Worst.String() != "-116" {
		t.Errorf("stage 2: expected %s of %s, worst %s", e.Expected, e.Paid, e.Worst)
	}
	// A day is one on which the action was for sale: not one before there was a price, and every one since.
	for ago, days := range map[string]int{"73 hours": 4, "40 days": 28} {
		w.exec(`ALTER TABLE price_changes DISABLE TRIGGER USER`)
		w.exec(`UPDATE price_changes SET at = clock_timestamp() - ?::interval`, ago)
		if e, err = w.compare.NextStage(ctx, w.state()); err != nil || e.Days != days || e.Young || e.Expected.String() != "-10" || e.Worst.String() != "-116" {
			t.Errorf("for sale for %s: %+v %v", ago, e, err)
		}
	}
	w.G.Exec(`UPDATE accounts SET plan = '' WHERE id = 'a_2'`)
	w.step(w.Rollouts.Pause)
	if e, err = w.compare.NextStage(ctx, w.state()); err != nil || e.Gain != 18 || e.Expected.Sign() != 0 {
		t.Errorf("a_2 is of it no more: %+v %v", e, err)
	}
	w.exec(`ALTER TABLE rollouts DISABLE TRIGGER USER`)
	w.exec(`UPDATE rollouts SET stage = 3`)
	if _, err := w.compare.NextStage(ctx, w.state()); !errors.Is(err, comparison.ErrNotStarted) {
		t.Errorf("after the last stage: %v", err)
	}
}

// A rollout's page, its dialogs and its lists count accounts by one function: whom stages admit, who is enrolled, who has paid.
func TestReachCountsThreeThings(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	for i, id := range named("a", 40) {
		w.Account(t, id, 100_000)
		if i%2 == 0 {
			w.exec(`UPDATE accounts SET plan = 'pro' WHERE id = ?`, id)
		}
	}
	w.draft(pricing.Stage{Segment: pricing.Segment{Accounts: []string{"a_0", "a_1"}}}, pricing.Stage{Threshold: 100_000, Segment: pricing.Segment{Plans: []string{"pro"}}},
		pricing.Stage{Threshold: 100_000})
	is := func(when string, enrolled, paid int64, admitted ...int64) {
		t.Helper()
		r, err := w.compare.Reach(ctx, w.state())
		if err != nil || r.Accounts != 40 || !slices.Equal(r.Admitted, admitted) || r.Enrolled != enrolled || r.Paid != paid || r.About || w.state().Enrolled != enrolled {
			t.Errorf("%s: %+v, %d enrolled, %v", when, r, w.state().Enrolled, err)
		}
		if e, err := w.compare.NextStage(ctx, w.state()); err != nil || e.Now != admitted[w.state().Stage] || e.After != admitted[w.state().Stage+1] {
			t.Errorf("%s: the next stage: %+v, %v", when, e, err)
		}
	}
	is("a draft", 0, 0, 0, 2, 21, 40)
	w.step(w.Rollouts.Start)
	w.charge("a_0", "c", 60)
	if _, err := w.Pricing.Quote(ctx, pricing.QuoteRequest{OperationID: "q", AccountID: "a_1", Action: modeltest.Action, Units: 60}); err != nil {
		t.Fatal(err)
	}
	is("one charged, one quoted", 2, 1, 2, 2, 21, 40)
	w.charge("a_1", "other", 60)
	is("charged under another id", 2, 2, 2, 2, 21, 40)
	// Whoever is enrolled stays, whatever the stages say of it by now.
	w.charge("a_3", "before", 60)
	w.exec(`ALTER TABLE rollout_stages DISABLE TRIGGER USER`)
	w.exec(`UPDATE rollout_stages SET segment = '{"accounts": ["a_0"]}' WHERE stage = 1`)
	is("no longer named", 2, 2, 2, 2, 21, 40)
}
