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
