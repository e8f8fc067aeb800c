package jobs

import (
	"github.com/a-h/templ"

	"recoup/views/layout"
)

func idInput() templ.Attributes {
	return templ.Attributes{"autocomplete": "off", "spellcheck": "false", "autocapitalize": "off"}
}

func reasonInput() templ.Attributes {
	return templ.Attributes{"required": true, "maxlength": "500"}
}

// lane gives a cell of the timeline its edge and, for the narrow layout, the name of its lane. An empty cell
// has neither.
func lane(e *Event, name string) templ.Attributes {
	if e == nil {
		return nil
	}
	return templ.Attributes{"class": "on", "data-tone": e.Tone, "data-label": name}
}

// jobSection is the entry of the rail that is marked: a dead letter is reached from its own list.
func jobSection(m Job) layout.Section {
	if m.DeadLetters.URL != "" {
		return layout.DeadLetters
	}
	return layout.Jobs
}
