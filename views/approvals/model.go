// Package approvals is the list of change requests, the page of one, and the forms that decide on it.
//
// A handler maps change requests to Row or Detail and renders Page or RequestPage; when htmx asks for the element
// ui.ListID it may render List alone. Query parameters of the filter form: tab, kind, account, state. Forms are
// posted to /approvals/{id}/approve, /reject and /withdraw with operation_id, version, digest and reason.
package approvals

import (
	"github.com/a-h/templ"

	"recoup/views/text"
	"recoup/views/ui"
)

// Tab is one view of the list.
type Tab string

// The tabs.
const (
	Open    Tab = "open"
	Decided Tab = "decided"
	Mine    Tab = "mine"
	// Yours are the open ones that the person may decide.
	Yours Tab = "yours"
)

// Row is one change request of the list.
type Row struct {
	ID      ui.ID
	Title   string
	Account ui.ID // zero: it is about something else
	About   ui.ID // where there is no account; zero: Object says what it is about
	Object  string
	Credits string // signed; empty: it moves none by itself
	By      string
	Asked   text.Stamp
	State   string
	Outcome string     // state of the task that applies it, where that is not done; empty: nothing to add
	Until   text.Stamp // when it expires; once decided, when that was
	Decider string     // empty: nobody decided
}

// Model is the list.
type Model struct {
	Action  string
	Tab     Tab
	Tabs    []ui.Choice
	Kinds   []ui.Option
	States  []ui.Option // not on the tab of the open ones
	Account ui.Field
	Zone    string
	List    ui.List
	Rows    []Row
}

// Line is one fact of what is proposed.
type Line struct {
	Label string
	Value string
	ID    ui.ID // in place of Value
}

// Event is one line of the history.
type Event struct {
	At      text.Stamp
	Who     string
	What    string
	Reason  string
	Refused bool
}

// Detail is the page of one change request. An empty URL hides its button.
type Detail struct {
	ID    ui.ID
	Title string
	State string
	Say   string

	Lines []Line
	JSON  string // the proposal as it was written; empty: Lines say it all
	// Before and After are the balance: as it would be while it is open, as it was once applied. Both empty: there is
	// nothing to tell.
	Before, After string
	Reason        string

	// Effect is what an approval would do now, worked out as Notes say; empty: Lines say it all.
	Effect []ui.Change
	Notes  []string
	// ApproveSay is what the form that approves says of it; empty: that it is applied at once and for good.
	ApproveSay string

	By        string
	Asked     text.Stamp
	Expires   text.Stamp
	Operation ui.ID
	Digest    string
	Version   string

	Decider        string // empty: nobody decided
	DecidedAt      text.Stamp
	DecisionReason string
	Replacement    ui.Link // the request that an edit put in its place; zero: none
	Entry          ui.Link // what was applied; zero: nothing, or it is no entry

	// Below is what the kind shows of its own below everything else; nil: nothing.
	Below templ.Component

	Help    []string // sentences for who cannot decide
	History []Event

	ApproveURL, RejectURL, WithdrawURL, EditURL string
}

// Decide is the form of a decision. Fields: version, digest (hidden), reason.
type Decide struct {
	ui.Act
	Request Detail
	Verb    string // approve, reject, withdraw
	Reason  ui.Field
}

func (m Model) none(l text.Locale) string {
	switch m.Tab {
	case Yours:
		return l.T("approvals.none_yours")
	case Decided:
		return l.T("approvals.none_decided")
	case Mine:
		return l.T("approvals.none_mine")
	}
	return l.T("approvals.none_open")
}

// TabName is the word for a tab.
func TabName(l text.Locale, t Tab) string {
	switch t {
	case Yours:
		return l.T("approvals.yours")
	case Decided:
		return l.T("approvals.decided")
	case Mine:
		return l.T("approvals.mine")
	}
	return l.T("approvals.open")
}

func (d Detail) crumbs(l text.Locale) []ui.Link {
	return []ui.Link{{Text: l.T("nav.approvals"), URL: "/approvals"}}
}

func (d Decide) confirm(l text.Locale) ui.Confirm {
	c := ui.Confirm{Act: d.Act, Title: l.T("approve.title", d.Request.Title), Say: l.T("approve.say", d.Request.By), Submit: l.T("approve.submit")}
	switch d.Verb {
	case "reject":
		c.Title, c.Say, c.Submit, c.Danger = l.T("reject.title", d.Request.Title), l.T("reject.say", d.Request.By), l.T("reject.submit"), true
		return c
	case "withdraw":
		c.Title, c.Say, c.Submit, c.Danger = l.T("withdraw.title", d.Request.Title), l.T("withdraw.say"), l.T("withdraw.submit"), true
		return c
	}
	if d.Request.ApproveSay != "" {
		c.Say = d.Request.ApproveSay
	}
	c.Changes = d.Request.Effect
	if d.Request.After != "" {
		c.Changes = []ui.Change{{Label: l.T("approval.balance_now"), Before: d.Request.Before, After: d.Request.After}}
	}
	return c
}
