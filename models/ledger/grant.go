package ledger

import (
	"context"
	"strings"
	"unicode/utf8"

	"recoup/models/actor"
	"recoup/models/fault"
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
}

// AdjustRequest asks for a correction by finance. It may lead below zero.
type AdjustRequest struct {
	Envelope
	AccountID string
	// Amount is not 0.
	Amount    int64
	Reason    string
	Reference string
}

// GrantResult is the stored result of a grant or an adjustment.
type GrantResult struct {
	AccountID string `json:"account_id"`
	Entry     Posted `json:"entry"`
}

// Grant gives credits. Faults: invalid_request, account_not_found, amount_overflow, and those of
// operation.Apply. A frozen account takes grants.
func (s *Service) Grant(ctx context.Context, r GrantRequest) (operation.Outcome, error) {
	var bad []fault.Field
	if r.Amount < 1 {
		bad = append(bad, fault.Field{Name: "amount", Message: "must be at least 1"})
	}
	if r.Category != Paid && r.Category != Promotion && r.Category != Goodwill {
		bad = append(bad, fault.Field{Name: "category", Message: "must be paid, promotion or goodwill"})
	}
	bad = checkText(bad, "reference", r.Reference, 200, false)
	bad = checkText(bad, "reason", r.Reason, 500, false)
	return s.post(ctx, "grant", r.AccountID, r.Envelope, bad, Posting{Type: Grant, Amount: r.Amount,
		Category: r.Category, Reference: r.Reference, Reason: r.Reason})
}

// Adjust corrects a balance. Faults: invalid_request, account_not_found, amount_overflow, and those
// of operation.Apply.
func (s *Service) Adjust(ctx context.Context, r AdjustRequest) (operation.Outcome, error) {
	var bad []fault.Field
	if r.Amount == 0 {
		bad = append(bad, fault.Field{Name: "amount", Message: "must not be 0"})
	}
	bad = checkText(bad, "reason", r.Reason, 500, true)
	bad = checkText(bad, "reference", r.Reference, 200, false)
	return s.post(ctx, "adjustment", r.AccountID, r.Envelope, bad, Posting{Type: Adjustment, Amount: r.Amount,
		Reference: r.Reference, Reason: r.Reason})
}

func (s *Service) post(ctx context.Context, kind, accountID string, e Envelope, bad []fault.Field, p Posting) (operation.Outcome, error) {
	return s.ops.Apply(ctx, operation.Request{
		Scope: operation.Account(accountID), ID: e.OperationID, Kind: kind, Actor: e.Actor, RequestID: e.RequestID,
		Reason: p.Reason, Invalid: bad,
		Input: operation.Input{"amount": p.Amount, "category": optional(p.Category),
			"reference": optional(p.Reference), "reason": optional(p.Reason)},
	}, func(ctx context.Context, tx *operation.Tx) (any, error) {
		posted, err := s.Post(ctx, tx, p)
		if err != nil {
			return nil, err
		}
		return GrantResult{AccountID: accountID, Entry: posted}, nil
	})
}

// checkText refuses text that is too long, missing where required, not UTF-8, or holds control
// characters other than line breaks and tabs.
func checkText(bad []fault.Field, name, value string, limit int, required bool) []fault.Field {
	switch {
	case required && strings.TrimSpace(value) == "":
		return append(bad, fault.Field{Name: name, Message: "is required"})
	case !utf8.ValidString(value):
		return append(bad, fault.Field{Name: name, Message: "is not valid UTF-8"})
	case utf8.RuneCountInString(value) > limit:
		return append(bad, fault.Field{Name: name, Message: "is too long"})
	case strings.ContainsFunc(value, func(r rune) bool { return r < 0x20 && r != '\n' && r != '\t' && r != '\r' || r == 0x7f }):
		return append(bad, fault.Field{Name: name, Message: "holds control characters"})
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
