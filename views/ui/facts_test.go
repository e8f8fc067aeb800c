package ui

import "testing"

// The figures of a line are as large as all of them have room beside each other; a very long one does not make the others small.
func TestFiguresFit(t *testing.T) {
	line := func(n int, value string) []Fact {
		facts := make([]Fact, n)
		for i := range facts {
			facts[i].Value = value
		}
		return facts
	}
	for _, c := range []struct {
		facts  []Fact
		size   string
		digits int
	}{
		{line(1, "0"), "l", 1},
		{line(4, "−1,234,567"), "l", 10},
		{line(7, "1,250"), "l", 5},
		{line(7, "−24,915"), "m", 7},
		{line(7, "+1,234,567"), "s", 10},
		{append(line(4, "12"), Fact{Value: "9,007,199,254,740,993"}), "l", 2},
		{nil, "l", 0},
	} {
		if size, digits := fit(c.facts), longest(c.facts); size != c.size || digits != c.digits {
			t.Errorf("%d of %d characters: %s %d, want %s %d", len(c.facts), c.digits, size, digits, c.size, c.digits)
		}
	}
}
