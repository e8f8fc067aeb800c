// Package ledger is the page of the entries of all accounts, and what other pages share of entries.
//
// A handler reads entries by one filter, maps each to an Entry, and renders Page, or List alone when htmx asks
// for the element ui.ListID. The field names of the filter form are the names of the query parameters:
// type (repeated), account, job, operation, rule_version, rollout, actor, min, max, sign, period, from, to.
package ledger

import (
	"recoup/views/text"
	"recoup/views/ui"
)

// Entry is one row of a ledger.
type Entry struct {
	URL         string // the entry's own page
	At          text.Stamp
	Type        string // grant, charge, refund, reclaim, adjustment
	Account     ui.ID  // not shown on the account's own statement
	What        string // one of the What functions
	Job         ui.ID
	Operation   ui.ID
	RuleVersion ui.ID
	Rollout     ui.ID
	Actor       string // name of the person or key; empty: the program itself, and nothing is shown
	Credits     string // signed: Locale.Signed
	Balance     string // after the entry; only on a statement
	Broken      bool   // the last verification found something wrong with it
}

// what is the whole of what the entry's cell may have to cut.
func (e Entry) what(l text.Locale) string {
	if e.Actor == "" {
		return e.What
	}
	return e.What + " · " + l.T("what.by", e.Actor)
}

// Total is the sum of one entry type.
type Total struct {
	Type    string
	Entries string // "4 entries": Locale.N("count.entries", n)
	Credits string // signed
}

// Totals are the sums of everything that a filter matches, not of the rows on the page.
type Totals struct {
	Entries string // "9 entries"
	Net     string // signed
	ByType  []Total
}

// Ask stands in the place of totals that are not shown: there are too many entries to add them up with every page.
type Ask struct {
	URL    string // adds them up; empty: nothing to ask for
	Failed bool   // it was asked for, and took too long
}

// Filter is the filter form as the person left it.
type Filter struct {
	Action       string // path the form leads to
	Types        []ui.Option
	TypeError    string // empty: none
	Account      ui.Field
	Job          ui.Field
	Operation    ui.Field
	RuleVersion  ui.Field
	Rollout      ui.Field
	Actor        ui.Field
	Actors       []ui.Option // suggestions for Actor
	Min          ui.Field    // credits, signed unless Sign is chosen
	Max          ui.Field
	Sign         []ui.Option // one option: the range is one of sizes
	Periods      []ui.Option // the values of period: PeriodOptions
	Period       string      // the one that is chosen; empty: all time
	PeriodError  string
	From         ui.Field    // YYYY-MM-DD in the person's zone
	To           ui.Field    // the last day, included
	Kept         []ui.Option // parameters without a field that the form carries on: name (Label) and Value
	OpenOnErrors bool        // a field was refused: show the form
}

// Model is the page of all entries.
type Model struct {
	Filter  Filter
	Periods []ui.Choice // the same choice of periods as links
	Period  string      // "1–30 Nov 2026"; empty: all time
	Zone    string      // Locale.ZoneLabel: names the times of the page
	List    ui.List
	Totals  *Totals // nil: not known
	Ask     Ask     // where Totals are not known
	Exports ui.Exports
	Rows    []Entry
}

// Periods are the values of the query parameter period; the last one reads from and to.
func Periods() []string {
	return []string{"today", "yesterday", "this_month", "last_month", "custom"}
}

// PeriodOptions is the choice of periods in the words of the person, with "any" before them.
func PeriodOptions(l text.Locale, selected string) []ui.Option {
	options := []ui.Option{{Value: "", Label: l.T("period.any"), Selected: selected == ""}}
	for _, p := range Periods() {
		options = append(options, ui.Option{Value: p, Label: PeriodName(l, p), Selected: p == selected})
	}
	return options
}

// PeriodName is the word for a value of Periods; any other value reads as all time.
func PeriodName(l text.Locale, period string) string {
	switch period {
	case "today":
		return l.T("period.today")
	case "yesterday":
		return l.T("period.yesterday")
	case "this_month":
		return l.T("period.this_month")
	case "last_month":
		return l.T("period.last_month")
	case "custom":
		return l.T("period.custom")
	default:
		return l.T("period.any")
	}
}

// TypeOptions is the choice of entry types in the words of the person.
func TypeOptions(l text.Locale, selected ...string) []ui.Option {
	var options []ui.Option
	for _, t := range []string{"grant", "charge", "refund", "reclaim", "adjustment"} {
		o := ui.Option{Value: t, Label: l.Maybe("type."+t, t)}
		for _, s := range selected {
			o.Selected = o.Selected || s == t
		}
		options = append(options, o)
	}
	return options
}

// PeriodChip is the value of the chip of a period: the days with their zone, the last day included.
func PeriodChip(l text.Locale, days, zone string) string { return l.T("period.chip", days, zone) }

// WhatCharge says what a charge paid for: the action and its units.
func WhatCharge(l text.Locale, action, units string) string {
	return l.T("what.charge", action, units)
}

// WhatRefund says why a refund was made. attempt is empty where the signal named none; class is transient,
// throttled, permanent, timed_out or canceled.
func WhatRefund(l text.Locale, attempt, class, code string) string {
	reason := l.Maybe("class."+class, class)
	switch {
	case class == "canceled":
		return l.T("what.refund_canceled")
	case attempt == "":
		return l.T("what.refund_money", reason, code)
	case code == "":
		return l.T("what.refund", attempt, reason)
	default:
		return l.T("what.refund_code", attempt, reason, code)
	}
}

// WhatReclaim says why credits were taken back.
func WhatReclaim(l text.Locale) string { return l.T("what.reclaim") }

// WhatGrant names the category of a grant (paid, promotion, goodwill) and its external reference, which may be empty.
func WhatGrant(l text.Locale, category, reference string) string {
	word := l.Maybe("category."+category, category)
	if reference == "" {
		return word
	}
	return l.T("what.grant", word, reference)
}

func (m Model) say(l text.Locale) string {
	if m.Period == "" {
		return l.T("ledger.say")
	}
	return l.T("ledger.say_period", m.Period, m.Zone)
}
