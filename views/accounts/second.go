package accounts

import (
	"github.com/a-h/templ"

	"recoup/views/text"
)

// Limit says above which amount a grant or an adjustment needs a second person. Its zero value is no limit.
type Limit struct {
	Credits string // Locale.Credits, for people
	Exact   string // the same as a plain number, for the script
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
	return l.T("limit.beside", hint, l.T("limit.hint", s.Limit.Credits))
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
	return templ.Attributes{"data-live-amount": "f-amount", "data-balance": s.Exact, "data-limit": s.Limit.Exact}
}
