// Package approval lets a second person decide on operations that one person alone may not do.
//
// Such an operation is claimed under its own id but not applied: it waits (operation.ErrWait), and a change
// request holds exactly what was proposed. Approving applies it under the very id that was proposed, in the
// transaction that decides. Rejecting, withdrawing, editing and the passing of time void the request for
// good: the id stays taken, and a new proposal needs a new one.
//
// Who asked cannot decide, whatever the role, and neither can a program. Both are held by the conditional
// update that decides and, again, by constraints of the table.
package approval

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"time"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/operation"
)

// Kind names what a change request proposes: the kind of the operation that waits.
type Kind string

// State is where a change request stands.
type State string

// The states. Only an open one can be decided.
const (
	Open      State = "open"
	Approved  State = "approved"
	Rejected  State = "rejected"
	Withdrawn State = "withdrawn"
	// Voided is one whose object has moved on: it could not be applied any more as it was proposed.
	Voided State = "voided"
	// Expired is an open one that nobody decided in time. No row holds it: the clock says so.
	Expired State = "expired"
)

// States returns all states, open first.
func States() []State { return []State{Open, Approved, Rejected, Withdrawn, Voided, Expired} }

// Codes of this package's faults.
const (
	CodeRequestNotFound = "change_request_not_found"
	// CodeOwnRequest: whoever asked cannot decide, nor can the person whose API key asked.
	CodeOwnRequest = "own_change_request"
	// CodeNotRequester: only whoever asked withdraws or edits.
	CodeNotRequester = "not_the_requester"
	// CodeRejected, CodeWithdrawn, CodeVoided and CodeExpired answer a further try of an operation whose change request
	// was voided. Its id is used up.
	CodeRejected  = "approval_rejected"
	CodeWithdrawn = "approval_withdrawn"
	CodeVoided    = "approval_voided"
	CodeExpired   = "approval_expired"
)

// Proposal is what shall be done once a second person agrees.
type Proposal struct {
	// Object names what it would change, as audit rows do, e.g. "account:acct_7".
	Object string
	// What is marshalled to JSON; those bytes are what the approver sees, what the digest is over and what
	// the kind's executor gets.
	What any
	// Reason is why; may be empty for programs.
	Reason string
	// Until is when nothing can come of it any more, ahead of now: it expires then, where that is before all others do. Nil for none.
	Until *time.Time
}

// Request is a change request.
type Request struct {
	Key    int64
	ID     string
	Kind   Kind
	Object string
	// AccountKey, AccountID, Scope and OperationID name the operation that waits. AccountID is empty and
	// AccountKey 0 for scopes of no account.
	AccountKey  int64
	AccountID   string
	Scope       string
	OperationID string
	// Proposal is the JSON of what was proposed, byte for byte.
	Proposal string
	// Digest is a SHA-256 over what was proposed, by whom, on what and under which operation id.
	Digest      []byte
	Reason      string
	RequestedBy string
	RequestedAt time.Time
	ExpiresAt   time.Time
	State       State
	Version     int
	// DecidedBy and DecidedAt are nil while it is open, and when it expired. Of a voided one they say who moved on.
	DecidedBy *string
	DecidedAt *time.Time
	// DecisionReason is what the person said; of a voided one it is the code that Void got.
	DecisionReason string
	// ReplacedBy is the operation id, in the same scope, of the proposal that an edit put in its place; nil
	// where none did.
	ReplacedBy *string
	// Behind is who made the API key that asked, and may decide as little as the key; empty where no key asked.
	Behind string
}

// AskedBy reports whether an actor is behind the change request: it asked itself, or a key of its making did.
func (r Request) AskedBy(who actor.Actor) bool {
	return r.RequestedBy == who.String() || r.Behind != "" && r.Behind == who.String()
}

// OperationScope is the scope of the operation that waits, as the API writes it.
func (r Request) OperationScope() operation.Scope {
	if r.AccountID != "" {
		return operation.Scope{AccountID: r.AccountID, Name: r.Scope}
	}
	return operation.Scope{AccountKey: r.AccountKey, Name: r.Scope}
}

// DigestHex is the digest in hexadecimal.
func (r Request) DigestHex() string { return hex.EncodeToString(r.Digest) }

// ObjectOf is how audit rows name a change request.
func ObjectOf(id string) string { return "change_request:" + id }

// View is a change request as programs get it.
type View struct {
	ID          string          `json:"id"`
	Kind        Kind            `json:"kind"`
	Object      string          `json:"object"`
	State       State           `json:"state"`
	Version     int             `json:"version"`
	Scope       string          `json:"scope"`
	OperationID string          `json:"operation_id"`
	Proposal    json.RawMessage `json:"proposal"`
	Digest      string          `json:"digest"`
	Reason      string          `json:"reason"`
	RequestedBy string          `json:"requested_by"`
	RequestedAt time.Time       `json:"requested_at"`
	ExpiresAt   time.Time       `json:"expires_at"`
	DecidedBy   *string         `json:"decided_by"`
	DecidedAt   *time.Time      `json:"decided_at"`
	// DecisionReason is empty while nobody decided.
	DecisionReason string `json:"decision_reason"`
	// ReplacedBy is the operation id of the proposal that took its place, null where none did.
	ReplacedBy *string `json:"replaced_by"`
}

// View makes the view.
func (r Request) View() View {
	v := View{ID: r.ID, Kind: r.Kind, Object: r.Object, State: r.State, Version: r.Version, Scope: r.OperationScope().String(),
		OperationID: r.OperationID, Proposal: json.RawMessage(r.Proposal), Digest: r.DigestHex(), Reason: r.Reason, RequestedBy: r.RequestedBy,
		RequestedAt: r.RequestedAt.UTC(), ExpiresAt: r.ExpiresAt.UTC(), DecidedBy: r.DecidedBy, DecisionReason: r.DecisionReason,
		ReplacedBy: r.ReplacedBy}
	if r.DecidedAt != nil {
		at := r.DecidedAt.UTC()
		v.DecidedAt = &at
	}
	return v
}

// Required is the result of an operation that waits.
type Required struct {
	ChangeRequest View `json:"change_request"`
}

// Store proposes and reads change requests.
type Store struct {
	g      *gorm.DB
	expiry time.Duration
}

// DefaultExpiry is how long a change request stays open when nothing else is configured.
const DefaultExpiry = 7 * 24 * time.Hour

// NewStore makes a Store whose proposals stay open for expiry, DefaultExpiry when that is not positive.
func NewStore(g *gorm.DB, expiry time.Duration) *Store {
	if expiry <= 0 {
		expiry = DefaultExpiry
	}
	return &Store{g: g, expiry: expiry}
}

// Executor applies what a change request proposes, in the transaction that approves it. tx is the proposed
// operation's own: its id, its scope, and the requester as its actor. What it returns is that operation's
// stored result. A fault leaves the change request open.
type Executor func(ctx context.Context, tx *operation.Tx, r Request) (result any, err error)
