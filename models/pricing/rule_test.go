package pricing_test

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"recoup/models/credit"
	"recoup/models/pricing"
)

func TestCost(t *testing.T) {
	for _, c := range []struct {
		name  string
		rule  pricing.Rule
		units int64
		want  int64
	}{
		{"60 s at 0.667 with 10 % off", pricing.Rule{UnitPrice: 667, DiscountBps: 1000, Rounding: credit.RoundHalfEven}, 60, 36},
		{"the same rounded up", pricing.Rule{UnitPrice: 667, DiscountBps: 1000, Rounding: credit.RoundUp}, 60, 37},
		{"the same rounded down", pricing.Rule{UnitPrice: 667, DiscountBps: 1000, Rounding: credit.RoundDown}, 60, 36},
		{"half to even, down", pricing.Rule{UnitPrice: 500, Rounding: credit.RoundHalfEven}, 1, 0},
		{"half to even, up", pricing.Rule{UnitPrice: 500, Rounding: credit.RoundHalfEven}, 3, 2},
		{"below the minimum", pricing.Rule{UnitPrice: 10, Minimum: 5, Rounding: credit.RoundUp}, 1, 5},
		{"at the minimum", pricing.Rule{UnitPrice: 1000, Minimum: 5, Rounding: credit.RoundUp}, 5, 5},
		{"above the minimum", pricing.Rule{UnitPrice: 1000, Minimum: 5, Rounding: credit.RoundUp}, 6, 6},
		{"the minimum is not discounted", pricing.Rule{UnitPrice: 1000, Minimum: 5, DiscountBps: 10000, Rounding: credit.RoundUp}, 100, 5},
		{"all off", pricing.Rule{UnitPrice: 1000, DiscountBps: 10000, Rounding: credit.RoundUp}, 100, 0},
		{"free", pricing.Rule{Rounding: credit.RoundUp}, 100, 0},
		{"a cent off", pricing.Rule{UnitPrice: 1000, DiscountBps: 1, Rounding: credit.RoundDown}, 1, 0},
		{"largest cost", pricing.Rule{UnitPrice: 1000, Rounding: credit.RoundHalfEven}, math.MaxInt64, math.MaxInt64},
	} {
		got, err := c.rule.Cost(c.units)
		if err != nil || got != c.want {
			t.Errorf("%s: %d, %v, want %d", c.name, got, err, c.want)
		}
	}
}

func TestCostRefuses(t *testing.T) {
	rule := pricing.Rule{UnitPrice: 1001, Rounding: credit.RoundUp}
	if got, err := rule.Cost(math.MaxInt64); !errors.Is(err, credit.ErrOverflow) {
		t.Errorf("a cost beyond 64 bits: %d, %v", got, err)
	}
	rule = pricing.Rule{UnitPrice: math.MaxInt64, Rounding: credit.RoundDown}
	if got, err := rule.Cost(math.MaxInt64); !errors.Is(err, credit.ErrOverflow) {
		t.Errorf("the largest price times the largest units: %d, %v", got, err)
	}
	for _, units := range []int64{0, -1, math.MinInt64} {
		if got, err := rule.Cost(units); err == nil {
			t.Errorf("%d units cost %d", units, got)
		}
	}
}

// TestCostAgreesWithExactArithmetic draws legal rules and units of any size.
func TestCostAgreesWithExactArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := func(name string, low int64) int64 {
			return rapid.OneOf(rapid.Int64Range(low, 5000), rapid.Int64Range(low, math.MaxInt64)).Draw(t, name)
		}
		r := pricing.Rule{UnitPrice: size("unit_price", 0), Minimum: size("minimum", 0),
			DiscountBps: rapid.Int64Range(0, 10000).Draw(t, "discount_bps"),
			Rounding:    rapid.SampledFrom([]credit.Rounding{credit.RoundUp, credit.RoundDown, credit.RoundHalfEven}).Draw(t, "rounding")}
		units := size("units", 1)
		num := new(big.Int).Mul(big.NewInt(units), big.NewInt(r.UnitPrice))
		num.Mul(num, big.NewInt(10000-r.DiscountBps))
		exact := new(big.Rat).SetFrac(num, big.NewInt(10_000_000))

		got, err := r.Cost(units)
		if err != nil {
			if exact.Cmp(new(big.Rat).SetInt64(math.MaxInt64)) < 0 && new(big.Rat).Sub(new(big.Rat).SetInt64(math.MaxInt64), exact).Cmp(big.NewRat(1, 1)) >= 0 {
				t.Fatalf("%+v of %d units: %v, but it is %s", r, units, err, exact.FloatString(3))
			}
			return
		}
		if got == r.Minimum {
			if exact.Cmp(new(big.Rat).SetInt64(got+1)) > 0 && got < math.MaxInt64 {
				t.Fatalf("%+v of %d units: the minimum %d hides %s", r, units, got, exact.FloatString(3))
			}
			return
		}
		distance := new(big.Rat).Sub(new(big.Rat).SetInt64(got), exact)
		var bad bool
		switch r.Rounding {
		case credit.RoundUp:
			bad = distance.Sign() < 0 || distance.Cmp(big.NewRat(1, 1)) >= 0
		case credit.RoundDown:
			bad = distance.Sign() > 0 || distance.Cmp(big.NewRat(-1, 1)) <= 0
		case credit.RoundHalfEven:
			c := new(big.Rat).Abs(distance).Cmp(big.NewRat(1, 2))
			bad = c > 0 || c == 0 && got%2 != 0
		}
		if bad || got < r.Minimum {
			t.Fatalf("%+v of %d units: %d for %s", r, units, got, exact.FloatString(3))
		}
	})
}
