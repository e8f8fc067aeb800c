package decimal_test

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"recoup/models/decimal"
)

func TestParse(t *testing.T) {
	for in, want := range map[string]string{
		"0": "0", "-0": "0", "0.000": "0.000", "-0.00": "0.00", "00012.500": "12.500", "-0.004": "-0.004", "1.10": "1.10", "100": "100", "10.0": "10.0",
		"0.00000080000": "0.00000080000", "99999999999999999999": "99999999999999999999",
		"0.000000000000000000000000000001": "0.000000000000000000000000000001",
		"1." + strings.Repeat("0", 60):     "1." + strings.Repeat("0", 60), "1.50" + strings.Repeat("0", 60): "1.5", "-99999999999999999999.999999999999999999999999999999": "-99999999999999999999.999999999999999999999999999999",
	} {
		for name, parse := range map[string]func(string) (decimal.Decimal, error){"Parse": decimal.Parse, "ParseScientific": decimal.ParseScientific} {
			if d, err := parse(in); err != nil || d.String() != want {
				t.Errorf("%s(%q) = %s, %v, want %s", name, in, d, err, want)
			}
		}
	}
}

func TestParseScientificIsExact(t *testing.T) {
	for in, want := range map[string]string{
		"1.5E-07": "0.00000015", "1.5e-07": "0.00000015", "-2E3": "-2000", "+7": "7", ".5": "0.5", "5.": "5", "0E-999999999999": "0",
		"12.5e1": "125", "1e0": "1", "3.0000000000000004E-17": "0.000000000000000030000000000000004", "9e19": "90000000000000000000",
	} {
		if d, err := decimal.ParseScientific(in); err != nil || d.String() != want {
			t.Errorf("%q = %s, %v, want %s", in, d, err, want)
		}
		if in != "-0" && strings.ContainsAny(in, "eE+") {
			if _, err := decimal.Parse(in); !errors.Is(err, decimal.ErrSyntax) {
				t.Errorf("Parse(%q): %v", in, err)
			}
		}
	}
}

func TestWhatIsNoNumber(t *testing.T) {
	for _, in := range []string{"", " ", "-", "+", ".", "-.", "1,5", "1 000", "1.2.3", "--1", "+-1", "NaN", "nan", "Infinity", "-inf", "0x10", "1_000", "１", "1e", "1e+", "1e--5",
		"1e1.5", "e5", "1\n", "\x00", "$1", "1.5E-07x", "1e+-5", strings.Repeat("1", 300)} {
		if d, err := decimal.ParseScientific(in); !errors.Is(err, decimal.ErrSyntax) {
			t.Errorf("%.30q = %s, %v", in, d, err)
		}
		if d, err := decimal.Parse(in); !errors.Is(err, decimal.ErrSyntax) {
			t.Errorf("Parse(%.30q) = %s, %v", in, d, err)
		}
	}
	for _, in := range []string{"100000000000000000000", "1e20", "1e-61", "0." + strings.Repeat("0", 60) + "1", "1e999999999999", "1e-999999999999", "-1e21"} {
		if d, err := decimal.ParseScientific(in); !errors.Is(err, decimal.ErrRange) {
			t.Errorf("%q = %s, %v", in, d, err)
		}
	}
}

// any draws a number with the same value as a fraction.
func anyNumber(t *rapid.T, name string) (decimal.Decimal, *big.Rat) {
	text := rapid.StringMatching(`-?[0-9]{1,20}(\.[0-9]{1,30})?`).Draw(t, name)
	d, err := decimal.Parse(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatal(text)
	}
	return d, r
}

func scan(t *rapid.T, text string) decimal.Decimal {
	var d decimal.Decimal
	if err := d.Scan(text); err != nil {
		t.Fatal(err)
	}
	return d
}

// fraction is how many digits a text has behind its point.
func fraction(text string) int {
	_, digits, _ := strings.Cut(text, ".")
	return len(digits)
}

func same(t *rapid.T, what string, d decimal.Decimal, r *big.Rat) {
	got, ok := new(big.Rat).SetString(d.String())
	if !ok || got.Cmp(r) != 0 {
		t.Fatalf("%s is %s, want %s", what, d, r.FloatString(70))
	}
	if c := d.Canonical(); strings.Contains(c, ".") && strings.HasSuffix(c, "0") || !scan(t, c).Equal(d) {
		t.Fatalf("%s is %s, canonically %s", what, d, c)
	}
}

func TestArithmeticAgreesWithFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, ra := anyNumber(t, "a")
		b, rb := anyNumber(t, "b")
		same(t, "a", a, ra)
		same(t, "a + b", a.Plus(b), new(big.Rat).Add(ra, rb))
		same(t, "a − b", a.Minus(b), new(big.Rat).Sub(ra, rb))
		same(t, "a · b", a.Times(b), new(big.Rat).Mul(ra, rb))
		if a.Sign() != ra.Sign() || a.Equal(b) != (ra.Cmp(rb) == 0) {
			t.Fatalf("sign %d of %s, equal %v", a.Sign(), a, a.Equal(b))
		}
		if back := scan(t, a.String()); back.String() != a.String() {
			t.Fatalf("scanned %s as %s", a, back)
		}
	})
}

// A sum is exact, and has the digits of the finest of its summands, in whatever order they come and however they cancel.
func TestSumOfMany(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sum, back decimal.Decimal
		want, scale := new(big.Rat), 0
		for range rapid.IntRange(0, 60).Draw(t, "n") {
			d, r := anyNumber(t, "d")
			sum, back, want, scale = sum.Plus(d), back.Minus(d), want.Add(want, r), max(scale, fraction(d.String()))
		}
		same(t, "sum", sum, want)
		for _, text := range []string{sum.String(), back.String(), sum.Plus(back).String()} {
			if fraction(text) != scale {
				t.Fatalf("a sum is written %s, its finest summand has %d digits", text, scale)
			}
		}
	})
}

func TestScaleIsKeptAndTrimmed(t *testing.T) {
	for in, want := range map[string][3]string{"1.00000000000": {"1.0000000000", "1.00", "1"}, "0.00000080000": {"0.0000008000", "0.0000008", "0.0000008"},
		"12.50": {"12.50", "12.50", "12.5"}, "-3": {"-3", "-3", "-3"}, "0.000": {"0.000", "0.00", "0"}, "100": {"100", "100", "100"}} {
		d, err := decimal.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := [3]string{d.Trimmed(10).String(), d.Trimmed(2).String(), d.Canonical()}; got != want || d.String() != in {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}
