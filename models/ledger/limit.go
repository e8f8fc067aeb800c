package ledger

import (
	"context"
	"encoding/json"
	"fmt"

	"recoup/models/approval"
	"recoup/models/fault"
	"recoup/models/operation"
)

// The kinds of change requests that this package makes and applies.
const (
	KindGrant      approval.Kind = "grant"
	KindAdjustment approval.Kind = "adjustment"
)

// Limit says above which amount a grant or an adjustment needs a second person, whoever asks and by
// whatever way.
type Limit struct {
	// Credits is the largest absolute amount that one person or program moves alone: in one request, and in all of
	// its requests on one account within LimitWindow.
	Credits int64
	// Requests keeps what waits for the second person.
	Requests *approval.Store
}

// Option changes how a Service works.
type Option func(*Service)

// Limited makes grants and adjustments above the limit wait for a second person. Without it there is no limit.
func Limited(l Limit) Option { return func(s *Service) { s.limit = &l } }

// LimitCredits is the largest absolute amount of a grant or an adjustment that needs no second person; ok is
// false when there is no limit.
func (s *Service) LimitCredits() (credits int64, ok bool) {
	if s.limit == nil {
		return 0, false
	}
	return s.limit.Credits, true
}

// exceeds reports whether an amount needs a second person.
func (s *Service) exceeds(amount int64) bool {
	return s.limit != nil && (amount > s.limit.Credits || amount < -s.limit.Credits)
}

// Proposed is what a change request holds for a grant or an adjustment.
type Proposed struct {
	AccountID string `json:"account_id"`
	Type      Type   `json:"type"`
	Amount    int64  `json:"amount"`
	// Category is empty for an adjustment.
	Category  string `json:"category,omitempty"`
	Reference string `json:"reference,omitempty"`
	Reason    string `json:"reason,omitempty"`
}

// ReadProposed reads what a change request of this package's kinds proposes.
func ReadProposed(r approval.Request) (Proposed, error) {
	var p Proposed
	if err := json.Unmarshal([]byte(r.Proposal), &p); err != nil {
		return p, fmt.Errorf("ledger: proposal of %s: %w", r.ID, err)
	}
	return p, nil
}

// Executors apply approved grants and adjustments, for approval.NewDesk.
func (s *Service) Executors() map[approval.Kind]approval.Executor {
	return map[approval.Kind]approval.Executor{KindGrant: s.applyProposed, KindAdjustment: s.applyProposed}
}

func (s *Service) applyProposed(ctx context.Context, tx *operation.Tx, r approval.Request) (any, error) {
	p, err := ReadProposed(r)
	if err != nil {
		return nil, err
	}
	return s.give(ctx, tx, p.AccountID, Posting{Type: p.Type, Amount: p.Amount, Category: p.Category, Reference: p.Reference, Reason: p.Reason})
}

// replace voids the change request that an edit takes the place of.
func (s *Service) replace(ctx context.Context, tx *operation.Tx, old approval.Replaced, accountID, reason string) error {
	if s.limit == nil {
		return fault.InvalidField("replaces", "is not known: nothing waits for a second person here")
	}
	return s.limit.Requests.Replace(ctx, tx, old, operation.Account(accountID).String(), reason)
}

// propose makes the operation wait for a second person.
func (s *Service) propose(ctx context.Context, tx *operation.Tx, accountID string, p Posting) (any, error) {
	required, err := s.limit.Requests.Propose(ctx, tx, approval.Proposal{Object: operation.Account(accountID).String(), Reason: p.Reason,
		What: Proposed{AccountID: accountID, Type: p.Type, Amount: p.Amount, Category: p.Category, Reference: p.Reference, Reason: p.Reason}})
	if err != nil {
		return nil, err
	}
	return required, operation.ErrWait
}
