// Package exports are the pages of files that are made in the background: the form that asks for one, the list of them, and the page
// of one with its progress.
package exports

import (
	"recoup/views/text"
	"recoup/views/ui"
)

// Start is the form that asks for a file.
type Start struct {
	ui.Act
	Limit   string // "100,000": what is sent at once
	Format  string
	Zone    string
	Keep    string    // "24 h"
	Filters []ui.Chip // what is filtered; RemoveURL is not used
	Page    ui.Link   // the page that shows the entries
	NowURL  string    // sends the file at once all the same
}

func (m Start) changes(l text.Locale) []ui.Change {
	changes := []ui.Change{{Label: l.T("exports.format"), After: m.Format}, {Label: l.T("exports.zone"), After: m.Zone}}
	for _, c := range m.Filters {
		changes = append(changes, ui.Change{Label: c.Label, After: c.Value})
	}
	return changes
}

// Row is a file in the list.
type Row struct {
	Name    string
	URL     string
	State   string // a state of a task, or expired
	Format  string
	Entries string // how many, or how far it is; empty: not known
	Size    string // empty: not known
	By      string
	At      text.Stamp
	Expires text.Stamp // zero: not written
}

// Model is the list of files, newest first.
type Model struct {
	Tabs  []ui.Choice
	All   bool // everybody's
	Rows  []Row
	Zone  string
	Shown string // how many the list shows at most
	Keep  string
}

// File is the page of one file.
type File struct {
	URL      string
	Name     string
	State    string
	Running  bool   // it waits or is being written: the page asks again by itself
	Progress string // "12,000 / 1,204,311"; empty: nothing yet
	Done     string // the same as plain digits, for the bar
	Total    string // "0": not known
	Format   string
	Zone     string
	By       string
	At       text.Stamp
	Expires  text.Stamp
	Filters  []ui.Chip
	PageURL  string
	Problem  string // why it failed; empty: it did not
	Facts    []ui.Fact
	// FileURL, CancelURL and AgainURL are empty where there is nothing to take, to end or to make again.
	FileURL   string
	CancelURL string
	AgainURL  string
}

func (m File) say(l text.Locale) string {
	switch {
	case m.State == "expired":
		return l.T("exports.say_expired", m.Expires.Full)
	case m.FileURL != "":
		return l.T("exports.say_ready", m.Expires.Full)
	case m.State == "failed":
		return m.Problem
	case m.State == "canceled":
		return l.T("exports.say_canceled")
	case m.State == "running":
		return l.T("exports.say_running")
	}
	return l.T("exports.say_waiting")
}

// Cancel is the form that ends the writing of a file.
type Cancel struct {
	ui.Act
	Name string
	URL  string
	Done string
}
