package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/models/actor"
	"recoup/models/deadletter"
	"recoup/models/fault"
	"recoup/models/staff"
)

// triageCalls are what a program says of dead letters and their groups; none moves work or money.
func (a *API) triageCalls() []call {
	const one = "/v1/accounts/:account_id/jobs/:job_id"
	const group = "/v1/dead-letter-groups/:group"
	refusals := []string{fault.CodeAccountNotFound, fault.CodeJobNotFound, fault.CodeStateConflict}
	ofGroup := []string{deadletter.CodeGroupNotFound, fault.CodeStateConflict}
	return []call{
		post(one+"/assign", "api.job.assign", staff.DeadLetterTriage, a.assign, doc{
			Summary: "Give a dead letter to somebody, or take it from whoever has it",
			Body:    assignBody{}, Operation: true, Result: deadletter.TriageResult{}, Refusals: refusals}),
		post(one+"/snooze", "api.job.snooze", staff.DeadLetterTriage, a.snooze, doc{
			Summary: "Put a dead letter out of sight until a time, or bring it back",
			Body:    snoozeBody{}, Operation: true, Result: deadletter.TriageResult{}, Refusals: refusals}),
		post(one+"/notes", "api.job.note", staff.DeadLetterTriage, a.note, doc{
			Summary: "Add a note to a job's timeline, where it stays",
			Body:    noteBody{}, Operation: true, Result: deadletter.TriageResult{}, Refusals: refusals}),
		get("/v1/dead-letter-groups", "api.groups", staff.DeadLetterView, a.groups, doc{
			Summary: "List the groups of equal deaths", Query: []parameter{limitParameter(), cursorParameter(),
				{Name: "view", Text: "open (the default): not snoozed, most open dead letters first; snoozed; resolved; all: the newest first", Type: ""}}, Result: groupsAnswer{}}),
		get(group, "api.group.get", staff.DeadLetterView, a.group, doc{
			Summary: "Read one group", Result: groupView{}, Refusals: []string{deadletter.CodeGroupNotFound}}),
		post(group+"/note", "api.group.note", staff.DeadLetterTriage, a.noteGroup, doc{
			Summary: "Set the note and the link that all who look at a group share",
			Body:    groupNoteBody{}, Operation: true, Result: deadletter.GroupState{}, Refusals: ofGroup}),
		post(group+"/snooze", "api.group.snooze", staff.DeadLetterTriage, a.snoozeGroup, doc{
			Summary: "Put a group's dead letters out of sight", Text: "Those that come later as well, until a time, after more deaths, or at whichever comes first.",
			Body: groupSnoozeBody{}, Operation: true, Result: deadletter.GroupState{}, Refusals: ofGroup}),
		post(group+"/resolve", "api.group.resolve", staff.DeadLetterTriage, a.resolveGroup, doc{
			Summary: "Say that what the jobs died of is put right", Text: "The dead letters stay; a death after it marks the group as returned.",
			Body: groupReasonBody{}, Operation: true, Result: deadletter.GroupState{}, Refusals: ofGroup}),
		post(group+"/reopen", "api.group.reopen", staff.DeadLetterTriage, a.reopenGroup, doc{
			Summary: "End a group's snooze or take its resolution back",
			Body:    groupReopenBody{}, Operation: true, Result: deadletter.GroupState{}, Refusals: ofGroup}),
	}
}

type assignBody struct {
	// Assignee is a pointer, so that nobody is said and not forgotten.
	Assignee *string `json:"assignee" required:"true" doc:"staff:<id> of who takes care of it; empty for nobody"`
}

// ofJob is what a change of the job in the path carries.
func ofJob(ch change) deadletter.Request {
	return deadletter.Request{Envelope: ch.Envelope, AccountID: ch.account, JobID: ch.job}
}

func (a *API) assign(c echo.Context) error {
	var b assignBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	var v Checks
	v.That(b.Assignee != nil, "assignee", missing)
	if err := v.Err(); err != nil {
		return err
	}
	r := deadletter.AssignRequest{Request: ofJob(ch)}
	if *b.Assignee != "" {
		if r.Assignee = actor.Parse(*b.Assignee); r.Assignee.Kind != "staff" || r.Assignee.ID == "" {
			return fault.InvalidField("assignee", "must be staff:<id>, or empty")
		}
	}
	out, err := a.letters.Assign(c.Request().Context(), r)
	return reply(c, ch, out, err, http.StatusOK)
}

type snoozeBody struct {
	Until *time.Time `json:"until" doc:"when it is back, at most a year ahead; back now when left out"`
}

func (a *API) snooze(c echo.Context) error {
	var b snoozeBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	until, err := checked("until", b.Until)
	if err != nil {
		return err
	}
	out, err := a.letters.Snooze(c.Request().Context(), deadletter.SnoozeRequest{Request: ofJob(ch), Until: until})
	return reply(c, ch, out, err, http.StatusOK)
}

// checked is a time that may be left out.
func checked(name string, t *time.Time) (*time.Time, error) {
	if t == nil {
		return nil, nil
	}
	var v Checks
	at := v.Time(name, t)
	return &at, v.Err()
}

type noteBody struct {
	Note string `json:"note" required:"true" doc:"up to 2000 characters"`
}

func (a *API) note(c echo.Context) error {
	var b noteBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	out, err := a.letters.Note(c.Request().Context(), deadletter.NoteRequest{Request: ofJob(ch), Text: b.Note})
	return reply(c, ch, out, err, http.StatusOK)
}
