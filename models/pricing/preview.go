package pricing

import (
	"context"
	"fmt"

	"recoup/models/db"
	"recoup/models/fault"
)

// Preview is the decision that an account would get now. It records nothing and enrols nobody. Faults:
// account_not_found, action_not_found, invalid_request.
func (s *Service) Preview(ctx context.Context, accountID, action string, units int64) (Decision, error) {
	if units < 1 {
		return Decision{}, fault.InvalidField("units", "must be at least 1")
	}
	at, err := look(ctx, s.g.WithContext(ctx), decideByID, accountID, action, "")
	if err != nil {
		return Decision{}, err
	}
	return at.decide(action, units)
}

// Previewed is what PreviewAll says of one action.
type Previewed struct {
	Action   string
	Decision Decision
	// Err is the fault that refuses these units of this action, nil where there is a decision.
	Err error
}

// PreviewAll is Preview for every action that can be charged, by name, all of one moment. Faults: account_not_found,
// invalid_request.
func (s *Service) PreviewAll(ctx context.Context, accountID string, units int64) ([]Previewed, error) {
	if units < 1 {
		return nil, fault.InvalidField("units", "must be at least 1")
	}
	rows, err := db.Rows(ctx, s.g.WithContext(ctx), decideAll, accountID, "", "")
	if err != nil {
		return nil, fmt.Errorf("pricing: preview: %w", err)
	}
	defer rows.Close()
	known := false
	out := []Previewed{}
	for rows.Next() {
		at, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("pricing: preview: %w", err)
		}
		known = true
		if !at.action {
			continue
		}
		p := Previewed{Action: at.rule.Action}
		if p.Decision, p.Err = at.decide(p.Action, units); p.Err != nil && fault.As(p.Err) == nil {
			return nil, p.Err
		}
		out = append(out, p)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("pricing: preview: %w", err)
	}
	if !known {
		return nil, accountNotFound()
	}
	return out, nil
}
