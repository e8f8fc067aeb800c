package pricing

import (
	"context"
	"fmt"

	"recoup/models/actor"
	"recoup/models/fault"
	"recoup/models/operation"
)

// RetireRequest asks to retire an action or a rule version.
type RetireRequest struct {
	OperationID string
	Actor       actor.Actor
	RequestID   string
	// ID is the action or the rule version.
	ID string
	// Reason is required.
	Reason string
}

// RetireResult is the stored result of retiring.
type RetireResult struct {
	Retired string `json:"retired"`
}

// RetireRule takes a rule version out of the choice for good: it can neither be put in force nor tried any
// more. What was charged under it stays, and its name is never used again. Faults: invalid_request,
// rule_not_found, state_conflict (it is in force, is tried by a rollout that is a draft or live, or is retired
// already), and those of operation.Apply.
func (s *Service) RetireRule(ctx context.Context, r RetireRequest) (operation.Outcome, error) {
	action := actionOf(r.ID)
	req := operation.Request{Scope: Scope(), ID: r.OperationID, Kind: "retire_rule", Actor: r.Actor, RequestID: r.RequestID, Reason: r.Reason,
		Object: actionObject(action), Invalid: checkReason(r.Reason), Input: operation.Input{"rule_version": r.ID, "reason": r.Reason}}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		rule, before, err := LockRule(ctx, tx.DB, r.ID)
		if err != nil {
			return nil, err
		}
		if orEmpty(before.Baseline) == rule.ID {
			return nil, fault.State("in_force", "%s is in force: put another rule version in force first. Nothing was changed.", rule.ID).
				Because(WhyInForce).With("rule_version", rule.ID)
		}
		res := tx.DB.WithContext(ctx).Exec(`INSERT INTO rule_retirements (rule_version, actor, reason, operation_id)
			SELECT ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM rollouts WHERE ? IN (baseline, candidate)
				AND state IN ('draft', 'running', 'paused', 'halted')) ON CONFLICT DO NOTHING`,
			rule.ID, r.Actor.String(), r.Reason, r.OperationID, rule.ID)
		if res.Error != nil {
			return nil, fmt.Errorf("pricing: retire: %w", res.Error)
		}
		if res.RowsAffected == 0 {
			return nil, namedBy(ctx, tx.DB, rule.ID)
		}
		return RetireResult{Retired: rule.ID}, s.record(ctx, tx, actionObject(rule.Action), nil, map[string]any{"retired": rule.ID})
	})
}

// RetireAction takes an action out of sale for good: it is not charged and gets no new rule version any more.
// Jobs that were charged go on. Faults: invalid_request, action_not_found, state_conflict (a rollout of it is
// live, or it is retired already), and those of operation.Apply.
func (s *Service) RetireAction(ctx context.Context, r RetireRequest) (operation.Outcome, error) {
	req := operation.Request{Scope: Scope(), ID: r.OperationID, Kind: "retire_action", Actor: r.Actor, RequestID: r.RequestID, Reason: r.Reason,
		Object: actionObject(r.ID), Invalid: checkReason(r.Reason), Input: operation.Input{"action": r.ID, "reason": r.Reason}}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		if _, err := lockAction(ctx, tx.DB, r.ID); err != nil {
			return nil, err
		}
		res := tx.DB.WithContext(ctx).Exec(`UPDATE actions SET retired_at = clock_timestamp() WHERE id = ? AND retired_at IS NULL
			AND NOT EXISTS (SELECT 1 FROM rollouts WHERE action = actions.id AND state IN ('running', 'paused', 'halted'))`, r.ID)
		if res.Error != nil {
			return nil, fmt.Errorf("pricing: retire: %w", res.Error)
		}
		if res.RowsAffected == 0 {
			return nil, liveRollout(ctx, tx.DB, r.ID)
		}
		return RetireResult{Retired: r.ID}, s.record(ctx, tx, actionObject(r.ID), nil, map[string]any{"retired": true})
	})
}
