// Package job keeps units of media work: charged once, tried until they succeed or are dead, refunded
// on failure and reclaimed when a "failed" result arrives after all.
//
// Money and work are kept apart. Money has two flags, is_refunded and is_reclaimed, and each change
// of one is a single conditional update: whoever it reports one row to has won and, in the same
// transaction, appends the entry. The state of the work changes by conditional updates of its own.
// Locks are taken in one order everywhere: operation, job, account, entry, then the narrow tables.
package job

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/metric"
	"gorm.io/gorm"

	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/operation"
)

// State is where the work stands.
type State string

// The states. Succeeded, canceled and discarded are ends, though a late success moves canceled,
// dead and discarded jobs to succeeded.
const (
	Queued    State = "queued"
	Running   State = "running"
	Retrying  State = "retrying"
	Dead      State = "dead"
	Succeeded State = "succeeded"
	Canceled  State = "canceled"
	Discarded State = "discarded"
)

// States lists all states in the order screens show them.
func States() []State {
	return []State{Queued, Running, Retrying, Dead, Succeeded, Canceled, Discarded}
}

// Mode says who runs a job.
type Mode string

const (
	// Managed jobs are handed to workers from our line.
	Managed Mode = "managed"
	// External jobs are run by the caller, who only signals.
	External Mode = "external"
)

// What a signal, a timer or a person did to the money.
const (
	Refunded         = "refunded"
	AlreadyRefunded  = "already_refunded"
	DeliveredBefore  = "delivered_before"
	Reclaimed        = "reclaimed"
	AlreadyReclaimed = "already_reclaimed"
	NothingToReclaim = "nothing_to_reclaim"
)

// Classes of failure.
const (
	Transient = "transient"
	Throttled = "throttled"
	Permanent = "permanent"
	TimedOut  = "timed_out"
)

// Job is a job's row without its payload.
type Job struct {
	AccountKey     int64 `gorm:"primaryKey"`
	Key            int64 `gorm:"primaryKey"`
	ID             string
	Action         string
	Units          int64
	Mode           Mode
	Dependency     string
	Cost           int64
	RuleVersion    string
	RolloutID      *string
	Cohort         string
	OperationID    string
	IsRefunded     bool
	RefundedAt     *time.Time
	IsReclaimed    bool
	ReclaimedAt    *time.Time
	DeliveredAt    *time.Time
	Deliveries     int
	Result         string
	State          State
	Attempt        int
	Generation     int
	GenerationBase int
	NotBefore      time.Time
	ExpiresAt      time.Time
	LeaseUntil     *time.Time
	DeadlineAt     *time.Time
	LateSuccessOf  *State
	ErrorClass     string
	ErrorCode      string
	ErrorMessage   string
	DeadReason     string
	DeadAt         *time.Time
	// Resolution is why a person discarded the job; empty unless it is discarded.
	Resolution string
	// ResolvedAt is when a person discarded the job; nil unless it is discarded.
	ResolvedAt    *time.Time
	MaxAttempts   int
	LeaseMs       int64
	DeadlineMs    *int64
	ExpiresMs     int64
	BackoffBaseMs int64
	BackoffMaxMs  int64
	Jitter        bool
	TraceID       []byte
	Traceparent   string
	CreatedAt     time.Time
	UpdatedAt     time.Time `gorm:"autoUpdateTime:false"`
}

// TableName tells GORM the table.
func (Job) TableName() string { return "jobs" }

// TraceHex is the trace id of the charge in hexadecimal, or "".
func (j Job) TraceHex() string { return hex.EncodeToString(j.TraceID) }

// Net is what the job has cost the account so far: −cost, or 0 while it is refunded.
func (j Job) Net() int64 {
	if j.IsRefunded && !j.IsReclaimed {
		return 0
	}
	return -j.Cost
}

// runsUntil is when a running external job's deadline or, without one, its life ends.
func (j Job) runsUntil() time.Time {
	if j.DeadlineAt != nil && j.DeadlineAt.Before(j.ExpiresAt) {
		return *j.DeadlineAt
	}
	return j.ExpiresAt
}

func (j Job) attribution() ledger.Attribution {
	cohort, rule := j.Cohort, j.RuleVersion
	return ledger.Attribution{RolloutID: j.RolloutID, Cohort: &cohort, RuleVersion: &rule}
}

