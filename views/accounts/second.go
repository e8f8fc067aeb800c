package accounts

import (
	"github.com/a-h/templ"

	"recoup/views/text"
)

// Limit says above which amount a grant or an adjustment needs a second person. Its zero value is no limit.
type Limit struct {
	Credits string // Locale.Credits, for people
	// Add and Take are what is left of it for the reader, to add and to take away, for people and for the script.
	Add, Take           string
	ExactAdd, ExactTake string
	// Used is true where some of it is used up.
	Used bool
}

// Edit is the change request whose place the form's proposal takes. Its zero value is none.
type Edit struct {
	ID, Version, Digest string
	URL                 string
}

// amountHint tells beside the field what a second person is needed for.
func (s Subject) amountHint(l text.Locale, hint string) string {
	if s.Limit.Credits == "" {
		return hint
	}
	say := l.T("limit.hint", s.Limit.Credits)
	if s.Limit.Used {
		say = l.T("limit.hint_left", s.Limit.Credits, s.Limit.Add, s.Limit.Take)
	}
	return l.T("limit.beside", hint, say)
}

func (e Edit) say(l text.Locale, otherwise string) string {
	if e.ID == "" {
		return otherwise
	}
	return l.T("amend.say")
}

// live is what the script needs to tell, while the amount is typed, what the balance will be and whether a second
// person is needed.
func (s Subject) live() templ.Attributes {
	return templ.Attributes{"data-live-amount": "f-amount", "data-balance": s.Exact, "data-limit-add": s.Limit.ExactAdd, "data-limit-take": s.Limit.ExactTake}
}
