package console

import (
	"net/url"
	"testing"
	"time"

	"recoup/views/text"
)

// The named periods at the edges of a person's days and months: what begins a moment later belongs to the next one.
func TestNamedPeriodsAtTheirEdges(t *testing.T) {
	for _, x := range []struct{ zone, now, period, from, to string }{
		// One minute before and at midnight of the month's end.
		{"Asia/Tokyo", "2025-11-30T14:59:59Z", "this_month", "2025-10-31T15:00:00Z", "2025-11-30T15:00:00Z"},
		{"Asia/Tokyo", "2025-11-30T15:00:00Z", "this_month", "2025-11-30T15:00:00Z", "2025-12-31T15:00:00Z"},
		{"Asia/Tokyo", "2025-11-30T15:00:00Z", "last_month", "2025-10-31T15:00:00Z", "2025-11-30T15:00:00Z"},
		{"Asia/Tokyo", "2025-12-31T15:00:00Z", "last_month", "2025-11-30T15:00:00Z", "2025-12-31T15:00:00Z"},
		{"Asia/Kathmandu", "2025-11-30T18:14:59Z", "today", "2025-11-29T18:15:00Z", "2025-11-30T18:15:00Z"},
		{"Asia/Kathmandu", "2025-11-30T18:15:00Z", "today", "2025-11-30T18:15:00Z", "2025-12-01T18:15:00Z"},
		{"Asia/Kathmandu", "2025-11-30T18:15:00Z", "yesterday", "2025-11-29T18:15:00Z", "2025-11-30T18:15:00Z"},
		{"Asia/Kathmandu", "2025-11-30T18:14:59Z", "this_month", "2025-10-31T18:15:00Z", "2025-11-30T18:15:00Z"},
		// The day of 23 hours and the day of 25, as today and as yesterday.
		{"America/New_York", "2025-03-09T18:00:00Z", "today", "2025-03-09T05:00:00Z", "2025-03-10T04:00:00Z"},
		{"America/New_York", "2025-03-10T04:00:00Z", "yesterday", "2025-03-09T05:00:00Z", "2025-03-10T04:00:00Z"},
		{"America/New_York", "2025-11-03T04:59:59Z", "today", "2025-11-02T04:00:00Z", "2025-11-03T05:00:00Z"},
		{"America/New_York", "2025-11-03T05:00:00Z", "yesterday", "2025-11-02T04:00:00Z", "2025-11-03T05:00:00Z"},
		{"America/New_York", "2025-11-30T12:00:00Z", "this_month", "2025-11-01T04:00:00Z", "2025-12-01T05:00:00Z"},
		{"America/New_York", "2025-04-01T04:00:00Z", "last_month", "2025-03-01T05:00:00Z", "2025-04-01T04:00:00Z"},
		// The longest month is followed by the shortest.
		{"UTC", "2024-03-31T12:00:00Z", "last_month", "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"},
		{"UTC", "2025-01-01T00:00:00Z", "yesterday", "2024-12-31T00:00:00Z", "2025-01-01T00:00:00Z"},
	} {
		zone, err := time.LoadLocation(x.zone)
		if err != nil {
			t.Fatal(err)
		}
		now, err := time.Parse(time.RFC3339, x.now)
		if err != nil {
			t.Fatal(err)
		}
		p, bad := periodOf(request{L: text.Locale{Zone: zone}, Now: now}, query{values: url.Values{"period": {x.period}}})
		if len(bad) > 0 || p.From == nil || p.To == nil {
			t.Fatalf("%s: %v %+v", x.period, bad, p)
		}
		if from, to := p.From.UTC().Format(time.RFC3339), p.To.UTC().Format(time.RFC3339); from != x.from || to != x.to {
			t.Errorf("%s in %s at %s: from %s to %s, want %s and %s", x.period, x.zone, x.now, from, to, x.from, x.to)
		}
	}
}

// Days count without a period, and stand beside none that has days of its own: what the fields show is what is filtered by.
func TestDaysWithoutAPeriod(t *testing.T) {
	r := request{L: text.Locale{Zone: time.UTC}, Now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	q := query{values: url.Values{"from": {"2026-11-01"}, "to": {"2026-11-02"}}}
	p, bad := periodOf(r, q)
	if len(bad) > 0 || p.From == nil || p.To == nil || p.From.Day() != 1 || p.To.Day() != 3 || q.get("period") != "custom" {
		t.Errorf("%+v %v, %v", p, bad, q.values)
	}
	q = query{values: url.Values{"period": {"today"}, "from": {"2026-11-01"}}}
	if p, _ := periodOf(r, q); p.From == nil || p.From.Day() != 30 || q.get("from") != "" {
		t.Errorf("%+v, %v", p, q.values)
	}
}
