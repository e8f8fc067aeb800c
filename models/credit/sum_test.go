package credit_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"recoup/models/credit"
)

// A sum is that of whole numbers of any size, also where it leaves the 64 bits of an amount and where it comes back.
func TestSumsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{math.MaxInt64, math.MinInt64, 0, 1, -1}))
		got, want := credit.Sum{}, new(big.Int)
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			n := amount.Draw(t, "n")
			if rapid.Bool().Draw(t, "plus") {
				got, want = got.Plus(credit.SumOf(n)), want.Add(want, big.NewInt(n))
			} else {
				got, want = got.Minus(credit.SumOf(n)), want.Sub(want, big.NewInt(n))
			}
			if got.String() != want.String() || got.Sign() != want.Sign() {
				t.Fatalf("%s, want %s", got, want)
			}
			var read credit.Sum
			if err := read.Scan(want.String()); err != nil || read.Minus(got) != (credit.Sum{}) || read.String() != got.String() {
				t.Fatalf("%s read back as %s, %v", got, read, err)
			}
		}
		if twice, want := got.Times(2), want.Lsh(want, 1); twice.String() != want.String() || twice.Over(2).String() != got.String() {
			t.Fatalf("twice %s is %s, half of it %s", got, twice, twice.Over(2))
		}
	})
}
