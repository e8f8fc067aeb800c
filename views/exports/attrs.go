package exports

import "github.com/a-h/templ"

// poll lets the part of a file's page that changes ask for itself while the file is not finished. Without script a link does.
func (m File) poll() templ.Attributes {
	if !m.Running {
		return nil
	}
	return templ.Attributes{"hx-get": m.URL, "hx-trigger": "every 2s", "hx-select": "#export", "hx-target": "#export", "hx-swap": "outerHTML"}
}
