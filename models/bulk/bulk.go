// Package bulk does one thing to many dead letters: puts them back, discards, assigns or snoozes them.
//
// A bulk work begins as a frozen set of (job, generation), made in one statement from ticked rows or from a filter.
// Nothing happens before a person starts it, having typed how many there are; above a limit a second person has to
// approve. Then a few rows go first, and when those have come back, N a minute of the rest. When more than X percent of
// what came back failed again, the work stops by itself.
//
// The rows are all there is to know: what is due next, how fast, and whether to stop is read from them, so that any
// process may go on where another one ended, several may work side by side, and nothing is lost with Redis. Each row is
// an operation of its own on its job, with an id that follows from work, job and generation. What came of it is written
// in the transaction of that operation, under the condition that the work still runs and the row is still this
// process's: so a row is done once, and none is done after a pause or an abort has been answered.
package bulk

import (
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"recoup/models/approval"
	"recoup/models/credit"
	"recoup/models/deadletter"
	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/operation"
)

// Kind is what a bulk work does to each of its dead letters.
type Kind string

// The kinds.
const (
	Requeue Kind = "requeue"
	Discard Kind = "discard"
	Assign  Kind = "assign"
	Snooze  Kind = "snooze"
	// Undo takes back what a work of Assign or Snooze did; see Store.Undo.
	Undo Kind = "undo"
)

// Kinds lists those that a selection can be made for, in the order in which screens offer them.
func Kinds() []Kind { return []Kind{Requeue, Discard, Assign, Snooze} }

// paced tells whether a work of this kind goes at a rate that a person chooses. What moves no work needs none.
func (k Kind) paced() bool { return k == Requeue || k == Discard }

// State is where a bulk work stands.
type State string

// The states.
const (
	// Prepared is a frozen set that nobody has started; it is removed after KeepPrepared.
	Prepared State = "prepared"
	// Proposed waits for a second person, or did in vain: its change request knows.
	Proposed State = "proposed"
	Running  State = "running"
	Paused   State = "paused"  // by a person
	Stopped  State = "stopped" // by itself, because too many failed again
	Aborted  State = "aborted" // by a person, for good
	Done     State = "done"    // each row has its outcome
)

// Over reports whether nothing more happens to a bulk work in this state.
func (s State) Over() bool { return s == Aborted || s == Done }

// Outcome is what came of one row.
type Outcome string

// The outcomes.
const (
	Pending Outcome = ""
	Did     Outcome = "done"
	// Lost: somebody was first, and the row says who and when.
	Lost Outcome = "lost"
	// Excluded: left out on purpose, when the set was frozen or when its turn came.
	Excluded Outcome = "excluded"
	// Refused: it could not be done, for a reason that no waiting cures.
	Refused Outcome = "refused"
)

// Codes of rows that are excluded. A row that was closed before has the way it was closed as its code.
const (
	// ExcludedMoney: the job is dead and not refunded, which a person has to look at.
	ExcludedMoney = "money"
	// ExcludedFrozen: the account is frozen; for Requeue.
	ExcludedFrozen = "frozen"
	// ExcludedInBulk: another bulk work has it.
	ExcludedInBulk = "in_bulk"
)

// CodeGaveUp is the code of a row that was refused because it failed each time it was tried.
const CodeGaveUp = "gave_up"

// Back is what became of a job that was put back, in the generation that this bulk work began.
type Back string

// How a job came back.
const (
	// Out: it has not come back yet from the queue and the workers.
	Out Back = "out"
	// WithCaller: it is external and its caller has said nothing of it yet. A work waits for none of these: no worker gets
	// them, and when their callers try them again is up to them.
	WithCaller Back = "with_caller"
	// Succeeded: it was delivered.
	Succeeded Back = "succeeded"
	// Failed: an attempt of that generation failed and it has not succeeded since, or it died again.
	Failed Back = "failed"
	// Canceled: somebody ended it; it says nothing about the cause of its death.
	Canceled Back = "canceled"
)

const (
	// MaxItems is how many rows a bulk work may have.
	MaxItems = 50_000
	// MaxTicked is how many rows may be ticked.
	MaxTicked = 500
	// MaxPerMinute is the fastest rate.
	MaxPerMinute = 60_000
	// KeepPrepared is how long a set is kept that nobody started.
	KeepPrepared = 24 * time.Hour
	// Expired is the state by which a start of a set is refused that nobody started within KeepPrepared.
	Expired = "expired"
)

