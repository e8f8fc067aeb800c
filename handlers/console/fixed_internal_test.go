package console

import "testing"

// What people type for prices and shares is kept to the digit, or refused.
func TestFixed(t *testing.T) {
	for typed, want := range map[string]int64{"0.667": 667, "1": 1000, "0.6": 600, "1,000.5": 1_000_500, "０．６": 600, "10 %": 10_000, "12.500": 12_500, "0": 0, "9223372036854775.807": 9223372036854775807} {
		if got, err := fixed(typed, 3); err != nil || got != want {
			t.Errorf("%q: %d %v, want %d", typed, got, err, want)
		}
	}
	for typed, want := range map[string]string{"0.6671": "must have at most 3 digits behind the point", "-1": "must not be negative", "\u22121": "must not be negative", "1,5": "must be a number such as 12.5",
		".5": "must be a number such as 12.5", "5.": "must be a number such as 12.5", "NaN": "must be a number such as 12.5", "1e3": "must be a number such as 12.5", "": "must be a number such as 12.5",
		"9223372036854775.808": "is too large"} {
		if got, err := fixed(typed, 3); err == nil || err.Error() != want {
			t.Errorf("%q: %d %v, want %s", typed, got, err, want)
		}
	}
	for n, want := range map[int64]string{0: "0", 5: "0.005", 667: "0.667", 600: "0.6", 1000: "1", 12_345_678: "12345.678"} {
		if got := plain(n, 3); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
		if again, err := fixed(plain(n, 3), 3); err != nil || again != n {
			t.Errorf("%d: %d %v", n, again, err)
		}
	}
}
