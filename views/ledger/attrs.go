package ledger

import (
	"github.com/a-h/templ"

	"recoup/views/text"
	"recoup/views/ui"
)

// cellLabel names a cell for the narrow layout, where the header row is hidden; an empty cell needs no name.
func cellLabel(label string, id ui.ID) templ.Attributes {
	if id.Value == "" {
		return nil
	}
	return templ.Attributes{"data-label": label}
}

func netTone(net string) string {
	switch {
	case text.Negative(net):
		return "neg"
	case text.Positive(net):
		return "pos"
	default:
		return ""
	}
}

func idInput() templ.Attributes {
	return templ.Attributes{"autocomplete": "off", "spellcheck": "false", "autocapitalize": "off"}
}

func placeholder(example string) templ.Attributes {
	a := idInput()
	a["placeholder"] = example
	return a
}

func numberInput() templ.Attributes {
	return templ.Attributes{"inputmode": "numeric", "autocomplete": "off"}
}

// suggested is an input that offers the options of a list.
func suggested(list string) templ.Attributes {
	a := idInput()
	a["list"] = list
	return a
}

// accountInput offers the accounts whose id or name begins with what was typed so far. Without script it is a plain input.
func accountInput() templ.Attributes {
	a := suggested("account-options")
	a["hx-get"], a["hx-trigger"], a["hx-target"] = "/suggestions/accounts", "input changed delay:150ms", "#account-options"
	// The list around it is swapped whole; this is not.
	a["hx-select"], a["hx-swap"] = "unset", "innerHTML"
	return a
}
