package cost_test

import (
	"context"
	"testing"
	"time"

	"recoup/models/cost"
)

// margins are the rows of this hour in USD by group and cohort.
func (b *books) margins(by cost.By) map[string]cost.Margin {
	b.t.Helper()
	now := time.Now()
	m, err := b.costs.Margins(context.Background(), by, now.Add(-time.Hour), now.Add(time.Hour))
	if err != nil {
		b.t.Fatal(err)
	}
	out := map[string]cost.Margin{}
	for _, r := range m.Rows {
		if r.Currency == "USD" {
			out[r.Group+" "+r.Cohort] = r
		}
	}
	return out
}

// A job whose cost is not known is not free: with the costs of one of three delivered jobs there is no margin, with those of
// two there is, and the row says of how many. A cost in another currency is none in this one.
func TestWhatIsNotKnownIsNotFree(t *testing.T) {
	b := newBooks(t)
	now := time.Now()
	b.value("USD", "0.01", now.Add(-2*time.Hour))
	for _, id := range []string{"j2", "j3"} {
		b.Charge(t, "acct_7", id, 40)
	}
	for _, id := range []string{"j1", "j2", "j3"} {
		b.deliver("acct_7", id)
	}
	in := func(currency string) func(*cost.NewRecord) {
		return func(r *cost.NewRecord) { r.Currency, r.Time = currency, now }
	}
	b.record("farm", rec("a", "0.20", in("USD"), ofJob("acct_7", "j1")), rec("b", "0.10", in("USD"), ofJob("acct_7", "j1")), rec("c", "9", in("EUR"), ofJob("acct_7", "j2")))
	for _, by := range cost.Bys() {
		for group, x := range b.margins(by) {
			if x.Margin != nil || !x.Lacking() || x.Coverage != (cost.Coverage{Delivered: 3, Known: 1}) || x.Cost.String() != "0.30" {
				t.Errorf("%s: %+v", group, x)
			}
		}
	}
	b.record("farm", rec("d", "0.10", in("USD"), ofJob("acct_7", "j2")))
	for _, by := range cost.Bys() {
		for group, x := range b.margins(by) {
			if x.Margin == nil || x.Lacking() || x.Coverage.Known != 2 || x.Margin.Canonical() != "0.8" {
				t.Errorf("%s: %+v", group, x)
			}
		}
	}
}
