// Package costs is the pages of what providers billed: the list of records, one record with whom it is put down to,
// overhead rules, imports of bills, and the margin.
//
// Amounts arrive formatted, each beside its currency; nothing here adds them up.
package costs

import (
	"recoup/views/layout"
	"recoup/views/text"
	"recoup/views/ui"
)

// Total is the exact sum of one currency.
type Total struct {
	Currency string
	Amount   string
	Count    string // "4 records"
}

// Row is one record of the list.
type Row struct {
	ID           ui.ID // the external id, to the record's page
	At           text.Stamp
	Source       string
	Description  string
	State        string // attributed, overhead, unattributed
	Job          ui.ID  // zero: none
	Action       string // empty: not known
	Amount       string
	Currency     string
	AttributeURL string // empty: the person may not
}

// List is the page of records.
type List struct {
	Action   string
	Tabs     []ui.Choice
	Periods  []ui.Choice
	Source   ui.Field
	Currency ui.Field
	Act      ui.Field // the action
	Text     ui.Field
	Import   string // kept while filtering; empty: none
	Rule     string
	States   []ui.Option
	Period   []ui.Option
	Was      string // the period that is on; empty: all time
	PeriodAt string // an error of the period; empty: none
	From, To ui.Field
	Open     bool
	Zone     string
	List     ui.List
	Totals   []Total
	Exports  ui.Exports
	Rows     []Row
}

// Fact is one line of a record.
type Fact struct {
	Label string
	Value string
	ID    ui.ID // in the place of Value where it is an id
}

// Change is one line of a record's history.
type Change struct {
	At     text.Stamp
	State  string
	To     string // whom it was put down to
	Why    string
	By     string
	Reason string
}

// Record is one record's page.
type Record struct {
	ID           ui.ID
	State        string
	Say          string
	Amount       string
	Facts        []Fact
	Dimensions   []Fact
	History      []Change
	Zone         string
	AttributeURL string // empty: the person may not
	RuleURL      string
}

// Attribute is the form that puts a record down to a job or operation. Fields: seq, account, job, to_operation, reason.
type Attribute struct {
	ui.Act
	ID        string
	URL       string
	Amount    string
	Seq       string
	Before    string // whom it is put down to now
	Account   ui.Field
	Job       ui.Field
	Operation ui.Field
	Reason    ui.Field
}

// Rule is one overhead rule.
type Rule struct {
	Match     string // in words
	Author    string
	Made      text.Stamp
	Reason    string
	Records   string
	ListURL   string
	Retired   text.Stamp
	RetiredBy string
	RetireURL string // empty: the person may not, or it is retired
}

// Rules is the page of overhead rules.
type Rules struct {
	Tabs   []ui.Choice
	Rows   []Rule
	NewURL string
	Zone   string
	List   ui.List
}

// NewRule is the form of an overhead rule. Fields: source, description, dimension, dimension_value, reason.
type NewRule struct {
	ui.Act
	Source, Description, Dimension, Value, Reason ui.Field
	Preview                                       RulePreview
}

// RulePreview is what a rule would claim at once; Say is empty while nothing is typed.
type RulePreview struct {
	Say     string
	Problem string
	Totals  []Total
}

// Retire is the form that ends a rule.
type Retire struct {
	ui.Act
	Match  string
	Reason ui.Field
}

// Import is one row of the list of imports.
type Import struct {
	File   ui.Link
	Source string
	Format string
	At     text.Stamp
	By     string
	State  string // uploaded, waiting, running, done, failed, canceled
	Say    string
}

// Imports is the page of imports.
type Imports struct {
	Tabs   []ui.Choice
	Rows   []Import
	NewURL string
	Zone   string
	List   ui.List
}

// Upload is the form that hands in a file. Fields: source, format, amount, line_id, account, job, operation, action, file.
type Upload struct {
	ui.Act
	Sources                                         []string
	Source, LineID, Account, Job, Operation, Action ui.Field
	Formats, Amounts                                []ui.Option
	FormatError, AmountError, FileError             string
	Limit                                           string
	// Columns are the own columns, each with what it holds.
	Columns []Fact
}

// Line is one line of a file as it would be imported.
type Line struct {
	Number   string
	ID       ui.ID
	At       string
	Amount   string
	Currency string
	Job      string
	Text     string
}

// Preview is one import: its file, what is wrong with it, and how far it is.
type Preview struct {
	ui.Act
	Title    string
	State    string
	Say      string
	Facts    []Fact
	Totals   []Total
	Lines    []Line
	More     string // "and 180 more"; empty: all are shown
	Problems []string
	MoreBad  bool
	Foreseen string // what importing it would come to; empty: it is not to be imported
	Caution  string // what there is to fear of it; empty: nothing
	// Startable is true for a sound file that nobody has started, for who may.
	Startable bool
	// Going is true while the task is not over; Done and Total are plain numbers for the bar, empty Total: not known.
	Going       bool
	Done, Total string
	Progress    string
	URL         string
	RecordsURL  string // the records it brought; empty: none yet
}

// MarginRow is one group in one currency.
type MarginRow struct {
	Group    ui.ID
	Name     string // in the place of an id
	Currency string
	Charged  string
	Revenue  string // empty: the value of a credit is not set
	Cost     string // empty: no cost is known
	Margin   string // empty: the cost or the value of a credit is not known
	Unknown  bool   // no cost is known
	Lacking  bool   // the cost of too few jobs is known to tell a margin
	Coverage string // "known for 8 of 40 delivered"; empty: none was delivered
	Cohort   string // of a rollout; empty: none
	Records  string
}

// Value is what a credit is worth from a moment on.
type Value struct {
	Currency, Value string
	From            text.Stamp
	By              string
	Reason          string
	Replaced        bool
}

// Margin is the page of margins.
type Margin struct {
	Tabs         []ui.Choice
	Bys          []ui.Choice
	Periods      []ui.Choice
	Period       string
	Zone         string
	Group        string // header of the first column
	Rows         []MarginRow
	Unset        string // currencies without a value; empty: none
	Coverage     string
	Lacking      bool // a row has no margin because the cost of too few of its jobs is known
	Overhead     []Total
	Unattributed []Total
	Values       []Value
	ValueURL     string
	List         ui.List
}

// NewValue is the form of a credit's value. Fields: currency, value, valid_from, reason.
type NewValue struct {
	ui.Act
	Currency, Value, From, Reason ui.Field
	Zone                          string
}

func crumbs(l text.Locale, more ...ui.Link) []ui.Link {
	return append([]ui.Link{{Text: l.T("nav.costs"), URL: "/costs"}}, more...)
}

func head(title, say string) layout.Head {
	return layout.Head{Section: layout.Costs, Title: title, Say: say}
}

// StateOptions is the choice of states.
func StateOptions(l text.Locale, selected ...string) []ui.Option {
	var options []ui.Option
	for _, s := range []string{"unattributed", "attributed", "overhead"} {
		o := ui.Option{Value: s, Label: l.Maybe("state."+s, s)}
		for _, x := range selected {
			o.Selected = o.Selected || x == s
		}
		options = append(options, o)
	}
	return options
}

// long tells whether an amount has more digits than a cell holds in one line.
func long(amount string) bool { return len(amount) > 26 }
