package costs

import "github.com/a-h/templ"

func idInput() templ.Attributes {
	return templ.Attributes{"autocomplete": "off", "spellcheck": "false", "autocapitalize": "off"}
}

func example(value string) templ.Attributes {
	a := idInput()
	a["placeholder"] = value
	return a
}

func decimalInput(value string) templ.Attributes {
	a := example(value)
	a["inputmode"] = "decimal"
	return a
}

func listed(id string) templ.Attributes {
	a := idInput()
	a["list"] = id
	return a
}

func reasonInput() templ.Attributes { return templ.Attributes{"maxlength": "500"} }
