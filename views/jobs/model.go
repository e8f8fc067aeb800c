// Package jobs is the list of jobs, the page of one job with its timeline, and the form that cancels one.
//
// A handler maps jobs to Model or Job and renders Page or JobPage; when htmx asks for the element ui.ListID it may
// render List alone. The moments of a timeline are made by the functions of event.go, one for each thing
// that can happen, so that it is worded the same everywhere.
package jobs

import (
	"recoup/views/text"
	"recoup/views/triage"
	"recoup/views/ui"
)

// Row is one job of the list.
type Row struct {
	ID       ui.ID
	Account  ui.ID
	Action   string
	State    string // queued, held, running, retrying, succeeded, late_success, dead, discarded, canceled
	Money    string // not_refunded, refunded, reclaimed
	Attempts string // "3 of 5"
	Charged  text.Stamp
	Cost     string
}

// Model is the list of jobs. Query parameters of its form: job, account, action, state (repeated), money=refunded.
type Model struct {
	Action     string
	Job        ui.Field
	Account    ui.Field
	ActionName ui.Field
	States     []ui.Option // StateOptions
	// Reclaimable is checked where only jobs are listed that are refunded and could still be reclaimed, and
	// ReclaimableSay sums up those of one account; empty: not summed up.
	Reclaimable    bool
	ReclaimableSay string
	Zone           string
	List           ui.List
	Rows           []Row
}

// StateOptions is the choice of the states of the work in the words of the person.
func StateOptions(l text.Locale, selected ...string) []ui.Option {
	var options []ui.Option
	for _, s := range []string{"queued", "running", "retrying", "succeeded", "dead", "discarded", "canceled"} {
		o := ui.Option{Value: s, Label: l.Maybe("state."+s, s)}
		for _, t := range selected {
			o.Selected = o.Selected || s == t
		}
		options = append(options, o)
	}
	return options
}

// Story is what the plain sentence of a job is made from.
type Story struct {
	Account   string // name, or id where it has none
	Cost      string // credits, without sign
	State     string
	Delivered bool
	Refunded  bool
	Reclaimed bool
	// Paid is what the entries say the customer has paid for it, without sign.
	Paid string
	// When, as dates with their zone; empty: not.
	RefundedAt, ReclaimedAt string
	// Settled is how settlements put its price right.
	Settled []Settled
}

// Settled is one payment of a settlement.
type Settled struct {
	At string
	// Amount is signed, Paid what the customer has paid with it, without sign; both empty where a document outside settles it.
	Amount, Paid string
	Reference    string
}

// Say answers "what did this job cost the customer, and is it done?" in plain words.
func (s Story) Say(l text.Locale) string {
	said := s.done(l)
	for _, x := range s.Settled {
		if x.Amount == "" {
			said += l.T("job.say_settled_outside", x.At, x.Reference)
		} else {
			said += l.T("job.say_settled", x.Amount, s.Account, x.At, x.Paid)
		}
	}
	return said
}

func (s Story) done(l text.Locale) string {
	switch {
	case s.Reclaimed:
		return l.T("job.say_reclaimed", s.Cost, s.Account, s.RefundedAt, s.ReclaimedAt)
	case s.Delivered && s.Refunded:
		return l.T("job.say_broken", s.Cost, s.Account)
	case s.Delivered && s.Paid != "" && s.Paid != s.Cost:
		return l.T("job.say_unpaid", s.Cost, s.Account, s.Paid)
	case s.Delivered:
		return l.T("job.say_delivered", s.Cost, s.Account)
	case s.Refunded && s.State == "dead":
		return l.T("job.say_dead", s.Cost, s.Account, s.RefundedAt)
	case s.Refunded && (s.State == "discarded" || s.State == "canceled"):
		return l.T("job.say_closed", s.Cost, s.Account, s.RefundedAt)
	case !s.Refunded && (s.State == "dead" || s.State == "discarded" || s.State == "canceled"):
		return l.T("job.say_unrefunded", s.Cost, s.Account, s.Paid)
	case s.Refunded:
		return l.T("job.say_refunded", s.Cost, s.Account, s.RefundedAt)
	default:
		return l.T("job.say_open", s.Cost, s.Account)
	}
}

// Moment is one row of the timeline. A nil event leaves its lane empty.
type Moment struct {
	At      text.Stamp
	Attempt *Event
	Money   *Event
	Person  *Event
}

// Day groups the moments of one day in the person's zone, oldest first.
type Day struct {
	Name    string
	Moments []Moment
}

// Guard is the evidence that money moved once however often it was signalled.
type Guard struct {
	Consistent       bool
	RefundSignalled  string // Signalled
	ReclaimSignalled string
	Net              string // signed
	Cost             string
}

// Signalled says how often something was signalled and that it was applied once, or never.
func Signalled(l text.Locale, signals int64, applied bool) string {
	switch {
	case signals == 0:
		return l.T("guard.never")
	case applied:
		return l.T("guard.once", l.N("count.times", signals))
	default:
		return l.T("guard.not_applied", l.N("count.times", signals))
	}
}

// Attempt is one row of the table of attempts.
type Attempt struct {
	Number     string
	Generation string
	Worker     string
	Started    text.Stamp
	Lease      string // Locale.Duration, or empty
	Ended      text.Stamp
	Outcome    string // running, succeeded, late_success, failed, timed_out, canceled, superseded
	Class      string // error class; empty: none
	Code       string
	Message    string
}

// Operation is one row of the operations that touched the job.
type Operation struct {
	ID        ui.ID
	Kind      string
	Actor     string
	At        text.Stamp
	Result    string // applied, replayed, conflict
	Replays   string // how often it was sent again; empty: never
	Conflicts string
}

