// Package accounts is the list of accounts, the statement of one account, and the forms that change one.
//
// A handler maps accounts to Model or Statement and renders Page or StatementPage; when htmx asks for the element
// ui.ListID it may render List or StatementList alone. Forms are posted to /accounts/{id}/grants,
// /adjustments, /freeze and /unfreeze with operation_id and the fields named at each form.
package accounts

import (
	"recoup/views/ledger"
	"recoup/views/text"
	"recoup/views/ui"
)

// Row is one account of the list.
type Row struct {
	ID        ui.ID
	Name      string
	Plan      string
	Balance   string // Locale.Credits
	NegFor    string // how long the balance has been negative ("3 d"); empty: it is not
	Frozen    bool
	LastEntry text.Stamp
}

// Model is the list of accounts. Query parameters of its form: q, plan, negative=1, frozen=1.
type Model struct {
	Action       string
	BulkURL      string   // grants from a file; empty: not for this person
	Query        ui.Field // id or part of the name
	Plan         ui.Field
	OnlyNegative bool
	OnlyFrozen   bool
	ByAge        bool // those longest below zero first, instead of in the order of ids
	Zone         string
	List         ui.List
	Rows         []Row
}

// Attribute is one line of an account's profile.
type Attribute struct {
	Name  string
	Value string
}

// Day is the entries of one day in the person's zone, newest first.
type Day struct {
	Name    string // Stamp.Day
	Entries string // "3 entries"
	// Opening, Net and Closing are those of the whole day, filtered or not. Empty: the page begins or ends
	// within the day and they are not known.
	Opening string
	Net     string
	Closing string
	// Shown is what the rows add up to where a filter leaves out others of the day; empty where they are all.
	Shown string
	Rows  []ledger.Entry
}

// Period is what an account's statement sums up, whatever filter the rows have.
type Period struct {
	Opening   string
	OpeningAt string // "24 Nov 00:00 JST"
	Closing   string
	ClosingAt string // "30 Nov 24:00 JST" or "now"
	Totals    []ledger.Total
}

// JobRow is a job in a short list.
type JobRow struct {
	ID     ui.ID
	Action string
	State  string
	Cost   string
	Money  string // not_refunded, refunded, reclaimed
	At     text.Stamp
}

// Statement is the page of one account. An empty URL hides its button.
type Statement struct {
	ID     ui.ID
	Name   string
	Frozen bool
	// FrozenSay is who froze it, when and why; empty: it is not frozen.
	FrozenSay string
	Balance   string
	NegFor    string // how long the balance has been negative; empty: it is not
	NegSince  text.Stamp
	Entries   string // all entries of the account, "4,110 entries"
	InPeriod  string // those of the period, "9 entries"
	// Inconsistent says that the head of the chain differs from the entries: charges are refused.
	Inconsistent bool
	// Wrong is what the last verification found of the account; zero: nothing.
	Wrong Wrong

	Filter  ledger.Filter // Account, Rollout, Actor, Min and Max are not used
	Periods []ui.Choice
	Zone    string
	List    ui.List
	Period  *Period        // nil: could not be read
	Totals  *ledger.Totals // of the filter, where it is narrower than the period; nil: none
	Ask     ledger.Ask     // where those of the filter are not known
	Days    []Day

	Profile         []Attribute
	Jobs            []JobRow
	JobsURL         string // all jobs of the account
	Reclaimable     []JobRow
	ReclaimableSay  string // how many there are, and what late successes of them would take back
	ReclaimableMore string // URL of the full list

	Rollouts []Rollout // those that admitted the account; empty: none, or the person may not see them

	Notes      []Note // the newest
	NotesURL   string // all notes
	NoteURL    string // add one
	ProfileURL string // change the profile

	Exports     ui.Exports
	WhyURL      string // why the balance is what it is
	GrantURL    string
	AdjustURL   string
	FreezeURL   string
	UnfreezeURL string
}

// Wrong is what the last verification found of an account.
type Wrong struct {
	Say   string
	First ui.Link // to the first entry concerned; zero: none
}

// Subject names the account that a form is about.
type Subject struct {
	ID      string
	Name    string
	URL     string
	Balance string
	Exact   string // the balance as a plain number, for the script
	Limit   Limit
}

// Grant is the form that gives credits. Fields: amount, category, reference, reason.
type Grant struct {
	ui.Act
	Account       Subject
	Amount        ui.Field
	Categories    []ui.Option // CategoryOptions
	CategoryError string
	Reference     ui.Field
	Reason        ui.Field
	Edit          Edit
}

// Adjustment is the form of a correction by finance. Fields: amount (signed), reason, reference.
type Adjustment struct {
	ui.Act
	Account   Subject
	Amount    ui.Field
	Reason    ui.Field
	Reference ui.Field
	Edit      Edit
}

// Freeze is the form that freezes an account or ends that. Field: reason.
type Freeze struct {
	ui.Act
	Account Subject
	Thaw    bool // unfreeze
	Reason  ui.Field
}

// CategoryOptions is the choice of grant categories.
func CategoryOptions(l text.Locale, selected string) []ui.Option {
	var options []ui.Option
	for _, c := range []string{"paid", "promotion", "goodwill"} {
		options = append(options, ui.Option{Value: c, Label: l.Maybe("category."+c, c), Selected: c == selected})
	}
	return options
}

func (m Statement) say(l text.Locale) string {
	switch {
	case m.Inconsistent:
		return l.T("statement.say_inconsistent", m.Balance)
	case m.NegFor != "":
		return l.T("statement.say_negative", m.Balance, m.NegFor, m.NegSince.Full)
	case m.Period == nil:
		return l.T("statement.say_unread", m.Balance, m.Entries)
	default:
		return l.T("statement.say", m.Balance, m.Entries, m.InPeriod)
	}
}

func (m Statement) state() string {
	switch {
	case m.Frozen:
		return "frozen"
	case m.Inconsistent || m.Wrong.Say != "":
		return "inconsistent"
	}
	return ""
}

func (m Statement) title() string {
	if m.Name == "" {
		return m.ID.Value
	}
	return m.Name
}

func (m Statement) id() ui.ID {
	if m.Name == "" {
		return ui.ID{}
	}
	return ui.ID{Value: m.ID.Value}
}

func (m Statement) facts(l text.Locale) []ui.Fact {
	if m.Period == nil {
		return []ui.Fact{{Label: l.T("fact.balance"), Value: m.Balance}}
	}
	facts := []ui.Fact{{Label: l.T("fact.opening"), Value: m.Period.Opening, Note: m.Period.OpeningAt}}
	for _, t := range m.Period.Totals {
		facts = append(facts, ui.Fact{Label: l.Maybe("type."+t.Type, t.Type), Type: t.Type, Value: t.Credits, Note: t.Entries, Change: true})
	}
	return append(facts, ui.Fact{Label: l.T("fact.closing"), Value: m.Period.Closing, Note: m.Period.ClosingAt})
}

func (s Subject) name() string {
	if s.Name == "" || s.Name == s.ID {
		return s.ID
	}
	return s.Name + " (" + s.ID + ")"
}

func (s Subject) crumbs(l text.Locale) []ui.Link {
	return []ui.Link{{Text: l.T("nav.accounts"), URL: "/accounts"}, {Text: s.ID, URL: s.URL}}
}
