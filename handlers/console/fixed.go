package console

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"recoup/models/credit"
	"recoup/models/fault"
)

// How many digits behind the point a form takes of what is kept as a whole number inside: prices in thousandths of a credit,
// shares of money in hundredths of a percent, shares of accounts in the thousandth of a percent that a bucket is.
const (
	pricePlaces = 3
	sharePlaces = 2
	stagePlaces = 3
)

// wholeShare is a hundred percent.
const wholeShare = 100

// fixed reads a number that is not negative as a person types it, such as "0.667" or "10 %", in units of its last of so many
// digits behind the point: 667 for three. It rounds nothing.
func fixed(value string, places int) (int64, error) {
	typed := strings.NewReplacer("．", ".", "％", "%").Replace(credit.PlainDigits(value))
	typed = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(typed), "%"))
	if strings.HasPrefix(typed, "-") {
		return 0, errors.New("must not be negative")
	}
	whole, behind, point := strings.Cut(typed, ".")
	digits, ok := ungroup(whole)
	if !ok || point && !onlyDigits(behind) {
		return 0, errors.New("must be a number such as 12.5")
	}
	behind = strings.TrimRight(behind, "0")
	if len(behind) > places {
		return 0, errors.New("must have at most " + strconv.Itoa(places) + " digits behind the point")
	}
	n, err := strconv.ParseInt(digits+behind+strings.Repeat("0", places-len(behind)), 10, 64)
	if err != nil {
		return 0, errors.New("is too large")
	}
	return n, nil
}

// plain writes a number that fixed would read again.
func plain(n int64, places int) string {
	digits := strconv.FormatInt(n, 10)
	for len(digits) <= places {
		digits = "0" + digits
	}
	point := len(digits) - places
	return strings.TrimSuffix(strings.TrimRight(digits[:point]+"."+digits[point:], "0"), ".")
}

// numbers reads the numbers of a form and collects what is wrong with them.
type numbers struct {
	r   request
	bad []fault.Field
}

func (n *numbers) refuse(name string, err error) {
	n.bad = append(n.bad, fault.Field{Name: name, Message: err.Error()})
}

// whole is a whole number; empty stands for a field that is left out.
func (n *numbers) whole(name string, empty int64) int64 {
	v, err := whole(n.r.FormValue(name), empty)
	if err != nil {
		n.refuse(name, errors.New("must be a whole number"))
	}
	return v
}

// fixed is a number with so many digits behind the point; empty stands for a field that is left out.
func (n *numbers) fixed(name string, places int, empty int64) int64 {
	typed := n.r.FormValue(name)
	if strings.TrimSpace(typed) == "" {
		return empty
	}
	v, err := fixed(typed, places)
	if err != nil {
		n.refuse(name, err)
	}
	return v
}

// share is a percentage from 0 to 100 with so many digits behind the point.
func (n *numbers) share(name string, places int, empty int64) int64 {
	v := n.fixed(name, places, empty)
	if v > wholeShare*int64(math.Pow10(places)) {
		n.refuse(name, errors.New("must be at most 100 %"))
	}
	return v
}

// err is the fault of all that is wrong; nil for nothing.
func (n *numbers) err() error {
	if n.bad == nil {
		return nil
	}
	return fault.InvalidFields(n.bad...)
}
