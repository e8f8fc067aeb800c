package pricing

import (
	"context"
	"fmt"
	"time"
)

// listedPeriods is how many periods Periods returns at most.
const listedPeriods = 200

// Period is a time in which one rule version was the price of an action.
type Period struct {
	RuleVersion string
	From        time.Time
	// Until is when another took its place; nil for the one in force.
	Until *time.Time
	// Actor put it in force, for Reason.
	Actor  string
	Reason string
	// RolloutID is the rollout whose completion put it in force, nil where a person did at once.
	RolloutID *string
}

// Periods returns when which rule version was in force, newest first, at most 200; none for an action that never had a
// price.
func (s *Service) Periods(ctx context.Context, action string) ([]Period, error) {
	var rows []Period
	err := s.g.WithContext(ctx).Raw(`SELECT rule_version, at AS "from", lead(at) OVER (ORDER BY key) AS until, actor, reason, rollout_id
		FROM price_changes WHERE action = ? ORDER BY key DESC LIMIT ?`, action, listedPeriods).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("pricing: periods: %w", err)
	}
	return rows, nil
}
