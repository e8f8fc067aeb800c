package console

import (
	"strings"
	"time"

	"recoup/models/fault"
	"recoup/views/ui"
)

// snoozeTime is a choice of when something is back in sight.
type snoozeTime struct {
	name string
	at   time.Time
}

// value is what a form sends for the choice. It carries the moment itself, as the page showed it: worked out anew when the
// form arrives, a form that is sent again would ask for another moment than before and be no replay.
func (t snoozeTime) value() string { return t.name + "@" + t.at.UTC().Format(time.RFC3339) }

// snoozeTimes are the choices, in the person's zone; the second is the one of a list's row.
func snoozeTimes(r request) []snoozeTime {
	zone := r.L.Zone
	if zone == nil {
		zone = time.UTC
	}
	now := r.Now.In(zone)
	morning := func(days int) time.Time {
		return time.Date(now.Year(), now.Month(), now.Day()+days, 9, 0, 0, 0, zone)
	}
	return []snoozeTime{{"hour", now.Add(time.Hour).Truncate(time.Second)}, {"tomorrow", morning(1)}, {"days", morning(3)}, {"week", morning(7)}, {"month", morning(30)}}
}

// snoozeOptions offers the choices. Of a form that is shown again the same one is selected, with its moment as of now.
func snoozeOptions(r request) []ui.Option {
	asked, _, _ := strings.Cut(r.FormValue("until"), "@")
	var out []ui.Option
	for _, t := range snoozeTimes(r) {
		out = append(out, ui.Option{Value: t.value(), Label: r.L.T("snooze."+t.name, r.L.Stamp(t.at, r.Now).Short), Selected: t.name == asked})
	}
	return out
}

// snoozeUntil is the moment of the choice that a form sent.
func snoozeUntil(r request) (*time.Time, error) {
	_, moment, _ := strings.Cut(r.FormValue("until"), "@")
	at, err := time.Parse(time.RFC3339, moment)
	if err != nil {
		return nil, fault.InvalidField("until", "must be a date and a time")
	}
	return &at, nil
}
