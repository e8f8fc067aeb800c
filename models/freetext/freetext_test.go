package freetext_test

import (
	"strings"
	"testing"

	"recoup/models/freetext"
)

func TestProblem(t *testing.T) {
	for _, x := range []struct {
		text     string
		required bool
		want     string
	}{
		{"ok", true, ""}, {"", false, ""}, {" ", false, ""}, {"請求書の誤り", true, ""}, {"a\nb\tc\r", true, ""}, {"👍", true, ""}, {"-", true, ""},
		{"", true, freetext.Required}, {" \n\t", true, freetext.Required}, {"\u200b", true, freetext.Required}, {"\u200d\u2060\ufeff\u00ad ", true, freetext.Required},
		{"\u3000", true, freetext.Required}, {"\u3164", true, freetext.Required}, {"\u2800", true, freetext.Required}, {"\ufe0f", true, freetext.Required}, {"\u0301", true, freetext.Required},
		{"\u200ba", true, ""}, {"\xff", false, freetext.NotUTF8}, {"a\xff", true, freetext.NotUTF8},
		{strings.Repeat("あ", 10), true, ""}, {strings.Repeat("あ", 11), true, freetext.TooLong},
		{"a\x00", true, freetext.Control}, {"a\x7f", false, freetext.Control}, {"a\x1b[", false, freetext.Control},
	} {
		if got := freetext.Problem(x.text, 10, x.required); got != x.want {
			t.Errorf("%q required %v: %q, want %q", x.text, x.required, got, x.want)
		}
	}
}
