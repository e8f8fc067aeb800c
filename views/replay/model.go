// Package replay is the page that answers why a balance is what it is: the balance at a moment, what it is made of,
// the check that the entries add up to it, words for the customer, and every entry in order.
//
// Query parameters of its form: at (a local time in the person's zone, or RFC 3339). Pages: after.
package replay

import (
	"recoup/views/text"
	"recoup/views/ui"
)

// Line is what the entries of one reason add to the balance.
type Line struct {
	Reason string // a key of the family "reason_of."
	Count  string
	Taken  string // without sign; empty: nothing
	Given  string
	Net    string // signed
}

// Row is one entry.
type Row struct {
	Number  ui.Link // leads to the entry's own page
	At      text.Stamp
	Type    string
	What    string
	Job     ui.ID
	JobNet  string // what the job has come to with this entry, signed; empty: no job
	Credits string // signed
	Balance string
	// Broken says that this balance does not follow from the one before it.
	Broken bool
}

// Explanation is the answer for the customer in one language.
type Explanation struct {
	Lang  text.Lang
	Lines []string
}

// Model is the page.
type Model struct {
	Account ui.ID
	Name    string
	Path    string      // of the page
	At      ui.Field    // the moment as datetime-local
	Both    []ui.Option // of parameter again, where the clock shows the moment twice
	Moment  text.Stamp  // the same
	Now     bool        // the moment is now
	Zone    string
	Balance string // Locale.Credits

	Holds bool
	// Check says what was added up and what came out.
	Check string
	// Break leads to the first entry that does not follow; zero: none.
	Break ui.Link

	Lines        []Line
	Explanations []Explanation // none where the check failed
	Rows         []Row
	Range        string // "1–100 of 4,110"
	PreviousURL  string
	NextURL      string
}

func (m Model) title() string {
	if m.Name == "" {
		return m.Account.Value
	}
	return m.Name
}

func (m Model) say(l text.Locale) string {
	if m.Now {
		return l.T("why.say_now", m.title(), m.Balance)
	}
	return l.T("why.say", m.Moment.Full, m.title(), m.Balance)
}

func (m Model) state() string {
	if m.Holds {
		return "consistent"
	}
	return "inconsistent"
}

// text is the whole answer as it is copied.
func (x Explanation) text() string {
	out := ""
	for i, line := range x.Lines {
		if i > 0 {
			out += "\n"
		}
		out += line
	}
	return out
}

func (x Explanation) name() string {
	if x.Lang == text.Japanese {
		return "日本語"
	}
	return "English"
}

func rowTone(broken bool) string {
	if broken {
		return "neg"
	}
	return ""
}
