// Package decimal holds exact decimal numbers: money in a currency, as providers bill it. Nothing is ever a float,
// nothing is rounded, and a number keeps the digits it was written with: 1.50 stays 1.50.
package decimal

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// Bounds of what Parse and ParseScientific accept. Sums and products may have more digits.
const (
	// MaxWhole is how many digits may stand before the point.
	MaxWhole = 20
	// MaxFraction is how many digits may stand after it. Zeros at the end do not count: of a number that has more digits with
	// them, they are dropped.
	MaxFraction = 60
	// maxText bounds the text, so that nobody makes us multiply a million digits.
	maxText = 200
)

// Why a text is no number. The messages complete a sentence that begins with the field's name.
var (
	ErrSyntax = errors.New("must be a decimal number such as 12.5 or -0.004")
	ErrRange  = errors.New("must have at most 20 digits before and 60 after the point")
)

// Decimal is an exact decimal number with a scale, how many digits are written behind its point, as PostgreSQL's numeric has
// one. The zero value is 0. Two of the same value can have two scales: Equal compares values, Canonical makes one text of them.
type Decimal struct {
	// unscaled · 10^−scale; nil is 0. The scale is not negative.
	unscaled *big.Int
	scale    int
}

// FromInt is a whole number as a decimal.
func FromInt(n int64) Decimal { return Decimal{unscaled: big.NewInt(n)} }

// Parse reads the plain notation: an optional minus, digits, and perhaps a point with digits. Exponents, a plus, a
// comma, blanks, NaN and Infinity are refused with ErrSyntax, numbers beyond the bounds with ErrRange.
func Parse(s string) (Decimal, error) {
	rest, negative := strings.CutPrefix(s, "-")
	whole, fraction, pointed := strings.Cut(rest, ".")
	if len(s) > maxText || !digits(whole) || pointed && !digits(fraction) {
		return Decimal{}, ErrSyntax
	}
	return build(negative, whole, fraction, 0)
}

