package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/page"
	"recoup/models/staff"
)

func (a *API) deadLetterCalls() []call {
	const one = "/v1/accounts/:account_id/jobs/:job_id"
	refusals := []string{fault.CodeAccountNotFound, fault.CodeJobNotFound, fault.CodeStateConflict}
	return []call{
		get("/v1/dead-letters", "api.deadletters", staff.DeadLetterView, a.deadLetters, doc{
			Summary: "List the dead letters of all accounts, oldest first",
			Query:   []parameter{limitParameter(), cursorParameter()}, Result: deadLettersAnswer{}}),
		post(one+"/requeue", "api.job.requeue", staff.Requeue, a.requeue, doc{
			Summary: "Put a dead letter back, now or at a time", Text: "Charges nothing: a success will, through reclaim.",
			Body: requeueBody{}, Operation: true, Result: job.WorkResult{}, Refusals: refusals}),
		post(one+"/discard", "api.job.discard", staff.Discard, a.discard, doc{
			Summary: "End a dead letter for good; its refund stands",
			Body:    discardBody{}, Operation: true, Result: job.WorkResult{}, Refusals: refusals}),
		post(one+"/reopen", "api.job.reopen", staff.Reopen, a.reopen, doc{
			Summary: "Make a discarded job a dead letter again",
			Body:    reasonBody{}, Operation: true, Result: job.WorkResult{}, Refusals: refusals}),
	}
}

type deadLettersAnswer struct {
	Jobs       []deadLetter `json:"jobs"`
	NextCursor string       `json:"next_cursor,omitempty" doc:"left out on the last page"`
}

type deadLetter struct {
	job.View
	DeadAt     *time.Time `json:"dead_at"`
	DeadReason string     `json:"dead_reason"`
}

// deadList is the one query of the list: a cursor of another list is not taken for one of this.
type deadList struct {
	List string `json:"list"`
}

func (a *API) deadLetters(c echo.Context) error {
	q, err := ParseQuery(c, "limit", "cursor")
	if err != nil {
		return err
	}
	limit, err := q.Int("limit", defaultLimit, 1, maxLimit)
	if err != nil {
		return err
	}
	query := deadList{List: "dead"}
	var from *job.Position
	if q.Has("cursor") {
		cur, err := decodeCursor[deadList, job.Position](q.Text("cursor"))
		if err != nil {
			return err
		}
		if cur.Query != query {
			return fault.InvalidField("cursor", "is not a cursor of this list")
		}
		from = &cur.Position
	}
	rows, err := a.jobs.List(c.Request().Context(), job.Filter{States: []job.State{job.Dead}}, job.ByDeath, from, page.Older, int(limit))
	if err != nil {
		return err
	}
	out := deadLettersAnswer{Jobs: make([]deadLetter, len(rows.Rows))}
	for i, j := range rows.Rows {
		out.Jobs[i] = deadLetter{View: j.Show(j.AccountID), DeadAt: utc(j.DeadAt), DeadReason: j.DeadReason}
	}
	if out.NextCursor, err = nextCursor(query, rows.Older); err != nil {
		return err
	}
	return writeValue(c, out)
}

type requeueBody struct {
	Reason string     `json:"reason" required:"true" doc:"why, up to 500 characters"`
	At     *time.Time `json:"at" doc:"when to try it, at most a year ahead; now when left out"`
}

func (a *API) requeue(c echo.Context) error {
	var b requeueBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	r := job.PersonRequest{Envelope: ch.Envelope, AccountID: ch.account, JobID: ch.job, Reason: b.Reason}
	if b.At != nil {
		var v Checks
		at := v.Time("at", b.At)
		if err := v.Err(); err != nil {
			return err
		}
		r.At = &at
	}
	out, err := a.jobs.Requeue(c.Request().Context(), r)
	return reply(c, ch, out, err, http.StatusOK)
}

type discardBody struct {
	Reason discardReason `json:"reason" required:"true"`
	Note   string        `json:"note" doc:"more words, up to 500 characters"`
}

// discardReason is one of job.DiscardReasons, for the document.
type discardReason string

func (a *API) discard(c echo.Context) error {
	var b discardBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	out, err := a.jobs.Discard(c.Request().Context(), job.PersonRequest{Envelope: ch.Envelope, AccountID: ch.account, JobID: ch.job,
		Reason: string(b.Reason), Note: b.Note})
	return reply(c, ch, out, err, http.StatusOK)
}

func (a *API) reopen(c echo.Context) error {
	var b reasonBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	out, err := a.jobs.Reopen(c.Request().Context(), job.PersonRequest{Envelope: ch.Envelope, AccountID: ch.account, JobID: ch.job, Reason: b.Reason})
	return reply(c, ch, out, err, http.StatusOK)
}
