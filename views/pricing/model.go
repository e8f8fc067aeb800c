// Package pricing shows what each action costs, all its rule versions, and the forms that make, apply and
// retire them.
package pricing

import (
	"github.com/a-h/templ"

	"recoup/views/text"
	"recoup/views/ui"
)

// Model is the list of actions.
type Model struct {
	Rows   []Row
	Zone   string
	NewURL string // empty: the person may not
	List   ui.List
}

// Row is an action with its price in force.
type Row struct {
	Action  ui.ID
	Rule    ui.ID
	Price   string
	Example string
	Since   text.Stamp
	Rollout ui.Link // zero: none is live
	Retired bool
}

// Action is an action's page.
type Action struct {
	ID        string
	Say       string
	Retired   bool
	Versions  []Version
	Periods   []Period
	Losses    []string // rule versions whose price falls below known cost
	Rollout   ui.Link  // zero: none is live
	Zone      string
	NewURL    string
	RetireURL string
}

// Version is a rule version of an action.
type Version struct {
	Rule    ui.ID
	State   string
	Price   string
	Example string
	Made    text.Stamp
	Who     string
	Why     string
	// Rollout has not ended and names the version, which keeps it from being retired; zero for none.
	Rollout   ui.Link
	ForceURL  string
	RetireURL string
}

// Period is a time in which a rule version was the price.
type Period struct {
	Rule    ui.ID
	Price   string
	From    text.Stamp
	Until   text.Stamp // none: it is in force
	Who     string
	Why     string
	Rollout ui.Link // zero: no rollout's completion put it in force
}

// New is the form of a new rule version.
type New struct {
	ui.Act
	Action, Unit, UnitPrice, Minimum, Discount, ExampleUnits, Reason ui.Field
	Rounding                                                         []ui.Option
	RoundingError                                                    string
	Preview                                                          Preview
}

// Preview is the worked example of what stands in the form.
type Preview struct {
	Price   string // empty: there is nothing to show yet
	Example string
	Problem string // why there is none
	Loss    string // that the price falls below known cost; empty: not that it is known
}

// Force is the form that puts a rule version in force.
type Force struct {
	ui.Act
	Rule      string
	Expected  string
	Before    string
	After     string
	Example   string
	Loss      string // that the price falls below known cost; empty: not that it is known
	ActionURL string
	Action    string
	Reason    ui.Field
}

// Retire is the form that retires an action or, where Rule is set, a rule version.
type Retire struct {
	ui.Act
	Rule      string
	Action    string
	ActionURL string
	Reason    ui.Field
}

// RoundingOptions are the roundings with the chosen one.
func RoundingOptions(l text.Locale, chosen string) []ui.Option {
	var out []ui.Option
	for _, value := range []string{"half_even", "up", "down"} {
		out = append(out, ui.Option{Value: value, Label: l.T("rounding." + value), Selected: value == chosen})
	}
	return out
}

func (m Action) state() string {
	if m.Retired {
		return "retired"
	}
	return ""
}

func crumbs(l text.Locale, action, url string) []ui.Link {
	out := []ui.Link{{Text: l.T("nav.prices"), URL: "/pricing"}}
	if url != "" {
		out = append(out, ui.Link{Text: action, URL: url})
	}
	return out
}

func (m Force) changes(l text.Locale) []ui.Change {
	out := []ui.Change{{Label: l.T("rule.in_force"), Before: m.Before, After: m.After}}
	if m.Example != "" {
		out = append(out, ui.Change{Label: l.T("rule.example"), After: m.Example})
	}
	return out
}

// live asks for the preview anew while a person types in its form; without script a button does.
func live() templ.Attributes {
	return templ.Attributes{"hx-get": "/pricing/preview", "hx-include": "closest form", "hx-target": "this", "hx-swap": "outerHTML",
		"hx-params":  "action,unit,unit_price,minimum,discount,rounding,example_units",
		"hx-trigger": "input from:closest form delay:250ms"}
}

func idInput() templ.Attributes {
	return templ.Attributes{"autocomplete": "off", "spellcheck": "false", "autocapitalize": "off"}
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
