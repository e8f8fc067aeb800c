// Package settlements shows settlements: the list, the form that proposes one with its preview, one settlement with its
// accounts, and the forms that name a document outside and take a payment up again.
package settlements

import (
	"recoup/views/text"
	"recoup/views/ui"
)

// PartID is the element of a settlement's page that asks for itself while it is being paid.
const PartID = "settlement-state"

// Model is the list of settlements.
type Model struct {
	Rows   []Row
	Zone   string
	NewURL string // empty: the person may not
	List   ui.List
}

// Row is one settlement of the list.
type Row struct {
	ID         ui.ID
	Rollout    ui.ID
	State      string
	Way        string
	Supplement bool
	At         text.Stamp
	By         string
	Jobs       string
	Accounts   string
	Amount     string // what customers get in all, signed
}

// New is the form of a proposal.
type New struct {
	ui.Act
	// Rollout is fixed where RolloutURL is set: an edit stays with its rollout.
	Rollout    string
	RolloutURL string
	Rollouts   []ui.Option
	// RolloutError says why the rollout cannot be settled; empty: nothing wrong.
	RolloutError string
	Signs        []ui.Option
	Ways         []ui.Option
	From, To     ui.Field
	Accounts     ui.Field
	Minimum      ui.Field
	Reason       ui.Field
	Zone         string
	Preview      Preview
	// Replaces is the settlement that an edit takes the place of, with version and digest of its change request as they
	// were seen; empty for none.
	Replaces, ReplacesURL, Version, Digest string
}

// Preview is what a proposal would hold now.
type Preview struct {
	Problem string // empty: the filter can be read
	// Say is empty while no rollout is chosen.
	Say    string
	Notes  []string
	Totals []ui.Fact
	Lines  []Line
	// More says how many accounts are not listed; empty: all are.
	More string
}

// Line is what a settlement means for one account.
type Line struct {
	Account  ui.ID
	Jobs     string
	Charged  string
	Baseline string
	Amount   string // signed
	Balance  string // now
	After    string // empty: the settlement does not change it any more
	State    string // empty: none
	Why      string // why jobs were left out; empty: none were
	URL      string // its jobs; empty: no link
}

// Detail is a settlement's page.
type Detail struct {
	ID      string
	URL     string
	Rollout ui.ID
	State   string
	Say     string
	Facts   []ui.Fact
	About   []About
	// Running asks again for the state until it is over; Done of Total jobs are dealt with.
	Running     bool
	Done, Total string
	Problem     string // why its task ended; empty: it did not
	Hint        string // there is more to be settled; empty: nothing is
	HintURL     string

	EditURL, ApproveURL, OutsideURL, ResumeURL string

	Account  ui.Field
	Outcomes []ui.Option
	Totals   []ui.Fact
	Lines    []Line
	Items    []Item // of one account, when the filter names it
	MoreURL  string // the file with all jobs, where not all of the account are listed
	Exports  ui.Exports
	List     ui.List
	History  []Event
	Zone     string
}

// About is one fact about a settlement.
type About struct {
	Label string
	Value string
	ID    ui.ID
}

// Item is one job of a settlement.
type Item struct {
	Job       ui.ID
	Operation ui.ID // that charged it
	At        text.Stamp
	Units     string
	Charged   string
	Baseline  string
	Amount    string // signed
	Result    ui.Link
	State     string
	Why       string
}

// Event is one line of the history.
type Event struct {
	At     text.Stamp
	What   string
	Who    string
	Reason string
}

// Outside is the form that names the document by which it was settled outside.
type Outside struct {
	ui.Act
	ID        string
	URL       string
	Changes   []ui.Change
	Reference ui.Field
	Reason    ui.Field
}

// Resume is the form that takes a payment up again.
type Resume struct {
	ui.Act
	ID      string
	URL     string
	Changes []ui.Change
	Reason  ui.Field
}

func crumbs(l text.Locale, id, url string) []ui.Link {
	out := []ui.Link{{Text: l.T("settlements.title"), URL: "/settlements"}}
	if url != "" {
		out = append(out, ui.Link{Text: id, URL: url})
	}
	return out
}

func title(l text.Locale, m New) string {
	if m.Replaces != "" {
		return l.T("settlement.edit_title")
	}
	return l.T("settlements.new")
}

// narrowed reports whether anything restricts the proposal, so that it is in sight.
func (m New) narrowed() bool {
	for _, f := range []ui.Field{m.From, m.To, m.Accounts, m.Minimum} {
		if f.Value != "" || f.Error != "" {
			return true
		}
	}
	return false
}
