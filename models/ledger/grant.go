package ledger

import (
	"context"
	"encoding/json"
	"fmt"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/approval"
	"recoup/models/audit"
	"recoup/models/fault"
	"recoup/models/freetext"
	"recoup/models/operation"
)

// Categories of a grant.
const (
	Paid      = "paid"
	Promotion = "promotion"
	Goodwill  = "goodwill"
)

// Envelope is what every mutation carries beside its own input.
type Envelope struct {
	OperationID string
	Actor       actor.Actor
	RequestID   string
}

// GrantRequest asks for credits to be given to an account.
type GrantRequest struct {
	Envelope
	AccountID string
	// Amount is at least 1.
	Amount int64
	// Category is Paid, Promotion or Goodwill.
	Category string
	// Reference is the payment's reference outside, up to 200 characters; may be empty.
	Reference string
	// Reason may be empty for programs; up to 500 characters.
	Reason string
	// Replaces names the change request that this grant is put in the place of by an edit; nil for none.
	Replaces *approval.Replaced
}

// AdjustRequest asks for a correction by finance. It may lead below zero.
type AdjustRequest struct {
	Envelope
	AccountID string
	// Amount is not 0.
	Amount    int64
	Reason    string
	Reference string
	// Replaces is as for a grant.
	Replaces *approval.Replaced
}

// GrantResult is the stored result of a grant or an adjustment.
type GrantResult struct {
	AccountID string `json:"account_id"`
	Entry     Posted `json:"entry"`
}

// Grant gives credits. A frozen account takes grants. Where a person does so it leaves an audit row.
//
// Above the service's limit, by itself or together with what the same requester gave the account before (see
// OverTogether), nothing is given: the outcome is waiting and its result an approval.Required, at
// every try until a second person has decided. Faults: invalid_request, account_not_found, amount_overflow,
// approval_rejected, approval_withdrawn, approval_expired, those of approval.Store.Replace where Replaces is
// set, and those of operation.Apply.
func (s *Service) Grant(ctx context.Context, r GrantRequest) (operation.Outcome, error) {
	bad := CheckGrant(r)
	return s.post(ctx, KindGrant, r.AccountID, r.Envelope, r.Replaces, bad, r.posting())
}

// CheckGrant returns what is wrong with a grant by itself, nil when nothing is.
func CheckGrant(r GrantRequest) []fault.Field {
	var bad []fault.Field
	if r.Amount < 1 {
		bad = append(bad, fault.Field{Name: "amount", Message: "must be at least 1"})
	}
	if r.Category != Paid && r.Category != Promotion && r.Category != Goodwill {
		bad = append(bad, fault.Field{Name: "category", Message: "must be paid, promotion or goodwill"})
	}
	bad = checkText(bad, "reference", r.Reference, 200, false)
	return checkText(bad, "reason", r.Reason, 500, false)
}

// Adjust corrects a balance. Limit and faults are those of Grant.
func (s *Service) Adjust(ctx context.Context, r AdjustRequest) (operation.Outcome, error) {
	var bad []fault.Field
	if r.Amount == 0 {
		bad = append(bad, fault.Field{Name: "amount", Message: "must not be 0"})
	}
	bad = checkText(bad, "reason", r.Reason, 500, true)
	bad = checkText(bad, "reference", r.Reference, 200, false)
	return s.post(ctx, KindAdjustment, r.AccountID, r.Envelope, r.Replaces, bad, Posting{Type: Adjustment, Amount: r.Amount,
		Reference: r.Reference, Reason: r.Reason})
}

func (s *Service) post(ctx context.Context, kind approval.Kind, accountID string, e Envelope, replaces *approval.Replaced, bad []fault.Field,
	p Posting) (operation.Outcome, error) {
	req := requestOf(kind, accountID, e, bad, p)
	if replaces != nil {
		req.Input["replaces"], req.Object = replaces.ID, approval.ObjectOf(replaces.ID)
	}
	if s.limit != nil {
		// Whatever the limit is by now, an earlier try may have met another.
		req.Waiting = s.limit.Requests.Standing
	}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		if replaces != nil {
			if err := s.replace(ctx, tx, *replaces, accountID, p.Reason); err != nil {
				return nil, err
			}
		}
		second, err := s.needsSecond(ctx, tx, p)
		if err != nil {
			return nil, err
		}
		if second {
			return s.propose(ctx, tx, accountID, p)
		}
		return s.give(ctx, tx, accountID, p)
	})
}

