// Package rollouts shows the rollouts, one rollout with its stages, checks and history, and the forms that
// make and move it.
package rollouts

import (
	"github.com/a-h/templ"

	"recoup/views/text"
	"recoup/views/ui"
)

// Model is the list of rollouts.
type Model struct {
	Rows   []Row
	Zone   string
	NewURL string // empty: the person may not
	List   ui.List
}

// Row is one rollout of the list.
type Row struct {
	ID        ui.ID
	Title     string
	State     string
	Action    ui.ID
	Baseline  string
	Candidate string
	Stage     string
	Enrolled  string
	Since     text.Stamp // when it was started, else made
}

// Rollout is a rollout's page.
type Rollout struct {
	ID       string
	Title    string
	State    string
	Say      string
	Action   ui.ID
	Help     string // who can change that
	Warning  string // why it does not widen; empty: nothing keeps it
	Loss     string // that the candidate falls below known cost; empty: not that it is known
	Stages   []Stage
	Checks   []Check // empty: never made
	Examined string
	CheckURL string // empty: the person may not ask for checks now
	Findings Findings
	Try      Try
	Events   []Event
	Zone     string
	Steps    []Step
	Prices   Prices
	Terms    Terms
	Effects  *Effects // nil before the start
	Settle   Settle
	Schedule Schedule
	Accounts Accounts
	Follow   Follow
}

// Stage is one stop of the rail.
type Stage struct {
	Label string
	Note  string
	Past  bool
	Now   bool
}

// Accounts are the numbers of accounts of a rollout, in words; empty where they could not be counted or mean nothing.
type Accounts struct {
	Admitted string  // "9 accounts admitted by bucket and segment"
	Enrolled ui.Link // "2 enrolled", with the list of them
	Paid     string  // "1 has paid"
}

// Check is the card of one check.
type Check struct {
	Name  string // uniqueness, consistency, reconciliation
	Found string
	State string // passed, failed, missing
	Why   string
	// Costs are the unattributed records that Why counts; without a URL for who may not see costs.
	Costs []ui.Link
	At    text.Stamp
}

// Findings are a page of what the checks found; without tabs nothing was ever found.
type Findings struct {
	Tabs  []ui.Choice // all checks, and each
	Rows  []Finding   // empty: none of the check that is chosen
	Pager ui.Pager
}

// Finding is one thing that a check found.
type Finding struct {
	Check     string
	Account   ui.ID
	Operation ui.ID
	What      string
	Expected  string
	Found     string
	At        text.Stamp
	Gone      bool
}

// Try is the answer for one account.
type Try struct {
	Action  string
	Account ui.Field
	// Cohort is empty while nobody asked.
	Cohort string
	Rule   string
	Bucket string
	Why    string
	Price  string
}

// Event is one step of the history.
type Event struct {
	At        text.Stamp
	Kind      string
	Stage     string
	Who       string
	Reason    string
	Enrolled  string
	Operation ui.ID
}

// Step is a button that leads to a step's form.
type Step struct {
	Name    string
	URL     string
	Danger  bool
	Main    bool
	Blocked string // why it cannot be made now; empty: it can
}

// Move is the form of a step.
type Move struct {
	ui.Act
	Name      string
	ID        string
	URL       string
	Version   string
	Changes   []ui.Change
	Notes     []string // how Changes were worked out
	Loss      string   // that the candidate falls below known cost; empty: not that it is known
	Danger    bool
	Made      string    // when Checks were made; empty: the step asks for none
	Checks    []Check   // those that the step waits for
	Blocked   string    // why it cannot be made now; empty: it can
	Help      []ui.Link // who can make it possible
	Reason    ui.Field
	Candidate string
	Second    Second
}

// New is the form of a draft.
type New struct {
	ui.Act
	ID, Title, MinCharges, MinCosts, Reason ui.Field
	Candidates                              []ui.Option
	CandidateError                          string
	Price                                   CandidatePrice
	StagesError                             string
	Stages                                  []NewStage
	Terms                                   NewTerms
}

// CandidatePrice is what the candidate that is chosen costs, beside the price in force.
type CandidatePrice struct {
	Example, Price string
	Loss           string // that it falls below known cost; empty: not that it is known
}

// NewStage are the fields of one stage.
type NewStage struct {
	Number                                                  string
	Threshold, Accounts, Plans, Regions, Attributes, DwellH ui.Field
}

func (m Rollout) name() string {
	if m.Title != "" {
		return m.Title
	}
	return m.ID
}

func crumbs(l text.Locale, id, url string) []ui.Link {
	out := []ui.Link{{Text: l.T("nav.rollouts"), URL: "/rollouts"}}
	if url != "" {
		out = append(out, ui.Link{Text: id, URL: url})
	}
	return out
}

func (s Stage) attrs() templ.Attributes {
	switch {
	case s.Now:
		return templ.Attributes{"aria-current": "step"}
	case s.Past:
		return templ.Attributes{"data-past": true}
	}
	return nil
}

func (s Step) kind() string {
	switch {
	case s.Danger:
		return "danger"
	case s.Main:
		return "primary"
	}
	return ""
}

func idInput() templ.Attributes {
	return templ.Attributes{"autocomplete": "off", "spellcheck": "false", "autocapitalize": "off"}
}

// chosen asks for the price of the candidate anew when another one is chosen; without script a button does.
func chosen() templ.Attributes {
	return templ.Attributes{"hx-get": "/new/rollout/candidate", "hx-include": "closest form", "hx-target": "this", "hx-swap": "outerHTML",
		"hx-params": "candidate", "hx-trigger": "change from:#f-candidate"}
}

func numberInput() templ.Attributes {
	return templ.Attributes{"autocomplete": "off", "inputmode": "numeric"}
}

func decimalInput() templ.Attributes {
	return templ.Attributes{"autocomplete": "off", "inputmode": "decimal"}
}

func reasonInput() templ.Attributes {
	return templ.Attributes{"required": true, "maxlength": "500"}
}

// narrowed reports whether anything but the threshold and the time is set, so that it is in sight.
func (s NewStage) narrowed() bool {
	for _, f := range []ui.Field{s.Accounts, s.Plans, s.Regions, s.Attributes} {
		if f.Value != "" || f.Error != "" {
			return true
		}
	}
	return false
}
