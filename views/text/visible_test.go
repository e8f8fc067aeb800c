package text

import "testing"

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"":                       "",
		"cold-store is full":     "cold-store is full",
		"שלום":                   "שלום",
		"invoice\u202efdp.exe":   "invoice[U+202E]fdp.exe",
		"\u2066a\u2069 b \u202d": "[U+2066]a[U+2069] b [U+202D]",
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q reads %q, want %q", in, got, want)
		}
	}
}
