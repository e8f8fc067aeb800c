package console

import (
	"errors"
	"strconv"
	"strings"

	"recoup/models/credit"
	"recoup/models/fault"
	"recoup/views/text"
)

// amountField reads an amount of a form; its fault names the field.
func amountField(r request, name string) (int64, error) {
	n, err := amount(r.FormValue(name))
	if err != nil {
		return 0, fault.InvalidField(name, "%s", err)
	}
	return n, nil
}

// amount reads a whole number of credits as a person types or pastes it: with or without a sign, with or without
// separators of thousands. A number that may mean another one is refused, not guessed: "10,50" is ten and a half
// to many people.
func amount(value string) (int64, error) {
	typed := strings.TrimSpace(credit.PlainDigits(value))
	if typed == "" {
		return 0, errors.New("is required")
	}
	sign := ""
	for _, s := range []struct{ typed, means string }{{"-", "-"}, {text.Minus, "-"}, {"+", ""}} {
		if rest, found := strings.CutPrefix(typed, s.typed); found {
			typed, sign = rest, s.means
			break
		}
	}
	digits, whole := ungroup(typed)
	if !whole {
		return 0, errors.New("must be a whole number of credits")
	}
	n, err := strconv.ParseInt(sign+digits, 10, 64)
	if err != nil {
		// Nothing but digits is left, so it can only be too long.
		return 0, errors.New("does not fit a signed 64-bit number of credits")
	}
	return n, nil
}

// ungroup takes the separators of thousands out of a number without sign. It is not whole when a separator stands
// anywhere but before each group of three, when two kinds are mixed, or when anything else is in it.
func ungroup(number string) (digits string, whole bool) {
	for _, separator := range []string{",", " ", "\u00a0", "\u202f"} {
		groups := strings.Split(number, separator)
		if len(groups) == 1 {
			continue
		}
		for i, g := range groups {
			if !onlyDigits(g) || len(g) > 3 || i > 0 && len(g) != 3 || i == 0 && g[0] == '0' {
				return "", false
			}
		}
		return strings.Join(groups, ""), true
	}
	return number, onlyDigits(number)
}

func onlyDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
