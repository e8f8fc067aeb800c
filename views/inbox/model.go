// Package inbox is the page of what a person was told.
//
// Forms are posted to /inbox/{message}/read and /unread with next, to /inbox/read with upto and next, and to
// /inbox/unread with undoes and next. None is an operation with an id: each may be repeated at will, the last one stands.
package inbox

import (
	"recoup/views/text"
	"recoup/views/ui"
)

// Message is one line.
type Message struct {
	Title  string
	URL    string // what it is about; empty: no page
	Why    string // empty: nothing to say
	At     text.Stamp
	Unread bool
	// MarkURL is where the form is posted that marks it as read, or as unread again.
	MarkURL string
}

// Model is the page.
type Model struct {
	Tabs   []ui.Choice
	Unread bool // the tab of what is unread
	Zone   string
	List   ui.List
	Rows   []Message
	// Upto is the newest message of the page, up to which all can be marked; empty: nothing is unread.
	Upto string
	Next string // the page to return to
}

func (m Model) none(l text.Locale) string {
	if m.Unread {
		return l.T("inbox.none_unread")
	}
	return l.T("inbox.none")
}
