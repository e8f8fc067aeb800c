package api

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"
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
			Text:    "Each filter restricts; text is a part of the error message, in any case.",
			Query: []parameter{limitParameter(), cursorParameter(), {Name: "account", Text: "the account's id", Type: ""},
				{Name: "action", Text: "the action", Type: ""}, {Name: "code", Text: "the error code", Type: ""},
				{Name: "class", Text: "transient, throttled, permanent or timed_out", Type: ""}, {Name: "text", Text: "a part of the error message", Type: ""},
				{Name: "before", Text: "only jobs that died before this time", Type: time.Time{}}}, Result: deadLettersAnswer{}}),
		post(one+"/requeue", "api.job.requeue", staff.Requeue, a.requeue, doc{
			Summary: "Put a dead letter back, now or at a time", Text: "Charges nothing: a success will, through reclaim.",
			Body: requeueBody{}, Operation: true, Result: job.WorkResult{}, Refusals: refusals}),
		post(one+"/recover", "api.job.recover", staff.Recover, a.recover, doc{
			Summary: "Deliver by hand what was made after all", Text: "For dead, discarded and canceled jobs. Takes a refund back, once, through the guard of every success.",
			Body: recoverBody{}, Operation: true, Result: job.SignalResult{}, Refusals: append([]string{fault.CodeAccountInconsistent, fault.CodeJobInconsistent, fault.CodeAmountOverflow}, refusals...)}),
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
	List    string `json:"list"`
	Account string `json:"account,omitempty"`
	Action  string `json:"action,omitempty"`
	Code    string `json:"code,omitempty"`
	Class   string `json:"class,omitempty"`
	Text    string `json:"text,omitempty"`
	Before  string `json:"before,omitempty"`
}

// before is the filter's moment, nil for none.
func (l deadList) before() (*time.Time, error) {
	if l.Before == "" {
		return nil, nil
	}
	t, err := time.Parse(time.RFC3339Nano, l.Before)
	return &t, err
}

func (a *API) deadLetters(c echo.Context) error {
	q, err := ParseQuery(c, "limit", "cursor", "account", "action", "code", "class", "text", "before")
	if err != nil {
		return err
	}
	limit, err := q.Int("limit", defaultLimit, 1, maxLimit)
	if err != nil {
		return err
	}
	before, err := q.Time("before")
	if err != nil {
		return err
	}
	query := deadList{List: "dead", Account: q.Text("account"), Action: q.Text("action"), Code: q.Text("code"), Class: q.Text("class"), Text: q.Text("text"), Before: q.Text("before")}
	var from *job.Position
	if q.Has("cursor") {
		cur, err := decodeCursor[deadList, job.Position](q.Text("cursor"))
		if err != nil {
			return err
		}
		// The cursor carries the filter; one that is repeated beside it must be the same.
		if cur.Query.List != query.List || query != (deadList{List: "dead"}) && cur.Query != query {
			return fault.InvalidField("cursor", "is not a cursor of this list")
		}
		query = cur.Query
		if before, err = query.before(); err != nil {
			return fault.InvalidField("cursor", "is not a cursor of this list")
		}
		from = &cur.Position
	}
	rows, err := a.jobs.List(c.Request().Context(), job.Filter{States: []job.State{job.Dead}, AccountID: query.Account, Action: query.Action,
		ErrorCode: query.Code, ErrorClass: query.Class, ErrorText: query.Text, Before: before}, job.ByDeath, from, page.Older, int(limit))
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
	// Payload is copied byte for byte; null is as if it were left out.
	Payload jsontext.Value `json:"payload" doc:"replaces the payload, which is kept beside; the cost stays as it was charged"`
}

func (a *API) requeue(c echo.Context) error {
	var b requeueBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	r := job.PersonRequest{Envelope: ch.Envelope, AccountID: ch.account, JobID: ch.job, Reason: b.Reason}
	if len(b.Payload) > 0 && b.Payload.Kind() != 'n' {
		r.Payload = json.RawMessage(b.Payload)
	}
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

type recoverBody struct {
	Result string `json:"result" required:"true" doc:"what points to the result, up to 2000 characters"`
	Reason string `json:"reason" required:"true" doc:"why, up to 500 characters"`
}

func (a *API) recover(c echo.Context) error {
	var b recoverBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	out, err := a.jobs.Recover(c.Request().Context(), job.PersonRequest{Envelope: ch.Envelope, AccountID: ch.account, JobID: ch.job,
		Reason: b.Reason, Result: b.Result})
	return reply(c, ch, out, err, http.StatusOK)
}

type discardBody struct {
	Reason discardReason `json:"reason" required:"true"`
	Note   string        `json:"note" doc:"more words, up to 500 characters; required with the reason other"`
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
