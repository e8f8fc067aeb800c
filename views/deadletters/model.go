// Package deadletters is the list of dead letters with its tabs, and the forms that requeue, discard and reopen one.
//
// A handler maps dead letters to Row, picks the Tab, and renders Page, or List alone when htmx asks for the element
// ui.ListID. Query parameters of the filter form: those of Filter.
package deadletters

import (
	"slices"
	"strings"

	"github.com/a-h/templ"

	"recoup/views/bulkworks"
	"recoup/views/text"
	"recoup/views/triage"
	"recoup/views/ui"
)

// Tab is one view of the list.
type Tab string

// The tabs.
const (
	NeedsReview Tab = "review"   // dead, waiting for a person
	Mine        Tab = "mine"     // those of them that the person takes care of
	Snoozed     Tab = "snoozed"  // out of sight until a time
	LateSuccess Tab = "late"     // succeeded after having been given up
	Resolved    Tab = "resolved" // requeued, discarded, canceled or delivered after all
)

// Tabs lists the tabs in the order in which they stand.
func Tabs() []Tab { return []Tab{NeedsReview, Mine, Snoozed, LateSuccess, Resolved} }

// Row is one dead letter. Empty URLs and nil acts: state or permission does not allow it.
type Row struct {
	Job        ui.ID
	Account    ui.Link // name, or id where it has none
	Action     string
	Cost       string
	Money      string // not_refunded, refunded, reclaimed
	Mismatch   bool   // the money does not fit the work
	Attempts   string // "5", all of the job's life
	Generation string // "2"; empty in the first
	Class      string // class of the last error
	Code       string
	Message    string
	GroupURL   string     // the group of equal deaths; empty: none yet
	Since      text.Stamp // dead since; on the other tabs delivered or closed at
	Assignee   string     // who takes care of it; empty: nobody
	Until      text.Stamp // snoozed until; zero: not
	WithGroup  bool       // out of sight because its group is snoozed
	Place      string     // names the row on the page; empty: nothing leads to it
	Outcome    string     // how it was closed: a state; only on Resolved
	Resolution string     // why it was discarded; only on Resolved
	Late       *Late      // only on LateSuccess
	Tick       string     // value of the row's box
	Assign     *triage.Post
	Snooze     *triage.Post
	NoteURL    string
	RequeueURL string
	DiscardURL string
	ReopenURL  string
}

// Late is what a late success came to.
type Late struct {
	TooLateFor string // state that the job had
	Reclaimed  string // signed; empty: nothing had been refunded
	Balance    string // right after it was taken back; empty with Reclaimed
	Deliveries string // how often it was delivered; empty: once
	Result     string // what points to the result; empty: none
}

// Filter is what the form holds. Its members are named like the query parameters.
type Filter struct {
	Account    ui.Field
	ActionName ui.Field // action
	Code       ui.Field
	Text       ui.Field
	Dependency ui.Field
	Version    ui.Field
	Min, Max   ui.Field
	Classes    []ui.Option // class
	Ages       []ui.Option // age
	Within     []ui.Option // within
	Money      []ui.Option // money
	Assignees  []ui.Option // assignee
	Outcomes   []ui.Option // outcome
	Groups     []string    // group, from a link
}

// Model is the list.
type Model struct {
	Action string
	Tab    Tab
	Tabs   []ui.Choice // TabName
	Facts  []ui.Fact   // over all open dead letters
	Filter Filter
	Fresh  Fresh
	Select bulkworks.Select // on the tabs of open dead letters
	Zone   string
	List   ui.List
	Rows   []Row
}

// Fresh says how many came into the list since the page was made, and asks again by itself.
type Fresh struct {
	PollURL   string // empty: this list does not grow by deaths
	Count     string // empty: none
	ReloadURL string
}

// Subject is the dead letter that a form is about.
type Subject struct {
	JobID      string
	JobURL     string
	Account    string // name
	Action     string
	Cost       string // credits, without sign
	Refunded   bool
	Generation string // now
	ListURL    string // the list, with its filters; empty: the list without
}

// Requeue is the form that puts a job back. Fields: when (now, at), at (datetime-local in the person's zone), reason.
type Requeue struct {
	ui.Act
	Subject        Subject
	NextGeneration string
	NextAttempt    string
	Dependency     string         // what the job depends on; empty: nothing
	DependencySay  string         // how that is now; empty: nobody knows of it yet
	External       bool           // no worker gets it: its caller has to run it
	Held           *ui.HeldNotice // of the action; nil: nothing
	Frozen         bool           // the account is
	Later          bool           // "at a time" is chosen
	At             ui.Field
	Zone           string
	Reason         ui.Field
}

