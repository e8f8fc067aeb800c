// Package months is the list of months of the book time zone, the page of one, and the form that closes it.
//
// A handler adds a month up, maps it to a Model and renders Page. All times on these pages are in the book time
// zone, which is the frame's, so that days mean the same everywhere on them.
package months

import (
	"recoup/views/text"
	"recoup/views/ui"
)

// Row is a month in the list.
type Row struct {
	Month   ui.Link
	Opening string
	// Types are the sums by type of entry, in the order of the columns.
	Types   []string
	Closing string
	State   string // open or closed; empty while the month runs
	Broken  bool   // the last verification found that it is not what it was closed with
}

// List is the page of all months.
type List struct {
	Zone  string   // name of the book time zone
	Kinds []string // entry types of the columns
	Rows  []Row
	Found string // what verify found that keeps every month from tying; empty: nothing
	List  ui.List
}

// Model is the page of one month.
type Model struct {
	Title string
	State string // open or closed; empty while the month runs
	Say   []string
	// Around are the months before and after.
	Around []ui.Choice

	Facts    []ui.Fact // opening, types, closing
	Jobs     []ui.Fact // delivered, refunded, reclaimed, open refunds
	Tie      Tie
	Closed   *Closed
	Obstacle string // why it cannot be closed; empty: it can, is closed, or the person may not
	CloseURL string // empty: the person may not, or something stands in the way
	Exports  ui.Exports

	Rules      []Line // by action, each followed by its rule versions
	Rollouts   []Line
	Categories []Category
	Credits    *Chart // nil: no entries
	Rates      *Chart // nil: nothing was charged
}

// Tie says whether the month ties to the ledger.
type Tie struct {
	Sum      string   // opening and movements make the closing
	All      string   // what the balances come to
	Breaks   []string // what else differs
	Verified string   // when the entries themselves were read; empty where that is among Breaks
	State    string   // passed, failed or stale
	Found    []Found  // what the last verification found of this month
}

// Found is something that verify found of the month.
type Found struct {
	Check string
	Entry ui.Link // zero: it is not about one entry
	ui.Finding
}

// Closed is how the month was closed, and whether the ledger still says the same.
type Closed struct {
	By      string
	Digest  ui.ID
	Heads   ui.ID
	Differs []Difference // empty: nothing differs
}

// Difference is one figure that is not as it was closed.
type Difference struct {
	Figure      string
	Stored, Now string
}

// Line is the money of jobs with something in common.
type Line struct {
	Name      ui.Link
	Part      bool // part of the line above it
	Entries   string
	Charged   ui.Link
	Refunded  ui.Link
	Reclaimed ui.Link
	Delivered ui.Link
	Adjusted  ui.Link // by settlements; no part of Delivered
}

// Category is the sum of the grants of one category.
type Category struct {
	Name    string
	Entries string
	Credits ui.Link
}

// Chart is bars by day, drawn in a field of Width by 100.
type Chart struct {
	Width string
	Zero  string // where the line of zero is; empty: at the bottom
	// Top and Bottom are what the upper and the lower edge of the field stand for, with the unit: "+12,000 credits".
	Top, Bottom string
	Bars        []Bar
	Say         string   // what it shows, with its largest figures
	Days        []string // labels below: first, middle, last
	Kinds       []string // entry types of the legend
	Head        []string // columns of the table beside Day
	Rows        []ChartRow
}

// Bar is one bar.
type Bar struct {
	X, Y, Width, Height string
	Type                string
	Title               string
}

// ChartRow is a day in the chart's table.
type ChartRow struct {
	Day   string
	Cells []ui.Link
}

// Close is the form that closes a month.
type Close struct {
	Act     ui.Act
	Name    string // "November 2026"
	Month   string // "2026-11", which has to be typed
	URL     string
	Digest  string
	Changes []ui.Change
	Confirm ui.Field
	Reason  ui.Field
}

func (m Model) say() string {
	out := ""
	for _, s := range m.Say {
		if out != "" {
			out += " "
		}
		out += s
	}
	return out
}

func crumbs(l text.Locale) []ui.Link { return []ui.Link{{Text: l.T("months.title"), URL: "/months"}} }

func (c Close) crumbs(l text.Locale) []ui.Link {
	return append(crumbs(l), ui.Link{Text: c.Name, URL: c.URL})
}
