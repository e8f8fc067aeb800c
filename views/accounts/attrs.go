package accounts

import (
	"github.com/a-h/templ"

	"recoup/views/text"
)

// ageLabel names the age of a negative balance for the narrow layout; an empty cell needs no name.
func ageLabel(l text.Locale, r Row) templ.Attributes {
	if r.NegFor == "" {
		return nil
	}
	return templ.Attributes{"data-label": l.T("col.negative_for"), "class": "neg"}
}

func idInput() templ.Attributes {
	return templ.Attributes{"autocomplete": "off", "spellcheck": "false", "autocapitalize": "off"}
}

func amountInput(example string) templ.Attributes {
	return templ.Attributes{"inputmode": "numeric", "autocomplete": "off", "required": true, "placeholder": example}
}

func reasonInput() templ.Attributes {
	return templ.Attributes{"required": true, "maxlength": "500"}
}
