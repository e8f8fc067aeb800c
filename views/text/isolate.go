package text

import (
	"strings"
	"unicode"
)

// The characters of Unicode's bidirectional algorithm that open and close an isolate.
const (
	firstStrongIsolate = '\u2068'
	popIsolate         = '\u2069'
)

// Isolate keeps the direction of text that somebody else wrote to itself, where it is put between our own words: a
// name that runs from right to left, or that holds characters which turn what follows around, must not change how
// the amount after it reads. What it holds is left as it is; text without any of this comes back unchanged.
func Isolate(s string) string {
	turns, depth, lowest := false, 0, 0
	for _, r := range s {
		switch {
		case r < '\u0590': // Hebrew is the first
		case r >= '\u2066' && r <= firstStrongIsolate:
			depth++
			turns = true
		case r == popIsolate:
			depth--
			lowest = min(lowest, depth)
			turns = true
		case r >= '\u202a' && r <= '\u202e', r == '\u200f', r == '\u061c', unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko):
			turns = true
		}
	}
	if !turns {
		return s
	}
	// Each closing character too many in s gets an isolate of its own to close, so that none of them ends ours.
	opened := 1 - lowest
	return strings.Repeat(string(firstStrongIsolate), opened) + s + strings.Repeat(string(popIsolate), opened+depth)
}
