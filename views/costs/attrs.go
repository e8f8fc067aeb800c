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

// live asks for the preview of a rule anew while a person types in its form; without script a button does.
func live() templ.Attributes {
	return templ.Attributes{"hx-get": "/costs/rules/preview", "hx-include": "closest form", "hx-target": "this", "hx-swap": "outerHTML",
		"hx-params": "source,description,dimension,dimension_value", "hx-trigger": "input from:closest form delay:250ms"}
}
