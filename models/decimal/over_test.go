package decimal_test

import (
	"testing"

	"recoup/models/decimal"
)

func TestOverRoundsHalfToEven(t *testing.T) {
	for _, x := range []struct {
		d      string
		n      int64
		digits int
		want   string
	}{{"1", 3, 4, "0.3333"}, {"2", 3, 4, "0.6667"}, {"-2", 3, 4, "-0.6667"}, {"0.5", 1, 0, "0"}, {"1.5", 1, 0, "2"}, {"-0.5", 1, 0, "0"}, {"-1.5", 1, 0, "-2"},
		{"2.7253408097", 10, 12, "0.27253408097"}, {"0", 7, 3, "0"}, {"5", -2, 1, "-2.5"}, {"99999999999999999999.9", 1, 2, "99999999999999999999.9"}} {
		d, err := decimal.Parse(x.d)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Over(x.n, x.digits).String(); got != x.want {
			t.Errorf("%s over %d: %s, want %s", x.d, x.n, got, x.want)
		}
	}
}
