package approval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/fault"
	"recoup/models/freetext"
	"recoup/models/operation"
)

// Scope is the scope of the operations that decide.
func Scope() operation.Scope { return operation.Named("approvals") }

// Decision is what a person says to a change request.
type Decision struct {
	OperationID string
	Actor       actor.Actor
	RequestID   string
	// ID names the change request; Version and Digest are those that the person saw.
	ID      string
	Version int
	Digest  []byte
	// Reason is required.
	Reason string
}

// Decided is the stored result of a decision.
type Decided struct {
	ChangeRequest string `json:"change_request"`
	State         State  `json:"state"`
	// Result is that of the operation which was applied, left out where none was.
	Result json.RawMessage `json:"result,omitempty"`
}

// Desk is where people decide.
type Desk struct {
	ops       *operation.Store
	executors map[Kind]Executor
}

// NewDesk makes a Desk with an executor for each kind that can be proposed.
func NewDesk(ops *operation.Store, executors map[Kind]Executor) *Desk {
	return &Desk{ops: ops, executors: executors}
}

// Approve applies what was proposed, under the operation id that it was proposed with. Faults:
// invalid_request, change_request_not_found, own_change_request, forbidden (no person), state_conflict when
// it was decided, expired, or is not what the person saw; what the executor returns; and those of
// operation.Apply. Whatever the fault, nothing was changed.
func (d *Desk) Approve(ctx context.Context, in Decision) (operation.Outcome, error) {
	return d.decide(ctx, "approve", Approved, in, d.execute)
}

// Reject voids a change request of somebody else. Faults as for Approve.
func (d *Desk) Reject(ctx context.Context, in Decision) (operation.Outcome, error) {
	return d.decide(ctx, "reject", Rejected, in, nil)
}

// Withdraw voids one's own change request. Faults as for Approve, with not_the_requester in place of
// own_change_request.
func (d *Desk) Withdraw(ctx context.Context, in Decision) (operation.Outcome, error) {
	return d.decide(ctx, "withdraw", Withdrawn, in, nil)
}

func (d *Desk) decide(ctx context.Context, kind string, to State, in Decision,
	then func(ctx context.Context, tx *operation.Tx, r Request) (json.RawMessage, error)) (operation.Outcome, error) {
	req := operation.Request{
		Scope: Scope(), ID: in.OperationID, Kind: kind, Actor: in.Actor, RequestID: in.RequestID, Object: ObjectOf(in.ID), Reason: in.Reason,
		Input:   operation.Input{"change_request": in.ID, "version": int64(in.Version), "digest": string(in.Digest), "reason": in.Reason},
		Invalid: checkReason(in.Reason),
	}
	return d.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		r, err := settle(ctx, tx, to, in, nil)
		if err != nil {
			return nil, err
		}
		if err := tell(ctx, tx, ToldDecided, r, to, ""); err != nil {
			return nil, err
		}
		out := Decided{ChangeRequest: r.ID, State: to}
		if then != nil {
			if out.Result, err = then(ctx, tx, r); err != nil {
				return nil, err
			}
		}
		return out, nil
	})
}

func (d *Desk) execute(ctx context.Context, tx *operation.Tx, r Request) (json.RawMessage, error) {
	run := d.executors[r.Kind]
	if run == nil {
		return nil, fmt.Errorf("approval: nothing can apply a change request of kind %q", r.Kind)
	}
	scope := operation.Scope{AccountKey: r.AccountKey, Name: r.Scope}
	return d.ops.Resume(ctx, tx, scope, r.OperationID, func(ctx context.Context, tx *operation.Tx) (any, error) { return run(ctx, tx, r) })
}

// Replaced names the change request that an edit puts a new proposal in the place of.
type Replaced struct {
	ID      string
	Version int
	Digest  []byte
}

