package job

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/operation"
	"recoup/models/where"
)

// Kinds of timeline events.
const (
	EventCharged   = "charged"
	EventClaimed   = "claimed"
	EventSucceeded = "succeeded"
	EventFailed    = "failed"
	EventTimedOut  = "timed_out"
	EventExpired   = "expired"
	EventWoken     = "woken"
	EventCanceled  = "canceled"
	EventRequeued  = "requeued"
	EventDiscarded = "discarded"
	EventReopened  = "reopened"
	EventRecovered = "recovered"
	EventRunNow    = "run_now"
	EventAssigned  = "assigned"
	EventSnoozed   = "snoozed"
	EventNoted     = "noted"
	EventUndone    = "undone"
)

// Event is one row of a job's timeline.
type Event struct {
	Key        int64
	Kind       string
	Attempt    *int
	Generation int
	// Outcome is what the guards found: Refunded, AlreadyRefunded, …; empty where no guard ran.
	Outcome     string
	StateBefore State
	StateAfter  State
	// EntrySeq is set when the event moved money.
	EntrySeq    *int64
	Actor       string
	OperationID string
	TraceID     []byte
	// Data holds Details as JSON, or nil.
	Data *string
	At   time.Time
}

// Details are the facts of an event beyond its columns. Zero members are left out.
type Details struct {
	Class   string `json:"class,omitempty"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
	// DelayMs is the backoff by policy, JitteredMs what is left of it after jitter.
	DelayMs    int64      `json:"delay_ms,omitempty"`
	JitteredMs int64      `json:"jittered_ms,omitempty"`
	NotBefore  *time.Time `json:"not_before,omitempty"`
	Worker     string     `json:"worker,omitempty"`
	LeaseUntil *time.Time `json:"lease_until,omitempty"`
	Result     string     `json:"result,omitempty"`
	Reason     string     `json:"reason,omitempty"`
	// Payload names what a person changed in the payload when putting the job back.
	Payload    []string `json:"payload,omitempty"`
	Note       string   `json:"note,omitempty"`
	DeadReason string   `json:"dead_reason,omitempty"`
	// Assignee is the actor who shall take care of a dead letter; empty with EventAssigned for nobody.
	Assignee string `json:"assignee,omitempty"`
	// Until is when a snoozed dead letter is back in sight; nil with EventSnoozed for now.
	Until *time.Time `json:"until,omitempty"`
	// Undoes is what kind of operation a person undid, UndoneID which.
	Undoes   string `json:"undoes,omitempty"`
	UndoneID string `json:"undone_id,omitempty"`
	// OlderAttempt is true for a signal of an attempt that is no longer the current one.
	OlderAttempt bool `json:"older_attempt,omitempty"`
}

// Details decodes the event's data; the zero value when there is none.
func (e Event) Details() (Details, error) {
	var d Details
	if e.Data == nil {
		return d, nil
	}
	if err := json.Unmarshal([]byte(*e.Data), &d); err != nil {
		return d, fmt.Errorf("job: event %d: %w", e.Key, err)
	}
	return d, nil
}

const insertEvent = `INSERT INTO job_events (account_key, job_key, kind, attempt, generation, outcome, state_before, state_after,
	entry_seq, actor, operation_id, trace_id, data) VALUES (?, ?, ?, NULLIF(?::int, 0), ?, ?, ?, ?, NULLIF(?::bigint, 0), ?, ?, ?::bytea, ?::json)`

// record is an event to be written.
type record struct {
	job      Job
	kind     string
	attempt  int
	outcome  string
	before   State
	after    State
	entrySeq int64
	details  Details
	// trace is the trace id of an event that belongs to another trace than its operation; nil for the same.
	trace []byte
}

// args are insertEvent's for a change outside or inside an operation.
func (r record) args(actor, operationID string, trace []byte) ([]any, error) {
	data, err := json.Marshal(r.details)
	if err != nil {
		return nil, fmt.Errorf("job: event: %w", err)
	}
	text := any(string(data))
	if string(data) == "{}" {
		text = nil
	}
	return []any{r.job.AccountKey, r.job.Key, r.kind, r.attempt, r.job.Generation, r.outcome, string(r.before), string(r.after),
		r.entrySeq, actor, operationID, trace, text}, nil
}

// write adds the event to the statements that run with the operation's result.
func (r record) write(tx *operation.Tx) error {
	id := r.trace
	if id == nil {
		id = tx.TraceID
	}
	args, err := r.args(tx.Request.Actor.String(), tx.Request.ID, id)
	if err != nil {
		return err
	}
	tx.Finally(insertEvent, args...)
	return nil
}

// Remark adds what a person did to a job's timeline that changes neither its money nor its work. It runs with the
// result of the operation.
func Remark(tx *operation.Tx, accountKey, jobKey int64, generation int, kind string, d Details) error {
	tx.JobKey = jobKey
	return record{job: Job{AccountKey: accountKey, Key: jobKey, Generation: generation}, kind: kind, details: d}.write(tx)
}

// Change is who last did something to a job.
type Change struct {
	Kind  string
	Actor string
	At    time.Time
}

// LastChange returns the newest event of some kinds, the zero Change when there is none. Without kinds it is the newest
// that moved the work of a job for good: a requeue, discard, reopening, cancel, recovery or delivery.
func LastChange(ctx context.Context, g *gorm.DB, accountKey, jobKey int64, kinds ...string) (Change, error) {
	if len(kinds) == 0 {
		kinds = []string{EventRequeued, EventDiscarded, EventReopened, EventCanceled, EventRecovered, EventSucceeded}
	}
	var c Change
	err := g.WithContext(ctx).Raw(`SELECT kind, actor, at FROM job_events WHERE account_key = ? AND job_key = ? AND kind = ANY (?::text[])
		ORDER BY key DESC LIMIT 1`, accountKey, jobKey, where.ListOf(kinds)).Scan(&c).Error
	if err != nil {
		return c, fmt.Errorf("job: last change: %w", err)
	}
	return c, nil
}

// LastChange is LastChange over the service's database.
func (s *Service) LastChange(ctx context.Context, accountKey, jobKey int64, kinds ...string) (Change, error) {
	return LastChange(ctx, s.g, accountKey, jobKey, kinds...)
}
