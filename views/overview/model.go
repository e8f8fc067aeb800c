// Package overview is the first page: what needs a person now, what moved today, and whether everything works.
package overview

import (
	"recoup/views/text"
	"recoup/views/ui"
)

// Tile is a count of things that need a person, with the list behind it.
type Tile struct {
	Count string // "0" when all is well
	Note  string // Oldest or Together; empty: none
	URL   string
	Calm  bool // things that wait by design: their count is no alarm
}

// Integrity is the result of the last verification of the ledger.
type Integrity struct {
	Passed  bool
	Found   string // number of findings
	Checked string // "4,110 entries of 12 accounts"
	At      text.Stamp
	URL     string // empty: there is no page
}

// failed says that differences were found, which come before everything else.
func (i *Integrity) failed() bool { return i != nil && !i.Passed }

// Compare is one entry type today and on the same weekday a week ago, up to the same time of day.
type Compare struct {
	Type     string
	Today    string // signed credits
	Before   string
	Change   string // "+12 %", or empty where there is nothing to compare with
	Entries  string // "41 entries"
	TodayURL string
}

// Service is one part of the installation. State is ok, degraded, down, stale or unknown.
type Service struct {
	Name   string
	State  string
	Detail string
	At     text.Stamp // when it was last seen
}

// Late is a job that succeeded after it had been given up and refunded.
type Late struct {
	Job     ui.ID
	Account ui.Link
	Action  string
	Credits string // signed: what was reclaimed
	At      text.Stamp
}

// Model is the page.
type Model struct {
	DeadLetters Tile
	Negative    Tile
	Approvals   Tile
	// Dependencies are those that are not healthy.
	Dependencies Tile
	// Held are the held actions.
	Held Tile
	// Halted are halted rollouts, Unattributed costs that belong to nothing; the zero Tile: the person may not see them.
	Halted, Unattributed Tile
	// Receivers are receivers of webhooks that hear nothing; the zero Tile: there is none, or the person may not see them.
	Receivers Tile
	// Settlements are those that are neither done nor void; the zero Tile: the person may not see them.
	Settlements Tile
	Integrity   *Integrity // nil: never run
	Today       string     // name of today
	LastWeek    string     // name of the day it is compared with
	Until       string     // time of day both are counted up to, with the zone
	Compare     []Compare
	Services    []Service
	Late        []Late
	LateURL     string
	Zone        string
}

// Oldest is the note of a tile that says since when the oldest of its things waits: Stamp.Relative.
func Oldest(l text.Locale, relative string) string { return l.T("overview.oldest", relative) }

// Since is the note of a tile that names the first of its things and since when it is so: Stamp.Relative.
func Since(l text.Locale, name, relative string) string { return l.T("overview.since", name, relative) }

// Together is the note of a tile that says how many credits its things come to: Locale.Credits.
func Together(l text.Locale, credits string) string { return l.T("overview.together", credits) }

func (m Model) say(l text.Locale) string {
	dead, negative := m.DeadLetters.Count != "0", m.Negative.Count != "0"
	broken := m.Integrity != nil && !m.Integrity.Passed
	switch {
	case broken:
		return l.T("overview.say_broken")
	case m.Halted.Count != "0" && m.Halted.Count != "":
		return l.T("overview.say_halted", m.Halted.Count)
	case dead && negative:
		return l.T("overview.say_both", m.DeadLetters.Count, m.Negative.Count)
	case dead:
		return l.T("overview.say_dead", m.DeadLetters.Count)
	case negative:
		return l.T("overview.say_negative", m.Negative.Count)
	case m.Dependencies.some() || m.Held.some():
		return l.T("overview.say_held", m.Dependencies.Count, m.Held.Count)
	case m.Receivers.some():
		return l.T("overview.say_receivers", m.Receivers.Count)
	case m.Approvals.Count != "0" && m.Approvals.Count != "":
		return l.T("overview.say_approvals", m.Approvals.Count)
	default:
		return l.T("overview.say_calm")
	}
}

func (t Tile) some() bool { return t.Count != "0" && t.Count != "" }

func (t Tile) tone() string {
	if t.Count == "0" {
		return "ok"
	}
	if t.Calm {
		return "wait"
	}
	return "bad"
}

func (i *Integrity) tone() string {
	switch {
	case i == nil:
		return "wait"
	case i.Passed:
		return "ok"
	default:
		return "bad"
	}
}
