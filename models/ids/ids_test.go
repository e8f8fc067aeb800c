package ids_test

import (
	"strings"
	"testing"

	"recoup/models/ids"
)

func TestCheckCallerID(t *testing.T) {
	for _, id := range []string{"a", "acct_7", "A.b:c@d-e_f", "...", "0", strings.Repeat("x", 64), "-", "..a"} {
		if err := ids.CheckCallerID(id); err != nil {
			t.Errorf("%q refused: %v", id, err)
		}
	}
	for _, id := range []string{"", ".", "..", strings.Repeat("x", 65), "a b", " a", "a ", "a/b", "a\x00", "ä", "a\n", "a%2F", "a+b", "\xff"} {
		if ids.CheckCallerID(id) == nil {
			t.Errorf("%q accepted", id)
		}
	}
}

func TestCheckOperationID(t *testing.T) {
	for _, id := range []string{"!", "~", "a/b c"[:3], strings.Repeat("x", 255)} {
		if err := ids.CheckOperationID(id); err != nil {
			t.Errorf("%q refused: %v", id, err)
		}
	}
	for _, id := range []string{"", " ", "a b", "a\t", "\x7f", "é", strings.Repeat("x", 256), strings.Repeat("x", 450)} {
		if ids.CheckOperationID(id) == nil {
			t.Errorf("%q accepted", id)
		}
	}
}

func TestNewIsUniqueSortedAndLegal(t *testing.T) {
	seen := map[string]bool{}
	last := ""
	for range 1000 {
		id := ids.New()
		if seen[id] || ids.CheckOperationID(id) != nil || ids.CheckCallerID(id) != nil {
			t.Fatalf("id %q repeats or is not legal", id)
		}
		if id < last {
			t.Fatalf("%q sorts before %q, which is older", id, last)
		}
		seen[id], last = true, id
	}
}

func TestSecretHasItsLengthAndDiffers(t *testing.T) {
	a, b := ids.Secret(16), ids.Secret(16)
	if a == b || len(a) != 22 || strings.ContainsAny(a+b, "+/=") {
		t.Fatalf("secrets %q and %q", a, b)
	}
}
