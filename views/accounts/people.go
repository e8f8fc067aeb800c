package accounts

import (
	"recoup/views/text"
	"recoup/views/ui"
)

// Profile is the form that changes an account's profile. Fields: name, plan, region, attributes (one a line,
// "name = value"), reason, and hidden seen and reviewed.
type Profile struct {
	ui.Act
	Account    Subject
	Name       ui.Field
	Plan       ui.Field
	Region     ui.Field
	Attributes ui.Field
	Reason     ui.Field
	// Seen names the state of the account that the form was made from.
	Seen string
	// Changes is what the typed profile would change; nil before it was reviewed.
	Changes []ui.Change
	// Reviewed names the profile whose changes are shown: sent again unchanged, it is saved.
	Reviewed string
	// Unchanged says that what was typed is what there is already.
	Unchanged bool
}

// Note is one note on an account.
type Note struct {
	Text string
	By   string
	At   text.Stamp
	// Struck notes stay readable, with who struck them out, when and why.
	Struck       bool
	StruckBy     string
	StruckAt     text.Stamp
	StruckReason string
	StrikeURL    string // empty: the person may not, or it is struck already
}

// Notes is the list of all notes on an account.
type Notes struct {
	Account Subject
	Zone    string
	List    ui.List
	Rows    []Note
	AddURL  string
}

// AddNote is the form that adds a note. Field: text.
type AddNote struct {
	ui.Act
	Account Subject
	Text    ui.Field
}

// StrikeNote is the form that strikes a note out. Field: reason.
type StrikeNote struct {
	ui.Act
	Account Subject
	Text    string
	Reason  ui.Field
}

func (m Profile) submit(l text.Locale) string {
	if m.Reviewed != "" {
		return l.T("profile.save")
	}
	return l.T("profile.review")
}

func (m Profile) say(l text.Locale) string {
	switch {
	case m.Unchanged:
		return l.T("profile.unchanged")
	case m.Reviewed != "":
		return l.T("profile.say_reviewed")
	}
	return l.T("profile.say")
}

func (m Model) order(l text.Locale) string {
	if m.ByAge {
		return l.T("accounts.by_age")
	}
	return l.T("accounts.order")
}
