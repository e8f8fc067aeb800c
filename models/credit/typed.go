package credit

import "strings"

// PlainDigits turns the full-width digits, signs, commas and blanks of a number that somebody typed with an input
// method into the plain ones. Everything else stays as it is.
func PlainDigits(typed string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '０' && r <= '９':
			return r - '０' + '0'
		case r == '－' || r == '\u2212':
			return '-'
		case r == '＋':
			return '+'
		case r == '，':
			return ','
		case r == '\u3000':
			return ' '
		}
		return r
	}, typed)
}
