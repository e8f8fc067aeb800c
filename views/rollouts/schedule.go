package rollouts

import (
	"github.com/a-h/templ"

	"recoup/views/text"
	"recoup/views/ui"
)

// Schedule are the steps of a rollout that are made at a time, with those that were.
type Schedule struct {
	Rows   []ScheduledRow
	Zone   string // the reader's, for the column's heading
	NewURL string // empty: the person may not, or nothing lies ahead
}

// ScheduledRow is one scheduled step.
type ScheduledRow struct {
	Step  string
	At    text.Stamp
	Local string // the time as it was asked for, with its zone
	Note  string // what the change of the clock makes of it; empty: nothing
	State string // waiting, fired, refused, cancelled, undecided
	Why   string // why it waits on, or what ended it; empty: nothing to say
	By    string
	// Request is the change request that waits, or that was agreed to; zero: none.
	Request   ui.Link
	Operation ui.ID  // what ended it; zero: nothing did
	CancelURL string // empty: it is over, or the person may not
}

// NewScheduled is the form that schedules a step. Fields: step, local, zone, reason.
type NewScheduled struct {
	ui.Act
	ID, URL     string
	Steps       []ui.Option
	StepError   string
	Local, Zone ui.Field
	Zones       []string
	Reason      ui.Field
	NeedsSecond string // what needs a second person; empty: nothing does
}

// CancelScheduled is the form that takes a scheduled step back.
type CancelScheduled struct {
	ui.Act
	ID, URL string
	Row     ScheduledRow
	Reason  ui.Field
}

func zoneInput() templ.Attributes {
	return templ.Attributes{"list": "zones", "autocomplete": "off", "spellcheck": "false", "autocapitalize": "off", "required": true}
}
