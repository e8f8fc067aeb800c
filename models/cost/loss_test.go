package cost_test

import (
	"context"
	"testing"
	"time"

	"recoup/models/cost"
	"recoup/models/credit"
	"recoup/models/modeltest"
	"recoup/models/pricing"
)

// A price is held against what its delivered jobs really cost, in each currency by itself, and only where a credit has a value.
func TestAPriceBelowItsKnownCost(t *testing.T) {
	b := newBooks(t)
	now := time.Now()
	b.Charge(t, "acct_7", "j2", 20)
	b.Charge(t, "acct_7", "j3", 500)
	b.deliver("acct_7", "j1")
	b.deliver("acct_7", "j2") // j3 is never delivered: what it cost is not held against a price
	in := func(currency string) func(*cost.NewRecord) {
		return func(r *cost.NewRecord) { r.Currency, r.Time = currency, now }
	}
	b.record("farm", rec("a", "0.40", in("USD"), ofJob("acct_7", "j1")), rec("b", "0.21", in("USD"), ofJob("acct_7", "j1")), rec("c", "0.20", in("USD"), ofJob("acct_7", "j2")),
		rec("d", "0.10", in("EUR"), ofJob("acct_7", "j1")), rec("e", "1000", in("JPY"), ofJob("acct_7", "j1")), rec("f", "9", in("USD"), ofJob("acct_7", "j3")), rec("g", "9", in("USD")))
	rule := pricing.Rule{Action: modeltest.Action, UnitPrice: 1000, Rounding: credit.RoundUp}
	losses := func(r pricing.Rule) []cost.Loss {
		t.Helper()
		l, err := b.costs.Losses(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	if l := losses(rule); len(l) != 0 {
		t.Errorf("without a value of a credit: %+v", l)
	}
	b.value("USD", "9", now.Add(-time.Hour))
	b.value("USD", "0.0135", now.Add(-time.Hour)) // corrected
	b.value("USD", "0.001", now.Add(time.Hour))   // not yet
	b.value("EUR", "0.01", now.Add(-time.Hour))
	// 60 credits are 0.81 USD, and 0.81 USD was billed.
	if l := losses(rule); len(l) != 0 {
		t.Errorf("a price that covers its cost: %+v", l)
	}
	cheap := rule
	cheap.DiscountBps = 1000
	l := losses(cheap)
	if len(l) != 1 || l[0].Currency != "USD" || l[0].Jobs != 2 || l[0].Credits.String() != "54" || l[0].Revenue.String() != "0.7290" || l[0].Cost.Canonical() != "0.81" {
		t.Errorf("%+v", l)
	}
	if l[0].Part {
		t.Errorf("two deliveries are a part: %+v", l)
	}
	// Of more deliveries than are looked at the newest count, and it says so.
	b.costs.SetLossDeliveries(1)
	cheapest := cheap
	cheapest.DiscountBps = 10_000
	if l := losses(cheapest); len(l) != 1 || !l[0].Part || l[0].Jobs != 1 || l[0].Cost.Canonical() != "0.2" {
		t.Errorf("of the newest delivery: %+v", l)
	}
	b.costs.SetLossDeliveries(cost.LossDeliveries)
	cheap.DiscountBps = 8000
	if l := losses(cheap); len(l) != 2 || l[0].Currency != "EUR" || l[1].Currency != "USD" {
		t.Errorf("%+v", l)
	}
	cheap.Minimum = 60
	if l := losses(cheap); len(l) != 0 {
		t.Errorf("a least cost that makes up for it: %+v", l)
	}
	cheap.Minimum, cheap.Action = 0, "another"
	if l := losses(cheap); len(l) != 0 {
		t.Errorf("of another action: %+v", l)
	}
	if err := b.G.Exec(`UPDATE jobs SET delivered_at = delivered_at - interval '29 days'`).Error; err != nil {
		t.Fatal(err)
	}
	cheap.Action = modeltest.Action
	if l := losses(cheap); len(l) != 0 {
		t.Errorf("of long ago: %+v", l)
	}
}
