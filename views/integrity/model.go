// Package integrity is the page that says whether the ledger is what it must be: every invariant with what the last
// run of the verifier found, the run that is on, the history, and the evidence of one run.
package integrity

import (
	"strings"

	"recoup/views/text"
	"recoup/views/ui"
)

// Rule is one invariant. State is passed, inconsistent, unknown (not looked at) or not_read_back (there is
// nothing to look at).
type Rule struct {
	Name     string // L1
	Say      string // what must hold, for people who keep books
	State    string
	Checked  string   // what was read for it, "41 entries"; empty where nothing is counted
	Took     string   // how long its checks took; empty: not measured
	Missing  []string // checks that this run did not make
	Without  []string // checks that this installation has nothing for
	Problems string   // how many; empty: not looked at
	Broken   []Broken
	Checks   []string // what is read back for it; empty: it is kept by the database alone
	Kept     []string // constraints, indexes and triggers that refuse what would break it
	Held     string   // what keeps it where nothing can be looked at: statement or tests
	Off      []string // those of Kept that were not in force
}

// Broken is a check of a rule that found something.
type Broken struct {
	Check string
	Count string // "3 problems"
	URL   string // its evidence
	Next  string // what to do now
}

// Row is one run of the verifier. State is passed or inconsistent.
type Row struct {
	ID       string
	URL      string
	At       text.Stamp
	Took     string
	Read     string // "4,110 entries of 12 accounts, 40 jobs"
	Problems string
	State    string
	By       string
}

// Live is a run that waits or is on. State is queued or running.
type Live struct {
	State       string
	By          string
	At          text.Stamp
	Say         string
	Done, Total string // for the bar; empty: nobody knows how far
	ProgressURL string // the element again, for the page that watches
	CancelURL   string // empty: the person may not
}

// Model is the page.
type Model struct {
	Last      *Row   // nil: never run
	Standing  string // what earlier runs found by checks that the last one left out, "3 problems"; empty: nothing
	Rules     []Rule
	Live      *Live
	Failed    text.Stamp // when the run asked for last broke off; none: it did not
	FailedWhy string
	RunURL    string // empty: the person may not, or one is on
	Zone      string
	List      ui.List
	Rows      []Row // the history
}

// Problem is one row that is not what it must be.
type Problem struct {
	Check   string
	Account ui.ID
	Entry   ui.Link
	Job     ui.ID
	ui.Finding
}

// Run is the page of one run.
type Run struct {
	Row      Row
	Rules    []Rule
	Digest   string // of all newest entries; empty: none was taken
	Checks   []ui.Choice
	Zone     string
	List     ui.List
	Problems []Problem
}

func (m Model) say(l text.Locale) string {
	switch {
	case m.Last == nil:
		return l.T("integrity.say_never")
	case m.Standing != "":
		return l.T("integrity.say_standing", m.Last.At.Full, m.Last.Problems, m.Standing)
	case m.Last.State == "passed":
		return l.T("integrity.say_passed", m.Last.At.Full, m.Last.Read, m.Last.Took)
	}
	return l.T("integrity.say_broken", m.Last.At.Full, m.Last.Problems)
}

func (m Model) state() string {
	if m.Last == nil {
		return "unknown"
	}
	if m.Standing != "" {
		return "inconsistent"
	}
	return m.Last.State
}

func (m Run) say(l text.Locale) string {
	return l.T("integrity.run_say", m.Row.By, m.Row.Read, m.Row.Took)
}

// rulesSay counts what can be read back, what the database alone keeps, and what no run can look at.
func rulesSay(l text.Locale, rules []Rule) string {
	var read, kept, held int64
	for _, r := range rules {
		switch {
		case r.Held != "":
			held++
		case len(r.Checks) > 0:
			read++
		default:
			kept++
		}
	}
	return l.T("integrity.rules_say", l.Credits(int64(len(rules))), l.Credits(read), l.Credits(kept), l.Credits(held))
}

// heldBy says what keeps a rule at which no run can look.
func heldBy(l text.Locale, r Rule) string {
	if r.Held == "statement" {
		return l.T("integrity.held_statement")
	}
	return l.T("integrity.held_tests")
}

// join writes names one after the other.
func join(l text.Locale, names []string) string { return strings.Join(names, l.T("list.separator")) }

// keptBy introduces what keeps a rule.
func keptBy(l text.Locale, r Rule) string {
	if len(r.Checks) == 0 {
		return l.T("integrity.by_database_alone")
	}
	return l.T("integrity.by_database")
}
