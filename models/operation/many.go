package operation

import (
	"context"
	"encoding/json"
	"fmt"

	"gorm.io/gorm"

	"recoup/models/db"

	"recoup/models/fault"
	"recoup/models/ids"
)

// Part is one of many operations that are applied in the transaction of another: all of them or none.
type Part struct {
	tx *Tx
	by *Tx
	// Replayed is true when the operation was applied before with the same input: there is nothing left to do.
	Replayed bool
}

// Tx is the part's own transaction for its change; nil when Replayed.
func (p *Part) Tx() *Tx { return p.tx }

// Claim claims one more operation within the transaction of by, whose change has to claim all of its parts, in
// one order everywhere, before it finishes the first: so that two such transactions, or one and a single
// operation, wait for each other in one order. Faults are those of Apply, beside which operation_in_progress
// means as well that the operation waits for a decision. After a fault by must be rolled back.
func (s *Store) Claim(ctx context.Context, by *Tx, req Request) (*Part, error) {
	if err := ids.CheckOperationID(req.ID); err != nil {
		return nil, fault.InvalidField("operation_id", "%s", err)
	}
	if req.Scope == (Scope{}) || req.Scope.AccountID != "" && ids.CheckCallerID(req.Scope.AccountID) != nil {
		return nil, accountNotFound(req.Scope.AccountID)
	}
	if len(req.Invalid) > 0 {
		return nil, fault.InvalidFields(req.Invalid...)
	}
	digests, err := req.Input.digests(req.Kind)
	if err != nil {
		return nil, err
	}
	input, err := json.Marshal(digests)
	if err != nil {
		return nil, fmt.Errorf("operation: %w", err)
	}
	tx := &Tx{DB: by.DB, Request: req, TraceID: by.TraceID}
	how, _, err := s.claim(ctx, tx, string(input))
	switch {
	case err != nil:
		return nil, err
	case how == claimReplayed:
		return &Part{by: by, Replayed: true}, nil
	case how == claimLost:
		out, conflict, err := s.known(ctx, tx, digests)
		switch {
		case err != nil:
			return nil, err
		case conflict != nil:
			return nil, conflict
		case !out.Replayed || out.Waiting:
			return nil, inProgress()
		}
		return &Part{by: by, Replayed: true}, nil
	}
	return &Part{tx: tx, by: by}, nil
}

// Finish stores the result of a part that was not replayed, together with what its change left for Finally.
func (p *Part) Finish(ctx context.Context, result any) error {
	stored, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("operation: result of %s: %w", p.tx.Request.Kind, err)
	}
	if err := p.tx.finish(ctx, stored); err != nil {
		return err
	}
	p.by.afterCommit = append(p.by.afterCommit, p.tx.afterCommit...)
	return nil
}

// Standing is what is known of an operation id before it is used.
type Standing string

// The standings.
const (
	Unused    Standing = ""
	Applied   Standing = "applied"   // with the same input: sent again it is a replay
	Undecided Standing = "undecided" // with the same input, and not applied: it waits for a decision, or that was against it
	Differs   Standing = "differs"   // with another input: sent it is a conflict
)

// Standings tells of many operations in the scopes of accounts, by account's id, where each stands. It reads
// and counts nothing. The answer is in the order of reqs. Each is looked up by its key, whatever the database believes of how many there are: over
// a table that it holds for small it would compare each with each.
func (s *Store) Standings(ctx context.Context, g *gorm.DB, reqs []Request) ([]Standing, error) {
	accounts, names := make([]string, len(reqs)), make([]string, len(reqs))
	for i, r := range reqs {
		accounts[i], names[i] = r.Scope.AccountID, r.ID
	}
	var rows []struct {
		At           int
		Kind, Input  string
		InputVersion int
		Applied      bool
	}
	err := db.Planned(ctx, g, func(tx *gorm.DB) error {
		return tx.Raw(`SELECT w.at, o.kind, o.input::text AS input, o.input_version, o.result IS NOT NULL AS applied
		FROM unnest(?::text[], ?::text[]) WITH ORDINALITY AS w (account, id, at)
		JOIN LATERAL (SELECT key FROM accounts WHERE id = w.account OFFSET 0) a ON true
		JOIN LATERAL (SELECT kind, input, input_version, result FROM operations WHERE account_key = a.key AND scope = '' AND id = w.id OFFSET 0) o ON true`,
			textArray(accounts), textArray(names)).Scan(&rows).Error
	})
	if err != nil {
		return nil, fmt.Errorf("operation: standings: %w", err)
	}
	out := make([]Standing, len(reqs))
	for _, row := range rows {
		r := reqs[row.At-1]
		digests, err := r.Input.digests(r.Kind)
		if err != nil {
			return nil, err
		}
		var before map[string]string
		if err := json.Unmarshal([]byte(row.Input), &before); err != nil {
			return nil, fmt.Errorf("operation: stored input: %w", err)
		}
		switch {
		case len(differing(before, digests)) > 0:
			out[row.At-1] = Differs
		case row.Applied:
			out[row.At-1] = Applied
		default:
			out[row.At-1] = Undecided
		}
	}
	return out, nil
}
