package pricing

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"recoup/models/credit"
	"recoup/models/fault"
)

// Decision is which price applies to a charge. It is frozen with the charge.
type Decision struct {
	RuleVersion string
	// RolloutID is nil outside a rollout.
	RolloutID *string
	Cohort    string
	Price     credit.Amount
}

// Decide prices units of an action within the charge's transaction, by the rule version in force when
// its statement starts. Faults: action_not_found, invalid_request when the cost does not fit.
func Decide(ctx context.Context, tx *gorm.DB, action string, units int64) (Decision, error) {
	var rule Rule
	res := tx.WithContext(ctx).Raw(`SELECT r.id, r.action, r.version, r.unit_price, r.minimum, r.discount_bps, r.rounding
		FROM actions a JOIN rule_versions r ON r.id = a.baseline WHERE a.id = ? AND a.retired_at IS NULL`, action).Scan(&rule)
	if res.Error != nil {
		return Decision{}, fmt.Errorf("pricing: decide: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return Decision{}, fault.New(fault.Invalid, fault.CodeActionNotFound, "There is no action %q with a price. Nothing was charged.", action).
			With("field", "action")
	}
	price, err := rule.Cost(units)
	if err != nil {
		return Decision{}, fault.InvalidField("units", "cost more than a signed 64-bit number of credits under %s", rule.ID)
	}
	return Decision{RuleVersion: rule.ID, Cohort: Baseline, Price: price}, nil
}
