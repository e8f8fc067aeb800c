package comparison

import (
	"testing"

	"recoup/models/decimal"
)

// The interval of what cannot be below zero is not, though the spread would lead there; where something was given back
// it may be. How the sides differ goes by the whole interval.
func TestAnIntervalOfCostsEndsAtZero(t *testing.T) {
	amount := func(s string) decimal.Decimal {
		d, err := decimal.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	of := func(costs ...string) side {
		var s side
		for i, c := range costs {
			s.accounts = append(s.accounts, account{AccountKey: int64(i), Charges: 1, Known: 1})
			s.costs = append(s.costs, cost{AccountKey: int64(i), Currency: "USD", Amount: amount(c)})
		}
		s.counts.Costs = []Money{{Currency: "USD", Amount: amount("0")}}
		return s
	}
	skewed, back := of("0", "0", "0", "0", "9"), of("0", "0", "0", "9", "-1")
	for _, m := range measures([3]side{skewed, back, skewed}, needs{}) {
		if m.Name != CostCharged {
			continue
		}
		v := m.Values
		if !v[Candidate].Interval || v[Candidate].Low != 0 || v[Candidate].High <= v[Candidate].Value {
			t.Errorf("candidate: %+v", v[Candidate])
		}
		if v[Baseline].Low >= 0 {
			t.Errorf("what was given back is left out: %+v", v[Baseline])
		}
		return
	}
	t.Error("no measure of costs")
}
