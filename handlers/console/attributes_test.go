package console

import (
	"maps"
	"testing"

	"pgregory.net/rapid"
)

func TestAttributesReadBackTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.MapOf(rapid.StringMatching(`[a-z=\\ \n\r.é]{1,6}`), rapid.StringMatching(`[a-z=\\ \n\r"é]{0,8}`)).Draw(t, "attributes")
		got, bad := attributesOf(attributeLines(want))
		if bad != "" || !maps.Equal(got, want) {
			t.Fatalf("%q became %q (bad %q) through\n%s", want, got, bad, attributeLines(want))
		}
	})
}

func TestAttributesAsPeopleTypeThem(t *testing.T) {
	got, bad := attributesOf("region=jp\r\n\r\n  \nnote = a = b\r\nempty =\n")
	if want := map[string]string{"region": "jp", "note": "a = b", "empty": ""}; bad != "" || !maps.Equal(got, want) {
		t.Errorf("%q, bad %q", got, bad)
	}
	for _, text := range []string{"no sign", "= value", "a = 1\na = 2"} {
		if _, bad := attributesOf(text); bad == "" {
			t.Errorf("%q was taken", text)
		}
	}
}