// Discard is the form that gives a job up. Fields: reason (ReasonOptions), note.
type Discard struct {
	ui.Act
	Subject     Subject
	Reasons     []ui.Option
	ReasonError string
	Note        ui.Field
}

// Reopen is the form that takes a discard back. Field: reason.
type Reopen struct {
	ui.Act
	Subject Subject
	Reason  ui.Field
}

// TabName is the word for a tab.
func TabName(l text.Locale, t Tab) string {
	switch t {
	case Mine:
		return l.T("tab.mine")
	case Snoozed:
		return l.T("tab.snoozed")
	case LateSuccess:
		return l.T("tab.late")
	case Resolved:
		return l.T("tab.resolved")
	default:
		return l.T("tab.review")
	}
}

// ClassOptions is the choice of error classes, with "any" before them.
func ClassOptions(l text.Locale, selected string) []ui.Option {
	options := []ui.Option{{Label: l.T("filter.any"), Selected: selected == ""}}
	for _, c := range []string{"transient", "throttled", "permanent", "timed_out"} {
		options = append(options, ui.Option{Value: c, Label: l.Maybe("class."+c, c), Selected: c == selected})
	}
	return options
}

// AgeOptions is the choice of ages: "", 1h, 24h, 7d, 30d, each meaning dead for longer than that.
func AgeOptions(l text.Locale, selected string) []ui.Option {
	return []ui.Option{
		{Label: l.T("filter.any"), Selected: selected == ""},
		{Value: "1h", Label: l.T("age.1h"), Selected: selected == "1h"},
		{Value: "24h", Label: l.T("age.24h"), Selected: selected == "24h"},
		{Value: "7d", Label: l.T("age.7d"), Selected: selected == "7d"},
		{Value: "30d", Label: l.T("age.30d"), Selected: selected == "30d"},
	}
}

// Reasons are the values of the discard form's field reason.
func Reasons() []string {
	return []string{"customer_asked", "bad_input", "unsupported", "duplicate", "too_old", "other"}
}

// ReasonOptions is the choice of reasons to discard; the first asks to choose and has no value.
func ReasonOptions(l text.Locale, selected string) []ui.Option {
	options := []ui.Option{{Label: l.T("discard.choose"), Selected: selected == ""}}
	for _, r := range Reasons() {
		options = append(options, ui.Option{Value: r, Label: ReasonName(l, r), Selected: r == selected})
	}
	return options
}

// ReasonName is the word for a reason to discard.
func ReasonName(l text.Locale, reason string) string { return l.Maybe("reason."+reason, reason) }

func (m Model) none(l text.Locale) string {
	switch m.Tab {
	case Mine:
		return l.T("dead.none_mine")
	case Snoozed:
		return l.T("dead.none_snoozed")
	case LateSuccess:
		return l.T("dead.none_late")
	case Resolved:
		return l.T("dead.none_resolved")
	default:
		return l.T("dead.none")
	}
}

func (m Model) say(l text.Locale) string {
	switch m.Tab {
	case Mine:
		return l.T("dead.say_mine")
	case Snoozed:
		return l.T("dead.say_snoozed")
	case LateSuccess:
		return l.T("dead.say_late")
	case Resolved:
		return l.T("dead.say_resolved")
	default:
		return l.T("dead.say")
	}
}

func (m Model) since(l text.Locale) string {
	switch m.Tab {
	case LateSuccess:
		return l.T("col.delivered", m.Zone)
	case Resolved:
		return l.T("col.closed", m.Zone)
	default:
		return l.T("col.dead_since", m.Zone)
	}
}

// order says what the list's first row is: the oldest dead letter waits longest, elsewhere the latest is news.
func (m Model) order(l text.Locale) string {
	if m.open() {
		return l.T("dead.order", m.Zone, m.keys())
	}
	return l.T("dead.order_newest", m.Zone)
}

