package console

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"recoup/handlers/present"
	"recoup/models/actor"
	"recoup/models/deadletter"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/staff"
	views "recoup/views/triage"
	"recoup/views/ui"
)

// nextParam is the query parameter that says where a form leads back to.
func nextParam(next string) string { return url.Values{"next": {next}}.Encode() }

// back is where a form that was sent from a list or a job's page leads.
func back(r request, otherwise string) string {
	if next := r.FormValue("next"); next != "" {
		if to := local(next); to != "/" {
			return bare(to)
		}
	}
	return otherwise
}

// bare is an address without what it says of an operation before: it is about to say it of another.
func bare(to string) string {
	u, err := url.Parse(to)
	if err != nil {
		return to
	}
	q := u.Query()
	for _, name := range []string{"op", "op_scope", "replayed", "refused", "request"} {
		q.Del(name)
	}
	u.RawQuery = q.Encode()
	if u.Fragment == "" {
		return u.RequestURI()
	}
	return u.RequestURI() + "#" + u.EscapedFragment()
}

// takeButton takes what nobody or somebody else has, and gives back what the person has.
func takeButton(r request, l deadletter.Letter, next string) *views.Post {
	me := r.Who.Actor().String()
	p := &views.Post{Action: jobURL(l.AccountID, l.JobID) + "/assign", OperationID: ids.New(), Key: "a", Hidden: []views.Value{
		{Name: "generation", Value: generationOf(l.Generation)}, {Name: "seen", Value: l.Assignee}, {Name: "next", Value: bare(next)}}}
	if l.Assignee == me {
		p.Text, p.Title = r.L.T("assign.release"), r.L.T("assign.release_title", l.JobID)
		p.Hidden = append(p.Hidden, views.Value{Name: "assignee"})
		return p
	}
	p.Text, p.Title = r.L.T("assign.take"), r.L.T("assign.take_title", l.JobID)
	p.Hidden = append(p.Hidden, views.Value{Name: "assignee", Value: r.Who.ID})
	return p
}

// snoozeButton puts a dead letter out of sight until tomorrow morning, or brings it back.
func snoozeButton(r request, l deadletter.Letter, next string) *views.Post {
	p := &views.Post{Action: jobURL(l.AccountID, l.JobID) + "/snooze", OperationID: ids.New(), Key: "s", Hidden: []views.Value{
		{Name: "generation", Value: generationOf(l.Generation)}, {Name: "seen", Value: seenTime(l.SnoozedUntil)}, {Name: "next", Value: bare(next)}}}
	if outOfSight(r, l) {
		p.Text, p.Title = r.L.T("snooze.wake"), r.L.T("snooze.wake_title", l.JobID)
		if l.WithGroup {
			p.Title = r.L.T("snooze.wake_alone", l.JobID)
		}
		p.Hidden = append(p.Hidden, views.Value{Name: "until", Value: "now"})
		return p
	}
	tomorrow := snoozeTimes(r)[1]
	p.Text, p.Title = r.L.T("snooze.open"), r.L.T("snooze.title", l.JobID, r.L.Stamp(tomorrow.at, r.Now).Full)
	p.Hidden = append(p.Hidden, views.Value{Name: "until", Value: tomorrow.value()})
	return p
}

// outOfSight tells whether a dead letter is snoozed, by itself or with its group.
func outOfSight(r request, l deadletter.Letter) bool {
	return l.WithGroup || l.SnoozedUntil != nil && l.SnoozedUntil.After(r.Now)
}

