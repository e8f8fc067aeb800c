package fingerprint

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MayHold reports whether a message that normalises to pattern can have text in it, in any case. False is certain; true is
// not: what stood where the pattern has a kind is not known. It knows the rules of Version, and no other's.
func MayHold(pattern, text string) bool {
	parts, cut := partsOf(pattern)
	// The text may begin anywhere, in the middle of what varies too.
	at := make([]bool, len(parts)+1)
	for i := range at {
		at[i] = true
	}
	for _, r := range text {
		r = folded(r)
		next, alive := make([]bool, len(parts)+1), false
		for i, there := range at {
			switch {
			case !there:
			case i == len(parts):
				// Whatever follows has been cut off, or nothing does.
				if cut {
					return true
				}
				if unicode.IsSpace(r) {
					next[i], alive = true, true
				}
			case parts[i].one != nil:
				if parts[i].one(r) {
					enter(next, parts, i)
					alive = true
				}
			case parts[i].is == r:
				enter(next, parts, i+1)
				alive = true
			}
		}
		if !alive {
			return false
		}
		at = next
	}
	return true
}

// part is one place of a pattern: a character, or any number of those that one reports.
type part struct {
	is  rune
	one func(rune) bool
	// past is how many parts spell the kind itself, for messages in which it stands as such.
	past int
}

// enter marks a place and those that can be reached from it without another character.
func enter(at []bool, parts []part, i int) {
	if at[i] {
		return
	}
	at[i] = true
	if i < len(parts) && parts[i].one != nil {
		enter(at, parts, i+1)
		enter(at, parts, i+1+parts[i].past)
	}
}

// varies reports of which characters that consists which has been replaced by a kind; nil for what is no kind.
func varies(kind string) func(rune) bool {
	among := func(others string) func(rune) bool {
		return func(r rune) bool { return '0' <= r && r <= '9' || strings.ContainsRune(others, r) }
	}
	switch kind {
	case "number":
		return among(".,:")
	case "time":
		return among("-/T :.,Z+")
	case "uuid":
		return among("ABCDEF-")
	case "hex":
		return among("ABCDEFX")
	case "id", "url", "path":
		return func(r rune) bool { return !unicode.IsSpace(r) }
	case "text":
		return func(rune) bool { return true }
	}
	return nil
}

// folded is one for all cases of a character.
func folded(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return least
}

// partsOf takes a pattern apart. cut is true where the message may go on behind it.
func partsOf(pattern string) (parts []part, cut bool) {
	// A message that is cut may have become shorter once more: by what follows the place of something that varies.
	cut = utf8.RuneCountInString(pattern) >= maxPattern-1 || strings.Contains(pattern, "><path>") || strings.Contains(pattern, "><url>")
	if at := strings.LastIndexByte(pattern, '<'); cut && at >= 0 && !strings.Contains(pattern[at:], ">") {
		pattern = pattern[:at]
	}
	// Blanks before the first word are not in the pattern.
	parts = append(parts, part{one: unicode.IsSpace})
	for pattern != "" {
		// Behind it the kind's own characters follow: a message may hold that very word.
		if name, _, ends := strings.Cut(pattern, ">"); ends && strings.HasPrefix(name, "<") {
			if one := varies(name[1:]); one != nil {
				parts = append(parts, part{one: one, past: len(name) + 1})
			}
		}
		r, size := utf8.DecodeRuneInString(pattern)
		pattern = pattern[size:]
		if r == ' ' {
			parts = append(parts, part{one: unicode.IsSpace})
			continue
		}
		parts = append(parts, part{is: folded(r)})
	}
	return parts, cut
}
