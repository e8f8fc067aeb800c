package text

import (
	"strings"
	"testing"
)

// No text in a sentence turns the sentence around, and none that does not try is touched.
func TestTextOfOthersIsIsolated(t *testing.T) {
	const open, shut = "\u2068", "\u2069"
	for s, want := range map[string]string{
		"":               "",
		"Hoshino Studio": "Hoshino Studio",
		"星野 −40 é":       "星野 −40 é",
		"a\u202eb":       open + "a\u202eb" + shut,
		"שלום":           open + "שלום" + shut,
		"مرحبا 40":       open + "مرحبا 40" + shut,
		"a\u2067b":       open + "a\u2067b" + shut + shut,
		"a\u2069\u202eb": open + open + "a\u2069\u202eb" + shut,
		"\u2069\u2069x":  open + open + open + "\u2069\u2069x" + shut,
		"\u2066a\u2069b": open + "\u2066a\u2069b" + shut,
		"\u2069\u2066a":  open + open + "\u2069\u2066a" + shut + shut,
		"\u200fx \u061c": open + "\u200fx \u061c" + shut,
	} {
		got := Isolate(s)
		if got != want {
			t.Errorf("%+q is %+q, want %+q", s, got, want)
		}
		// What stands after it is outside of every isolate that was opened.
		depth := 0
		for i, r := range got {
			switch {
			case r >= '\u2066' && r <= '\u2068':
				depth++
			case r == '\u2069':
				if depth--; depth <= 0 && i < len(got)-len(shut) {
					t.Errorf("%+q ends its isolate early", got)
				}
			}
		}
		if depth != 0 {
			t.Errorf("%+q leaves %d open", got, depth)
		}
	}
	l := Locale{}
	if got := l.T("statement.say", "1", "2", "a\u202eb"); !strings.Contains(got, open+"a\u202eb"+shut) {
		t.Errorf("%+q", got)
	}
}
