package fingerprint_test

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"recoup/models/fingerprint"
)

func TestMayHoldRulesOut(t *testing.T) {
	const bucket = "PUT to bucket renders-<number> answered <number> after <number> ms"
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{bucket, "bucket renders-7 ANSWERED 503 a", true},
		{bucket, "5 ms", true},
		{bucket, "nothing like it", false},
		{bucket, "answered 5x3", false},
		{bucket, "ms PUT", false},
		{bucket, "answered <number> after", true},
		{"コーデック（コード<number>）", "コード12）", true},
		{"コーデック（コード<number>）", "未対応", false},
		{"open <path>: permission denied", "hoshino/cut.mov: perm", true},
		{"open <path>: permission denied", "hoshino cut", false},
		{"no such file: <text>", "anything at all", true},
		{"at <hex> in frame <number>", "0xFF in", true},
		{"at <hex> in frame <number>", "0xFG in", false},
		{"since <time> nothing came", "2026-11-30 18:12 gone", false},
		{"since <time> nothing came", "11-30 18:12 nothing", true},
		{"", "x", false},
		{"a b", "a \t b ", true},
		{strings.Repeat("long ", 60), "whatever was cut", true},
		{"gpu-<number> lost", "", true},
	} {
		if got := fingerprint.MayHold(c.pattern, c.text); got != c.want {
			t.Errorf("%q in %q: %t", c.text, c.pattern, got)
		}
	}
}

// TestMayHoldNeverRulesOutWhatIsThere: a part of a message, in any case, may be in what the message normalises to.
func TestMayHoldNeverRulesOutWhatIsThere(t *testing.T) {
	pieces := rapid.SampledFrom([]string{"frame", "17", " ", "  ", "\t", "ab12", "/", "a/b", "/srv/x7/", "~", ":", "://", "s3://b/k", "C:\\", "'", "\"", "`", "“", "”", "「", "」", "<", ">",
		"<number>", "<path>", "x", "0", "0x7f", "4bf92f35-77b3-4da6-a3ce-929d0e0e4736", "2026-11-30T18:12:01.123Z", "2026-11-30 18:12", "18:12:01", ",", ".", "-", "_", "Ä", "σ", "K", "コード", "d41d8cd9",
		"req_8Fz3kQ91x", "a long run of words that goes on for a while, and then some more of them"})
	rapid.Check(t, func(t *rapid.T) {
		message := strings.Join(rapid.SliceOfN(pieces, 1, 40).Draw(t, "pieces"), "")
		runes := []rune(message)
		from := rapid.IntRange(0, len(runes)-1).Draw(t, "from")
		text := string(runes[from:rapid.IntRange(from, len(runes)).Draw(t, "to")])
		pattern := fingerprint.Normalise(message)
		for _, text := range []string{text, strings.ToLower(text), strings.ToUpper(text), strings.Map(unicode.ToTitle, text)} {
			if !fingerprint.MayHold(pattern, text) {
				t.Fatalf("%q is in %q, ruled out by %q", text, message, pattern)
			}
		}
	})
}
