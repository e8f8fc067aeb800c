package text

import (
	"math"
	"strings"
	"testing"
	"time"
)

func ja() Locale { return Locale{Lang: Japanese} }

func TestCreditsAreExactWithTrueMinus(t *testing.T) {
	var l Locale
	for v, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 1284: "1,284", -40: "\u221240", -1160: "\u22121,160",
		9007199254740993: "9,007,199,254,740,993",
		math.MaxInt64:    "9,223,372,036,854,775,807",
		math.MinInt64:    "\u22129,223,372,036,854,775,808",
	} {
		if got := l.Credits(v); got != want {
			t.Errorf("Credits(%d) = %q, want %q", v, got, want)
		}
	}
	for v, want := range map[int64]string{40: "+40", -40: "\u221240", 0: "0", 1000: "+1,000"} {
		if got := l.Signed(v); got != want {
			t.Errorf("Signed(%d) = %q, want %q", v, got, want)
		}
	}
	if !Negative(l.Credits(-1)) || Negative(l.Credits(1)) || !Positive(l.Signed(1)) || Positive(l.Credits(1)) {
		t.Error("the sign of a formatted amount is misread")
	}
}

func TestCutIDKeepsBothEnds(t *testing.T) {
	for id, want := range map[string]string{
		"":                                     "",
		"vu-20481":                             "vu-20481",
		"1234567890123456":                     "1234567890123456",
		"12345678901234567":                    "12345678…234567",
		"7f3c9b02-55e1-4d1c-9f07-c0ffee00a91e": "7f3c9b02…00a91e",
	} {
		if got := CutID(id); got != want {
			t.Errorf("CutID(%q) = %q, want %q", id, got, want)
		}
	}
}

func TestStampShowsOneInstantInThePersonsZone(t *testing.T) {
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 30, 15, 12, 34, 567_000, time.UTC)
	now := at.Add(3 * time.Minute)
	en := Locale{Zone: tokyo}.Stamp(at, now)
	want := Stamp{
		Machine: "2026-11-30T15:12:34.000567Z", Full: "1 Dec 2026 00:12:34 JST", Short: "1 Dec 00:12:34", Clock: "00:12:34",
		Day: "Tuesday 1 December 2026", Relative: "3 min ago",
	}
	if en != want {
		t.Errorf("got  %+v\nwant %+v", en, want)
	}
	jp := Locale{Lang: Japanese, Zone: tokyo}.Stamp(at, now)
	if jp.Full != "2026年12月1日 00:12:34 JST" || jp.Day != "2026年12月1日（火）" || jp.Relative != "3分前" {
		t.Errorf("%+v", jp)
	}
	if s := (Locale{Zone: tokyo}).Stamp(at.AddDate(-1, 0, 0), now); s.Short != "1 Dec 2025 00:12:34" {
		t.Errorf("another year must be named: %q", s.Short)
	}
	if s := (Locale{}).Stamp(time.Time{}, now); !s.None() || s != (Stamp{}) {
		t.Errorf("no time gave %+v", s)
	}
}

func TestZonesAreNamed(t *testing.T) {
	for zone, want := range map[string]string{"UTC": "UTC", "Asia/Tokyo": "JST", "Europe/Berlin": "CET", "Asia/Kathmandu": "UTC+05:45", "America/St_Johns": "NST", "America/Sao_Paulo": "UTC\u221203:00"} {
		loc, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		if got := (Locale{Zone: loc}).ZoneAt(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)); got != want {
			t.Errorf("%s = %q, want %q", zone, got, want)
		}
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	if got := (Locale{Zone: berlin}).ZoneAt(time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)); got != "CEST" {
		t.Errorf("summer = %q", got)
	}
}