// View is a job as answers and stored results show it.
type View struct {
	AccountID   string     `json:"account_id"`
	JobID       string     `json:"job_id"`
	Action      string     `json:"action"`
	Units       int64      `json:"units"`
	Mode        Mode       `json:"mode"`
	Dependency  string     `json:"dependency,omitempty"`
	State       State      `json:"state"`
	Cost        int64      `json:"cost"`
	Net         int64      `json:"net"`
	RuleVersion string     `json:"rule_version"`
	RolloutID   *string    `json:"rollout_id"`
	Cohort      string     `json:"cohort"`
	IsRefunded  bool       `json:"is_refunded"`
	IsReclaimed bool       `json:"is_reclaimed"`
	DeliveredAt *time.Time `json:"delivered_at"`
	Attempt     int        `json:"attempt"`
	MaxAttempts int        `json:"max_attempts"`
	Generation  int        `json:"generation"`
	NotBefore   time.Time  `json:"not_before"`
	ExpiresAt   time.Time  `json:"expires_at"`
	LateSuccess *State     `json:"late_success_of"`
	LastError   *LastError `json:"last_error"`
	CreatedAt   time.Time  `json:"created_at"`
}

// LastError is the newest failure of a job.
type LastError struct {
	Class   string `json:"class"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Show makes the View of a job of the named account.
func (j Job) Show(accountID string) View {
	v := View{AccountID: accountID, JobID: j.ID, Action: j.Action, Units: j.Units, Mode: j.Mode, Dependency: j.Dependency,
		State: j.State, Cost: j.Cost, Net: j.Net(), RuleVersion: j.RuleVersion, RolloutID: j.RolloutID, Cohort: j.Cohort,
		IsRefunded: j.IsRefunded, IsReclaimed: j.IsReclaimed, DeliveredAt: utc(j.DeliveredAt), Attempt: j.Attempt,
		MaxAttempts: j.MaxAttempts, Generation: j.Generation, NotBefore: j.NotBefore.UTC(), ExpiresAt: j.ExpiresAt.UTC(),
		LateSuccess: j.LateSuccessOf, CreatedAt: j.CreatedAt.UTC()}
	if j.ErrorClass != "" {
		v.LastError = &LastError{Class: j.ErrorClass, Code: j.ErrorCode, Message: j.ErrorMessage}
	}
	return v
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}

// Service charges jobs and carries them through their states.
type Service struct {
	g       *gorm.DB
	ops     *operation.Store
	ledger  *ledger.Service
	policy  Policy
	secret  []byte
	kick    func()
	guards  metric.Int64Counter
	dead    metric.Int64Counter
	arrival *arrival
}

// Options are what a Service needs beside the stores.
type Options struct {
	Policy Policy
	// Secret derives lease tokens; all processes of an installation share it. At least 32 bytes.
	Secret []byte
	// Kick is called after a commit that left outbox rows; nil for nothing. It must not block.
	Kick func()
}

// New makes a Service.
func New(ops *operation.Store, l *ledger.Service, o Options, mp metric.MeterProvider) (*Service, error) {
	if len(o.Secret) < 32 {
		return nil, fmt.Errorf("job: the secret must have at least 32 bytes")
	}
	m := mp.Meter("recoup")
	guards, err := m.Int64Counter("recoup_guards", metric.WithDescription("Guarded conditional writes by guard and outcome: won or lost."))
	if err != nil {
		return nil, err
	}
	dead, err := m.Int64Counter("recoup_dead_letters", metric.WithDescription("Jobs that became dead letters, by reason."))
	if err != nil {
		return nil, err
	}
	kick := o.Kick
	if kick == nil {
		kick = func() {}
	}
	return &Service{g: ops.DB(), ops: ops, ledger: l, policy: o.Policy, secret: o.Secret, kick: kick,
		guards: guards, dead: dead, arrival: newArrival()}, nil
}

// ref finds one job: by the caller's id or by its key.
type ref struct {
	accountKey int64
	id         string
	key        int64
	// generation is the one that must still be the job's where a person moves it; nil for any.
	generation *int64
	// seen are the states one of which must still be the job's where a person moves it; nil for any.
	seen []State
}

func (r ref) where(q *gorm.DB) *gorm.DB {
	if r.key != 0 {
		return q.Where("account_key = ? AND key = ?", r.accountKey, r.key)
	}
	return q.Where("account_key = ? AND id = ?", r.accountKey, r.id)
}

// read returns the job as it is now, or fault job_not_found. It takes no lock.
func read(ctx context.Context, g *gorm.DB, r ref) (Job, error) {
	var j Job
	res := r.where(g.WithContext(ctx).Model(&Job{})).Limit(1).Find(&j)
	if res.Error != nil {
		return j, fmt.Errorf("job: read: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return j, fault.New(fault.NotFound, fault.CodeJobNotFound, "There is no job %q in this account. Nothing was done.", r.id)
	}
	return j, nil
}