// Replace voids a change request in the transaction of the operation that takes its place: an edit is a new
// proposal, and nobody can approve the old one any more. object is what the new proposal is about. Faults as
// for Withdraw, and invalid_request when the change request is about another object.
func (s *Store) Replace(ctx context.Context, tx *operation.Tx, old Replaced, object, reason string) error {
	in := Decision{OperationID: tx.Request.ID, Actor: tx.Request.Actor, RequestID: tx.Request.RequestID, ID: old.ID, Version: old.Version,
		Digest: old.Digest, Reason: reason}
	r, err := settle(ctx, tx, Withdrawn, in, &tx.Request.ID)
	if err != nil {
		return err
	}
	if r.Object != object || string(r.Kind) != tx.Request.Kind || r.AccountKey != tx.AccountKey || r.Scope != tx.Request.Scope.Name {
		return fault.InvalidField("replaces", "is about something else")
	}
	return nil
}

// settle is the one conditional update that takes a change request out of the state open, with its audit row.
func settle(ctx context.Context, tx *operation.Tx, to State, in Decision, replacedBy *string) (Request, error) {
	who := in.Actor.String()
	guard := `c.requested_by <> ? AND NOT EXISTS (SELECT 1 FROM api_keys k WHERE c.requested_by = 'key:' || k.id AND k.created_by = ?)`
	args := []any{who, who}
	if to == Withdrawn {
		guard, args = `c.requested_by = ?`, []any{who}
	} else if in.Actor.Kind != "staff" {
		return Request{}, fault.New(fault.Forbidden, fault.CodeForbidden, "Only a person decides on a change request.")
	}
	if !validID(in.ID) {
		return Request{}, notFound(in.ID)
	}
	res := tx.DB.WithContext(ctx).Exec(`UPDATE change_requests c SET state = ?, version = c.version + 1, decided_by = ?, decided_at = t.at,
			decision_reason = ?, replaced_by = ?
		FROM (SELECT clock_timestamp() AS at) t
		WHERE c.id = ? AND c.version = ? AND c.digest = ?::bytea AND c.state = 'open' AND c.expires_at > t.at AND `+guard,
		append([]any{string(to), who, in.Reason, replacedBy, in.ID, in.Version, in.Digest}, args...)...)
	if res.Error != nil {
		return Request{}, fmt.Errorf("approval: decide: %w", res.Error)
	}
	r, err := find(ctx, tx.DB, `c.id = ?`, in.ID)
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return r, notFound(in.ID)
	}
	if err != nil {
		return r, err
	}
	if res.RowsAffected != 1 {
		return r, whyNot(r, to, in)
	}
	err = audit.Record(ctx, tx.DB, audit.Row{Actor: in.Actor, Action: actions(to, replacedBy), Object: ObjectOf(in.ID), Reason: in.Reason,
		Before: map[string]any{"state": Open}, After: map[string]any{"state": to, "kind": r.Kind, "object": r.Object, "digest": r.DigestHex()},
		OperationID: in.OperationID, RequestID: in.RequestID, TraceID: tx.TraceID})
	return r, err
}

func actions(to State, replacedBy *string) string {
	switch {
	case to == Approved:
		return "approve"
	case to == Rejected:
		return "reject"
	case replacedBy != nil:
		return "edit"
	}
	return "withdraw"
}

// whyNot words, from the row as it is now, why it was not decided.
func whyNot(r Request, to State, in Decision) error {
	switch {
	case r.State != Open:
		return fault.State(string(r.State), "The change request %s is %s by now. Nothing was changed.", r.ID, r.State)
	case r.Version != in.Version || !bytes.Equal(r.Digest, in.Digest):
		return fault.State("stale", "The change request %s is not what was shown. Nothing was changed.", r.ID)
	case to == Withdrawn:
		return fault.New(fault.Forbidden, CodeNotRequester, "Only whoever made the change request %s can take it back or edit it.", r.ID)
	}
	return fault.New(fault.Forbidden, CodeOwnRequest, "Whoever made the change request %s cannot decide on it: a second person must.", r.ID)
}

// checkReason requires a reason of at most 500 characters that a screen can show.
func checkReason(reason string) []fault.Field {
	if problem := freetext.Problem(reason, 500, true); problem != "" {
		return []fault.Field{{Name: "reason", Message: problem}}
	}
	return nil
}
