package text

import (
	"fmt"
	"strconv"
	"time"
)

// Stamp is one instant in every way a page shows it. The zero Stamp means "no such time" and shows nothing.
type Stamp struct {
	Machine  string // RFC 3339 in UTC with microseconds, for the datetime attribute
	Full     string // "30 Nov 2026 18:12:34 JST"
	Short    string // "30 Nov 18:12:34"; with the year when it is not the current one. The column or page names the zone
	Clock    string // "18:12:34", where the day stands above. Both name the offset in an hour that the clock shows twice
	Day      string // "Monday 30 November 2026"
	Relative string // "3 min ago", as of when the page was made
}

// None tells whether the Stamp holds no time.
func (s Stamp) None() bool { return s.Machine == "" }

// Stamp formats t for the person, relative to now. A zero t gives the zero Stamp.
func (l Locale) Stamp(t, now time.Time) Stamp {
	if t.IsZero() {
		return Stamp{}
	}
	local := t.In(l.zone())
	s := Stamp{
		Machine:  t.UTC().Format("2006-01-02T15:04:05.000000Z"),
		Clock:    local.Format("15:04:05"),
		Day:      l.LongDay(local),
		Relative: l.Ago(t, now),
	}
	if l.Lang == Japanese {
		s.Full = local.Format("2006年1月2日 15:04:05 ") + l.ZoneAt(t)
		s.Short = local.Format("1月2日 15:04:05")
	} else {
		s.Full = local.Format("2 Jan 2006 15:04:05 ") + l.ZoneAt(t)
		s.Short = local.Format("2 Jan 15:04:05")
	}
	if local.Year() != now.In(l.zone()).Year() {
		if l.Lang == Japanese {
			s.Short = local.Format("2006年1月2日 15:04:05")
		} else {
			s.Short = local.Format("2 Jan 2006 15:04:05")
		}
	}
	if l.twice(t) {
		s.Short, s.Clock = s.Short+" "+l.ZoneAt(t), s.Clock+" "+l.ZoneAt(t)
	}
	return s
}

// LongDay names the day of t in the person's zone: "Monday 30 November 2026", 「2026年11月30日（月）」.
func (l Locale) LongDay(t time.Time) string {
	local := t.In(l.zone())
	if l.Lang == Japanese {
		return local.Format("2006年1月2日") + "（" + weekdayJA(local.Weekday()) + "）"
	}
	return local.Format("Monday 2 January 2006")
}

// ShortDay names the day of t in the person's zone where room is scarce and the year is plain: "Mon 23 Nov",
// 「11月23日（月）」.
func (l Locale) ShortDay(t time.Time) string {
	local := t.In(l.zone())
	if l.Lang == Japanese {
		return local.Format("1月2日") + "（" + weekdayJA(local.Weekday()) + "）"
	}
	return local.Format("Mon 2 Jan")
}

// Days names a range of whole days in the person's zone, both days included: "24–30 Nov 2026", one day as
// "30 Nov 2026". The zone is not part of it; say it beside with ZoneLabel.
func (l Locale) Days(first, last time.Time) string {
	a, b := first.In(l.zone()), last.In(l.zone())
	same := a.Year() == b.Year() && a.YearDay() == b.YearDay()
	month := a.Year() == b.Year() && a.Month() == b.Month()
	switch {
	case l.Lang == Japanese && same:
		return a.Format("2006年1月2日")
	case l.Lang == Japanese && month:
		return a.Format("2006年1月2日") + "〜" + b.Format("2日")
	case l.Lang == Japanese && a.Year() == b.Year():
		return a.Format("2006年1月2日") + "〜" + b.Format("1月2日")
	case l.Lang == Japanese:
		return a.Format("2006年1月2日") + "〜" + b.Format("2006年1月2日")
	case same:
		return a.Format("2 Jan 2006")
	case month:
		return a.Format("2") + "–" + b.Format("2 Jan 2006")
	case a.Year() == b.Year():
		return a.Format("2 Jan") + " – " + b.Format("2 Jan 2006")
	default:
		return a.Format("2 Jan 2006") + " – " + b.Format("2 Jan 2006")
	}
}

