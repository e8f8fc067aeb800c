package cost_test

import (
	"context"
	"testing"
	"time"

	"recoup/models/cost"
	"recoup/models/fault"
	"recoup/models/modeltest"
)

func (b *books) value(currency, value string, from time.Time) {
	b.t.Helper()
	_, err := b.costs.SetValue(context.Background(), cost.ValueRequest{Envelope: person(), Currency: currency, Value: amount(b.t, value), ValidFrom: from, Reason: "list price"})
	if err != nil {
		b.t.Fatal(err)
	}
}

// A margin is there only where the value of a credit is set for that currency and the whole time.
func TestMargins(t *testing.T) {
	b := newBooks(t)
	b.Price(t, "transcription", 1000)
	now := time.Now()
	from, to := now.Add(-time.Hour), now.Add(time.Hour)
	in := func(currency string) func(*cost.NewRecord) {
		return func(r *cost.NewRecord) { r.Currency, r.Time = currency, now }
	}
	b.record("farm", rec("a", "0.30", in("USD"), ofJob("acct_7", "j1")), rec("b", "0.05", in("USD"), ofJob("acct_7", "j1")), rec("c", "7", in("EUR"), ofJob("acct_7", "j1")),
		rec("d", "1", in("USD")), rec("e", "2", in("USD"), ofJob("acct_7", "j1"), func(r *cost.NewRecord) { r.Time = from.Add(-time.Second) }))
	of := func() map[string]cost.Margin {
		t.Helper()
		m, err := b.costs.Margins(context.Background(), cost.ByAction, from, to)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Unattributed) != 1 || m.Unattributed[0].Amount.String() != "1" || m.Coverage.Delivered != 0 {
			t.Errorf("%+v", m)
		}
		out := map[string]cost.Margin{}
		for _, r := range m.Rows {
			out[r.Group+" "+r.Currency] = r
		}
		return out
	}
	got := of()
	usd := got[modeltest.Action+" USD"]
	if len(got) != 2 || usd.Margin != nil || usd.Revenue != nil || usd.Cost.String() != "0.35" || usd.Records != 2 || usd.Charged.String() != "40" {
		t.Errorf("%+v", got)
	}
	// Set from a moment after the charge: still not for all of the time.
	b.value("USD", "9", now.Add(30*time.Minute))
	if usd := of()[modeltest.Action+" USD"]; usd.Margin != nil {
		t.Errorf("%+v", usd)
	}
	b.value("USD", "0.5", from)
	b.value("USD", "0.0125", from) // corrected
	got = of()
	if usd := got[modeltest.Action+" USD"]; usd.Margin == nil || usd.Revenue.String() != "0.5000" || usd.Margin.String() != "0.1500" {
		t.Errorf("%+v", usd)
	}
	if eur := got[modeltest.Action+" EUR"]; eur.Margin != nil || eur.Cost.String() != "7" {
		t.Errorf("%+v", eur)
	}
	for _, by := range cost.Bys() {
		if m, err := b.costs.Margins(context.Background(), by, from, to); err != nil || len(m.Rows) != 2 {
			t.Errorf("%s: %+v %v", by, m, err)
		}
	}
	values, err := b.costs.Values(context.Background())
	if err != nil || len(values) != 3 || values[0].Replaced || values[1].Replaced || !values[2].Replaced {
		t.Errorf("%+v %v", values, err)
	}
	_, err = b.costs.SetValue(context.Background(), cost.ValueRequest{Envelope: person(), Currency: "usd", Reason: "x"})
	for _, field := range []string{"currency", "value", "valid_from"} {
		refusedAs(t, err, fault.CodeInvalid, field)
	}
}

// A bill comes later than the charge: what cost something in a period in which it was not charged brought in nothing, and its
// margin is a loss. Only where a credit has no value in the currency by then is there none.
func TestACostWithoutChargesIsALoss(t *testing.T) {
	b := newBooks(t)
	now := time.Now()
	from, to := now.AddDate(0, 0, -9), now.AddDate(0, 0, -2)
	in := func(currency string) func(*cost.NewRecord) {
		return func(r *cost.NewRecord) { r.Currency, r.Time = currency, now.AddDate(0, 0, -5) }
	}
	b.record("farm", rec("a", "0.20", in("USD"), ofJob("acct_7", "j1")), rec("b", "3", in("EUR"), ofJob("acct_7", "j1")), rec("c", "4", in("JPY"), ofJob("acct_7", "j1")))
	b.value("USD", "0.01", from.AddDate(0, 0, -1))
	b.value("EUR", "0.01", to) // too late
	for _, by := range cost.Bys() {
		m, err := b.costs.Margins(context.Background(), by, from, to)
		if err != nil || len(m.Rows) != 3 {
			t.Fatalf("%s: %+v %v", by, m, err)
		}
		for _, r := range m.Rows {
			if r.Charged.Sign() != 0 {
				t.Errorf("%s: %+v", by, r)
			}
			if set := r.Currency == "USD"; set != (r.Margin != nil) || set && (r.Revenue.Sign() != 0 || r.Margin.Canonical() != "-0.2") {
				t.Errorf("%s: %+v", by, r)
			}
		}
	}
}
