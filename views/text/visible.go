package text

import (
	"fmt"
	"strings"
)

// Visible names the characters that turn around what follows them, so that text from outside, a payload or a worker's
// message, cannot be made to read other than it is. Text without any comes back unchanged; so do letters of scripts that
// run from right to left.
func Visible(s string) string {
	if !strings.ContainsFunc(s, turns) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if turns(r) {
			fmt.Fprintf(&b, "[U+%04X]", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func turns(r rune) bool { return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' }
