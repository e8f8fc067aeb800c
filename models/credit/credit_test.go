package credit_test

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"recoup/models/credit"
)

// edges are numbers near which fixed-width arithmetic goes wrong.
var edges = []uint64{0, 1, 2, 3, 999, 1000, 9999, 10000, 10_000_000, math.MaxInt32, math.MaxUint32, math.MaxUint32 + 1,
	math.MaxInt64 - 1, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64 - 1, math.MaxUint64}

func anyUint(t *rapid.T, name string) uint64 {
	return rapid.OneOf(rapid.Uint64(), rapid.SampledFrom(edges), rapid.Uint64Range(0, 20_000)).Draw(t, name)
}

// round divides exactly and rounds by the definition of each rounding.
func round(num, den *big.Int, r credit.Rounding) *big.Int {
	q, rest := new(big.Int).QuoRem(num, den, new(big.Int))
	up := false
	switch r {
	case credit.RoundUp:
		up = rest.Sign() > 0
	case credit.RoundHalfEven:
		half := new(big.Int).Lsh(rest, 1).Cmp(den)
		up = half > 0 || half == 0 && q.Bit(0) == 1
	}
	if up {
		q.Add(q, big.NewInt(1))
	}
	return q
}

func TestAddAgreesWithExactArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, math.MaxInt64 - 1, math.MaxInt64}))
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		want := new(big.Int).Add(big.NewInt(a), big.NewInt(b))
		got, err := credit.Add(a, b)
		switch {
		case want.IsInt64() && (err != nil || got != want.Int64()):
			t.Fatalf("Add(%d, %d) = %d, %v, want %s", a, b, got, err, want)
		case !want.IsInt64() && !errors.Is(err, credit.ErrOverflow):
			t.Fatalf("Add(%d, %d) = %d, %v, want overflow", a, b, got, err)
		}
	})
}

func checkProduct(t rapid.TB, a, b, c, d uint64, r credit.Rounding) {
	t.Helper()
	num := new(big.Int).SetUint64(a)
	num.Mul(num, new(big.Int).SetUint64(b)).Mul(num, new(big.Int).SetUint64(c))
	want := round(num, new(big.Int).SetUint64(d), r)
	if sum := credit.ProductSum(a, b, c, d, r); sum.String() != want.String() {
		t.Fatalf("ProductSum(%d, %d, %d, %d, %s) = %s, want %s", a, b, c, d, r, sum, want)
	}
	got, err := credit.Product(a, b, c, d, r)
	switch {
	case want.IsInt64() && (err != nil || got != want.Int64()):
		t.Fatalf("Product(%d, %d, %d, %d, %s) = %d, %v, want %s", a, b, c, d, r, got, err, want)
	case !want.IsInt64() && !errors.Is(err, credit.ErrOverflow):
		t.Fatalf("Product(%d, %d, %d, %d, %s) = %d, %v, want overflow (%s)", a, b, c, d, r, got, err, want)
	}
}

func TestProductAgreesWithExactArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := max(anyUint(t, "d"), 1)
		r := rapid.SampledFrom([]credit.Rounding{credit.RoundUp, credit.RoundDown, credit.RoundHalfEven}).Draw(t, "rounding")
		checkProduct(t, anyUint(t, "a"), anyUint(t, "b"), anyUint(t, "c"), d, r)
	})
}

// TestProductAtTheEdge tries quotients just below, at and above the largest amounts and words, with
// every remainder that decides a rounding.
func TestProductAtTheEdge(t *testing.T) {
	for _, r := range []credit.Rounding{credit.RoundUp, credit.RoundDown, credit.RoundHalfEven} {
		for _, q := range []uint64{0, 1, 2, math.MaxInt64 - 1, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64 - 1, math.MaxUint64} {
			// q·d with q as a factor, then factors whose product is a little more.
			for _, d := range []uint64{1, 2, 3, 4, 7, 10_000_000} {
				checkProduct(t, q, d, 1, d, r)
				if q < math.MaxUint64 {
					checkProduct(t, q+1, d, 1, d, r)
				}
				if d > 1 {
					checkProduct(t, q, d-1, 1, d, r)
				}
			}
		}
		// 2^64 − 1 and a remainder: 3·(2^64−1)/2 … and (2^33−1)(2^33+1)/4 = (2^66−1)/4 = 2^64 − 1/4.
		checkProduct(t, 1<<33-1, 1<<33+1, 1, 4, r)
		// (2^32−1)(2^32+1)/2 = 2^63 − 1/2: the largest amount or one too much.
		checkProduct(t, 1<<32-1, 1<<32+1, 1, 2, r)
	}
}

func TestProductRoundsOnce(t *testing.T) {
	for _, c := range []struct {
		a, b, c, d uint64
		r          credit.Rounding
		want       int64
	}{
		{60, 667, 9000, 10_000_000, credit.RoundHalfEven, 36},
		{60, 667, 9000, 10_000_000, credit.RoundUp, 37},
		{60, 667, 9000, 10_000_000, credit.RoundDown, 36},
		{1, 500, 10000, 10_000_000, credit.RoundHalfEven, 0},
		{3, 500, 10000, 10_000_000, credit.RoundHalfEven, 2},
		{5, 500, 10000, 10_000_000, credit.RoundHalfEven, 2},
		{1, 501, 10000, 10_000_000, credit.RoundHalfEven, 1},
		{1, 1, 1, 10_000_000, credit.RoundUp, 1},
		{7, 0, 10000, 10_000_000, credit.RoundUp, 0},
		{7, 1000, 0, 10_000_000, credit.RoundUp, 0},
	} {
		if got, err := credit.Product(c.a, c.b, c.c, c.d, c.r); err != nil || got != c.want {
			t.Errorf("Product(%d, %d, %d, %d, %s) = %d, %v, want %d", c.a, c.b, c.c, c.d, c.r, got, err, c.want)
		}
	}
}
