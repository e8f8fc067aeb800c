// Package deadletter is what people see and do of dead letters: the list, the groups of equal deaths, who takes care of
// which, what is out of sight until when, and the figures over all of them.
//
// One row is one death: (account, job, generation). The database opens and closes rows with the job's own update, so
// this package never decides whether a job is dead. What people do here touches neither the job's row nor its money;
// requeue, discard and the like are changes of the job and live in package job.
package deadletter

import (
	"time"

	"gorm.io/gorm"

	"recoup/models/job"
	"recoup/models/operation"
)

// Service lists dead letters and keeps what people do about them.
type Service struct {
	g   *gorm.DB
	ops *operation.Store
}

// New makes a Service.
func New(ops *operation.Store) *Service { return &Service{g: ops.DB(), ops: ops} }

// How a dead letter was closed. A requeued one says nothing of what became of the job since: its State does.
const (
	Requeued  = "requeued"
	Discarded = "discarded"
	Canceled  = "canceled"
	Succeeded = "succeeded"
)

// Outcomes lists the ways a dead letter is closed, in the order screens show them.
func Outcomes() []string { return []string{Requeued, Discarded, Canceled, Succeeded} }

// Letter is one dead letter with what a list shows of its job and account.
type Letter struct {
	AccountKey int64
	JobKey     int64
	// Generation is the one that died; the job's own may be a later one.
	Generation int
	// Fingerprint names the group; "" while it is not computed.
	Fingerprint   string
	Action        string
	Dependency    string
	ErrorClass    string
	ErrorCode     string
	ErrorMessage  string
	DeadReason    string
	WorkerVersion string
	// Cost is in credits.
	Cost int64
	// Refunded is the job's flag. A dead letter without it has money that does not fit its work.
	Refunded bool
	DeadAt   time.Time
	// ClosedAt and Outcome are nil and "" while it waits for a person.
	ClosedAt *time.Time
	Outcome  string
	// Assignee is the actor who takes care of it, "" for nobody.
	Assignee     string
	AssignedBy   string
	AssignedAt   *time.Time
	SnoozedUntil *time.Time
	SnoozedBy    string
	SnoozedAt    *time.Time
	// WokenAt is when somebody last brought it back into sight; nil for never. It stays in sight while its group is snoozed, if
	// that was snoozed before.
	WokenAt *time.Time

	AccountID   string
	AccountName string
	JobID       string
	// Attempt, State, Resolution, IsReclaimed and LateSuccessOf are the job's, now.
	Attempt       int
	State         job.State
	Resolution    string
	IsReclaimed   bool
	LateSuccessOf *job.State
	// WithGroup: it is open and out of sight because its group is snoozed, whatever SnoozedUntil says. Whoever brings it back
	// leaves the group snoozed.
	WithGroup bool
}

// Position is a dead letter's place in a list.
type Position struct {
	Refunded   bool      `json:"r"`
	At         time.Time `json:"t"`
	AccountKey int64     `json:"a"`
	JobKey     int64     `json:"j"`
	Generation int       `json:"g"`
}
