package text

import (
	"regexp"
	"testing"
)

// A word goes with its number, whatever the number's sign; a unit of somebody's own does where it is an English word.
func TestWordsGoWithTheirNumbers(t *testing.T) {
	en, ja := Locale{Lang: English}, Locale{Lang: Japanese}
	for _, x := range [][2]string{
		{"1 job was paid, 2 were left out. Finished now.", en.T("settlement.say_done", "1", "2", "now")},
		{"2 jobs were paid, 1 was left out. Finished now.", en.T("settlement.say_done", "2", "1", "now")},
		{"Grant of +1 credit", en.T("approval.grant", "+1")}, {"Grant of −1 credit", en.T("approval.grant", "−1")},
		{"Grant of 1,001 credits", en.T("approval.grant", "1,001")}, {"0 credits per second", en.T("price.unit", "0", "second")},
		{"60 seconds = 1 credit", en.T("price.example", "60", en.Unit("second", 60), "1")}, {"1 second = 2 credits", en.T("price.example", "1", en.Unit("second", 1), "2")},
		{"60 秒 = 1クレジット", ja.T("price.example", "60", ja.Unit("second", 60), "1")},
		{"60 bell_2 = 1クレジット", ja.T("price.example", "60", ja.Unit("bell_2", 60), "1")},
		{"min", en.Unit("min", 2)}, {"MiB", en.Unit("MiB", 2)}, {"queries", en.Unit("query", 2)}, {"arrays", en.Unit("array", 2)}, {"batches", en.Unit("batch", 2)},
		{"frames", en.Unit("frames", 2)}, {"Bild", en.Unit("Bild", 2)}, {"秒", en.Unit("秒", 2)}, {"", en.Unit("", 2)},
	} {
		if x[0] != x[1] {
			t.Errorf("%q, want %q", x[1], x[0])
		}
	}
}

// A phrase that has a number before the plural of what is counted chooses the form by the number.
func TestNoPluralIsFixed(t *testing.T) {
	fixed := regexp.MustCompile(`\{\d\} (more )?(delivered )?(credits|jobs|accounts|lines|charges|entries|units|decisions|attempts|tries|claims|problems|results|records|dead letters|were)\b`)
	choice := regexp.MustCompile(`\{\d\|`)
	for _, key := range catalogue(t) {
		en, ja := phrase(key)
		if other := regexp.MustCompile(`\.(one|other)$`).MatchString(key); !other && fixed.MatchString(en) {
			t.Errorf("%s: %q", key, en)
		}
		if choice.MatchString(ja) {
			t.Errorf("%s chooses a word in Japanese: %q", key, ja)
		}
	}
}
