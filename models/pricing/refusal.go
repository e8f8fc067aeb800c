package pricing

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"recoup/models/fault"
)

// Why the state of an action or a rule version does not allow what was asked: what fault.DetailWhy of a state_conflict
// holds. Beside each stand the facts that Detail has too.
const (
	// WhyActionRetired: the action is retired. action.
	WhyActionRetired = "action_retired"
	// WhyRuleRetired: the rule version is retired. rule_version.
	WhyRuleRetired = "rule_retired"
	// WhyInForce: the rule version is in force. rule_version.
	WhyInForce = "rule_in_force"
	// WhyInRollout: a rollout that has not ended names the rule version. rule_version, rollout_id.
	WhyInRollout = "rule_in_rollout"
	// WhyRolloutLive: a rollout of the action is live. rollout_id.
	WhyRolloutLive = "rollout_live"
	// WhyChanged: another rule version is in force than whoever asked has seen. in_force, empty for none.
	WhyChanged = "price_changed"
	// WhyUnchanged: the rule version is in force already. rule_version.
	WhyUnchanged = "price_unchanged"
)

// ActionRetired refuses a change of an action that is retired.
func ActionRetired(id string) *fault.Error {
	return fault.State("retired", "Action %s is retired. Nothing was changed.", id).Because(WhyActionRetired).With("action", id)
}

// RuleRetired refuses a change to a rule version that is retired.
func RuleRetired(id string) *fault.Error {
	return fault.State("retired", "Rule version %s is retired. Nothing was changed.", id).Because(WhyRuleRetired).With("rule_version", id)
}

// namedBy says which rollout keeps a rule version from being retired.
func namedBy(ctx context.Context, g *gorm.DB, rule string) error {
	var id string
	err := g.WithContext(ctx).Raw(`SELECT id FROM rollouts WHERE ? IN (baseline, candidate) AND state IN ('draft', 'running', 'paused', 'halted')
		ORDER BY state = 'draft', created_at, id LIMIT 1`, rule).Scan(&id).Error
	if err != nil {
		return fmt.Errorf("pricing: named by: %w", err)
	}
	return fault.State("in_rollout", "Rollout %s has not ended and names %s. Nothing was changed.", id, rule).
		Because(WhyInRollout).With("rule_version", rule).With("rollout_id", id)
}