// The pace that forms propose.
const (
	DefaultProbe       = 10
	DefaultPerMinute   = 300
	DefaultStopPercent = 20
)

// CodeNotFound is the fault of a bulk work that does not exist.
const CodeNotFound = "bulk_work_not_found"

// Kinds of the operations of this package, in the scope of dead letters.
const (
	KindPrepare = "bulk_prepare"
	KindStart   = "bulk_start"
	KindPause   = "bulk_pause"
	KindResume  = "bulk_resume"
	KindAbort   = "bulk_abort"
	// KindStop is the audit row of a work that stopped by itself.
	KindStop = "bulk_stop"
)

// Scope is that of the operations of this package.
func Scope() operation.Scope { return operation.Named(deadletter.Scope) }

// Object is how audit rows and change requests name a bulk work.
func Object(id string) string { return "bulk_work:" + id }

// Work is a bulk work.
type Work struct {
	Key  int64
	ID   string
	Kind Kind
	// Undoes is the work that one of kind Undo takes back; nil for others.
	Undoes *string
	// Filter is the query that selected the rows, "" where they were ticked.
	Filter  string
	State   State
	Version int
	// Count, Accounts and Credits are of the frozen set without what was excluded then; Excluded is how many that were.
	Count    int64
	Accounts int64
	Credits  credit.Sum
	Excluded int64
	// Digest is a SHA-256 over account, job and generation of each row, in their order.
	Digest []byte
	// Reason and Note are what each row's operation says; Assignee and Until are for Assign and Snooze.
	Reason   string
	Note     string
	Assignee string
	Until    *time.Time
	// Probe rows go first, then PerMinute a minute; more than StopPercent that failed again stop it.
	Probe       int
	PerMinute   int
	StopPercent int
	// OperationID is that of the start, nil before it.
	OperationID *string
	// Leg counts starts and resumes.
	Leg int
	// StopFailed of StopBack had failed again when it stopped by itself; nil otherwise.
	StopFailed *int64
	StopBack   *int64
	PreparedBy string
	CreatedAt  time.Time
	StartedBy  string
	StartedAt  *time.Time
	ChangedBy  string
	ChangedAt  time.Time
	EndedAt    *time.Time
}

// Expired tells whether it is a set that nobody started within KeepPrepared, so that nobody can any more.
func (w Work) Expired(now time.Time) bool {
	return w.State == Prepared && now.Sub(w.CreatedAt) > KeepPrepared
}

// DigestHex is the digest in hexadecimal.
func (w Work) DigestHex() string { return hex.EncodeToString(w.Digest) }

const columns = `key, id, kind, undoes, filter, state, version, count, accounts, credits, excluded, digest, reason, note, assignee, until, probe, per_minute,
	stop_percent, operation_id, leg, stop_failed, stop_back, prepared_by, created_at, started_by, started_at, changed_by, changed_at, ended_at`

// Options tune a Store.
type Options struct {
	// Limit is how many dead letters one person puts back or discards alone within LimitWindow; above it a second person
	// approves.
	Limit int64
	// Requests keeps what waits for the second person; nil for no limit.
	Requests *approval.Store
}

// Store keeps bulk works and does them.
type Store struct {
	g       *gorm.DB
	ops     *operation.Store
	letters *deadletter.Service
	jobs    *job.Service
	opts    Options
}

// New makes a Store.
func New(ops *operation.Store, letters *deadletter.Service, jobs *job.Service, opts Options) *Store {
	return &Store{g: ops.DB(), ops: ops, letters: letters, jobs: jobs, opts: opts}
}

// Limit is how many dead letters need no second person, see Options.Limit; ok is false when there is no limit.
func (s *Store) Limit() (n int64, ok bool) { return s.opts.Limit, s.opts.Requests != nil }

func notFound(id string) *fault.Error {
	return fault.New(fault.NotFound, CodeNotFound, "There is no bulk work %q. Nothing was done.", id)
}

// validID tells whether a text can be the id of a bulk work.
func validID(id string) bool {
	rest, ok := strings.CutPrefix(id, "bw_")
	return ok && len(rest) == 16 && !strings.ContainsFunc(rest, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
}

// itemOperation is the id of a row's operation: the same whoever does it and however often.
func itemOperation(work string, jobKey int64, generation int) string {
	return fmt.Sprintf("bulk:%s:%d:%d", work, jobKey, generation)
}
