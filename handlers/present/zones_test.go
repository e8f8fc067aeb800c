package present

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"recoup/models/calendar"
	"recoup/models/ledger"
	"recoup/models/month"
)

func inZone(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// Where the clock goes forward at midnight a day begins an hour late, and what was entered before is of the day before.
func TestDaysWhereTheClockChangesAtMidnight(t *testing.T) {
	for _, x := range []struct{ zone, before, after, begin, end string }{
		{"America/Santiago", "2026-09-06T03:59:59Z", "2026-09-06T04:00:00Z", "2026-09-06T04:00:00Z", "2026-09-07T03:00:00Z"},
		{"America/Havana", "2026-03-08T04:59:59Z", "2026-03-08T05:00:00Z", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"},
	} {
		p := english()
		p.L.Zone = inZone(t, x.zone)
		days := p.Days([]ledger.Entry{{Seq: 2, CreatedAt: at(x.after)}, {Seq: 1, CreatedAt: at(x.before)}})
		if len(days) != 2 || !days[0].Begin.Equal(at(x.begin)) || !days[0].End.Equal(at(x.end)) || !days[1].End.Equal(days[0].Begin) {
			t.Errorf("%s: %+v", x.zone, days)
		}
	}
}

// A closed month is told in the zone it was closed in. Nothing is said of a month before it that was closed in another
// one where none was, and no figure leads to days that hold other entries.
func TestAClosedMonthIsToldInItsZone(t *testing.T) {
	tokyo := inZone(t, "Asia/Tokyo")
	m := calendar.Month{Year: 2025, Month: time.October}
	from, to := m.Start(tokyo), m.End(tokyo)
	f := month.Of(m, tokyo.String(), from, to, nil)
	o := month.Overview{Figures: f, Location: tokyo, Oldest: m, Newest: m, Closed: &month.Closed{Figures: f}}
	p := english()
	p.L.Zone = tokyo
	for book, want := range map[*time.Location]string{time.UTC: "It was closed in Asia/Tokyo. The book time zone is UTC now", tokyo: ""} {
		v := p.Month(o, nil, book)
		say := strings.NewReplacer("\u2068", "", "\u2069", "").Replace(strings.Join(v.Say, " "))
		if !strings.Contains(say, "1–31 Oct 2025") || !strings.Contains(say, "Asia/Tokyo") || !strings.Contains(say, want) || strings.Contains(say, "where the month before") {
			t.Errorf("book time zone %s: %s", book, say)
		}
		if linked := v.Facts[0].URL != ""; linked != (book == tokyo) {
			t.Errorf("book time zone %s: the opening leads to %q", book, v.Facts[0].URL)
		}
	}
}
