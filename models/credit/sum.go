package credit

import (
	"cmp"
	"database/sql/driver"
	"fmt"
	"math/big"
	"strconv"
)

// Sum is the exact sum of any number of amounts. Every amount and every balance fits 64 bits; what many of
// them add up to need not, and a list must stay readable all the same. The zero value is 0.
type Sum struct {
	// small is the sum where large is nil, as it is unless 64 bits do not suffice: pages add up thousands of them.
	small int64
	large *big.Int
}

// SumOf is an amount as a sum.
func SumOf(a Amount) Sum { return Sum{small: a} }

// sumOf keeps one form of each number, so that equal sums are equal in Go as well.
func sumOf(n *big.Int) Sum {
	if n.IsInt64() {
		return Sum{small: n.Int64()}
	}
	return Sum{large: n}
}

func (s Sum) value() *big.Int {
	if s.large == nil {
		return big.NewInt(s.small)
	}
	return s.large
}

// Plus returns s + t.
func (s Sum) Plus(t Sum) Sum {
	if s.large == nil && t.large == nil {
		// It went over if it has another sign than both.
		if n := s.small + t.small; (n^s.small)&(n^t.small) >= 0 {
			return Sum{small: n}
		}
	}
	return sumOf(new(big.Int).Add(s.value(), t.value()))
}

// Minus returns s − t.
func (s Sum) Minus(t Sum) Sum {
	if s.large == nil && t.large == nil {
		// It went over if the two have different signs and it has not that of s.
		if n := s.small - t.small; (s.small^t.small)&(s.small^n) >= 0 {
			return Sum{small: n}
		}
	}
	return sumOf(new(big.Int).Sub(s.value(), t.value()))
}

// Times returns s · n.
func (s Sum) Times(n int64) Sum { return sumOf(new(big.Int).Mul(s.value(), big.NewInt(n))) }

// Over returns s / n, rounded half to even. n must be above 0.
func (s Sum) Over(n int64) Sum {
	by := big.NewInt(n)
	q, rest := new(big.Int).DivMod(s.value(), by, new(big.Int))
	if c := rest.Lsh(rest, 1).Cmp(by); c > 0 || c == 0 && q.Bit(0) == 1 {
		q.Add(q, big.NewInt(1))
	}
	return sumOf(q)
}

// ProductSum is Product of any size: a · b · c / d, rounded once. d must be above 0.
func ProductSum(a, b, c, d uint64, r Rounding) Sum {
	of := func(n uint64) *big.Int { return new(big.Int).SetUint64(n) }
	q := new(big.Int).Mul(of(a), of(b))
	q, rest := q.DivMod(q.Mul(q, of(c)), of(d), new(big.Int))
	half := new(big.Int).Lsh(rest, 1).Cmp(of(d))
	if r == RoundUp && rest.Sign() > 0 || r == RoundHalfEven && (half > 0 || half == 0 && q.Bit(0) == 1) {
		q.Add(q, of(1))
	}
	return sumOf(q)
}

// Sign is −1, 0 or +1.
func (s Sum) Sign() int {
	if s.large == nil {
		return cmp.Compare(s.small, 0)
	}
	return s.large.Sign()
}

// String is the sum in decimal digits, with "-" in front when it is negative.
func (s Sum) String() string {
	if s.large == nil {
		return strconv.FormatInt(s.small, 10)
	}
	return s.large.String()
}

// Ratio is s / t as a float, for percentages only; 0 when t is 0.
func (s Sum) Ratio(t Sum) float64 {
	if t.Sign() == 0 {
		return 0
	}
	f, _ := new(big.Rat).SetFrac(s.value(), t.value()).Float64()
	return f
}

// Scan reads a numeric column without a fraction; NULL is 0.
func (s *Sum) Scan(v any) error {
	var text string
	switch v := v.(type) {
	case nil:
		*s = Sum{}
		return nil
	case int64:
		*s = SumOf(v)
		return nil
	case string:
		text = v
	case []byte:
		text = string(v)
	default:
		return fmt.Errorf("credit: a sum cannot be read from %T", v)
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		*s = SumOf(n)
		return nil
	}
	n, ok := new(big.Int).SetString(text, 10)
	if !ok {
		return fmt.Errorf("credit: %q is no sum of whole credits", text)
	}
	*s = sumOf(n)
	return nil
}

// Value is the sum as text, which PostgreSQL reads as numeric.
func (s Sum) Value() (driver.Value, error) { return s.String(), nil }
