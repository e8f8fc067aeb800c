package replay

import "github.com/a-h/templ"

// labelled names a cell for the narrow layout, where the header row is hidden; an empty cell needs no name.
func labelled(label, value string) templ.Attributes {
	if value == "" {
		return nil
	}
	return templ.Attributes{"data-label": label}
}
