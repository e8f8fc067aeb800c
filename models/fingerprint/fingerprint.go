// Package fingerprint tells which failures are the same: two jobs of one action that died of the same code, the same
// dependency and messages that differ in nothing but numbers, ids, times, paths and quoted words.
//
// It is pure: the same failure has the same fingerprint in every process and at every time.
package fingerprint

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Version numbers the rules below. Fingerprints of different versions are never equal; whoever changes a rule
// raises it, and the caretaker computes the fingerprints of stored rows anew.
const Version = 2

// maxPattern bounds a normalised message, in characters.
const maxPattern = 300

// Failure is what a fingerprint is made of.
type Failure struct {
	Action     string
	Dependency string
	// Code is the error code; Message the words of whoever reported the failure.
	Code, Message string
}

// ID is the failure's fingerprint: the version and 128 bits in hexadecimal, e.g. "2-0f3a…".
func (f Failure) ID() string {
	h := sha256.New()
	for _, part := range []string{f.Action, f.Code, Normalise(f.Message), f.Dependency} {
		var n [4]byte
		binary.BigEndian.PutUint32(n[:], uint32(len(part)))
		h.Write(n[:])
		h.Write([]byte(part))
	}
	return strconv.Itoa(Version) + "-" + hex.EncodeToString(h.Sum(nil)[:16])
}

// varying finds what differs between two reports of one fault. Earlier alternatives win: a number in a quoted
// word, an address or a path is part of that.
var varying = regexp.MustCompile(`(?P<quoted>"[^"]*"|` + "`[^`]*`" + `|“[^”]*”|‘[^’]*’|「[^」]*」|\B'[^']*'\B)` +
	`|(?P<url>[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>]+)` +
	`|(?P<uuid>\b[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}\b)` +
	`|(?P<time>\b[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?: ?(?:Z|[+-][0-9]{2}:?[0-9]{2}))?)?|\b[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?\b)` +
	`|(?P<path>\B~?(?:/[^\s/"'<>:,;()]+)+/?|\b[A-Za-z]:\\[^\s"'<>,;]+)` +
	`|(?P<number>\b[0-9]+(?:[.,:][0-9]+)+\b)` +
	`|(?P<word>[0-9A-Za-z_]*[0-9][0-9A-Za-z_]*)`)

// digits are the runs of digits in a word.
var digits = regexp.MustCompile(`[0-9]+`)

// hexadecimal is a word that is an address or a digest.
var hexadecimal = regexp.MustCompile(`^(?:0[xX][0-9A-Fa-f]+|[0-9A-Fa-f]{8,})$`)

// Normalise is a message with everything that varies replaced by its kind, blanks as one, cut at 300 characters.
// Normalising twice changes nothing.
func Normalise(message string) string {
	message = strings.ToValidUTF8(message, "\uFFFD")
	for {
		// What stands where a number stood can make a path or a quotation of what follows. It ends: whatever is replaced
		// takes a digit, a quotation mark or a slash with it, and its kind has none.
		next := replace(message)
		if next == message {
			return message
		}
		message = next
	}
}

// replace goes through a message once.
func replace(message string) string {
	out := varying.ReplaceAllStringFunc(message, func(s string) string {
		at := varying.FindStringSubmatchIndex(s)
		for i, name := range varying.SubexpNames() {
			if i > 0 && 2*i < len(at) && at[2*i] == 0 && at[2*i+1] == len(s) {
				if name == "word" {
					return word(s)
				}
				if name == "quoted" && utf8.RuneCountInString(s) <= 2 {
					return s
				}
				return placeholder(name)
			}
		}
		return word(s)
	})
	out = strings.Join(strings.Fields(out), " ")
	if utf8.RuneCountInString(out) > maxPattern {
		out = strings.TrimRight(string([]rune(out)[:maxPattern]), " ")
	}
	return out
}

func placeholder(kind string) string {
	if kind == "quoted" {
		kind = "text"
	}
	return "<" + kind + ">"
}

// word is a word that holds a digit: a number, a digest, a made-up id, or a name that ends in one.
func word(s string) string {
	runs := digits.FindAllStringIndex(s, -1)
	switch {
	case len(runs) == 1 && runs[0][0] == 0 && runs[0][1] == len(s):
		return placeholder("number")
	case hexadecimal.MatchString(s):
		return placeholder("hex")
	case len(runs) >= 3:
		return placeholder("id")
	}
	return digits.ReplaceAllString(s, placeholder("number"))
}
