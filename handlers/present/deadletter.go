package present

import (
	"strconv"

	"recoup/models/job"
	"recoup/views/deadletters"
	"recoup/views/ui"
)

// DeadLetter is one row of the list; the caller adds what may be done with it.
func (p Presenter) DeadLetter(j job.Listed) deadletters.Row {
	row := deadletters.Row{Job: Job(j.AccountID, j.ID), Account: ui.Link{Text: j.AccountID, URL: AccountURL(j.AccountID)}, Action: j.Action,
		Cost: p.L.Credits(j.Cost), Money: Money(j.Job), Attempts: strconv.Itoa(j.Attempt), Class: j.ErrorClass, Code: j.ErrorCode, Message: j.ErrorMessage}
	if j.Generation > 0 {
		row.Generation = strconv.Itoa(j.Generation)
	}
	switch j.State {
	case job.Succeeded:
		row.Since = p.Stamp(j.DeliveredAt)
	case job.Discarded:
		row.Since, row.Resolution = p.Stamp(j.ResolvedAt), deadletters.ReasonName(p.L, j.Resolution)
	case job.Queued, job.Running, job.Retrying, job.Dead, job.Canceled:
		row.Since = p.Stamp(j.DeadAt)
	}
	return row
}
