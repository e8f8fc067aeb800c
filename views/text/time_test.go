package text_test

import (
	"strings"
	"testing"
	"time"

	"recoup/views/text"
)

// A page with times of any season does not call them by the letters of one, but says both, that of now first.
func TestZoneLabel(t *testing.T) {
	winter := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for zone, want := range map[string]string{"Asia/Tokyo": "JST", "UTC": "UTC", "Asia/Kathmandu": "UTC+05:45", "America/New_York": "America/New_York EST/EDT",
		"Pacific/Chatham": "Pacific/Chatham UTC+13:45/UTC+12:45", "Australia/Lord_Howe": "Australia/Lord_Howe UTC+11:00/UTC+10:30"} {
		at, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		l := text.Locale{Lang: text.English, Zone: at}
		if got := l.ZoneLabel(winter); got != want {
			t.Errorf("%s: %q, want %q", zone, got, want)
		}
	}
}

// An hour that the clock shows twice names its offset, and no other does.
func TestTimeThatIsThereTwice(t *testing.T) {
	for _, x := range []struct{ zone, at, clock string }{
		{"America/New_York", "2026-11-01T05:49:06Z", "01:49:06 EDT"},
		{"America/New_York", "2026-11-01T06:40:00Z", "01:40:00 EST"},
		{"America/New_York", "2026-11-01T04:59:59Z", "00:59:59"},
		{"America/New_York", "2026-11-01T07:00:00Z", "02:00:00"},
		{"America/New_York", "2026-03-08T07:00:00Z", "03:00:00"},
		{"Australia/Lord_Howe", "2026-04-04T14:45:00Z", "01:45:00 UTC+11:00"},
		{"Australia/Lord_Howe", "2026-04-04T15:15:00Z", "01:45:00 UTC+10:30"},
		{"Australia/Lord_Howe", "2026-04-04T14:29:00Z", "01:29:00"},
		{"Asia/Tokyo", "2026-11-01T05:49:06Z", "14:49:06"},
	} {
		zone, err := time.LoadLocation(x.zone)
		if err != nil {
			t.Fatal(err)
		}
		at, err := time.Parse(time.RFC3339, x.at)
		if err != nil {
			t.Fatal(err)
		}
		s := text.Locale{Lang: text.English, Zone: zone}.Stamp(at, at)
		if s.Clock != x.clock || !strings.HasSuffix(s.Short, x.clock) {
			t.Errorf("%s in %s: %q, %q, want %q", x.at, x.zone, s.Clock, s.Short, x.clock)
		}
	}
}
