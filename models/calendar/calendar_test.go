package calendar_test

import (
	"testing"
	"time"
	_ "time/tzdata"

	"recoup/models/calendar"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestADayBeginsWithItsFirstMoment(t *testing.T) {
	for _, c := range []struct {
		zone string
		y    int
		m    time.Month
		d    int
		utc  string
	}{
		{"UTC", 2026, 11, 1, "2026-11-01T00:00:00Z"},
		{"Asia/Tokyo", 2026, 11, 1, "2026-10-31T15:00:00Z"},
		{"Asia/Kathmandu", 2026, 11, 1, "2026-10-31T18:15:00Z"},
		{"America/New_York", 2026, 3, 8, "2026-03-08T05:00:00Z"},
		{"America/New_York", 2026, 3, 9, "2026-03-09T04:00:00Z"},
		{"America/New_York", 2026, 11, 1, "2026-11-01T04:00:00Z"},
		{"America/New_York", 2026, 11, 2, "2026-11-02T05:00:00Z"},
		{"Australia/Lord_Howe", 2026, 4, 6, "2026-04-05T13:30:00Z"},
		{"America/Sao_Paulo", 2018, 11, 4, "2018-11-04T03:00:00Z"}, // midnight was left out
		{"America/Sao_Paulo", 2018, 2, 18, "2018-02-18T03:00:00Z"}, // the hour before it came twice
		{"America/Havana", 2026, 11, 1, "2026-11-01T04:00:00Z"},    // midnight came twice: the first
		{"Africa/Cairo", 2026, 4, 24, "2026-04-23T22:00:00Z"},
		{"Pacific/Apia", 2011, 12, 30, "2011-12-30T10:00:00Z"}, // a day that never was
		{"Pacific/Apia", 2011, 12, 31, "2011-12-30T10:00:00Z"},
		{"UTC", 2026, 11, 31, "2026-12-01T00:00:00Z"},
		{"UTC", 2026, 3, 0, "2026-02-28T00:00:00Z"},
	} {
		got := calendar.Day(c.y, c.m, c.d, zone(t, c.zone)).UTC().Format(time.RFC3339)
		if got != c.utc {
			t.Errorf("%s %d-%d-%d begins at %s, want %s", c.zone, c.y, c.m, c.d, got, c.utc)
		}
	}
}

// Whatever the zone, days and months follow each other without a gap, and each moment of a day bears its date.
func TestDaysFollowEachOther(t *testing.T) {
	for _, name := range []string{"UTC", "Asia/Tokyo", "Asia/Kathmandu", "America/New_York", "America/Santiago", "America/Havana",
		"Africa/Cairo", "Asia/Beirut", "Australia/Lord_Howe", "Pacific/Chatham", "Pacific/Apia", "America/St_Johns", "Asia/Tehran", "America/Asuncion"} {
		z := zone(t, name)
		for m := (calendar.Month{Year: 2009, Month: 1}); m.Year < 2030; m = m.Next() {
			start, end := m.Start(z), m.End(z)
			if !start.Before(end) {
				t.Fatalf("%s %s ends at %s, before it begins at %s", name, m, end, start)
			}
			days := calendar.Days(start, end, z)
			if len(days) < 28 || len(days) > 32 || !days[0].Equal(start) || !days[len(days)-1].Equal(end) {
				t.Fatalf("%s %s: %d moments from %s to %s", name, m, len(days), days[0], days[len(days)-1])
			}
			for i := range len(days) - 1 {
				length := days[i+1].Sub(days[i])
				if length < 22*time.Hour || length > 26*time.Hour {
					t.Errorf("%s: the day of %s has %s", name, days[i], length)
				}
				if got := calendar.MonthOf(days[i+1].Add(-time.Microsecond).In(z)); got != m {
					t.Errorf("%s: the last moment before %s is of %s, not of %s", name, days[i+1], got, m)
				}
			}
		}
	}
}

func TestMonths(t *testing.T) {
	for _, bad := range []string{"", "2026", "2026-13", "2026-00", "2026-1", "26-11", "2026-11-01", "1969-12", "9999-01", " 2026-11"} {
		if m, err := calendar.ParseMonth(bad); err == nil {
			t.Errorf("%q was read as %s", bad, m)
		}
	}
	m, err := calendar.ParseMonth("2026-12")
	if err != nil || m.String() != "2026-12" || m.Next().String() != "2027-01" || m.Previous().String() != "2026-11" {
		t.Fatalf("%s %v", m, err)
	}
	if !m.Before(m.Next()) || m.Before(m) || m.Next().Before(m) {
		t.Error("the order of months is wrong")
	}
	if got := m.End(time.UTC).Sub(m.Start(time.UTC)); got != 31*24*time.Hour {
		t.Errorf("December has %s", got)
	}
}
