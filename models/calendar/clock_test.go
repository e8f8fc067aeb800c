package calendar_test

import (
	"testing"
	"time"

	"recoup/models/calendar"
)

func TestTimesOfTheClock(t *testing.T) {
	for _, c := range []struct {
		zone, wall, utc string
		reading         calendar.Reading
	}{
		{"UTC", "2026-11-01 01:30", "2026-11-01T01:30:00Z", calendar.Once},
		{"Asia/Tokyo", "2026-03-03 09:00", "2026-03-03T00:00:00Z", calendar.Once},
		{"Asia/Kathmandu", "2026-03-03 09:00", "2026-03-03T03:15:00Z", calendar.Once},
		// The day of 25 hours: one o'clock comes twice.
		{"America/New_York", "2026-11-01 00:59", "2026-11-01T04:59:00Z", calendar.Once},
		{"America/New_York", "2026-11-01 01:00", "2026-11-01T05:00:00Z", calendar.Twice},
		{"America/New_York", "2026-11-01 01:30", "2026-11-01T05:30:00Z", calendar.Twice},
		{"America/New_York", "2026-11-01 01:59", "2026-11-01T05:59:00Z", calendar.Twice},
		{"America/New_York", "2026-11-01 02:00", "2026-11-01T07:00:00Z", calendar.Once},
		{"America/New_York", "2026-11-01 12:00", "2026-11-01T17:00:00Z", calendar.Once},
		// The day of 23 hours: two o'clock is left out.
		{"America/New_York", "2027-03-14 01:59", "2027-03-14T06:59:00Z", calendar.Once},
		{"America/New_York", "2027-03-14 02:00", "2027-03-14T07:00:00Z", calendar.LeftOut},
		{"America/New_York", "2027-03-14 02:30", "2027-03-14T07:30:00Z", calendar.LeftOut},
		{"America/New_York", "2027-03-14 03:00", "2027-03-14T07:00:00Z", calendar.Once},
		{"America/New_York", "2027-03-14 03:30", "2027-03-14T07:30:00Z", calendar.Once},
		{"Australia/Lord_Howe", "2026-04-05 01:45", "2026-04-04T14:45:00Z", calendar.Twice}, // half an hour
		{"America/Havana", "2026-11-01 00:30", "2026-11-01T04:30:00Z", calendar.Twice},
		{"Pacific/Apia", "2011-12-30 12:00", "2011-12-30T22:00:00Z", calendar.LeftOut}, // a day that never was
	} {
		wall, err := time.Parse("2006-01-02 15:04", c.wall)
		if err != nil {
			t.Fatal(err)
		}
		at, reading := calendar.At(wall, zone(t, c.zone))
		if got := at.UTC().Format(time.RFC3339); got != c.utc || reading != c.reading {
			t.Errorf("%s in %s is %s (%s), want %s (%s)", c.wall, c.zone, got, reading, c.utc, c.reading)
		}
	}
}

// Every moment is found again from what the clock shows at it, except the second of two that show the same.
func TestEveryMomentIsFoundAgain(t *testing.T) {
	for _, name := range []string{"America/New_York", "Australia/Lord_Howe", "Pacific/Chatham", "Europe/Dublin", "America/Sao_Paulo", "Asia/Tokyo"} {
		z := zone(t, name)
		for at := time.Date(2018, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() < 2020; at = at.Add(15 * time.Minute) {
			got, reading := calendar.At(at.In(z), z)
			if !got.Equal(at) && (reading != calendar.Twice || !got.Before(at)) || reading == calendar.LeftOut {
				t.Fatalf("%s: %s is found as %s (%s)", name, at.In(z), got, reading)
			}
		}
	}
}
