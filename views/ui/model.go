// Package ui holds the parts that every page is made of, with their small view models: marks and badges, ids,
// times, amounts, chips, tables' empty states, pagers, notices, and the form that confirms an action.
//
// View models are strings, bools and URLs, already formatted in the person's language and zone (package
// text). A handler fills them; a component decides on nothing but looks. An empty URL always means "no link":
// the person may not follow it or there is nothing to follow.
package ui

import (
	"strings"
	"unicode/utf8"

	"recoup/views/text"
)

// Link is a text that leads somewhere.
type Link struct {
	Text string
	URL  string // empty: plain text
}

// ID is the id of an account, job, operation, rule version, rollout or trace. It is shown in monospace, cut
// in its middle when long, whole in its title, and can be copied whole.
type ID struct {
	Value string // empty: nothing is shown
	URL   string // empty: no link
}

// Choice is one of a few views of the same list, shown as a row of links: tabs, periods.
type Choice struct {
	Text    string
	URL     string
	Count   string // shown beside the text; empty: none
	Current bool
}

// Chip is one active filter. RemoveURL is the same view without it.
type Chip struct {
	Label     string // "Type"
	Value     string // "Refund"
	RemoveURL string
}

// Pager leads through a list by keyset; filters are inside the URLs. There is no page count, because lists are
// never counted.
type Pager struct {
	NewerURL string // empty: this is the newest page
	OlderURL string // empty: this is the oldest page
}

// Unreadable says that a list could not be read, as opposed to being empty.
type Unreadable struct {
	RequestID string
	RetryURL  string
	Wide      bool // looking for the rows took too long: the filter has to be narrower
}

// List is what surrounds the rows of every list page.
type List struct {
	Chips      []Chip
	ClearURL   string // the list without any filter
	Pager      Pager
	Unreadable *Unreadable // nil: the rows were read
	Refused    bool        // a part of the filter is not understood: no rows were read
}

// Fact is one figure of a facts strip.
type Fact struct {
	Label  string
	Value  string
	Note   string // small line below; empty: none
	Change bool   // Value is a change (+40, −40) and is coloured by its sign; a negative Value always is
	Type   string // entry type whose mark stands before the label; empty: none
	URL    string // empty: no link
}

// Option is one entry of a select or a group of check boxes.
type Option struct {
	Value    string
	Label    string
	Selected bool
}

// Field is one form field with what the person typed and what is wrong with it.
type Field struct {
	Value string
	Error string // empty: nothing wrong
}

// Change is one line of what an action does: before → after.
type Change struct {
	Label  string
	Before string // empty: there is no before, After stands alone
	After  string
}

// Act is what the form of every action needs from its handler. Forms are pages of their own and, with script,
// dialogs. Both come from the same URL: the script takes the element with id "form" out of the page.
type Act struct {
	Action      string // where the form is posted
	OperationID string // minted when the page is made; the same id makes a double click or the back button a replay
	CancelURL   string // back to the object's page
	Error       string // the form as a whole was refused; empty: not
	// Unsure tells beside Error that nobody knows whether it was done: its answer was lost. The OperationID is that of the request.
	Unsure    bool
	RequestID string // beside Error
}

// Confirm is the form of an action with the words around its fields. Pages fill it from an Act and their own model.
type Confirm struct {
	Act
	Title   string // names the action and the object
	Say     string // what will happen, in plain words
	Changes []Change
	Danger  bool
	Blocked bool   // it cannot be done now; the children say why
	Submit  string // label of the button that acts
	Files   bool   // a field takes a file
	// Cancels says that the act is itself a cancelling: the way out is called "Go back", or two buttons would say Cancel.
	Cancels bool
	// Entry is a form that is filled in rather than confirmed: it begins at its first field, while the others have their
	// focus on Cancel, which lies below the window here.
	Entry bool
}

func (c Confirm) wayOut(l text.Locale) string {
	if c.Cancels {
		return l.T("form.back")
	}
	return l.T("form.cancel")
}

// Decision is the recorded decision that priced an operation.
type Decision struct {
	RuleVersion ID
	Rollout     ID     // zero: no rollout was live
	Cohort      string // empty: none
	Stage       string // the stage that admitted the account; empty: none
	Bucket      string // the account's bucket; empty: no rollout was live
	Why         string // why this price; empty: not recorded
	Cost        string // credits
	Units       string // with their unit or bare; empty: not known
	Frozen      text.Stamp
	Quoted      bool // frozen by a quote before the charge
	Operation   ID   // zero on the operation's own page
	Replays     string
	Trace       ID
}

// NoticeKind says what a notice is about; it chooses icon and colour.
type NoticeKind string

// Kinds of notices.
const (
	Done     NoticeKind = "done"     // the action was applied
	Replayed NoticeKind = "replayed" // it had been applied before; this is the first result
	Conflict NoticeKind = "conflict" // the object changed meanwhile; the page shows its current state
	Failure  NoticeKind = "failure"  // it did not work
	Warning  NoticeKind = "warning"  // a standing fact that needs a person
)

// Notice is a message above the page. For Conflict and Failure all of Happened, Unchanged and Next are due.
type Notice struct {
	Kind      NoticeKind
	Happened  string // what happened
	Unchanged string // what was not changed
	Next      string // what the person can do
	RequestID string
	Link      Link // e.g. to the result; empty: none
	Undo      *Undo
}

