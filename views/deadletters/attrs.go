package deadletters

import "github.com/a-h/templ"

func idInput() templ.Attributes {
	return templ.Attributes{"autocomplete": "off", "spellcheck": "false", "autocapitalize": "off"}
}

func noteInput() templ.Attributes {
	return templ.Attributes{"maxlength": "500"}
}

func reasonInput() templ.Attributes {
	return templ.Attributes{"required": true, "maxlength": "500"}
}

func amountInput() templ.Attributes {
	return templ.Attributes{"inputmode": "numeric", "autocomplete": "off", "class": "num"}
}

// coded is an error code, or a dash where the failure had none: a link needs a text.
func coded(code string) string {
	if code == "" {
		return "–"
	}
	return code
}
