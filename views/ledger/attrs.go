package ledger

import (
	"github.com/a-h/templ"

	"recoup/views/text"
)

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

// ruleInput offers rule versions.
func ruleInput() templ.Attributes {
	a := asking("/suggestions/rules", "rule-options")
	a["placeholder"] = "video_render@v3"
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

// asking offers in a list what the server suggests for what was typed so far. Without script it is a plain input.
func asking(url, list string) templ.Attributes {
	a := suggested(list)
	a["hx-get"], a["hx-trigger"], a["hx-target"] = url, "input changed delay:150ms", "#"+list
	// The list around it is swapped whole; this is not.
	a["hx-select"], a["hx-swap"] = "unset", "innerHTML"
	return a
}
