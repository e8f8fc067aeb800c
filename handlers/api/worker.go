package api

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"

	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/staff"
)

// Times of a claim that waits for work.
const (
	maxClaimWait = 30 * time.Second
	// claimLook is how often a waiting claim looks by itself: work also comes through other processes
	// and by its not_before.
	claimLook = 500 * time.Millisecond
	// claimRest keeps many waiting claims from looking at once at every single arrival.
	claimRest = 20 * time.Millisecond
	// claimTimeout leaves a claim that waited its full time enough to be written.
	claimTimeout = maxClaimWait + 15*time.Second
)

func (a *API) workerCalls() []call {
	claim := post("/v1/jobs/claim", "api.work.claim", staff.JobWork, a.claim, doc{
		Summary: "Take jobs to work on, each with a lease",
		Text: "Oldest first. With wait_s the call waits for work. No work: 200 with outcome empty, and the operation id stays free. " +
			"An answer that was lost is repeated under the same operation id: same jobs, same lease tokens.",
		Body: claimBody{}, Operation: true, Result: claimResult{}})
	claim.Timeout, claim.EndsOnShutdown = claimTimeout, true
	finish := []string{fault.CodeLeaseUnknown, fault.CodeAccountInconsistent}
	return []call{
		claim,
		post("/v1/jobs/heartbeat", "api.work.heartbeat", staff.JobWork, a.heartbeat, doc{
			Summary: "Keep a lease", Text: "No operation: it needs no operation id. continue is false when the worker should stop.",
			Body: heartbeatBody{}, Result: job.Beat{}, Refusals: []string{fault.CodeLeaseUnknown}}),
		post("/v1/jobs/complete", "api.work.complete", staff.JobWork, a.complete, doc{
			Summary: "Deliver the work of a lease", Text: "However late, it is never thrown away.",
			Body: completeBody{}, Operation: true, Result: job.FinishResult{}, Refusals: finish}),
		post("/v1/jobs/fail", "api.work.fail", staff.JobWork, a.fail, doc{
			Summary: "End the attempt of a lease as failed",
			Body:    failBody{}, Operation: true, Result: job.FinishResult{}, Refusals: finish}),
	}
}

type claimBody struct {
	Actions       []string `json:"actions" required:"true" doc:"what the worker can do, 1–50 actions"`
	Max           *int64   `json:"max" required:"true" doc:"how many jobs at most, 1–100"`
	WaitS         *int64   `json:"wait_s" doc:"how long to wait for work, 0–30 seconds; 0 when left out; not part of the operation's input"`
	Worker        string   `json:"worker" doc:"the worker's name for people"`
	WorkerVersion string   `json:"worker_version" doc:"its version for people"`
}

type claimResult struct {
	Jobs []claimedJob `json:"jobs"`
}

// claimedJob documents what a worker gets; see claimedJSON.
type claimedJob struct {
	AccountID   string         `json:"account_id"`
	JobID       string         `json:"job_id"`
	Action      string         `json:"action"`
	Units       int64          `json:"units"`
	Attempt     int            `json:"attempt"`
	Generation  int            `json:"generation"`
	Dependency  string         `json:"dependency,omitempty"`
	LeaseToken  string         `json:"lease_token" doc:"proves the attempt to heartbeat, complete and fail"`
	LeaseUntil  time.Time      `json:"lease_until"`
	DeadlineAt  *time.Time     `json:"deadline_at"`
	Traceparent string         `json:"traceparent,omitempty" doc:"W3C trace context of the charge"`
	Payload     jsontext.Value `json:"payload" doc:"as it was sent, byte for byte; null where there is none"`
}

func (a *API) claim(c echo.Context) error {
	var b claimBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	var v Checks
	v.That(b.Actions != nil, "actions", missing)
	v.That(b.Max != nil, "max", missing)
	wait := time.Duration(v.IntOr("wait_s", b.WaitS, 0, 0, int64(maxClaimWait/time.Second))) * time.Second
	if err := v.Err(); err != nil {
		return err
	}
	r := job.ClaimRequest{Envelope: ch.Envelope, Actions: b.Actions, Max: *b.Max, Worker: b.Worker, WorkerVersion: b.WorkerVersion}
	jobs, replayed, err := a.claimWithin(c.Request().Context(), r, wait)
	if err != nil {
		return err
	}
	if len(jobs) == 0 {
		return write(c, http.StatusOK, "outcome", "empty", "result", raw(`{"jobs":[]}`))
	}
	result, err := claimedJSON(jobs)
	if err != nil {
		return err
	}
	return envelope(c, ch.OperationID, replayed, result, http.StatusOK)
}

