// Package triage is what people do about a dead letter without a dialog: take it or give it to somebody, put it out of
// sight, leave a note, and undo each of these.
package triage

import (
	"recoup/views/text"
	"recoup/views/ui"
)

// Post is a button that acts at once. It carries an operation id, so that a double click is a replay.
type Post struct {
	Action      string // where it is posted
	OperationID string
	Text        string // the word on it
	Title       string // the word with its object
	Key         string // the letter that puts the focus on it; empty: none
	Hidden      []Value
}

// Value is a hidden field.
type Value struct{ Name, Value string }

// Card is what people have said of one dead letter, with the forms to change it. Empty URLs: not permitted, or not a
// dead letter any more.
type Card struct {
	Assignee   string // empty: nobody
	AssignedAt text.Stamp
	Until      text.Stamp // snoozed until; zero: not snoozed
	WithGroup  bool       // out of sight because its group is snoozed
	GroupURL   string     // the group of equal deaths; empty: none
	Assign     *Form      // people to choose from
	Snooze     *Form      // times to choose from
	NoteURL    string     // posted to
	NoteID     string     // operation id of the note
	Next       string     // where to return to
}

// Form is a choice of one value that is posted at once.
type Form struct {
	Action      string
	OperationID string
	Label       string
	Name        string // name of the choice
	Options     []ui.Option
	Submit      string
	Hidden      []Value
}

// Note is the form of a note as a page of its own. Field: note.
type Note struct {
	ui.Act
	JobID  string
	JobURL string
	Next   string
	Note   ui.Field
}

// Retry shows a choice that was refused again. Field: that of Form.
type Retry struct {
	ui.Act
	Title  string
	JobID  string
	JobURL string
	Form   Form
	Error  string
}

// RowID names a dead letter's row in a list, for an address that leads to it.
func RowID(account, job string) string { return "row-" + account + "/" + job }