// give appends the entry of a grant or an adjustment. Where a person asked for it, the audit log says so; what a
// program asked for stands in its operation and its entry.
func (s *Service) give(ctx context.Context, tx *operation.Tx, accountID string, p Posting) (GrantResult, error) {
	posted, err := s.Post(ctx, tx, p)
	if err != nil {
		return GrantResult{}, err
	}
	r := tx.Request
	if r.Actor.Kind == actor.Staff("").Kind {
		after := map[string]any{"balance": posted.BalanceAfter, "amount": p.Amount, "entry": posted.Seq}
		for name, value := range map[string]string{"category": p.Category, "reference": p.Reference} {
			if value != "" {
				after[name] = value
			}
		}
		err = audit.Record(ctx, tx.DB, audit.Row{Actor: r.Actor, Action: r.Kind, Object: operation.Account(accountID).String(), Reason: p.Reason,
			Before: map[string]any{"balance": posted.BalanceAfter - p.Amount}, After: after,
			OperationID: r.ID, RequestID: r.RequestID, TraceID: tx.TraceID})
	}
	return GrantResult{AccountID: accountID, Entry: posted}, err
}

func requestOf(kind approval.Kind, accountID string, e Envelope, bad []fault.Field, p Posting) operation.Request {
	return operation.Request{
		Scope: operation.Account(accountID), ID: e.OperationID, Kind: string(kind), Actor: e.Actor, RequestID: e.RequestID,
		Reason: p.Reason, Invalid: bad,
		Input: operation.Input{"amount": p.Amount, "category": optional(p.Category),
			"reference": optional(p.Reference), "reason": optional(p.Reason)},
	}
}

func (r GrantRequest) posting() Posting {
	return Posting{Type: Grant, Amount: r.Amount, Category: r.Category, Reference: r.Reference, Reason: r.Reason}
}

// Operation is the operation that Grant applies, for whoever applies many grants as one (operation.Store.Claim).
// Whether the whole needs a second person is theirs to hold (OverTogether): the limit is not asked again.
func (r GrantRequest) Operation() operation.Request {
	return requestOf(KindGrant, r.AccountID, r.Envelope, CheckGrant(r), r.posting())
}

// PostGrant appends the entry of a grant whose operation was claimed as a part of another.
func (s *Service) PostGrant(ctx context.Context, tx *operation.Tx, r GrantRequest) (GrantResult, error) {
	posted, err := s.Post(ctx, tx, r.posting())
	return GrantResult{AccountID: r.AccountID, Entry: posted}, err
}

// Head is an account's key and balance.
type Head struct{ Key, Balance int64 }

// Heads returns key and balance of those accounts that exist, by their ids.
func (s *Service) Heads(ctx context.Context, g *gorm.DB, accounts []string) (map[string]Head, error) {
	b, err := json.Marshal(accounts)
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	var rows []struct {
		ID string
		Head
	}
	err = g.WithContext(ctx).Raw(`SELECT a.id, a.key, a.balance FROM accounts a
		JOIN (SELECT DISTINCT value FROM json_array_elements_text(?::json)) w ON w.value = a.id`, string(b)).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("ledger: heads: %w", err)
	}
	heads := make(map[string]Head, len(rows))
	for _, r := range rows {
		heads[r.ID] = r.Head
	}
	return heads, nil
}

// Known returns the keys of those accounts that exist, by their ids.
func (s *Service) Known(ctx context.Context, accounts []string) (map[string]int64, error) {
	b, err := json.Marshal(accounts)
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	var rows []struct {
		ID  string
		Key int64
	}
	err = s.g.WithContext(ctx).Raw(`SELECT a.id, a.key FROM accounts a JOIN (SELECT DISTINCT value FROM json_array_elements_text(?::json)) w ON w.value = a.id`,
		string(b)).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("ledger: known accounts: %w", err)
	}
	known := make(map[string]int64, len(rows))
	for _, r := range rows {
		known[r.ID] = r.Key
	}
	return known, nil
}

// checkText adds what is wrong with a text.
func checkText(bad []fault.Field, name, value string, limit int, required bool) []fault.Field {
	if problem := freetext.Problem(value, limit, required); problem != "" {
		return append(bad, fault.Field{Name: name, Message: problem})
	}
	return bad
}

// optional is nil for an empty text: absent and empty are the same input.
func optional(s string) any {
	if s == "" {
		return nil
	}
	return s
}
