// Package groups is the list of groups of equal deaths, and the page of one.
package groups

import (
	"fmt"
	"strings"

	"recoup/views/bulkworks"
	"recoup/views/text"
	"recoup/views/ui"
)

// Row is one group of the list.
type Row struct {
	URL      string
	Pattern  string // the normalised message; may be empty
	Code     string
	Action   string
	State    string // returned, resolved, snoozed; empty: open
	Open     string // how many dead letters
	OpenURL  string // the list of them
	Accounts string
	Credits  string // refunded, of those open
	Charged  string // not refunded; empty: none
	First    text.Stamp
	Last     text.Stamp
	Trend    Trend
	Note     string // its first line; empty: none
	Tick     string // the box's value; empty: none is open
}

// Model is the list.
type Model struct {
	Tabs  []ui.Choice // those of the dead letters
	Views []ui.Choice // open, snoozed, resolved, all
	Open  bool        // the view of open groups, which has the most open ones first
	Zone  string
	List  ui.List
	Rows  []Row
	// Select acts on all open dead letters of the groups that are ticked.
	Select bulkworks.Select
}

// Trend is how many jobs died in equal steps, oldest first.
type Trend struct {
	Counts []int64
	Label  string // what it shows, in words
	// Steps are the same numbers with their times, for the table beside a chart; nil in a list.
	Steps []Step
}

// Step is one row of a trend's table.
type Step struct {
	From  text.Stamp
	Count string
}

// Share is how many dead letters have one value.
type Share struct {
	Value ui.Link
	Count string
}

// Sample is one dead letter of a group.
type Sample struct {
	Job     ui.ID
	Account ui.ID
	Message string
	Died    text.Stamp
	Cost    string
}

// Group is the page of one group. Empty forms: not permitted.
type Group struct {
	ID         string
	Title      string // the normalised message, or the code where it is empty
	Code       string
	Action     string
	Dependency string
	State      string
	Say        string
	Zone       string
	Facts      []ui.Fact
	Trend      Trend
	Note       string
	Link       string
	Changed    string // who changed the note or the state, and when; empty: nobody
	Versions   []Share
	Accounts   []Share
	Samples    []Sample
	OpenURL    string // the list of its open dead letters; empty: none is open
	Whole      bulkworks.Whole
	AllURL     string // those that were closed
	NoteForm   *Note
	SnoozeURL  string
	ResolveURL string
	ReopenURL  string // posted to; empty: neither snoozed nor resolved
	ReopenID   string
	ReopenText string
	Revision   string
}

// Note is the form of the shared note, on the group's page. Fields: note, link.
type Note struct {
	Action      string
	OperationID string
	Revision    string
	Note        ui.Field
	Link        ui.Field
}

// NoteRetry shows a note that was refused again.
type NoteRetry struct {
	ui.Act
	Title, URL, Revision string
	Note, Link           ui.Field
	Stands               string // the note that somebody else has written meanwhile; empty: none
}

// Snooze is the form that puts a group out of sight. Fields: until, more.
type Snooze struct {
	ui.Act
	Title, URL, Revision string
	Until                []ui.Option
	UntilError           string
	More                 ui.Field
}

// Resolve is the form that says that the cause is put right. Field: reason.
type Resolve struct {
	ui.Act
	Title, URL, Revision string
	Open                 string // how many dead letters stay open
	Reason               ui.Field
}

// ticks tells whether the rows have boxes.
func (m Model) ticks() bool { return len(m.Select.Kinds) > 0 }

// name is the normalised message, or that there was none.
func (r Row) name(l text.Locale) string {
	if r.Pattern == "" {
		return l.T("groups.no_message")
	}
	return r.Pattern
}

// bars are the rectangles of a trend in a box of the given size, as one path. A step without a death has a hairline, so
// that an empty trend is seen to be one.
func (t Trend) bars(width, height int) string {
	if len(t.Counts) == 0 {
		return ""
	}
	most := int64(1)
	for _, n := range t.Counts {
		most = max(most, n)
	}
	step := float64(width) / float64(len(t.Counts))
	var b strings.Builder
	for i, n := range t.Counts {
		h := 0.5
		if n > 0 {
			h = max(1.5, float64(height)*float64(n)/float64(most))
		}
		fmt.Fprintf(&b, "M%.1f %dv-%.1fh%.1fv%.1fz", float64(i)*step, height, h, step*0.78, h)
	}
	return b.String()
}