// Undo is the button that takes back what a notice tells of; nil: it cannot be. It is an operation of its own.
type Undo struct {
	Action      string // where it is posted
	OperationID string
	Undoes      string // operation that is taken back
	Next        string // where to return to
	Text        string
}

// NoticeDone says that an action was applied.
func NoticeDone(happened string) Notice { return Notice{Kind: Done, Happened: happened} }

// NoticeReplayed says that the same operation was applied before, at first, with the result it had then.
func NoticeReplayed(l text.Locale, result string, first text.Stamp) Notice {
	return Notice{Kind: Replayed, Happened: l.T("notice.already_done"), Unchanged: l.T("notice.already_first", result, first.Full)}
}

// NoticeConflict says that state did not allow an action because the object changed after the page was made.
func NoticeConflict(l text.Locale, happened, requestID string) Notice {
	return Notice{Kind: Conflict, Happened: happened, Unchanged: l.T("notice.nothing_changed"), Next: l.T("notice.conflict_next"), RequestID: requestID}
}

// tone is the colour class of an amount: by its sign, and for positive ones only where they are changes.
func tone(amount string) string {
	switch {
	case text.Negative(amount):
		return "neg"
	case text.Positive(amount):
		return "pos"
	default:
		return ""
	}
}

// stateLook gives icon and tone of a state. One place, so that a state looks the same on every page.
func stateLook(state string) (icon, tone string) {
	switch state {
	case "succeeded", "ok", "passed", "consistent", "applied", "active", "fired", "resolved", "done", "delivered":
		return "check", "ok"
	case "approved":
		return "check", "ok"
	case "paid":
		return "check", "ok"
	case "partly_paid":
		return "play", "run"
	case "left_out":
		return "ban", "bad"
	case "failed_again":
		return "cross", "bad"
	case "stopped":
		return "alert", "bad"
	case "lost", "excluded", "aborted", "not_possible", "not_read_back", "untouched":
		return "ban", "off"
	case "to_do", "out", "with_caller", "proposed", "prepared":
		return "clock", "wait"
	case "rejected":
		return "cross", "bad"
	case "withdrawn", "voided":
		return "ban", "off"
	case "undecided", "waits", "unconfirmed", "unread":
		return "clock", "wait"
	case "late_success", "reclaimed":
		return "turn", "reclaim"
	case "refunded":
		return "back", "refund"
	case "in_force", "completed":
		return "check", "ok"
	case "paused", "missing":
		return "pause", "wait"
	case "halted":
		return "cross", "bad"
	case "rolled_back":
		return "back", "off"
	case "retired", "archived":
		return "ban", "off"
	case "gone":
		return "check", "ok"
	case "running":
		return "play", "run"
	case "queued", "retrying", "waiting":
		return "clock", "wait"
	case "healthy":
		return "check", "ok"
	case "breaker_open":
		return "cross", "bad"
	case "half_open":
		return "clock", "wait"
	case "releasing":
		return "play", "run"
	case "held", "frozen", "degraded", "stale", "snoozed":
		return "pause", "wait"
	case "mismatch":
		return "alert", "bad"
	case "returned":
		return "turn", "bad"
	case "requeued":
		return "back", "wait"
	case "dead", "failed", "timed_out", "down", "inconsistent", "conflict":
		return "cross", "bad"
	case "canceled", "cancelled", "discarded", "superseded", "refused", "expired", "disabled":
		return "ban", "off"
	case "attributed":
		return "check", "ok"
	case "unattributed":
		return "cross", "bad"
	case "replayed":
		return "copy", "off"
	default:
		return "dot", "off"
	}
}

func noticeIcon(k NoticeKind) string {
	switch k {
	case Done:
		return "check"
	case Replayed:
		return "copy"
	default:
		return "alert"
	}
}

// short returns the id cut in its middle.
func (i ID) short() string { return text.CutID(i.Value) }

func describedBy(name string, f Field, hint string) string {
	var ids []string
	if f.Error != "" {
		ids = append(ids, name+"-error")
	}
	if hint != "" {
		ids = append(ids, name+"-hint")
	}
	return strings.Join(ids, " ")
}

func factTone(f Fact) string {
	if f.Change || text.Negative(f.Value) {
		return tone(f.Value)
	}
	return ""
}

// wide tells whether a fact's figure needs the room of two: an amount is never cut.
func wide(f Fact) bool { return utf8.RuneCountInString(f.Value) > 12 }

// longest is the number of characters of the longest figure of a line that is not wide.
func longest(facts []Fact) int {
	n := 0
	for _, f := range facts {
		if !wide(f) {
			n = max(n, utf8.RuneCountInString(f.Value))
		}
	}
	return n
}

// fit is the size of a line's figures, "l", "m" or "s": the largest at which all of them stand beside each other in the width
// that a page has at 1280 pixels. Where there is less room they take a second line, and none is broken in its middle.
func fit(facts []Fact) string {
	const page, padding, digit = 63.0, 2.0, 0.64 // widths in rem, rem and em
	places := len(facts)
	for _, f := range facts {
		if wide(f) {
			places++
		}
	}
	fits := func(size float64) bool { return float64(places)*(float64(longest(facts))*digit*size+padding) <= page }
	switch {
	case fits(1.625):
		return "l"
	case fits(1.25):
		return "m"
	}
	return "s"
}
