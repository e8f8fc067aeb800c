package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/staff"
)

func (a *API) signalCalls() []call {
	return []call{
		post("/v1/accounts/:account_id/jobs/:job_id/signals", "api.job.signal", staff.JobSignal, a.signal, doc{
			Summary: "Say how an attempt ended",
			Text: "A failure refunds, a success delivers and takes a refund back, each at most once, however often and in whatever order " +
				"signals come. Without an attempt a signal moves money only.",
			Body: signalBody{}, Operation: true, Result: job.SignalResult{},
			Refusals: []string{fault.CodeAccountNotFound, fault.CodeJobNotFound, fault.CodeAttemptNotMade, fault.CodeAccountInconsistent}}),
	}
}

type signalBody struct {
	Type    string `json:"type" required:"true" enum:"succeeded,failed"`
	Attempt *int64 `json:"attempt" doc:"which attempt; not part of the operation's input"`
	Class   string `json:"class" enum:"transient,throttled,permanent,timed_out" doc:"required for a failure"`
	Code    string `json:"code" doc:"the failure's short name, up to 100 characters"`
	Message string `json:"message" doc:"the failure in words, up to 2,000 characters"`
	Result  string `json:"result" doc:"where the delivered work is, for a success, up to 2,000 characters"`
}

func (a *API) signal(c echo.Context) error {
	var b signalBody
	ch, err := begin(c, &b)
	if err != nil {
		return err
	}
	out, err := a.jobs.Signal(c.Request().Context(), job.SignalRequest{Envelope: ch.Envelope, AccountID: ch.account, JobID: ch.job,
		Signal: job.Signal{Type: job.SignalType(b.Type), Attempt: b.Attempt, Class: b.Class, Code: b.Code, Message: b.Message, Result: b.Result}})
	return reply(c, ch, out, err, http.StatusOK)
}