// claimWithin claims at once or waits for work. It returns no jobs when none came in time.
func (a *API) claimWithin(ctx context.Context, r job.ClaimRequest, wait time.Duration) ([]job.Claimed, bool, error) {
	end := time.Now().Add(wait)
	for {
		// Taken before looking, so that work which comes in between still wakes this claim.
		arrival := a.jobs.Arrival()
		jobs, replayed, err := a.jobs.Claim(ctx, r)
		if err != nil || len(jobs) > 0 {
			return jobs, replayed, err
		}
		for found := false; !found; {
			if !pause(ctx, min(claimLook, time.Until(end)), arrival) {
				return nil, false, ctx.Err()
			}
			if !time.Now().Before(end) {
				return nil, false, nil
			}
			arrival = a.jobs.Arrival()
			if found, err = a.jobs.Waiting(ctx, r.Actions); err != nil {
				return nil, false, err
			}
		}
	}
}

// pause waits for an arrival, d at most. It returns false when the request is over.
func pause(ctx context.Context, d time.Duration, arrival <-chan struct{}) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	case <-arrival:
		return pause(ctx, min(d, claimRest), nil)
	}
}

// claimedJSON renders a claim's result. Payloads are spliced in as they were sent.
func claimedJSON(jobs []job.Claimed) ([]byte, error) {
	list := []byte{'['}
	for i, j := range jobs {
		if i > 0 {
			list = append(list, ',')
		}
		payload := raw(j.Payload)
		if payload == nil {
			payload = raw("null")
		}
		members, err := json.Marshal(claimedJob{AccountID: j.AccountID, JobID: j.JobID, Action: j.Action, Units: j.Units,
			Attempt: j.Attempt, Generation: j.Generation, Dependency: j.Dependency, LeaseToken: j.LeaseToken,
			LeaseUntil: j.LeaseUntil.UTC(), DeadlineAt: utc(j.DeadlineAt), Traceparent: j.Traceparent})
		if err != nil {
			return nil, err
		}
		list = append(list, bytes.TrimSuffix(members, []byte(`null}`))...)
		list = append(append(list, payload...), '}')
	}
	return object("jobs", raw(append(list, ']')))
}

type heartbeatBody struct {
	LeaseToken string `json:"lease_token" required:"true"`
}

func (a *API) heartbeat(c echo.Context) error {
	if _, err := ParseQuery(c); err != nil {
		return err
	}
	var b heartbeatBody
	if err := Decode(c, &b); err != nil {
		return err
	}
	if err := checkLeaseToken(b.LeaseToken); err != nil {
		return err
	}
	beat, err := a.jobs.Heartbeat(c.Request().Context(), b.LeaseToken)
	if err != nil {
		return err
	}
	return writeValue(c, beat)
}

func checkLeaseToken(token string) error {
	var v Checks
	v.Bytes("lease_token", token, 1, 200)
	return v.Err()
}

type completeBody struct {
	LeaseToken string `json:"lease_token" required:"true"`
	Result     string `json:"result" doc:"where the delivered work is, up to 2,000 characters"`
}

func (a *API) complete(c echo.Context) error {
	var b completeBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	if err := checkLeaseToken(b.LeaseToken); err != nil {
		return err
	}
	out, err := a.jobs.Complete(c.Request().Context(), job.FinishRequest{Envelope: ch.Envelope, LeaseToken: b.LeaseToken, Result: b.Result})
	return reply(c, ch, out, err, http.StatusOK)
}

type failBody struct {
	LeaseToken string `json:"lease_token" required:"true"`
	Class      string `json:"class" required:"true" enum:"transient,throttled,permanent,timed_out"`
	Code       string `json:"code" doc:"the failure's short name, up to 100 characters"`
	Message    string `json:"message" doc:"the failure in words, up to 2,000 characters"`
}

func (a *API) fail(c echo.Context) error {
	var b failBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	if err := checkLeaseToken(b.LeaseToken); err != nil {
		return err
	}
	out, err := a.jobs.Fail(c.Request().Context(), job.FinishRequest{Envelope: ch.Envelope, LeaseToken: b.LeaseToken,
		Class: b.Class, Code: b.Code, Message: b.Message})
	return reply(c, ch, out, err, http.StatusOK)
}
