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
