// Package bulkworks is one change of many dead letters: the bar that selects them in a list, the form that shows the
// frozen set and starts it, the page that tells how far it is and what came of each row, and the list of all of them.
package bulkworks

import (
	"strconv"

	"github.com/a-h/templ"

	"recoup/views/text"
	"recoup/views/ui"
)

// Path is the page of all bulk works; a form that is posted there freezes a set.
const Path = "/dead-letters/bulk"

// FormID is the form that the boxes of a list's rows belong to.
const FormID = "bulk"

// Kind is something that can be done to many.
type Kind struct {
	Value  string // requeue, discard, assign, snooze
	Text   string
	Danger bool
}

// Select is the bar that freezes a set. Fields: row or group (once for each box), all, query, kind.
type Select struct {
	OperationID string
	Groups      bool   // the boxes are of groups, each of which stands for its open dead letters
	Query       string // the list's filter
	All         string // "All 1,204 that match"; empty: the rows of the page are all there are
	Kinds       []Kind // what the person may do; none: no bar
}

// Whole offers to do something to all that a query selects.
type Whole struct {
	OperationID string
	Query       string
	Kinds       []Kind
}

// Start is the form that shows a frozen set and starts it. Fields: count, reason, note, probe, per_minute, stop_percent,
// assignee, until.
type Start struct {
	ui.Act
	Title     string
	URL       string // the work's page
	ListURL   string // the list that the set came from
	Say       string
	Facts     []ui.Change
	Excluded  []Left
	Needs     []Left         // what the jobs depend on
	Elsewhere string         // how many of them other works are to do as well; empty: none
	External  string         // how many of them their callers run; empty: none
	Held      *ui.HeldNotice // what of it is not handed out freely; nil: all is
	Second    string         // a second person has to approve; empty: nobody has to
	Nothing   bool           // nothing is left to do
	Count     ui.Field
	Expected  string // what has to be typed; empty: nothing
	Plain     string // the count without separators
	Reason    *ui.Field
	Reasons   []ui.Option // for discard
	Problem   string      // of Reasons, Assignees or Until
	Note      ui.Field
	Assignees,
	Until []ui.Option
	Pace   *Pace
	Danger bool
	Submit string
}

// Left is how many are left out, or depend on something, and why.
type Left struct {
	Label string
	Count string
}

// Pace holds the fields of how fast a work goes.
type Pace struct {
	Probe, Stop *ui.Field // nil: this kind has none
	PerMinute   ui.Field
}

// Step is a form about a work that was started. Fields: version, reason, and those of Pace.
type Step struct {
	ui.Act
	Title   string
	URL     string
	Version string
	Say     string
	Changes []ui.Change
	Danger  bool
	Submit  string
	Reason  *ui.Field // nil: needs none
	Pace    *Pace
}

// Live is the part of a work's page that asks for itself again.
type Live struct {
	URL     string // where it asks; empty: nothing changes any more
	PageURL string
	State   string
	Say     string
	Done    string // digits, for the bar
	Total   string
	Share   string // "412 of 1,204"
	Facts   []ui.Fact
	Held    *ui.HeldNotice // what keeps from workers what is out; nil: nothing
	Slow    bool           // asks seldom
}

// Work is the page of one bulk work.
type Work struct {
	Title    string
	State    string
	Say      string
	ID       ui.ID
	Live     Live
	Request  ui.Link // the change request; empty: none
	StartURL string
	PauseURL string
	// ResumeURL and AbortURL are empty where state or permission does not allow it.
	ResumeURL string
	AbortURL  string
	Undo      *ui.Undo    // takes back what was done; nil: it cannot be, may not be, or was
	Undoes    ui.Link     // the work that this one takes back; empty: none
	UndoneBy  ui.Link     // the work that takes this one back; empty: none
	Lines     []ui.Change // what was asked for
	ListURL   string      // the list with the filter that selected; empty: rows were ticked
	Shows     []ui.Choice
	Zone      string
	List      ui.List
	Rows      []Row
	Export    ui.Exports
}

// Row is one dead letter of a work.
type Row struct {
	Job     ui.ID
	Account ui.ID
	Cost    string
	State   string // what came of it
	Why     string // who was first and when, or why it was left out; empty: nothing to say
	Now     string // state of the job
	At      text.Stamp
}

// Model is the list of works.
type Model struct {
	Tabs []ui.Choice
	Zone string
	List ui.List
	Rows []Line
}

// Line is one work of the list.
type Line struct {
	URL     string
	Kind    string
	Count   string
	Credits string
	State   string
	By      string
	Reason  string
	At      text.Stamp
	Ended   text.Stamp
}

// Refused is the page that says why a selection was no set.
type Refused struct {
	Say     string
	BackURL string
}

func (l Live) poll() templ.Attributes {
	if l.URL == "" {
		return nil
	}
	every := "every 2s"
	if l.Slow {
		every = "every 15s"
	}
	return templ.Attributes{"hx-get": l.URL, "hx-trigger": every, "hx-swap": "outerHTML"}
}

func small(digits int) templ.Attributes {
	return templ.Attributes{"inputmode": "numeric", "autocomplete": "off", "class": "num", "maxlength": strconv.Itoa(digits)}
}

func reasonInput() templ.Attributes {
	return templ.Attributes{"required": true, "maxlength": "500"}
}

// label names the bar.
func (s Select) label(l text.Locale) string {
	if s.Groups {
		return l.T("works.bar_groups")
	}
	return l.T("works.bar")
}

// key is the letter that goes to a kind's button, as it goes to the button of one dead letter.
func (k Kind) key(keyed bool) templ.Attributes {
	letter := map[string]string{"requeue": "r", "discard": "d", "assign": "a", "snooze": "s"}[k.Value]
	if !keyed || letter == "" {
		return nil
	}
	return templ.Attributes{"data-key": letter}
}