func TestRelativeTimes(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for ago, want := range map[time.Duration][2]string{
		0:                    {"just now", "たった今"},
		-9 * time.Second:     {"just now", "たった今"},
		40 * time.Second:     {"40 s ago", "40秒前"},
		3 * time.Minute:      {"3 min ago", "3分前"},
		59 * time.Minute:     {"59 min ago", "59分前"},
		90 * time.Minute:     {"1 h ago", "1時間前"},
		26 * 24 * time.Hour:  {"26 d ago", "26日前"},
		-2 * time.Hour:       {"in 2 h", "2時間後"},
		400 * 24 * time.Hour: {"400 d ago", "400日前"},
	} {
		if got := (Locale{}).Ago(now.Add(-ago), now); got != want[0] {
			t.Errorf("%v = %q, want %q", ago, got, want[0])
		}
		if got := ja().Ago(now.Add(-ago), now); got != want[1] {
			t.Errorf("%v = %q, want %q", ago, got, want[1])
		}
	}
	if got := (Locale{}).Age(now.Add(-75*time.Hour), now); got != "3 d" {
		t.Errorf("Age = %q", got)
	}
}

func TestDurations(t *testing.T) {
	for d, want := range map[time.Duration][2]string{
		0:                      {"0 s", "0秒"},
		450 * time.Millisecond: {"450 ms", "450ミリ秒"},
		61 * time.Second:       {"61 s", "61秒"},
		80 * time.Second:       {"80 s", "80秒"},
		10 * time.Minute:       {"10 min", "10分"},
		125 * time.Minute:      {"2 h 5 min", "2時間5分"},
		27 * time.Hour:         {"1 d 3 h", "1日3時間"},
		-30 * time.Second:      {"\u221230 s", "\u221230秒"},
	} {
		if got := (Locale{}).Duration(d); got != want[0] {
			t.Errorf("%v = %q, want %q", d, got, want[0])
		}
		if got := ja().Duration(d); got != want[1] {
			t.Errorf("%v = %q, want %q", d, got, want[1])
		}
	}
}

func TestRangesOfDaysIncludeTheLast(t *testing.T) {
	day := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		from, to time.Time
		en, ja   string
	}{
		{day(2026, 11, 30), day(2026, 11, 30), "30 Nov 2026", "2026年11月30日"},
		{day(2026, 11, 24), day(2026, 11, 30), "24–30 Nov 2026", "2026年11月24日〜30日"},
		{day(2026, 10, 24), day(2026, 11, 3), "24 Oct – 3 Nov 2026", "2026年10月24日〜11月3日"},
		{day(2025, 12, 24), day(2026, 1, 3), "24 Dec 2025 – 3 Jan 2026", "2025年12月24日〜2026年1月3日"},
	} {
		if got := (Locale{}).Days(c.from, c.to); got != c.en {
			t.Errorf("%q, want %q", got, c.en)
		}
		if got := ja().Days(c.from, c.to); got != c.ja {
			t.Errorf("%q, want %q", got, c.ja)
		}
	}
}

func TestPhrases(t *testing.T) {
	var l Locale
	if got := l.N("count.entries", 1); got != "1 entry" {
		t.Error(got)
	}
	if got := l.N("count.entries", 4110); got != "4,110 entries" {
		t.Error(got)
	}
	if got := l.T("no.such.key"); got != "⟦no.such.key⟧" {
		t.Error(got)
	}
	if got := l.Maybe("state.brand_new", "brand_new"); got != "brand_new" {
		t.Error(got)
	}
	// A person's own text is never taken for a placeholder.
	if got := l.T("ledger.say_period", "{2}", "JST"); !strings.Contains(got, ", {2} (JST, last") {
		t.Error(got)
	}
	for key, want := range map[string]string{"charge": "課金", "refund": "返金", "reclaim": "回収", "grant": "付与", "adjustment": "調整"} {
		if got := ja().T("type." + key); got != want {
			t.Errorf("%s = %q, want %q", key, got, want)
		}
	}
	if LangOf("ja") != Japanese || LangOf("fr") != English || LangOf("") != English {
		t.Error("LangOf")
	}
}