// ZoneAt names the person's zone as it is at t: "JST", "CET" in winter and "CEST" in summer, "UTC+05:45"
// where the zone has no letters of its own.
func (l Locale) ZoneAt(t time.Time) string {
	name, offset := t.In(l.zone()).Zone()
	if name != "" && name[0] != '+' && name[0] != '-' {
		return name
	}
	sign := "+"
	if offset < 0 {
		sign, offset = Minus, -offset
	}
	return fmt.Sprintf("UTC%s%02d:%02d", sign, offset/3600, offset%3600/60)
}

// ZoneLabel names the person's zone for a page whose times are of any season: as ZoneAt where the zone's clock is never
// changed around now, else by its full name, since "EST" above a time of July would be an hour off, with what stands beside the
// times themselves, that of now first: "America/New_York EST/EDT".
func (l Locale) ZoneLabel(now time.Time) string {
	_, here := now.In(l.zone()).Zone()
	for month := 1; month <= 12; month++ {
		other := now.AddDate(0, -month, 0)
		if _, there := other.In(l.zone()).Zone(); there != here {
			return l.ZoneName() + " " + l.ZoneAt(now) + "/" + l.ZoneAt(other)
		}
	}
	return l.ZoneAt(now)
}

// twice reports whether the clock of the person's zone shows the same time as at t a second time, because it was set back.
func (l Locale) twice(t time.Time) bool {
	_, here := t.In(l.zone()).Zone()
	for _, near := range []time.Duration{-3 * time.Hour, 3 * time.Hour} {
		if _, there := t.Add(near).In(l.zone()).Zone(); there != here {
			other := t.Add(time.Duration(here-there) * time.Second)
			if _, offset := other.In(l.zone()).Zone(); offset == there {
				return true
			}
		}
	}
	return false
}

// ZoneName returns the full name of the person's zone, "Asia/Tokyo".
func (l Locale) ZoneName() string { return l.zone().String() }

// Ago says how far t lies from now, in the largest unit that fits: "3 min ago", 「3分前」, "in 2 h".
func (l Locale) Ago(t, now time.Time) string {
	d := now.Sub(t)
	if d > -10*time.Second && d < 10*time.Second {
		return l.T("ago.now")
	}
	if d < 0 {
		return l.T("ago.in", l.coarse(-d))
	}
	return l.T("ago.past", l.coarse(d))
}

// Age is how long something has lasted until now, in the largest unit that fits: "3 d", 「3日」.
func (l Locale) Age(since, now time.Time) string { return l.coarse(max(now.Sub(since), 0)) }

// coarse must cut as console.js does, which keeps relative times fresh.
func (l Locale) coarse(d time.Duration) string {
	switch {
	case d < time.Minute:
		return l.unit("unit.s", int64(d/time.Second))
	case d < time.Hour:
		return l.unit("unit.min", int64(d/time.Minute))
	case d < 24*time.Hour:
		return l.unit("unit.h", int64(d/time.Hour))
	default:
		return l.unit("unit.d", int64(d/(24*time.Hour)))
	}
}

// Duration formats a span exactly to the second: "80 s", "10 min", "2 h 5 min", "1 d 3 h", "450 ms" below
// one second. Under two minutes it stays in seconds, because retry delays are spoken of that way.
func (l Locale) Duration(d time.Duration) string {
	if d < 0 {
		return Minus + l.Duration(-d)
	}
	if d < time.Second && d > 0 {
		return l.unit("unit.ms", int64(d/time.Millisecond))
	}
	if d < 2*time.Minute {
		return l.unit("unit.s", int64(d/time.Second))
	}
	out := ""
	for _, u := range [...]struct {
		key  string
		size time.Duration
	}{{"unit.d", 24 * time.Hour}, {"unit.h", time.Hour}, {"unit.min", time.Minute}, {"unit.s", time.Second}} {
		n := int64(d / u.size)
		d -= time.Duration(n) * u.size
		if n == 0 {
			continue
		}
		if out != "" && l.Lang != Japanese {
			out += " "
		}
		out += l.unit(u.key, n)
	}
	return out
}

func (l Locale) unit(key string, n int64) string { return l.T(key, strconv.FormatInt(n, 10)) }

func (l Locale) zone() *time.Location {
	if l.Zone == nil {
		return time.UTC
	}
	return l.Zone
}

func weekdayJA(d time.Weekday) string {
	return [...]string{"日", "月", "火", "水", "木", "金", "土"}[d]
}