// keys are those that do something for this person: the letters of what stands beside some row.
func (m Model) keys() string {
	letters := []struct {
		key string
		has func(Row) bool
	}{
		{"x", func(Row) bool { return m.ticks() }},
		{"a", func(r Row) bool { return r.Assign != nil }},
		{"s", func(r Row) bool { return r.Snooze != nil }},
		{"n", func(r Row) bool { return r.NoteURL != "" }},
		{"r", func(r Row) bool { return r.RequeueURL != "" }},
		{"d", func(r Row) bool { return r.DiscardURL != "" }},
	}
	keys := []string{"j", "k", "Enter"}
	for _, l := range letters {
		if slices.ContainsFunc(m.Rows, l.has) {
			keys = append(keys, l.key)
		}
	}
	return strings.Join(keys, ", ")
}

// open tells whether the tab has dead letters that are still open.
func (m Model) open() bool { return m.Tab == NeedsReview || m.Tab == Mine || m.Tab == Snoozed }

// made says how many attempts were made, and in which generation where it is not the first.
func (r Row) made(l text.Locale) string {
	if r.Generation == "" {
		return l.T("dead.attempts", r.Attempts)
	}
	return l.T("dead.attempts", r.Attempts) + " · " + l.T("dead.generation", r.Generation)
}

// ticks tells whether rows have a box.
func (m Model) ticks() bool { return len(m.Select.Kinds) > 0 }

func (m Model) openForm() bool {
	return m.Filter.Account.Error != "" || m.Filter.Min.Error != "" || m.Filter.Max.Error != ""
}

// WithinOptions is the choice of how lately a job died: "", 1h, 24h, 7d.
func WithinOptions(l text.Locale, selected string) []ui.Option {
	return []ui.Option{
		{Label: l.T("filter.any"), Selected: selected == ""},
		{Value: "1h", Label: l.T("within.1h"), Selected: selected == "1h"},
		{Value: "24h", Label: l.T("within.24h"), Selected: selected == "24h"},
		{Value: "7d", Label: l.T("within.7d"), Selected: selected == "7d"},
	}
}

// MoneyOptions is the choice of the money's state.
func MoneyOptions(l text.Locale, selected string) []ui.Option {
	options := []ui.Option{{Label: l.T("filter.any"), Selected: selected == ""}}
	for _, s := range []string{"refunded", "not_refunded"} {
		options = append(options, ui.Option{Value: s, Label: l.T("state." + s), Selected: s == selected})
	}
	return options
}

// OutcomeOptions is the choice of how dead letters were closed.
func OutcomeOptions(l text.Locale, selected string) []ui.Option {
	options := []ui.Option{{Label: l.T("filter.any"), Selected: selected == ""}}
	for _, o := range []string{"requeued", "discarded", "canceled", "succeeded"} {
		options = append(options, ui.Option{Value: o, Label: l.Maybe("state."+o, o), Selected: o == selected})
	}
	return options
}

func (s Subject) crumbs(l text.Locale) []ui.Link {
	list := s.ListURL
	if list == "" {
		list = "/dead-letters"
	}
	return []ui.Link{{Text: l.T("nav.dead_letters"), URL: list}, {Text: s.JobID, URL: s.JobURL}}
}

func (r Requeue) say(l text.Locale) string {
	if r.Subject.Refunded {
		return l.T("requeue.say", r.Subject.Account, r.Subject.Cost)
	}
	return l.T("requeue.say_paid", r.Subject.Account, r.Subject.Cost)
}

func (r Requeue) changes(l text.Locale) []ui.Change {
	return []ui.Change{
		{Label: l.T("col.state"), Before: l.T("state.dead"), After: l.T("state.retrying")},
		{Label: l.T("col.generation"), Before: r.Subject.Generation, After: r.NextGeneration},
		{Label: l.T("requeue.next_attempt"), After: r.NextAttempt},
		{Label: l.T("requeue.pays_now"), After: "0"},
	}
}

func (r Requeue) whenOptions(l text.Locale) []ui.Option {
	return []ui.Option{
		{Value: "now", Label: l.T("requeue.now"), Selected: !r.Later},
		{Value: "at", Label: l.T("requeue.at"), Selected: r.Later},
	}
}

func (d Discard) say(l text.Locale) string {
	if d.Subject.Refunded {
		return l.T("discard.say", d.Subject.Account, d.Subject.Cost)
	}
	return l.T("discard.say_paid", d.Subject.Account, d.Subject.Cost)
}

// id names the row's link, so that an address leads there: the browser goes to it after something was done, and so does the focus.
func (r Row) id() templ.Attributes {
	if r.Place == "" {
		return nil
	}
	return templ.Attributes{"id": r.Place}
}
