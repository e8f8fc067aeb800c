// Package auditlog is the page of the audit log: who did what to what, and what was refused to whom.
package auditlog

import (
	"github.com/a-h/templ"

	"recoup/views/ledger"
	"recoup/views/text"
	"recoup/views/ui"
)

// Filter is the form. Query parameters: actor, action, object, outcome, period, from, to.
type Filter struct {
	Action       string // path the form leads to
	Actor        ui.Field
	Actors       []ui.Option // suggestions for Actor
	Actions      []ui.Option // ActionOptions
	Object       ui.Field
	Outcomes     []ui.Option // OutcomeOptions
	OutcomeError string
	Period       ledger.Filter // its period alone
	Open         bool          // a field was refused: show the form
}

// Row is one row of the log. State is done or refused.
type Row struct {
	At        text.Stamp
	Who       string
	Actor     string // as it is recorded
	Action    string
	Object    ui.ID
	State     string
	Code      string // why it was refused; empty: it was not
	Reason    string
	Changes   []ui.Change
	Operation ui.ID
	Request   ui.ID
}

// Model is the page.
type Model struct {
	Filter  Filter
	Zone    string
	List    ui.List
	Exports ui.Exports
	Rows    []Row
}

// ActionOptions is the choice of actions. Several may be worded alike, such as what was done and the permission for it that was missing:
// those say their names too.
func ActionOptions(l text.Locale, actions []string, selected string) []ui.Option {
	options := []ui.Option{{Label: l.T("audit.any"), Selected: selected == ""}}
	known := selected == ""
	alike := map[string]int{}
	for _, a := range actions {
		alike[l.Maybe("kind."+a, a)]++
	}
	for _, a := range actions {
		known = known || a == selected
		label := l.Maybe("kind."+a, a)
		if alike[label] > 1 {
			label += " (" + a + ")"
		}
		options = append(options, ui.Option{Value: a, Label: label, Selected: a == selected})
	}
	if !known {
		options = append(options, ui.Option{Value: selected, Label: selected, Selected: true})
	}
	return options
}

// OutcomeOptions is the choice of outcomes.
func OutcomeOptions(l text.Locale, selected string) []ui.Option {
	return []ui.Option{{Label: l.T("audit.any"), Selected: selected == ""}, {Value: "done", Label: l.T("state.done"), Selected: selected == "done"},
		{Value: "refused", Label: l.T("state.refused"), Selected: selected == "refused"}}
}

func idInput() templ.Attributes {
	return templ.Attributes{"autocomplete": "off", "spellcheck": "false", "autocapitalize": "off"}
}

func actorInput() templ.Attributes {
	return templ.Attributes{"autocomplete": "off", "spellcheck": "false", "list": "actors"}
}
