package settlements

import "github.com/a-h/templ"

func idInput() templ.Attributes {
	return templ.Attributes{"autocomplete": "off", "spellcheck": "false", "autocapitalize": "off"}
}

func numberInput() templ.Attributes {
	return templ.Attributes{"autocomplete": "off", "inputmode": "numeric"}
}

func reasonInput() templ.Attributes { return templ.Attributes{"required": true, "maxlength": "300"} }

func referenceInput() templ.Attributes {
	a := idInput()
	a["required"], a["maxlength"] = true, "200"
	return a
}

// live asks for the preview anew while a person changes the form; without script a button does.
func live() templ.Attributes {
	return templ.Attributes{"hx-get": "/settlements/preview", "hx-include": "#form", "hx-target": "#preview", "hx-swap": "outerHTML",
		"hx-params": "rollout,sign,way,from,to,accounts,minimum,replaces", "hx-trigger": "input from:#form delay:300ms"}
}

// poll asks again for the page's state while the settlement is being paid.
func (m Detail) poll() templ.Attributes {
	if !m.Running {
		return nil
	}
	return templ.Attributes{"hx-get": m.URL, "hx-trigger": "every 1s", "hx-select": "#" + PartID, "hx-target": "#" + PartID, "hx-swap": "outerHTML"}
}
