package api

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"

	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/staff"
)

func (a *API) jobCalls() []call {
	const jobs, one = "/v1/accounts/:account_id/jobs", "/v1/accounts/:account_id/jobs/:job_id"
	return []call{
		post(jobs, "api.job.charge", staff.JobCharge, a.charge, doc{
			Summary: "Charge a job up front and queue it",
			Text: "The price is fixed here and never again. A managed job is handed to workers; an external one is run by the caller, " +
				"who signals how it ended.",
			Body: chargeBody{}, Operation: true, Result: job.ChargeResult{}, Created: true,
			Refusals: []string{fault.CodeActionNotFound, fault.CodeAccountNotFound, fault.CodeInsufficientCredits, fault.CodeJobExists, fault.CodeQuoteExpired,
				fault.CodeAccountFrozen, fault.CodeAccountInconsistent}}),
		get(one, "api.job.get", staff.JobView, a.getJob, doc{
			Summary: "Read a job: state, money, and the guards' evidence", Result: jobAnswer{},
			Refusals: []string{fault.CodeJobNotFound}}),
		get(one+"/timeline", "api.job.timeline", staff.JobView, a.timeline, doc{
			Summary: "Read everything that happened to a job, in order", Text: "All up to 1,000; of more the first, the newest, and of those between what moved the work or the money or was done by people.", Result: timelineAnswer{},
			Refusals: []string{fault.CodeJobNotFound}}),
		post(one+"/cancel", "api.job.cancel", staff.JobCancel, a.cancel, doc{
			Summary: "Cancel a job that is not delivered, and refund it",
			Body:    cancelBody{}, BodyOptional: true, Operation: true, Result: job.WorkResult{},
			Refusals: []string{fault.CodeAccountNotFound, fault.CodeJobNotFound, fault.CodeStateConflict, fault.CodeJobInconsistent}}),
	}
}

type chargeBody struct {
	JobID       string         `json:"job_id" required:"true" doc:"the caller's name for the job, unique in the account"`
	Action      string         `json:"action" required:"true" doc:"what is done; it must have a price"`
	Units       *int64         `json:"units" required:"true" doc:"how much of it, at least 1"`
	Payload     jsontext.Value `json:"payload" doc:"any JSON for the worker, handed on byte for byte"`
	MaxAttempts *int64         `json:"max_attempts" doc:"1–1000"`
	DeadlineS   *int64         `json:"deadline_s" doc:"how long one attempt may run, seconds, up to a week"`
	ExpiresInS  *int64         `json:"expires_in_s" doc:"after how long an unfinished job is dead, seconds, up to 366 days"`
	Dependency  string         `json:"dependency" doc:"what the work depends on; left out: what its action depends on by default, if anything"`
	Mode        string         `json:"mode" enum:"managed,external" doc:"managed when left out"`
}

func (a *API) charge(c echo.Context) error {
	var b chargeBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	r := job.ChargeRequest{Envelope: ch.Envelope, AccountID: ch.account, JobID: b.JobID, Action: b.Action,
		Units: Optional(b.Units, 0), MaxAttempts: b.MaxAttempts, DeadlineS: b.DeadlineS, ExpiresInS: b.ExpiresInS,
		Dependency: b.Dependency, Mode: job.Mode(b.Mode)}
	// null means absent, here as everywhere.
	if b.Payload.Kind() != 'n' {
		r.Payload = json.RawMessage(b.Payload)
	}
	out, err := a.jobs.Charge(c.Request().Context(), r)
	return reply(c, ch, out, err, http.StatusCreated)
}

type jobAnswer struct {
	Job      job.View     `json:"job"`
	Evidence job.Evidence `json:"evidence"`
}

func (a *API) getJob(c echo.Context) error {
	j, err := a.findJob(c)
	if err != nil {
		return err
	}
	evidence, err := a.jobs.Evidence(c.Request().Context(), j.AccountKey, j.Key)
	if err != nil {
		return err
	}
	return writeValue(c, jobAnswer{Job: j.Show(j.AccountID), Evidence: evidence})
}

// findJob reads the job that the path names; the request has no query.
func (a *API) findJob(c echo.Context) (job.Listed, error) {
	p, err := placeOf(c)
	if err != nil {
		return job.Listed{}, err
	}
	if _, err := ParseQuery(c); err != nil {
		return job.Listed{}, err
	}
	return a.jobs.Find(c.Request().Context(), p.account, p.job)
}

type timelineAnswer struct {
	Events []eventView `json:"events"`
	// LeftOut is 0 up to 1,000 events.
	LeftOut int64 `json:"left_out" doc:"how many events are not among them"`
}

type eventView struct {
	Kind        string         `json:"kind"`
	Attempt     *int           `json:"attempt,omitempty"`
	Generation  int            `json:"generation"`
	Outcome     string         `json:"outcome" doc:"what the guards found; empty where none ran"`
	StateBefore string         `json:"state_before" doc:"empty where the state before is not known or there was none"`
	StateAfter  string         `json:"state_after"`
	EntrySeq    *int64         `json:"entry_seq,omitempty" doc:"the entry that this event made"`
	Actor       string         `json:"actor"`
	OperationID string         `json:"operation_id"`
	TraceID     *string        `json:"trace_id,omitempty"`
	At          time.Time      `json:"at"`
	Details     jsontext.Value `json:"details"`
}

func (a *API) timeline(c echo.Context) error {
	j, err := a.findJob(c)
	if err != nil {
		return err
	}
	history, err := a.jobs.History(c.Request().Context(), j.AccountKey, j.Key)
	if err != nil {
		return err
	}
	events := history.Events
	out := timelineAnswer{Events: make([]eventView, len(events)), LeftOut: history.LeftOut}
	for i, e := range events {
		v := eventView{Kind: e.Kind, Attempt: e.Attempt, Generation: e.Generation, Outcome: e.Outcome, StateBefore: string(e.StateBefore),
			StateAfter: string(e.StateAfter), EntrySeq: e.EntrySeq, Actor: e.Actor, OperationID: e.OperationID,
			TraceID: traceHex(e.TraceID), At: e.At.UTC(), Details: jsontext.Value("{}")}
		if e.Data != nil {
			v.Details = jsontext.Value(*e.Data)
		}
		out.Events[i] = v
	}
	return writeValue(c, out)
}

type cancelBody struct {
	Reason string `json:"reason" doc:"up to 500 characters"`
}

func (a *API) cancel(c echo.Context) error {
	var b cancelBody
	ch, err := beginOptional(c, &b)
	if err != nil {
		return err
	}
	out, err := a.jobs.Cancel(c.Request().Context(), job.PersonRequest{Envelope: ch.Envelope, AccountID: ch.account, JobID: ch.job, Reason: b.Reason})
	return reply(c, ch, out, err, http.StatusOK)
}
