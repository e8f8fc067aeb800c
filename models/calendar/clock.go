package calendar

import "time"

// Reading says how often a time of the clock comes on its day.
type Reading string

// The readings.
const (
	// Once is every time but those about a change of the clock.
	Once Reading = "once"
	// Twice is a time that comes again because the clock is set back.
	Twice Reading = "twice"
	// LeftOut is a time that never comes because the clock is set forward over it.
	LeftOut Reading = "left_out"
)

// reach is farther than any zone's clock is from UTC.
const reach = 26 * time.Hour

// At is the moment at which a zone's clocks show what wall shows; the zone of wall does not count. A time that comes
// twice is its first. For one that is left out At is as much later as the clock is set forward: half past two becomes
// half past three.
func At(wall time.Time, zone *time.Location) (time.Time, Reading) {
	named := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), wall.Nanosecond(), time.UTC)
	// How far the zone's clock is ahead of UTC before and after any change near by.
	_, before := named.Add(-reach).In(zone).Zone()
	_, after := named.Add(reach).In(zone).Zone()
	shows := func(at time.Time) bool {
		_, offset := at.In(zone).Zone()
		return at.Add(time.Duration(offset) * time.Second).Equal(named)
	}
	early, late := named.Add(-time.Duration(before)*time.Second), named.Add(-time.Duration(after)*time.Second)
	switch {
	case before == after && shows(early):
		return early.In(zone), Once
	case shows(early) && shows(late) && !early.Equal(late):
		return early.In(zone), Twice
	case shows(early):
		return early.In(zone), Once
	case shows(late):
		return late.In(zone), Once
	}
	return early.In(zone), LeftOut
}
