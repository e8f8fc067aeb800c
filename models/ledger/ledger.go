// Package ledger keeps the accounts and their entries.
//
// An account's balance is the sum of its entries. The account row repeats the newest entry: it is
// the lock that orders writers and the head of the hash chain, moved in the transaction that
// appends the entry, checked by every append and rebuildable from the entries. The database
// itself refuses to change an entry, to leave a gap, or to break the sum or the chain.
package ledger

import (
	"encoding/hex"
	"time"

	"go.opentelemetry.io/otel/metric"
	"gorm.io/gorm"

	"recoup/models/operation"
)

// Type is the kind of an entry.
type Type string

// The five types. Charge, refund and reclaim name a job and move exactly its cost.
const (
	Grant      Type = "grant"
	Charge     Type = "charge"
	Refund     Type = "refund"
	Reclaim    Type = "reclaim"
	Adjustment Type = "adjustment"
)

// Types lists all types in the order screens show them.
func Types() []Type { return []Type{Grant, Charge, Refund, Reclaim, Adjustment} }

// Valid reports whether t is one of the five types.
func (t Type) Valid() bool {
	for _, known := range Types() {
		if t == known {
			return true
		}
	}
	return false
}

// Attribution says which decision priced an entry. Fields are nil where no decision did.
type Attribution struct {
	RolloutID   *string
	Cohort      *string
	RuleVersion *string
}

// Entry is one immutable row of an account's ledger.
type Entry struct {
	AccountKey   int64
	AccountID    string
	Seq          int64
	Type         Type
	Amount       int64
	BalanceAfter int64
	// JobKey is set for charge, refund and reclaim, which move a job's credits.
	JobKey *int64
	// JobID names that job, or the one whose price a settlement's payment puts right.
	JobID       *string
	OperationID string
	Attribution `gorm:"embedded"`
	Actor       string
	TraceID     []byte
	// Category is set for grants: paid, promotion or goodwill.
	Category *string
	// Reference is the external payment reference of a grant or the external document of an adjustment.
	Reference *string
	Reason    *string
	CreatedAt time.Time
	Hash      []byte

	// What the job was, and which event of its timeline wrote the entry: kind, attempt (0 when the
	// signal named none), class and code. nil and 0 for grants and adjustments, and outside List.
	JobAction    *string
	JobUnits     *int64
	Cause        *string
	CauseAttempt int
	CauseClass   *string
	CauseCode    *string
}

// TraceHex is the trace id in hexadecimal, or "".
func (e Entry) TraceHex() string { return hex.EncodeToString(e.TraceID) }

// Service reads and changes accounts and entries.
type Service struct {
	g       *gorm.DB
	ops     *operation.Store
	entries metric.Int64Counter
	credits metric.Float64Counter
	// limit is nil when nothing needs a second person.
	limit *Limit
	// known is set where g is a transaction that reads one moment, of which it is.
	known *known
}

// New makes a Service over the operation store's database.
func New(ops *operation.Store, mp metric.MeterProvider, options ...Option) (*Service, error) {
	m := mp.Meter("recoup")
	entries, err := m.Int64Counter("recoup_entries", metric.WithDescription("Entries appended, by type."))
	if err != nil {
		return nil, err
	}
	credits, err := m.Float64Counter("recoup_credits", metric.WithDescription("Credits moved, by type of entry; absolute amounts."))
	if err != nil {
		return nil, err
	}
	s := &Service{g: ops.DB(), ops: ops, entries: entries, credits: credits}
	for _, set := range options {
		set(s)
	}
	return s, nil
}
