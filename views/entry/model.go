// Package entry is the page of one entry of a ledger: everything that caused it. With script a row of a ledger opens
// it in a dialog, for which the element with id "panel" is taken out of the page.
package entry

import (
	"github.com/a-h/templ"

	"recoup/views/text"
	"recoup/views/ui"
)

// Event is the event of a job's timeline that wrote the entry.
type Event struct {
	Title  string
	Detail string // may be empty
	At     text.Stamp
	URL    string // the timeline
}

// Other is another entry of the same job.
type Other struct {
	Number  ui.Link // leads to its page
	At      text.Stamp
	Type    string
	Credits string // signed
	Current bool   // it is this one
}

// Model is the page.
type Model struct {
	Account   ui.ID
	Name      string
	URL       string // of the page
	Number    string // its place in the account's ledger
	Type      string
	Credits   string // signed
	Before    string
	After     string
	At        text.Stamp
	What      string
	Job       ui.ID // zero: it concerns no job
	Operation ui.ID
	Actor     string
	Category  string // of a grant
	// ApprovedBy was the second person, and Request leads to what was approved; empty: none was needed.
	ApprovedBy string
	Request    ui.Link
	File       ui.Link // the file of grants that it was a line of; empty: it was none
	Reference  string
	// ReferenceURL leads to the settlement that the reference names; empty: it names another document.
	ReferenceURL string
	Reason       string
	Rule         ui.ID
	Rollout      ui.ID
	Cohort       string
	Trace        ui.ID

	Event    *Event       // nil: no job
	Decision *ui.Decision // nil: it was not priced
	Others   []Other      // all entries of the job, oldest first; none: no job
	Net      string       // what they add up to

	Hash         string // hexadecimal
	PreviousHash string
	// Chained says that the hash computed from the fields shown and the previous hash is the stored one, and that
	// the balance follows from the one before.
	Chained bool
	// Same says what the entry's operation says the same; Differs, where set, what it says otherwise.
	Same        string
	Differs     string
	PreviousURL string
	NextURL     string
}

func (m Model) title(l text.Locale) string {
	return l.T("entry.title", m.Number, l.Maybe("type."+m.Type, m.Type), m.Credits)
}

func (m Model) crumbs(l text.Locale) []ui.Link {
	return []ui.Link{{Text: l.T("nav.accounts"), URL: "/accounts"}, {Text: m.Account.Value, URL: m.Account.URL}}
}

func (m Model) chain() string {
	if m.Chained && m.Differs == "" {
		return "consistent"
	}
	return "inconsistent"
}

func here(current bool) templ.Attributes {
	if current {
		return templ.Attributes{"aria-current": "true"}
	}
	return nil
}
