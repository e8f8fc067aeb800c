package text

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Minus is U+2212, the sign of every negative amount on a page. A hyphen is narrower than a plus and may be
// broken from its number at the end of a line.
const Minus = "\u2212"

// Credits formats whole credits with thousands separators, a negative one with Minus: "1,284", "−40", "0".
// Every int64 is shown exactly.
func (l Locale) Credits(v int64) string {
	return l.Sum(strconv.FormatInt(v, 10))
}

// Sum is Credits for decimal digits with "-" in front of a negative number, of any length.
func (l Locale) Sum(digits string) string {
	if rest, negative := strings.CutPrefix(digits, "-"); negative {
		return Minus + group(rest)
	}
	return group(digits)
}

// Signed is Credits with a plus before positive amounts: "+40", "−40", "0". For changes, not for balances.
func (l Locale) Signed(v int64) string {
	if v > 0 {
		return "+" + l.Credits(v)
	}
	return l.Credits(v)
}

// SignedSum is Signed for decimal digits as Sum takes them.
func (l Locale) SignedSum(digits string) string {
	if digits != "0" && !strings.HasPrefix(digits, "-") {
		return "+" + l.Sum(digits)
	}
	return l.Sum(digits)
}

// Negative tells whether a formatted amount is below zero.
func Negative(amount string) bool { return strings.HasPrefix(amount, Minus) }

// Positive tells whether a formatted amount carries a plus, that is, whether it is a change upwards.
func Positive(amount string) bool { return strings.HasPrefix(amount, "+") }

func group(digits string) string {
	if len(digits) <= 3 {
		return digits
	}
	var b strings.Builder
	head := len(digits) % 3
	b.WriteString(digits[:head])
	for i := head; i < len(digits); i += 3 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(digits[i : i+3])
	}
	return b.String()
}

// Widest id that is shown whole, and what is kept of a longer one.
const (
	idWhole = 16
	idHead  = 8
	idTail  = 6
)

// CutID shortens an id of more than 16 characters in its middle, "0198c3f2…a91e44". Both ends stay because
// ids made by time share their beginning and ids made by count share it too. The whole id belongs into a title.
func CutID(id string) string {
	if utf8.RuneCountInString(id) <= idWhole {
		return id
	}
	r := []rune(id)
	return string(r[:idHead]) + "…" + string(r[len(r)-idTail:])
}
