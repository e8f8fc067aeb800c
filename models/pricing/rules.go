package pricing

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/credit"
	"recoup/models/fault"
	"recoup/models/freetext"
	"recoup/models/operation"
)

// Scope is the scope of every change to actions and rule versions.
func Scope() operation.Scope { return operation.Named("settings") }

// exampleUnits is what a worked example counts when nobody said.
const exampleUnits = 60

// NewRule asks for a new rule version.
type NewRule struct {
	OperationID string
	Actor       actor.Actor
	RequestID   string
	Action      string
	// Unit names what is counted, e.g. "second"; it is fixed when the action is created.
	Unit        string
	UnitPrice   int64
	Minimum     int64
	DiscountBps int64
	Rounding    credit.Rounding
	// ExampleUnits is what the worked example counts; 0 for 60.
	ExampleUnits int64
	// Reason is required.
	Reason string
}

// RuleResult is the stored result of a change to rule versions.
type RuleResult struct {
	RuleVersion string `json:"rule_version"`
	// Previous is the rule version that was in force before; empty for an action's first.
	Previous string `json:"previous"`
}

// Check says what is wrong with a new rule version before anything is asked of the database; nil when
// nothing is. A reason that is missing counts.
func (n NewRule) Check() []fault.Field {
	var bad []fault.Field
	check := func(ok bool, name, message string) {
		if !ok {
			bad = append(bad, fault.Field{Name: name, Message: message})
		}
	}
	check(validAction(n.Action), "action", "must be 1 to 48 small letters, digits or _, beginning with a letter")
	check(validText(n.Unit, 40), "unit", "must have 1 to 40 characters, none of them a control character")
	check(n.UnitPrice >= 0, "unit_price", "must not be negative")
	check(n.Minimum >= 0, "minimum", "must not be negative")
	check(n.DiscountBps >= 0 && n.DiscountBps <= 10000, "discount_bps", "must be 0 to 10000")
	check(n.Rounding == credit.RoundUp || n.Rounding == credit.RoundDown || n.Rounding == credit.RoundHalfEven,
		"rounding", "must be up, down or half_even")
	check(n.ExampleUnits >= 0, "example_units", "must not be negative")
	return append(bad, checkReason(n.Reason)...)
}

func checkReason(reason string) []fault.Field {
	switch {
	case freetext.Blank(reason):
		return []fault.Field{{Name: "reason", Message: "is required"}}
	case !validText(reason, 500):
		return []fault.Field{{Name: "reason", Message: "must have at most 500 characters, none of them a control character"}}
	}
	return nil
}

func (n NewRule) request(kind string) operation.Request {
	var example any
	if n.ExampleUnits != 0 {
		example = n.ExampleUnits
	}
	return operation.Request{Scope: Scope(), ID: n.OperationID, Kind: kind, Actor: n.Actor, RequestID: n.RequestID, Reason: n.Reason,
		Object: actionObject(n.Action), Invalid: n.Check(),
		Input: operation.Input{"action": n.Action, "unit": n.Unit, "unit_price": n.UnitPrice, "minimum": n.Minimum,
			"discount_bps": n.DiscountBps, "rounding": string(n.Rounding), "example_units": example, "reason": n.Reason}}
}

// DetailUnit is under what the Detail of a refused rule version holds the unit that its action has.
const DetailUnit = "unit"

func actionObject(id string) string { return "action:" + id }

// CreateRule creates the action where it is new and appends its next rule version, without putting it in
// force. Faults: invalid_request, state_conflict when the action is retired, and those of operation.Apply.
func (s *Service) CreateRule(ctx context.Context, n NewRule) (operation.Outcome, error) {
	return s.ops.Apply(ctx, n.request("create_rule"), func(ctx context.Context, tx *operation.Tx) (any, error) {
		made, before, err := s.appendRule(ctx, tx, n)
		if err != nil {
			return nil, err
		}
		return made, s.record(ctx, tx, actionObject(n.Action), nil, map[string]any{"rule_version": made.RuleVersion, "in_force": before.Baseline})
	})
}

// SetPrice is CreateRule and PutInForce in one. Faults: those of CreateRule, and state_conflict while a
// rollout of the action is live.
func (s *Service) SetPrice(ctx context.Context, n NewRule) (operation.Outcome, error) {
	return s.ops.Apply(ctx, n.request("set_price"), func(ctx context.Context, tx *operation.Tx) (any, error) {
		made, before, err := s.appendRule(ctx, tx, n)
		if err != nil {
			return nil, err
		}
		if err := force(ctx, tx, change{action: n.Action, rule: made.RuleVersion, before: before.Baseline}); err != nil {
			return nil, err
		}
		return made, s.record(ctx, tx, actionObject(n.Action), inForce(before.Baseline), inForce(&made.RuleVersion))
	})
}