// Payload is the payload card. It is redacted unless Revealed; each reveal is audited.
type Payload struct {
	Lines     []PayloadLine
	More      string // how many more values there are; empty: none
	RevealURL string // page that asks and posts; empty: not permitted, or revealed already
	Revealed  bool
	Edit      *EditPayload // the form beside revealed values; nil: not permitted, or not a dead letter
}

// Reply is what the customer can be told, in one language and without words of the inside.
type Reply struct {
	Lang string // of the text
	Name string // of the language
	Text string
}

// Delivery is one time that a result arrived. Only the first counts; the others are kept as evidence.
type Delivery struct {
	At     text.Stamp
	Result string // empty: none was named
	By     string
	First  bool
}

// Edit is one time that a person replaced the payload when putting the job back.
type Edit struct {
	At         text.Stamp
	By         string
	Generation string // the one that got the new payload
	Changes    []PayloadChange
}

// PayloadChange is one value that differs.
type PayloadChange struct {
	Path          string
	Before, After string // empty: there was none
	Masked        bool   // both are dots
}

// EditPayload is the form that puts a dead letter back with another payload. Fields: payload, reason.
type EditPayload struct {
	ui.Act
	JobID      string
	JobURL     string
	Generation string
	Cost       string
	Payload    ui.Field
	Reason     ui.Field
}

// Recover is the form of a result that exists after all. Fields: result, reason.
type Recover struct {
	ui.Act
	JobID      string
	JobURL     string
	Account    string
	State      string
	Generation string
	Cost       string
	// Reclaims says that the refund is taken back; Before and After are the balance then.
	Reclaims      bool
	Before, After string
	Result        ui.Field
	Reason        ui.Field
}

// PayloadLine is one value of the payload with its path, exactly as it was sent: integers are not rounded.
type PayloadLine struct {
	Path   string
	Kind   string // string, number, boolean or null
	Value  string
	Masked bool // Value is dots
}

// Job is the page of one job.
type Job struct {
	ID       ui.ID
	Account  ui.Link
	Action   string
	State    string
	Story    Story
	Zone     string
	Facts    []ui.Fact
	Held     *ui.HeldNotice // nil: nothing keeps it from workers
	Next     string         // NextRetry or NextRequeued; empty: nothing is due
	Days     []Day
	Guard    Guard
	Decision *ui.Decision
	Attempts []Attempt
	// LeftOut, AttemptsLeftOut and OperationsLeftOut say what of the timeline and the lists is not there; empty: nothing.
	LeftOut, AttemptsLeftOut, OperationsLeftOut string
	Operations                                  []Operation
	Payload                                     *Payload // nil: none was sent
	CancelURL                                   string   // empty: state or permission does not allow it
	RequeueURL                                  string
	DiscardURL                                  string
	ReopenURL                                   string
	RecoverURL                                  string
	Reply                                       []Reply
	Deliveries                                  []Delivery   // further ones included; empty: at most one
	Edits                                       []Edit       // of the payload, by people
	Triage                                      *triage.Card // nil: it never died, and no note may be added
	DeadLetters                                 ui.Link      // where the person came from; empty: from the list of jobs
}

// Cancel is the form that cancels a job. Field: reason.
type Cancel struct {
	ui.Act
	JobID   string
	JobURL  string
	Account string
	State   string
	Cost    string
	// Generation is the job's when the form is made.
	Generation string
	// Refunded says that the customer has the credits back already, so that canceling moves no money.
	Refunded bool
	Reason   ui.Field
}

// Reveal is the form that asks to see a payload. Field: reason.
type Reveal struct {
	ui.Act
	JobID  string
	JobURL string
	Reason ui.Field
}

// NextRetry explains a scheduled retry: after which attempt, the delay by the policy, what jitter made of it,
// and when. jittered equal to delay or empty means that jitter changed nothing.
func NextRetry(l text.Locale, attempt, delay, jittered string, at text.Stamp) string {
	if jittered == "" || jittered == delay {
		return l.T("job.next_retry", attempt, delay, at.Full)
	}
	return l.T("job.next_retry_jittered", attempt, delay, jittered, at.Full)
}

// NextRequeued says from when a job that a person put back is tried.
func NextRequeued(l text.Locale, at text.Stamp) string { return l.T("job.next_requeued", at.Full) }

func (m Job) crumbs(l text.Locale) []ui.Link {
	if m.DeadLetters.URL != "" {
		return []ui.Link{{Text: l.T("nav.dead_letters"), URL: "/dead-letters"}, m.DeadLetters}
	}
	return []ui.Link{{Text: l.T("nav.jobs"), URL: "/jobs"}}
}

func (c Cancel) say(l text.Locale) string {
	if c.Refunded {
		return l.T("cancel.say_refunded", c.Account)
	}
	return l.T("cancel.say", c.Cost, c.Account)
}

func (g Guard) state() string {
	if g.Consistent {
		return "consistent"
	}
	return "inconsistent"
}

func (r Recover) say(l text.Locale) string {
	if r.Reclaims {
		return l.T("recover.say", r.Account, r.Cost)
	}
	return l.T("recover.say_paid", r.Account, r.Cost)
}

func (r Recover) changes(l text.Locale) []ui.Change {
	return []ui.Change{
		{Label: l.T("col.state"), Before: l.Maybe("state."+r.State, r.State), After: l.T("state.succeeded")},
		{Label: l.T("recover.balance"), Before: r.Before, After: r.After},
	}
}
