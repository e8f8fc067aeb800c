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
	if j.State == job.Succeeded {
		row.Since = p.Stamp(j.DeliveredAt)
	} else {
		row.Since = p.Stamp(j.DeadAt)
	}
	if j.State == job.Discarded {
		row.Resolution = deadletters.ReasonName(p.L, j.Resolution)
	}
	return row
}