// ForceRequest asks to put a rule version in force.
type ForceRequest struct {
	OperationID string
	Actor       actor.Actor
	RequestID   string
	RuleVersion string
	// Expected is the rule version that the person saw in force, empty for none: where another is in force
	// by now, nothing is done.
	Expected string
	// Reason is required.
	Reason string
}

// PutInForce makes a rule version the price of its action. Faults: invalid_request, rule_not_found,
// state_conflict (another version than expected is in force, this one is in force already or retired, the
// action is retired, or a rollout of it is live), and those of operation.Apply.
func (s *Service) PutInForce(ctx context.Context, r ForceRequest) (operation.Outcome, error) {
	action := actionOf(r.RuleVersion)
	req := operation.Request{Scope: Scope(), ID: r.OperationID, Kind: "put_in_force", Actor: r.Actor, RequestID: r.RequestID,
		Reason: r.Reason, Object: actionObject(action), Invalid: checkReason(r.Reason),
		Input: operation.Input{"rule_version": r.RuleVersion, "expected": r.Expected, "reason": r.Reason}}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		rule, before, err := LockRule(ctx, tx.DB, r.RuleVersion)
		if err != nil {
			return nil, err
		}
		if now := orEmpty(before.Baseline); now != r.Expected {
			return nil, fault.State(now, "By now %s is in force. Nothing was changed.", orNone(now)).Because(WhyChanged).With("in_force", now)
		}
		if r.Expected == r.RuleVersion {
			return nil, fault.State(r.Expected, "%s is in force already. Nothing was changed.", r.RuleVersion).
				Because(WhyUnchanged).With("rule_version", r.RuleVersion)
		}
		if err := force(ctx, tx, change{action: rule.Action, rule: rule.ID, before: before.Baseline}); err != nil {
			return nil, err
		}
		return RuleResult{RuleVersion: rule.ID, Previous: r.Expected},
			s.record(ctx, tx, actionObject(rule.Action), inForce(before.Baseline), inForce(&rule.ID))
	})
}

// LockedAction is an action's row under its lock: nothing changes which price is in force until the transaction
// ends.
type LockedAction struct {
	Unit string
	// Baseline is the rule version in force, nil for none.
	Baseline  *string
	RetiredAt *time.Time
}

// lockAction locks an action against everything that changes which price is in force. Charges do not wait
// for it. Faults: action_not_found, state_conflict when the action is retired.
func lockAction(ctx context.Context, g *gorm.DB, id string) (LockedAction, error) {
	var a LockedAction
	res := g.WithContext(ctx).Raw(`SELECT unit, baseline, retired_at FROM actions WHERE id = ? FOR NO KEY UPDATE`, id).Scan(&a)
	switch {
	case res.Error != nil:
		return a, fmt.Errorf("pricing: lock action: %w", res.Error)
	case res.RowsAffected == 0:
		return a, fault.New(fault.NotFound, fault.CodeActionNotFound, "There is no action %q. Nothing was changed.", id)
	case a.RetiredAt != nil:
		return a, ActionRetired(id)
	}
	return a, nil
}

// LockRule locks the action of a rule version that may be put in force or tried, and reads the version under the
// lock. Faults: rule_not_found, state_conflict when the version or its action is retired.
func LockRule(ctx context.Context, g *gorm.DB, id string) (Rule, LockedAction, error) {
	action, err := lockAction(ctx, g, actionOf(id))
	if fault.Is(err, fault.CodeActionNotFound) {
		err = ruleNotFound(id)
	}
	if err != nil {
		return Rule{}, action, err
	}
	rule, err := usableRule(ctx, g, id)
	return rule, action, err
}

