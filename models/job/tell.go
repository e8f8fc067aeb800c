package job

import (
	"slices"

	"recoup/models/operation"
	"recoup/models/webhook"
)

// told is what receivers outside hear of a job. The error's message stays inside: workers write what they like into it.
type told struct {
	AccountID  string `json:"account_id"`
	JobID      string `json:"job_id"`
	Action     string `json:"action"`
	Attempt    int    `json:"attempt"`
	Generation int    `json:"generation"`
	Cost       int64  `json:"cost"`
	IsRefunded bool   `json:"is_refunded"`
	// DeadReason, ErrorClass and ErrorCode are of a dead letter.
	DeadReason string `json:"dead_reason,omitempty"`
	ErrorClass string `json:"error_class,omitempty"`
	ErrorCode  string `json:"error_code,omitempty"`
	// The rest is of a recovered job: what it was before, the result's reference, and the credits taken back.
	Was       string `json:"was,omitempty"`
	Result    string `json:"result,omitempty"`
	Reclaimed *int64 `json:"reclaimed,omitempty"`
	Balance   *int64 `json:"balance_after,omitempty"`
}

// tellDead tells receivers outside that a job became a dead letter.
func tellDead(tx *operation.Tx, accountID string, j Job) error {
	return webhook.Emit(tx, webhook.JobDeadLettered, j.Traceparent, told{AccountID: accountID, JobID: j.ID, Action: j.Action, Attempt: j.Attempt,
		Generation: j.Generation, Cost: j.Cost, IsRefunded: j.IsRefunded, DeadReason: j.DeadReason, ErrorClass: j.ErrorClass, ErrorCode: j.ErrorCode})
}

// tellRecovered tells receivers outside of a job's first delivery when it had been given up before: it was dead, discarded or
// canceled, or had been a dead letter that was put back. A retry that goes well is no news, nor is one of several attempts that
// ends after it was given up for lost: nobody was told that the job was.
func tellRecovered(tx *operation.Tx, accountID string, j Job, r SignalResult) error {
	givenUp := j.LateSuccessOf != nil && slices.Contains([]State{Dead, Discarded, Canceled}, *j.LateSuccessOf)
	if r.Delivery != firstDelivery || j.Generation == 0 && !givenUp {
		return nil
	}
	t := told{AccountID: accountID, JobID: j.ID, Action: j.Action, Attempt: j.Attempt, Generation: j.Generation, Cost: j.Cost,
		IsRefunded: j.IsRefunded, Result: j.Result}
	if j.LateSuccessOf != nil {
		t.Was = string(*j.LateSuccessOf)
	}
	if r.Entry != nil {
		credits := -r.Entry.Amount
		t.Reclaimed, t.Balance = &credits, &r.Entry.BalanceAfter
	}
	return webhook.Emit(tx, webhook.JobRecovered, j.Traceparent, t)
}
