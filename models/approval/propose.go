package approval

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"recoup/models/audit"
	"recoup/models/fault"
	"recoup/models/operation"
)

// Propose records that the operation of tx waits for a second person, with an audit row. The change of that
// operation returns the result together with operation.ErrWait, and its request has Waiting set to Standing.
func (s *Store) Propose(ctx context.Context, tx *operation.Tx, p Proposal) (Required, error) {
	what, err := json.Marshal(p.What)
	if err != nil {
		return Required{}, fmt.Errorf("approval: proposal: %w", err)
	}
	id := "cr_" + strings.ToLower(rand.Text())[:16]
	err = tx.DB.WithContext(ctx).Exec(`INSERT INTO change_requests
			(id, kind, object, account_key, scope, operation_id, proposal, reason, requested_by, requested_at, expires_at)
		SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, t.at, LEAST(t.at + ?::bigint * interval '1 millisecond', ?::timestamptz) FROM (SELECT clock_timestamp() AS at) t`,
		id, tx.Request.Kind, p.Object, tx.AccountKey, tx.Request.Scope.Name, tx.Request.ID, string(what), p.Reason,
		tx.Request.Actor.String(), s.expiry.Milliseconds(), p.Until).Error
	if err != nil {
		return Required{}, fmt.Errorf("approval: propose: %w", err)
	}
	r, err := find(ctx, tx.DB, `c.id = ?`, id)
	if err != nil {
		return Required{}, err
	}
	err = audit.Record(ctx, tx.DB, audit.Row{Actor: tx.Request.Actor, Action: "propose", Object: ObjectOf(id), Reason: p.Reason,
		After:       map[string]any{"state": Open, "kind": r.Kind, "object": p.Object, "digest": r.DigestHex()},
		OperationID: tx.Request.ID, RequestID: tx.Request.RequestID, TraceID: tx.TraceID})
	if err != nil {
		return Required{}, err
	}
	return Required{ChangeRequest: r.View()}, tell(ctx, tx, ToldAsked, r, Open, "")
}

// Standing answers a further try of an operation that waits: with its change request while that is open,
// else with fault approval_rejected, approval_withdrawn, approval_voided or approval_expired. It is an operation.Request's
// Waiting.
func (s *Store) Standing(ctx context.Context, g *gorm.DB, stored operation.Stored) (any, error) {
	r, err := find(ctx, g, `c.account_key = ? AND c.scope = ? AND c.operation_id = ?`, stored.AccountKey, stored.Scope, stored.ID)
	if err != nil {
		return nil, err
	}
	void := func(code, format string, args ...any) error {
		f := fault.New(fault.Conflict, code, format+" Nothing was applied. Use a new operation id to propose it anew.", args...).
			With("state", string(r.State)).With("change_request", r.ID)
		if r.DecisionReason != "" {
			f = f.With("decision_reason", r.DecisionReason)
		}
		if r.ReplacedBy != nil {
			f = f.With("replaced_by", *r.ReplacedBy)
		}
		return f
	}
	switch r.State {
	case Open:
		return Required{ChangeRequest: r.View()}, nil
	case Rejected:
		return nil, void(CodeRejected, "The change request %s for this operation was rejected.", r.ID)
	case Withdrawn:
		return nil, void(CodeWithdrawn, "The change request %s for this operation was withdrawn.", r.ID)
	case Voided:
		return nil, void(CodeVoided, "What the change request %s for this operation was about has moved on.", r.ID)
	case Expired:
		return nil, void(CodeExpired, "The change request %s for this operation expired before anybody decided.", r.ID)
	}
	// Approved between the reading of the operation and of its change request: the next try finds the result.
	return nil, fault.New(fault.Busy, fault.CodeOperationInProgress,
		"The operation is just being applied. Send it again with the same operation id to get its result.")
}