// appendRule makes the action where it is new and its next rule version, under the action's lock.
func (s *Service) appendRule(ctx context.Context, tx *operation.Tx, n NewRule) (RuleResult, LockedAction, error) {
	g := tx.DB.WithContext(ctx)
	if err := g.Exec(`INSERT INTO actions (id, unit) VALUES (?, ?) ON CONFLICT DO NOTHING`, n.Action, n.Unit).Error; err != nil {
		return RuleResult{}, LockedAction{}, fmt.Errorf("pricing: action: %w", err)
	}
	before, err := lockAction(ctx, tx.DB, n.Action)
	if err != nil {
		return RuleResult{}, before, err
	}
	// In a statement of its own: the one that waited for the lock would count the versions of before.
	var latest int
	if err := g.Raw(`SELECT COALESCE(max(version), 0) FROM rule_versions WHERE action = ?`, n.Action).Scan(&latest).Error; err != nil {
		return RuleResult{}, before, fmt.Errorf("pricing: latest version: %w", err)
	}
	if before.Unit != n.Unit {
		return RuleResult{}, before, fault.InvalidField("unit", "is %q for this action and cannot change", before.Unit).With(DetailUnit, before.Unit)
	}
	example := n.ExampleUnits
	if example == 0 {
		example = exampleUnits
	}
	id := n.Action + "@v" + strconv.Itoa(latest+1)
	err = g.Exec(`INSERT INTO rule_versions (id, action, version, unit_price, minimum, discount_bps, rounding, author, reason, example_units, compared_with)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, id, n.Action, latest+1, n.UnitPrice, n.Minimum, n.DiscountBps,
		string(n.Rounding), n.Actor.String(), n.Reason, example, before.Baseline).Error
	if err != nil {
		return RuleResult{}, before, fmt.Errorf("pricing: rule version: %w", err)
	}
	return RuleResult{RuleVersion: id, Previous: orEmpty(before.Baseline)}, before, nil
}

// usableRule reads a rule version that may be put in force or tried. Faults: rule_not_found, state_conflict
// when it is retired.
func usableRule(ctx context.Context, g *gorm.DB, id string) (Rule, error) {
	var row struct {
		Rule    `gorm:"embedded"`
		Retired bool
	}
	res := g.WithContext(ctx).Raw(`SELECT r.*, t.rule_version IS NOT NULL AS retired FROM rule_versions r
		LEFT JOIN rule_retirements t ON t.rule_version = r.id WHERE r.id = ?`, id).Scan(&row)
	switch {
	case res.Error != nil:
		return Rule{}, fmt.Errorf("pricing: rule version: %w", res.Error)
	case res.RowsAffected == 0:
		return Rule{}, ruleNotFound(id)
	case row.Retired:
		return Rule{}, RuleRetired(id)
	}
	return row.Rule, nil
}

func ruleNotFound(id string) *fault.Error {
	return fault.New(fault.NotFound, fault.CodeRuleNotFound, "There is no rule version %q.", id)
}

// change is one change of the price in force.
type change struct {
	action, rule string
	before       *string
	// rollout is the rollout whose completion it is, nil for none.
	rollout *string
}

// Promote puts a rollout's candidate in force, within the transaction that ended the rollout and holds the action's
// lock. Fault: state_conflict when another version than the baseline is in force.
func Promote(ctx context.Context, tx *operation.Tx, action, candidate, baseline, rolloutID string) error {
	return force(ctx, tx, change{action: action, rule: candidate, before: &baseline, rollout: &rolloutID})
}

// force puts a rule version in force. The caller holds the action's lock. Fault: state_conflict while a
// rollout of the action is live.
func force(ctx context.Context, tx *operation.Tx, c change) error {
	res := tx.DB.WithContext(ctx).Exec(`UPDATE actions SET baseline = ? WHERE id = ? AND baseline IS NOT DISTINCT FROM ? AND retired_at IS NULL
		AND NOT EXISTS (SELECT 1 FROM rollouts WHERE action = actions.id AND state IN ('running', 'paused', 'halted'))`, c.rule, c.action, c.before)
	if res.Error != nil {
		return fmt.Errorf("pricing: put in force: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return liveRollout(ctx, tx.DB, c.action)
	}
	tx.Finally(`INSERT INTO price_changes (action, rule_version, previous, rollout_id, actor, reason, operation_id) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		c.action, c.rule, c.before, c.rollout, tx.Request.Actor.String(), tx.Request.Reason, tx.Request.ID)
	return nil
}

// liveRollout says why a price cannot change now.
func liveRollout(ctx context.Context, g *gorm.DB, action string) error {
	var id string
	err := g.WithContext(ctx).Raw(`SELECT id FROM rollouts WHERE action = ? AND state IN ('running', 'paused', 'halted')`, action).Scan(&id).Error
	if err != nil {
		return fmt.Errorf("pricing: live rollout: %w", err)
	}
	return fault.State("rollout_live", "Rollout %s of %s is live: the price in force cannot change until it ends. Nothing was changed.", id, action).
		Because(WhyRolloutLive).With("rollout_id", id)
}

// record leaves the audit row of a change.
func (s *Service) record(ctx context.Context, tx *operation.Tx, object string, before, after any) error {
	r := tx.Request
	return audit.Record(ctx, tx.DB, audit.Row{Actor: r.Actor, Action: r.Kind, Object: object, Reason: r.Reason, Before: before, After: after,
		OperationID: r.ID, RequestID: r.RequestID, TraceID: tx.TraceID})
}

func inForce(rule *string) map[string]any { return map[string]any{"in_force": rule} }

// actionOf is the action of a rule version's id, or the id itself where it is none.
func actionOf(rule string) string {
	action, _, _ := strings.Cut(rule, "@")
	return action
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func orNone(s string) string {
	if s == "" {
		return "no rule version"
	}
	return s
}

// validText reports whether s can be stored and shown: 1 to limit characters of UTF-8, none of them a
// control character but tab and line breaks.
func validText(s string, limit int) bool {
	return s != "" && freetext.Problem(s, limit, false) == ""
}

func validAction(id string) bool {
	if len(id) < 1 || len(id) > 48 || id[0] < 'a' || id[0] > 'z' {
		return false
	}
	for i := 0; i < len(id); i++ {
		c := id[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}
