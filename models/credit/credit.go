// Package credit holds the arithmetic of credits: whole numbers, signed 64 bit, never a float.
package credit

import (
	"errors"
	"math"
	"math/bits"
)

// Amount is a number of whole credits. Negative amounts take credits from an account.
type Amount = int64

// ErrOverflow is returned when a result does not fit a signed 64-bit number.
var ErrOverflow = errors.New("amount does not fit a signed 64-bit number of credits")

// Add returns a + b, or ErrOverflow.
func Add(a, b Amount) (Amount, error) {
	sum := a + b
	if (a > 0 && b > 0 && sum < 0) || (a < 0 && b < 0 && sum >= 0) {
		return 0, ErrOverflow
	}
	return sum, nil
}

// Rounding is how a fraction of a credit becomes a whole one.
type Rounding string

// The roundings that a rule version may name.
const (
	RoundUp       Rounding = "up"
	RoundDown     Rounding = "down"
	RoundHalfEven Rounding = "half_even"
)

// Product returns a·b·c / d rounded once at the end, with a 192-bit intermediate so that no legal
// input loses a digit. It returns ErrOverflow when the rounded quotient does not fit an Amount.
// d must not be zero; an unknown rounding rounds down.
func Product(a, b, c, d uint64, r Rounding) (Amount, error) {
	hi, lo := bits.Mul64(a, b)
	// (hi,lo) · c as three words.
	h1, l1 := bits.Mul64(lo, c)
	h2, l2 := bits.Mul64(hi, c)
	mid, carry := bits.Add64(h1, l2, 0)
	top := h2 + carry
	// Long division, word by word.
	if top != 0 {
		return 0, ErrOverflow
	}
	if mid >= d {
		return 0, ErrOverflow
	}
	quotient, rest := bits.Div64(mid, l1, d)
	if quotient > math.MaxInt64 {
		// Before rounding: the largest word plus one would be 0.
		return 0, ErrOverflow
	}
	switch r {
	case RoundUp:
		if rest > 0 {
			quotient++
		}
	case RoundHalfEven:
		switch half := d - rest; {
		case rest > half, rest == half && quotient%2 == 1:
			quotient++
		}
	}
	if quotient > math.MaxInt64 {
		return 0, ErrOverflow
	}
	return Amount(quotient), nil
}