// ParseScientific is Parse for numbers as spreadsheets and billing exports write them: also with a plus, without a
// digit on one side of the point, and with an exponent, as in 1.5E-07, which has a scale of 8. It reads them exactly.
func ParseScientific(s string) (Decimal, error) {
	if len(s) > maxText {
		return Decimal{}, ErrSyntax
	}
	rest, negative := strings.CutPrefix(s, "-")
	if !negative {
		rest = strings.TrimPrefix(rest, "+")
	}
	mantissa, exponent := rest, 0
	if at := strings.IndexAny(rest, "eE"); at >= 0 {
		mantissa = rest[:at]
		power := strings.TrimLeft(rest[at+1:], "+-")
		if len(rest[at+1:])-len(power) > 1 || !digits(power) {
			return Decimal{}, ErrSyntax
		}
		var err error
		if exponent, err = strconv.Atoi(power); err != nil || exponent > 1000 {
			// Zero stays zero whatever its exponent; anything else is out of bounds.
			exponent = 1000
		}
		if rest[at+1] == '-' {
			exponent = -exponent
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole+fraction == "" || whole != "" && !digits(whole) || fraction != "" && !digits(fraction) {
		return Decimal{}, ErrSyntax
	}
	return build(negative, whole, fraction, exponent)
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// build makes ±whole.fraction · 10^exponent and holds it to the bounds.
func build(negative bool, whole, fraction string, exponent int) (Decimal, error) {
	n, ok := new(big.Int).SetString(whole+fraction, 10)
	if !ok {
		return Decimal{}, ErrSyntax
	}
	if negative {
		n.Neg(n)
	}
	d := scaled(n, len(fraction)-exponent)
	if d.scale > MaxFraction {
		d = d.Trimmed(0)
	}
	if d.scale > MaxFraction || len(new(big.Int).Abs(d.unscaled).String())-d.scale > MaxWhole {
		return Decimal{}, ErrRange
	}
	return d, nil
}

// scaled is n · 10^−scale.
func scaled(n *big.Int, scale int) Decimal {
	if scale < 0 {
		return Decimal{unscaled: n.Mul(n, power(-scale))}
	}
	return Decimal{unscaled: n, scale: scale}
}

func power(exponent int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(exponent)), nil)
}

// Trimmed is the same number without zeros at the end of its fraction beyond so many digits.
func (d Decimal) Trimmed(digits int) Decimal {
	n, scale, ten := d.value(), d.scale, big.NewInt(10)
	for scale > digits {
		q, rest := new(big.Int).QuoRem(n, ten, new(big.Int))
		if rest.Sign() != 0 {
			break
		}
		n, scale = q, scale-1
	}
	return Decimal{unscaled: n, scale: scale}
}

// Scale is how many digits are written behind the point, zeros at the end included.
func (d Decimal) Scale() int { return d.scale }

func (d Decimal) value() *big.Int {
	if d.unscaled == nil {
		return new(big.Int)
	}
	return d.unscaled
}

// at is the unscaled value for a larger scale.
func (d Decimal) at(scale int) *big.Int {
	return new(big.Int).Mul(d.value(), power(scale-d.scale))
}

// Plus returns d + e, with the larger scale of the two. So a sum shows as many digits as the finest of its summands was
// written with, whatever their order.
func (d Decimal) Plus(e Decimal) Decimal {
	scale := max(d.scale, e.scale)
	return Decimal{unscaled: new(big.Int).Add(d.at(scale), e.at(scale)), scale: scale}
}

// Neg returns −d.
func (d Decimal) Neg() Decimal { return Decimal{unscaled: new(big.Int).Neg(d.value()), scale: d.scale} }

// Minus returns d − e, with the larger scale of the two.
func (d Decimal) Minus(e Decimal) Decimal { return d.Plus(e.Neg()) }

// Times returns d · e; their scales are added.
func (d Decimal) Times(e Decimal) Decimal {
	return Decimal{unscaled: new(big.Int).Mul(d.value(), e.value()), scale: d.scale + e.scale}
}

// Sign is −1, 0 or +1.
func (d Decimal) Sign() int { return d.value().Sign() }

// Equal tells whether d and e are the same number, whatever their scales.
func (d Decimal) Equal(e Decimal) bool { return d.Minus(e).Sign() == 0 }

// Canonical is the one text of a number, in plain notation without zeros at the end: equal numbers have equal ones.
func (d Decimal) Canonical() string { return d.Trimmed(0).String() }

// String is the number in plain notation with all digits of its scale: "-0.004", "12.50", "3".
func (d Decimal) String() string {
	n := d.value()
	text := new(big.Int).Abs(n).String()
	if d.scale > 0 {
		if short := d.scale + 1 - len(text); short > 0 {
			text = strings.Repeat("0", short) + text
		}
		text = text[:len(text)-d.scale] + "." + text[len(text)-d.scale:]
	}
	if n.Sign() < 0 {
		return "-" + text
	}
	return text
}

// Value is the number as text, which PostgreSQL reads as numeric.
func (d Decimal) Value() (driver.Value, error) { return d.String(), nil }

// MarshalJSON writes the number as a string: no reader of JSON can be trusted with its digits.
func (d Decimal) MarshalJSON() ([]byte, error) { return []byte(`"` + d.String() + `"`), nil }

// UnmarshalJSON reads what MarshalJSON wrote, of any length.
func (d *Decimal) UnmarshalJSON(b []byte) error {
	text, err := strconv.Unquote(string(b))
	if err != nil {
		return fmt.Errorf("decimal: %s is no number in quotes", b)
	}
	return d.Scan(text)
}

// Scan reads a numeric column; NULL is 0. It knows no bounds, because sums have none.
func (d *Decimal) Scan(v any) error {
	var text string
	switch v := v.(type) {
	case nil:
		*d = Decimal{}
		return nil
	case int64:
		*d = FromInt(v)
		return nil
	case string:
		text = v
	case []byte:
		text = string(v)
	default:
		return fmt.Errorf("decimal: a number cannot be read from %T", v)
	}
	rest, negative := strings.CutPrefix(text, "-")
	whole, fraction, pointed := strings.Cut(rest, ".")
	if !digits(whole) || pointed && !digits(fraction) {
		return fmt.Errorf("decimal: %q is no number", text)
	}
	n, _ := new(big.Int).SetString(whole+fraction, 10)
	if negative {
		n.Neg(n)
	}
	*d = Decimal{unscaled: n, scale: len(fraction)}
	return nil
}
