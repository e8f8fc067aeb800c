package pricing

import (
	"context"
	"fmt"

	"gorm.io/gorm"
	"time"

	"recoup/models/credit"
	"recoup/models/fault"
)

// Action is a kind of media work, with the rule version in force.
type Action struct {
	ID   string
	Unit string
	// Rule is the price in force, zero while none was put in force: then nothing of this action is charged.
	Rule Rule `gorm:"embedded;embeddedPrefix:rule_"`
	// RetiredAt is nil while the action can be charged.
	RetiredAt *time.Time
	// Since is when the price came into force; zero where none is.
	Since time.Time
	// RolloutID is the rollout of this action that is live, nil for none.
	RolloutID *string
}

// Priced reports whether a rule version is in force.
func (a Action) Priced() bool { return a.Rule.ID != "" }

const selectActions = `SELECT a.id, a.unit, a.retired_at, r.id AS rule_id, r.action AS rule_action, r.version AS rule_version,
	r.unit_price AS rule_unit_price, r.minimum AS rule_minimum, r.discount_bps AS rule_discount_bps,
	r.rounding AS rule_rounding, r.author AS rule_author, r.reason AS rule_reason, r.created_at AS rule_created_at,
	r.example_units AS rule_example_units, r.compared_with AS rule_compared_with, COALESCE(p.at, r.created_at) AS since, o.id AS rollout_id
	FROM actions a LEFT JOIN rule_versions r ON r.id = a.baseline
	LEFT JOIN LATERAL (SELECT at FROM price_changes WHERE action = a.id ORDER BY key DESC LIMIT 1) p ON true
	LEFT JOIN rollouts o ON o.action = a.id AND o.state IN ('running', 'paused', 'halted') `

// Actions lists all actions by id, those without a price in force and the retired ones too.
func (s *Service) Actions(ctx context.Context) ([]Action, error) {
	var rows []Action
	if err := s.g.WithContext(ctx).Raw(selectActions + `ORDER BY a.id`).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("pricing: actions: %w", err)
	}
	return rows, nil
}

// Action returns one action, or fault action_not_found.
func (s *Service) Action(ctx context.Context, id string) (Action, error) {
	var a Action
	res := s.g.WithContext(ctx).Raw(selectActions+`WHERE a.id = ?`, id).Scan(&a)
	if res.Error != nil {
		return a, fmt.Errorf("pricing: action: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return a, fault.New(fault.NotFound, fault.CodeActionNotFound, "There is no action %q. Nothing was changed.", id)
	}
	return a, nil
}

// Version is a rule version with what became of it.
type Version struct {
	Rule `gorm:"embedded"`
	// InForce is true for the action's price now.
	InForce bool
	// ForcedAt, ForcedBy and ForcedWhy tell of the last time it came into force; nil where it never did.
	ForcedAt  *time.Time
	ForcedBy  *string
	ForcedWhy *string
	// RetiredAt, RetiredBy and RetiredWhy are nil unless it is retired.
	RetiredAt  *time.Time
	RetiredBy  *string
	RetiredWhy *string
	// RolloutID is a rollout that has not ended and names it, a live one before a draft: while there is one it cannot be
	// retired. Nil for none.
	RolloutID *string
}

const selectVersions = `SELECT r.*, r.id = a.baseline AS in_force, p.at AS forced_at, p.actor AS forced_by, p.reason AS forced_why,
	t.at AS retired_at, t.actor AS retired_by, t.reason AS retired_why, o.id AS rollout_id
	FROM rule_versions r JOIN actions a ON a.id = r.action
	LEFT JOIN LATERAL (SELECT at, actor, reason FROM price_changes WHERE action = r.action AND rule_version = r.id ORDER BY key DESC LIMIT 1) p ON true
	LEFT JOIN LATERAL (SELECT id FROM rollouts WHERE action = r.action AND r.id IN (baseline, candidate) AND state IN ('draft', 'running', 'paused', 'halted')
		ORDER BY state = 'draft', created_at, id LIMIT 1) o ON true
	LEFT JOIN rule_retirements t ON t.rule_version = r.id `

// Versions lists all rule versions of an action, newest first; none for an action that does not exist.
func (s *Service) Versions(ctx context.Context, action string) ([]Version, error) {
	var rows []Version
	if err := s.g.WithContext(ctx).Raw(selectVersions+`WHERE r.action = ? ORDER BY r.version DESC`, action).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("pricing: versions: %w", err)
	}
	return rows, nil
}

// Version returns one rule version, or fault rule_not_found.
func (s *Service) Version(ctx context.Context, id string) (Version, error) {
	var v Version
	res := s.g.WithContext(ctx).Raw(selectVersions+`WHERE r.id = ?`, id).Scan(&v)
	if res.Error != nil {
		return v, fmt.Errorf("pricing: version: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return v, ruleNotFound(id)
	}
	return v, nil
}

// ReadRule returns one rule version without what became of it, or fault rule_not_found. It may run inside a transaction.
func ReadRule(ctx context.Context, g *gorm.DB, id string) (Rule, error) {
	var rules []Rule
	err := g.WithContext(ctx).Raw(`SELECT id, action, version, unit_price, minimum, discount_bps, rounding, author, reason, created_at, example_units, compared_with
		FROM rule_versions WHERE id = ?`, id).Scan(&rules).Error
	if err != nil {
		return Rule{}, fmt.Errorf("pricing: rule: %w", err)
	}
	if len(rules) == 0 {
		return Rule{}, ruleNotFound(id)
	}
	return rules[0], nil
}

// Example is a worked example: what a number of units costs under a rule version, and what it cost under
// the one that was in force when the version was made.
type Example struct {
	Units int64
	Cost  credit.Amount
	// Was is nil for an action's first rule version.
	Was *credit.Amount
}

// Example works a rule version's example out; was is the version that Rule.ComparedWith names, nil when that
// is nil. It returns credit.ErrOverflow when a cost does not fit.
func (r Rule) Example(was *Rule) (Example, error) {
	e := Example{Units: r.ExampleUnits}
	var err error
	if e.Cost, err = r.Cost(e.Units); err != nil || was == nil {
		return e, err
	}
	before, err := was.Cost(e.Units)
	e.Was = &before
	return e, err
}

// Candidates lists the rule versions that a rollout may try: those of actions with a price in force that are neither in
// force nor retired, newest first.
func (s *Service) Candidates(ctx context.Context) ([]string, error) {
	var out []string
	err := s.g.WithContext(ctx).Raw(`SELECT r.id FROM rule_versions r JOIN actions a ON a.id = r.action
		WHERE a.baseline IS NOT NULL AND a.baseline <> r.id AND a.retired_at IS NULL
			AND NOT EXISTS (SELECT 1 FROM rule_retirements t WHERE t.rule_version = r.id)
		ORDER BY r.created_at DESC, r.id LIMIT 500`).Scan(&out).Error
	if err != nil {
		return nil, fmt.Errorf("pricing: candidates: %w", err)
	}
	return out, nil
}
