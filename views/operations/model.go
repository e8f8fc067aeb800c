// Package operations is the page of one operation: what was asked, what came of it, which decision priced it, and
// every time it was asked again. Its address is /operations?scope=…&id=…, because ids may hold any visible character.
package operations

import (
	"recoup/views/text"
	"recoup/views/ui"
)

// Repeat is one time the operation id was used again.
type Repeat struct {
	At      text.Stamp
	Outcome string // replayed, conflict
	Attempt string
	Fields  string // names of the fields that differed; only of a conflict
	Price   string // credits that were served again; empty: none
	Trace   ui.ID
}

// Model is the page.
type Model struct {
	Scope   string
	ID      string
	Kind    string
	Actor   string
	Path    string     // what was called, e.g. "POST /v1/accounts/acct_7/jobs"
	Applied text.Stamp // none: it has no result yet
	Asked   text.Stamp // when it was asked for, of one that waits for a second person, or did
	Account ui.ID
	Job     ui.ID
	Entries []ui.Link // the entries it wrote: "Charge −40"
	Result  string    // stored result as indented JSON, integers exactly as stored; empty: none yet
	// Request is the change request of an operation that waits for a second person, or did, and RequestState where that stands while
	// there is no result.
	Request      ui.Link
	File         ui.Link // the file of grants that it was a line of; empty: it was none
	RequestState string
	Decision     *ui.Decision
	Repeats      []Repeat
	Replays      string // "2 times"; empty: never
	Refusals     string // conflicts, likewise
	Trace        ui.ID
	Zone         string
}

// state is where the operation stands.
func (m Model) state() string {
	switch {
	case m.Result != "":
		return "applied"
	case m.RequestState == "open":
		return "waits"
	case m.RequestState != "":
		return m.RequestState
	}
	return "running"
}

func (m Model) say(l text.Locale) string {
	switch {
	case m.RequestState == "open":
		return l.T("operation.say_waits")
	case m.RequestState != "":
		return l.T("operation.say_void")
	case m.Replays == "" && m.Refusals == "":
		return l.T("operation.say")
	case m.Refusals == "":
		return l.T("operation.say_replayed", m.Replays)
	case m.Replays == "":
		return l.T("operation.say_conflict", m.Refusals)
	default:
		return l.T("operation.say_both", m.Replays, m.Refusals)
	}
}