func seenTime(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// assignForm offers whom a dead letter can be given to.
func assignForm(r request, l deadletter.Letter, people []staff.Person, next string) *views.Form {
	f := &views.Form{Action: jobURL(l.AccountID, l.JobID) + "/assign", OperationID: ids.New(), Label: r.L.T("dead.assignee"), Name: "assignee", Submit: r.L.T("assign.submit"),
		Hidden: []views.Value{{Name: "generation", Value: generationOf(l.Generation)}, {Name: "seen", Value: l.Assignee}, {Name: "next", Value: bare(next)}}}
	me := r.Who.Actor().String()
	f.Options = []ui.Option{{Value: r.Who.ID, Label: r.L.T("assignee.me"), Selected: l.Assignee == "" || l.Assignee == me},
		{Value: "", Label: r.L.T("triage.nobody")}}
	for _, p := range people {
		who := p.Actor().String()
		if who != me && p.DisabledAt == nil && p.Allows(staff.DeadLetterTriage) {
			f.Options = append(f.Options, ui.Option{Value: p.ID, Label: p.Name, Selected: who == l.Assignee})
		}
	}
	return f
}

// snoozeForm offers until when a dead letter can be out of sight.
func snoozeForm(r request, l deadletter.Letter, next string) *views.Form {
	f := &views.Form{Action: jobURL(l.AccountID, l.JobID) + "/snooze", OperationID: ids.New(), Label: r.L.T("snooze.until"), Name: "until", Submit: r.L.T("snooze.submit"),
		Hidden: []views.Value{{Name: "generation", Value: generationOf(l.Generation)}, {Name: "seen", Value: seenTime(l.SnoozedUntil)}, {Name: "next", Value: bare(next)}}}
	if outOfSight(r, l) {
		f.Options = append(f.Options, ui.Option{Value: "now", Label: r.L.T("snooze.now")})
	}
	f.Options = append(f.Options, snoozeOptions(r)...)
	return f
}

// triageCard is the card of a job's page; nil where the job never died.
func (h *Console) triageCard(r request, j job.Listed, pr present.Presenter) (*views.Card, error) {
	ctx := r.Request().Context()
	l, err := h.Letters.Find(ctx, j.AccountKey, j.Key)
	if err != nil {
		return nil, err
	}
	next := jobURL(j.AccountID, j.ID)
	may := r.may(staff.DeadLetterTriage)
	if l == nil {
		if !may {
			return nil, nil
		}
		return &views.Card{NoteURL: next + "/note", NoteID: ids.New(), Next: next}, nil
	}
	m := &views.Card{WithGroup: l.WithGroup}
	if l.Assignee != "" {
		m.Assignee = pr.Who(l.Assignee)
	}
	if l.SnoozedUntil != nil && l.ClosedAt == nil && l.SnoozedUntil.After(r.Now) {
		m.Until = r.L.Stamp(*l.SnoozedUntil, r.Now)
	}
	if l.Fingerprint != "" {
		m.GroupURL = groupURL(l.Fingerprint)
	}
	if !may {
		return m, nil
	}
	m.NoteURL, m.NoteID, m.Next = next+"/note", ids.New(), next
	if l.ClosedAt == nil {
		people, err := h.Staff.List(ctx)
		if err != nil {
			return nil, err
		}
		m.Assign, m.Snooze = assignForm(r, *l, people, next), snoozeForm(r, *l, next)
	}
	return m, nil
}

func (h *Console) assign(c echo.Context) error {
	return h.triageAct(c, func(r request, p deadletter.Request) (operation.Outcome, error) {
		a := deadletter.AssignRequest{Request: p}
		if id := r.FormValue("assignee"); id != "" {
			a.Assignee = actor.Staff(id)
		}
		if r.Request().Form.Has("seen") {
			seen := r.FormValue("seen")
			a.Seen = &seen
		}
		return h.Letters.Assign(c.Request().Context(), a)
	}, func(r request, j job.Listed, a ledger.Account, err error) templ.Component {
		return h.retry(r, j, r.L.T("assign.title", j.ID), "assignee", err, func(l deadletter.Letter, people []staff.Person) *views.Form {
			return assignForm(r, l, people, back(r, jobURL(a.ID, j.ID)))
		})
	})
}

func (h *Console) snooze(c echo.Context) error {
	return h.triageAct(c, func(r request, p deadletter.Request) (operation.Outcome, error) {
		s := deadletter.SnoozeRequest{Request: p, Compare: r.Request().Form.Has("seen")}
		if seen := r.FormValue("seen"); seen != "" {
			t, err := time.Parse(time.RFC3339Nano, seen)
			if err != nil {
				return operation.Outcome{}, fault.InvalidField("until", "must be a date and a time")
			}
			s.Seen = &t
		}
		if r.FormValue("until") != "now" {
			until, err := snoozeUntil(r)
			if err != nil {
				return operation.Outcome{}, err
			}
			s.Until = until
		}
		return h.Letters.Snooze(c.Request().Context(), s)
	}, func(r request, j job.Listed, a ledger.Account, err error) templ.Component {
		return h.retry(r, j, r.L.T("snooze.retry", j.ID), "until", err, func(l deadletter.Letter, _ []staff.Person) *views.Form {
			return snoozeForm(r, l, back(r, jobURL(a.ID, j.ID)))
		})
	})
}

// retry is the page of a choice that was refused for what was typed.
func (h *Console) retry(r request, j job.Listed, title, name string, err error, form func(deadletter.Letter, []staff.Person) *views.Form) templ.Component {
	// The form is about what the person has seen, also the second time: what was refused was only what they typed.
	l := deadletter.Letter{AccountID: j.AccountID, JobID: j.ID, Generation: j.Generation}
	if n, err := strconv.Atoi(r.FormValue("generation")); err == nil {
		l.Generation = n
	}
	switch seen := r.FormValue("seen"); name {
	case "assignee":
		l.Assignee = seen
	case "until":
		if t, err := time.Parse(time.RFC3339Nano, seen); err == nil {
			l.SnoozedUntil = &t
		}
	}
	people, _ := h.Staff.List(r.Request().Context()) //nolint:errcheck // without it the choice is shorter; the page says what was refused all the same
	at := jobURL(j.AccountID, j.ID)
	return views.RetryPage(h.frame(r), views.Retry{Act: again(r, at, err), Title: title, JobID: j.ID, JobURL: at, Form: *form(l, people), Error: field(r, name, err).Error})
}

func (h *Console) jobNoteForm(c echo.Context) error {
	return h.jobForm(c, func(r request, j job.Listed, a ledger.Account) templ.Component {
		at := jobURL(a.ID, j.ID)
		return views.NotePage(h.frame(r), views.Note{Act: act(r, back(r, at)), JobID: j.ID, JobURL: at, Next: back(r, at)})
	})
}

func (h *Console) jobNote(c echo.Context) error {
	return h.triageAct(c, func(r request, p deadletter.Request) (operation.Outcome, error) {
		return h.Letters.Note(c.Request().Context(), deadletter.NoteRequest{Request: p, Text: unixLines(r.FormValue("note"))})
	}, func(r request, j job.Listed, a ledger.Account, err error) templ.Component {
		at := jobURL(a.ID, j.ID)
		return views.NotePage(h.frame(r), views.Note{Act: again(r, back(r, at), err), JobID: j.ID, JobURL: at, Next: back(r, at), Note: field(r, "note", err)})
	})
}

func (h *Console) undo(c echo.Context) error {
	return h.triageAct(c, func(r request, p deadletter.Request) (operation.Outcome, error) {
		return h.Letters.Undo(c.Request().Context(), deadletter.UndoRequest{Request: p, Undoes: readable(r.FormValue("undoes"))})
	}, func(r request, j job.Listed, a ledger.Account, err error) templ.Component {
		at := jobURL(a.ID, j.ID)
		return views.NotePage(h.frame(r), views.Note{Act: again(r, at, err), JobID: j.ID, JobURL: at, Next: at})
	})
}

// triageAct runs what a person does about a dead letter and leads back to where it was done, with a notice that can
// undo it. Who came too late is led to the job, which says by whom and when.
func (h *Console) triageAct(c echo.Context, run func(request, deadletter.Request) (operation.Outcome, error),
	form func(request, job.Listed, ledger.Account, error) templ.Component) error {
	r := h.of(c)
	j, a, err := h.find(r)
	if err != nil {
		return err
	}
	p := deadletter.Request{Envelope: r.by(), AccountID: a.ID, JobID: j.ID}
	if seen, err := strconv.ParseInt(r.FormValue("generation"), 10, 32); err == nil {
		p.Generation = &seen
	}
	out, err := run(r, p)
	at := jobURL(a.ID, j.ID)
	if f := fault.As(err); f != nil && f.Kind == fault.Invalid && len(f.Fields) > 0 && f.Fields[0].Name == "undoes" {
		return err
	}
	if err == nil {
		return r.Redirect(http.StatusSeeOther, withNotice(back(r, at), operation.Account(a.ID), r.FormValue("operation_id"), out.Replayed))
	}
	return h.conclude(r, at, operation.Account(a.ID), out, err, func(err error) templ.Component { return form(r, j, a, err) })
}

// undoOf is the button that takes back what a notice tells of, nil where it cannot be.
func (h *Console) undoOf(r request, stored operation.Stored) *ui.Undo {
	switch stored.Kind {
	case deadletter.KindAssign, deadletter.KindSnooze, deadletter.KindNote:
	default:
		return nil
	}
	if stored.JobID == nil || !r.may(staff.DeadLetterTriage) {
		return nil
	}
	next := bare(here(r))
	if r.Request().URL.Path == "/dead-letters" {
		next += "#" + views.RowID(stored.AccountID, *stored.JobID)
	}
	return &ui.Undo{Action: jobURL(stored.AccountID, *stored.JobID) + "/undo", OperationID: ids.New(), Undoes: stored.ID, Next: next, Text: r.L.T("undo.open")}
}

// triaged words what a person has done about a dead letter; "" for other operations.
func (h *Console) triaged(r request, stored operation.Stored) string {
	if stored.Result == nil {
		return ""
	}
	if stored.Kind == "recover" {
		return recovered(r, stored)
	}
	var x deadletter.TriageResult
	if err := (operation.Outcome{Result: []byte(*stored.Result)}).Decode(&x); err != nil {
		return ""
	}
	switch stored.Kind {
	case deadletter.KindAssign:
		if x.After.Assignee == "" {
			return r.L.T("done.released", x.JobID)
		}
		pr, err := h.presenter(r)
		if err != nil {
			return r.L.T("done.assigned", x.JobID, x.After.Assignee)
		}
		return r.L.T("done.assigned", x.JobID, pr.Who(x.After.Assignee))
	case deadletter.KindSnooze:
		if x.After.SnoozedUntil == nil {
			return r.L.T("done.woken", x.JobID)
		}
		return r.L.T("done.snoozed", x.JobID, r.L.Stamp(*x.After.SnoozedUntil, r.Now).Full)
	case deadletter.KindNote:
		return r.L.T("done.noted", x.JobID)
	case deadletter.KindUndo:
		return r.L.T("done.undone", x.JobID)
	}
	return ""
}

// whoWasFirst says by whom and when a job was changed before this person could; "" where nothing tells.
func (h *Console) whoWasFirst(r request, account, id, state string) string {
	ctx := r.Request().Context()
	j, err := h.Jobs.Find(ctx, account, id)
	if err != nil {
		return ""
	}
	var kinds []string
	switch state {
	case "assigned", "unassigned":
		kinds = []string{job.EventAssigned, job.EventUndone}
	case "snoozed", "woken":
		kinds = []string{job.EventSnoozed, job.EventUndone}
	case job.TriedNow:
		kinds = []string{job.EventRunNow}
	case "withdrawn":
		kinds = []string{job.EventUndone}
	}
	change, err := h.Jobs.LastChange(ctx, j.AccountKey, j.Key, kinds...)
	if err != nil || change.Actor == "" {
		return ""
	}
	pr, err := h.presenter(r)
	if err != nil {
		return ""
	}
	return r.L.T("conflict.by", pr.Who(change.Actor), r.L.Stamp(change.At, r.Now).Full)
}

// unixLines is a text of several lines as it is kept: browsers send two characters for the end of one.
func unixLines(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
