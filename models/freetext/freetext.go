// Package freetext holds what text that people write must be, wherever it is kept: reasons, references, names, notes.
package freetext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// What can be wrong with a text. They are the messages of a fault's fields, and screens word them.
const (
	Required = "is required"
	NotUTF8  = "is not valid UTF-8"
	TooLong  = "is too long"
	Control  = "holds control characters"
)

// Problem says what is wrong with a text of at most limit characters, "" when nothing is. Where it is required it
// has to say something: see Blank.
func Problem(value string, limit int, required bool) string {
	switch {
	case required && Blank(value):
		return Required
	case !utf8.ValidString(value):
		return NotUTF8
	case utf8.RuneCountInString(value) > limit:
		return TooLong
	case HoldsControl(value):
		return Control
	}
	return ""
}

// Blank reports whether a reader would see nothing: the text is empty, or has nothing but white space, characters
// without width, marks without a letter, and letters that are drawn as blanks.
func Blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		switch r {
		case '\u115f', '\u1160', '\u3164', '\uffa0', '\u2800': // fillers of Hangul, and the empty pattern of Braille
			return false
		}
		return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S)
	})
}

// HoldsControl reports whether a text holds control characters other than line breaks and tabs.
func HoldsControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 && r != '\n' && r != '\t' && r != '\r' || r == 0x7f })
}
