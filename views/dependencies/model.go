// Package dependencies is the list of what jobs depend on, the page of one dependency, and the forms that hold and release
// work.
package dependencies

import (
	"github.com/a-h/templ"

	"recoup/views/chart"
	"recoup/views/text"
	"recoup/views/ui"
)

// Row is one dependency of the list.
type Row struct {
	Name    ui.Link
	State   string // held, breaker_open, half_open, releasing, healthy
	Held    string // queued jobs behind its hold; "" for none
	Rate    string // "12 of 50 failed"; "" without results
	Changed text.Stamp
	Why     string // reason of a person's hold; "" for none
}

// Model is the list.
type Model struct {
	Tabs []ui.Choice
	Rows []Row
	Zone string
	List ui.List
	// Actions are held by a person or being released.
	Actions []Action
	// NewURL holds a dependency that no job has named yet; "" for those who may not.
	NewURL string
}

// Action is a held action.
type Action struct {
	Name       ui.Link
	State      string // held, releasing
	Held       string
	Since      text.Stamp
	By         string
	Why        string
	ReleaseURL string // "" for those who may not
}

// Event is one step of the history.
type Event struct {
	At     text.Stamp
	What   string
	By     string
	Reason string
}

// Default is an action whose jobs depend on this by default, or could.
type Default struct {
	Action string
	URL    string // ends it; "" for those who may not
}

// Page is the page of one dependency.
type Page struct {
	Name  string
	State string
	Say   string
	// Unnamed says that nothing depends on it; "" where something does, or did.
	Unnamed  string
	Facts    []ui.Fact
	Results  chart.Bars
	Settings []ui.Fact
	// SettingsURL changes them; "" for those who may not.
	SettingsURL string
	Events      []Event
	OlderURL    string // of the history; "" when there is nothing older
	Defaults    []Default
	DefaultURL  string // adds one; "" for those who may not
	HoldURL     string // "" when it is held, or for those who may not
	ReleaseURL  string // "" when nothing is held, or for those who may not
	QueueURL    string // its jobs in the queue
	Zone        string
}

// Settings is the form of a breaker's settings.
type Settings struct {
	ui.Act
	Name, PageURL string
	Revision      string
	Breaker       []ui.Option
	Percent       ui.Field
	Window        ui.Field
	Minimum       ui.Field
	OpenS         ui.Field
	Probes        ui.Field
	PerMinute     ui.Field
	Reason        ui.Field
}

// Ask is a form with a reason, and a rate where work is released.
type Ask struct {
	ui.Act
	What      string // hold, release, hold_action, release_action, default, no_default: the words of "holds.<What>_…"
	Name      string
	Crumbs    []ui.Link
	Section   Section
	Changes   []ui.Change
	Danger    bool
	PerMinute *ui.Field // nil for forms without a rate
	NameField *ui.Field // nil where the name is known
	// Names are offered for NameField.
	Names []string
	// Unnamed lets the person say that a name is meant which nothing depends on; nil where that is no question.
	Unnamed  []ui.Option
	Actions  []ui.Option
	Reason   ui.Field
	Seen     string      // the last step by hand that the person saw; empty for forms that go by none
	Defaults []ui.Option // the default of each action as the person saw it, by action; for forms that change one
}

// Section is where a form belongs.
type Section string

func reasonInput() templ.Attributes {
	return templ.Attributes{"required": true, "maxlength": "500"}
}

func numberInput(least, most string) templ.Attributes {
	return templ.Attributes{"required": true, "inputmode": "numeric", "min": least, "max": most, "class": "num"}
}

func nameInput() templ.Attributes {
	return templ.Attributes{"required": true, "maxlength": "64", "autocomplete": "off", "spellcheck": "false", "list": "dependency-options"}
}

func crumbs(l text.Locale, more ...ui.Link) []ui.Link {
	return append([]ui.Link{{Text: l.T("nav.dependencies"), URL: "/dependencies"}}, more...)
}
