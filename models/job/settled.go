package job

import (
	"encoding/json"
	"fmt"

	"recoup/models/operation"
)

// EventSettled: a settlement put the job's price right. It moves no flag of the job: its entry is an adjustment.
const EventSettled = "settled"

// Settled is the payment of a settlement for a job.
type Settled struct {
	// JobKey names the job of the operation's account.
	JobKey int64
	// EntrySeq is the adjustment.
	EntrySeq int64
	// Settlement is the settlement's id, Reason why it was made.
	Settlement, Reason string
}

// WriteSettled adds the line of a job's timeline that tells of a payment to the statements that run with the
// operation's result.
func WriteSettled(tx *operation.Tx, s Settled) error {
	data, err := json.Marshal(Details{Reason: s.Reason, Note: s.Settlement})
	if err != nil {
		return fmt.Errorf("job: event: %w", err)
	}
	tx.Finally(`INSERT INTO job_events (account_key, job_key, kind, generation, state_before, state_after, entry_seq, actor, operation_id, trace_id, data)
		SELECT account_key, key, ?, generation, state, state, ?, ?, ?, ?::bytea, ?::json FROM jobs WHERE account_key = ? AND key = ?`,
		EventSettled, s.EntrySeq, tx.Request.Actor.String(), tx.Request.ID, tx.TraceID, string(data), tx.AccountKey, s.JobKey)
	return nil
}
