package rollout_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/credit"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/pricing"
	"recoup/models/rollout"
)

// capped makes a running rollout that may give away most credits a day; each charge gives away 6.
func (w *world) capped(most int64) {
	w.t.Helper()
	one := int64(1)
	_, err := w.rollouts.Create(context.Background(), rollout.NewRollout{Envelope: by(ids.New()), ID: discount, Action: modeltest.Action, Candidate: v2,
		Stages: shares(100_000), MinCharges: &one, CapPerDay: &most, Reason: "test"})
	if err != nil {
		w.t.Fatal(err)
	}
	w.must(w.rollouts.Start, discount)
}

func (w *world) today() rollout.GivenToday {
	w.t.Helper()
	g, err := w.rollouts.Today(context.Background(), w.state(discount))
	if err != nil || g == nil {
		w.t.Fatal(g, err)
	}
	return *g
}

func (w *world) watch() {
	w.t.Helper()
	// Once to mark a moment, once to find it final.
	for range 2 {
		if err := w.rollouts.WatchCaps(context.Background()); err != nil {
			w.t.Fatal(err)
		}
	}
}

func TestPastTheCapARolloutPauses(t *testing.T) {
	w := newWorld(t)
	w.capped(15)
	for i := range 2 {
		w.charge("acct_1", fmt.Sprint("c", i))
		w.watch()
	}
	if g := w.today(); g.Given.String() != "12" || g.Over() || g.Share() != 8000 || w.state(discount).State != rollout.Running {
		t.Fatalf("%s of %d, %s", g.Given, g.Cap, w.state(discount).State)
	}
	w.charge("acct_42", "c3")
	if g := w.today(); g.Given.String() != "18" || !g.Over() {
		t.Errorf("%s of %d", g.Given, g.Cap)
	}
	// Many processes see it: it is paused once.
	other := w.service(modeltest.New(t, w.G, modeltest.Fast()))
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			if err := []*rollout.Service{w.rollouts, other}[i%2].WatchCaps(context.Background()); err != nil && !fault.Is(err, fault.CodeOperationInProgress) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	r := w.state(discount)
	history, err := w.rollouts.History(context.Background(), discount)
	if err != nil || r.State != rollout.Paused || r.Version != 3 || history[0].Code != rollout.CodeCapReached || history[0].Actor != "system" {
		t.Fatalf("%s, version %d, %+v %v", r.State, r.Version, history[0], err)
	}
	// Whoever is enrolled keeps the price; nobody new enters.
	if _, v := w.charge("acct_42", "c4"); under(v) != candidate {
		t.Errorf("enrolled: %s", under(v))
	}
	if _, v := w.charge("acct_1001", "c5"); under(v) != baseline {
		t.Errorf("not enrolled: %s", under(v))
	}
	// A person lifts the cap for the rest of the day.
	w.must(w.rollouts.Resume, discount)
	w.watch()
	if g := w.today(); w.state(discount).State != rollout.Running || !g.Lifted || g.Given.String() != "24" {
		t.Errorf("%s, lifted %t, %s", w.state(discount).State, g.Lifted, g.Given)
	}
	w.sound()
}

// However it is taken up, it is the sum over the day's charges; what commits late is not passed over, and yesterday's do
// not count.
func TestGivenTodayIsExact(t *testing.T) {
	w := newWorld(t)
	w.capped(1_000_000)
	want := 0
	for i := range 9 {
		w.charge([]string{"acct_1", "acct_42", "acct_1001"}[i%3], fmt.Sprint("c", i))
		want += 6
		if i%2 == 0 {
			w.watch()
		}
		if g := w.today(); g.Given.String() != fmt.Sprint(want) {
			t.Errorf("after %d charges: %s, want %d", i+1, g.Given, want)
		}
	}
	if n := w.count(`SELECT given::bigint FROM rollout_days`); n == 0 || n > int64(want) {
		t.Errorf("%d of %d are kept", n, want)
	}
	// Another book time zone has days of its own.
	for _, name := range []string{"Asia/Kathmandu", "Pacific/Kiritimati", "America/New_York"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		s := rollout.New(w.Ops, rollout.Options{Zone: zone, Costs: func(context.Context, *gorm.DB, rollout.Rollout) (rollout.Costs, error) { return w.costs, nil }})
		if err := s.WatchCaps(context.Background()); err != nil {
			t.Fatal(err)
		}
		g, err := s.Today(context.Background(), w.state(discount))
		if err != nil || g.Day != time.Now().In(zone).Format("2006-01-02") || g.Zone != name || g.Given.String() != fmt.Sprint(want) {
			t.Errorf("%s: %+v %v", name, g, err)
		}
	}
}

func TestACapIsAtLeastOne(t *testing.T) {
	w := newWorld(t)
	none := int64(0)
	_, err := w.rollouts.Create(context.Background(), rollout.NewRollout{Envelope: by(ids.New()), ID: discount, Action: modeltest.Action, Candidate: v2, Stages: shares(1), CapPerDay: &none, Reason: "x"})
	if f := fault.As(err); f == nil || len(f.Fields) != 1 || f.Fields[0].Name != "cap_per_day" {
		t.Error(err)
	}
	w.into(discount, rollout.Running)
	if g, err := w.rollouts.Today(context.Background(), w.state(discount)); g != nil || err != nil {
		t.Errorf("without a cap: %+v %v", g, err)
	}
}

// A charge whose price under the baseline is beyond what can be charged is given away all the same: the cap is reached, and what
// was given away can be told.
func TestAPriceBeyondAllCreditsReachesTheCap(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	w.Price(t, "dear", 1<<40)
	_, err := w.Pricing.CreateRule(ctx, pricing.NewRule{OperationID: ids.New(), Actor: actor.Staff("pm"), Action: "dear", Unit: "second", UnitPrice: 0, Minimum: 1,
		Rounding: credit.RoundHalfEven, Reason: "a trial"})
	if err != nil {
		t.Fatal(err)
	}
	one := int64(1)
	_, err = w.rollouts.Create(ctx, rollout.NewRollout{Envelope: by(ids.New()), ID: discount, Action: "dear", Candidate: "dear@v2", Stages: shares(100_000),
		MinCharges: &one, CapPerDay: &one, Reason: "test"})
	if err != nil {
		t.Fatal(err)
	}
	w.must(w.rollouts.Start, discount)
	_, err = w.Jobs.Charge(ctx, job.ChargeRequest{Envelope: ledger.Envelope{OperationID: "c1", Actor: actor.Key("test")}, AccountID: "acct_42", JobID: "j1", Action: "dear", Units: 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	// 2^80 / 1000, half to even, less the one credit that was charged.
	if g := w.today(); g.Given.String() != "1208925819614629174705" || !g.Over() {
		t.Errorf("given %s", g.Given)
	}
	w.watch()
	if s := w.state(discount).State; s != rollout.Paused {
		t.Errorf("it is %s", s)
	}
}
