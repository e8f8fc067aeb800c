// Package cost keeps what providers billed: cost records as exact decimals in their own currency, whom each is put
// down to, the rules that call records overhead, and what a credit is worth.
//
// Records and attributions are only ever added. A record is attributed (an operation or job of ours is known),
// overhead (a rule matched it that a named person made) or unattributed. Amounts of different currencies are never
// added up.
package cost

import (
	"time"

	"gorm.io/gorm"

	"recoup/models/decimal"
	"recoup/models/operation"
)

// Codes of the refusals that only this package makes.
const (
	// CodeConflict: a record of this source and external id exists with other content.
	CodeConflict = "cost_conflict"
	// CodeRecordNotFound: there is no such cost record.
	CodeRecordNotFound = "cost_record_not_found"
	// CodeRuleNotFound: there is no such overhead rule.
	CodeRuleNotFound = "cost_rule_not_found"
)

// State says what is known of whom a record is put down to.
type State string

// The states.
const (
	Attributed   State = "attributed"
	Overhead     State = "overhead"
	Unattributed State = "unattributed"
)

// States returns all states in the order in which a screen lists them.
func States() []State { return []State{Unattributed, Attributed, Overhead} }

// Valid tells whether s is one of the states.
func (s State) Valid() bool { return s == Attributed || s == Overhead || s == Unattributed }

// Record is one line that a provider billed, with its newest attribution.
type Record struct {
	Key        int64
	Source     string
	ExternalID string
	Amount     decimal.Decimal
	Currency   string
	// OccurredAt is when it arose, or when the period begins that it is for; OccurredUntil ends the period, itself outside of it, and
	// is nil for a record of one moment.
	OccurredAt    time.Time
	OccurredUntil *time.Time
	// AccountID, JobID and JobOperationID are what the record itself named, empty where it named nothing. They need
	// not exist.
	AccountID      string
	JobID          string
	JobOperationID string
	// Action is the one that the record named; nil for none.
	Action      *string
	Description string
	// Dimensions is a JSON object of texts.
	Dimensions string
	// ImportID is the import that brought the record; nil for those of the API.
	ImportID    *string
	Actor       string
	OperationID string
	RecordedAt  time.Time

	State State
	// Seq counts the record's attributions; it is the expected version of the next one.
	Seq int64
	// ToAccountID, ToJobID and ToOperationID are whom it is put down to, nil unless attributed.
	ToAccountID   *string
	ToJobID       *string
	ToOperationID *string
	// RuleID is the overhead rule that matched; nil unless overhead.
	RuleID *string
	// KnownAction is the job's action, or else the record's; nil where neither is known.
	KnownAction *string
}

// Service records costs and attributes them.
type Service struct {
	g   *gorm.DB
	ops *operation.Store
	// lossDeliveries is at how many of the newest deliveries Losses looks; tests make it small.
	lossDeliveries int
}

// New makes a Service.
func New(ops *operation.Store) *Service {
	return &Service{g: ops.DB(), ops: ops, lossDeliveries: LossDeliveries}
}

// Scope is the scope of all operations on one source's costs.
func Scope(source string) operation.Scope { return operation.Named("costs:" + source) }
