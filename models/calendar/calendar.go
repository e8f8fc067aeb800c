// Package calendar turns days and months of a time zone into moments. It is a leaf.
//
// A day begins at the first moment that bears its date. That is midnight, except where the clock is set
// forward at midnight: there it is the moment of the change. So a day may have 23 or 25 hours, and the end of
// one is always the beginning of the next.
package calendar

import (
	"fmt"
	"time"
)

// step divides every change of the clock that a time zone knows since 1972.
const step = 15 * time.Minute

// Day is when a day begins. The day of the month may lie outside the month, as in time.Date. A day that a
// zone left out begins where the next one does.
func Day(year int, month time.Month, day int, zone *time.Location) time.Time {
	// What the date is called without any zone: days out of range are put right once.
	name := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	number := func(t time.Time) int { return t.Year()*10_000 + int(t.Month())*100 + t.Day() }
	want := number(name)
	at := time.Date(name.Year(), name.Month(), name.Day(), 0, 0, 0, 0, zone)
	if number(at) == want && number(at.Add(-step)) < want {
		return at
	}
	// Near midnight the clock is changed, or a whole day left out.
	for at = at.Add(-25 * time.Hour); number(at) < want; {
		at = at.Add(step)
	}
	return at
}

// Month is a month of the calendar, of no zone.
type Month struct {
	Year  int
	Month time.Month
}

// MonthOf is the month that a moment is in, in its own zone.
func MonthOf(t time.Time) Month { return Month{t.Year(), t.Month()} }

// ParseMonth reads "2026-11": four digits, a hyphen, two digits; 1970 to 9998.
func ParseMonth(s string) (Month, error) {
	t, err := time.Parse("2006-01", s)
	if err != nil || len(s) != 7 || t.Year() < 1970 || t.Year() > 9998 {
		return Month{}, fmt.Errorf("%q is no month like 2026-11", s)
	}
	return MonthOf(t), nil
}

// String is "2026-11".
func (m Month) String() string { return fmt.Sprintf("%04d-%02d", m.Year, int(m.Month)) }

// Next is the month after.
func (m Month) Next() Month { return m.plus(1) }

// Previous is the month before.
func (m Month) Previous() Month { return m.plus(-1) }

func (m Month) plus(n int) Month {
	return MonthOf(time.Date(m.Year, m.Month+time.Month(n), 1, 0, 0, 0, 0, time.UTC))
}

// Before reports whether m is earlier than other.
func (m Month) Before(other Month) bool {
	return m.Year < other.Year || m.Year == other.Year && m.Month < other.Month
}

// Start is when the month begins in a zone.
func (m Month) Start(zone *time.Location) time.Time { return Day(m.Year, m.Month, 1, zone) }

// End is when it is over, which is when the next one begins.
func (m Month) End(zone *time.Location) time.Time { return m.Next().Start(zone) }

// Days are the beginnings of all days from the first to the end, the end itself last: one more moment than
// there are days. start and end need not begin a day; they are the first and the last moment all the same.
func Days(start, end time.Time, zone *time.Location) []time.Time {
	out := []time.Time{start}
	local := start.In(zone)
	for n := 1; ; n++ {
		next := Day(local.Year(), local.Month(), local.Day()+n, zone)
		if !next.Before(end) {
			return append(out, end)
		}
		// A day that was left out has no length.
		if next.After(out[len(out)-1]) {
			out = append(out, next)
		}
	}
}
