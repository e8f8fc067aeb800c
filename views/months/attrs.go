package months

import (
	"github.com/a-h/templ"

	"recoup/views/text"
)

// label names a cell for the narrow layout, where the header row is hidden.
func label(name string) templ.Attributes { return templ.Attributes{"data-label": name} }

func confirmInput(month string) templ.Attributes {
	return templ.Attributes{"required": true, "autocomplete": "off", "spellcheck": "false", "placeholder": month}
}

func reasonInput() templ.Attributes {
	return templ.Attributes{"required": true, "maxlength": "500"}
}

func tone(amount string) string {
	switch {
	case text.Negative(amount):
		return "neg"
	case text.Positive(amount):
		return "pos"
	default:
		return ""
	}
}

func kindWord(l text.Locale, kind string) string { return l.Maybe("type."+kind, kind) }
