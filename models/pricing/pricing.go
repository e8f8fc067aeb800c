// Package pricing holds the actions that can be charged and the immutable rule versions that price
// them, and decides which rule version applies to a charge.
package pricing

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/credit"
	"recoup/models/fault"
	"recoup/models/operation"
)

// Baseline is the cohort of every charge that no candidate priced.
const Baseline = "baseline"

// Rule is one immutable version of an action's price.
type Rule struct {
	// ID is "<action>@v<version>".
	ID      string
	Action  string
	Version int
	// UnitPrice is in thousandths of a credit a unit.
	UnitPrice int64
	// Minimum is in credits.
	Minimum int64
	// DiscountBps is in hundredths of a percent, 0–10000.
	DiscountBps int64
	Rounding    credit.Rounding
	Author      string
	Reason      string
	CreatedAt   time.Time
}

// Cost prices a number of units:
// max(minimum, round(units × unit_price × (10000 − discount_bps) / 10 000 000)), rounded once.
// It returns credit.ErrOverflow when the cost does not fit. units must be at least 1.
func (r Rule) Cost(units int64) (credit.Amount, error) {
	if units < 1 {
		return 0, fmt.Errorf("pricing: units %d below 1", units)
	}
	cost, err := credit.Product(uint64(units), uint64(r.UnitPrice), uint64(10000-r.DiscountBps), 10_000_000, r.Rounding)
	if err != nil {
		return 0, err
	}
	return max(cost, r.Minimum), nil
}

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
		FROM actions a JOIN rule_versions r ON r.id = a.baseline WHERE a.id = ?`, action).Scan(&rule)
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

// Service reads and changes actions and rule versions.
type Service struct {
	g   *gorm.DB
	ops *operation.Store
}

// New makes a Service.
func New(ops *operation.Store) *Service { return &Service{g: ops.DB(), ops: ops} }

// NewRule asks for a new rule version that becomes the action's price in force.
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
	// Reason is required.
	Reason string
}

// RuleResult is the stored result of SetPrice.
type RuleResult struct {
	RuleVersion string `json:"rule_version"`
	Previous    string `json:"previous"`
}

// SetPrice creates the action where it is new, appends its next rule version and puts it in force.
// Faults: invalid_request and those of operation.Apply.
func (s *Service) SetPrice(ctx context.Context, n NewRule) (operation.Outcome, error) {
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
	check(strings.TrimSpace(n.Reason) != "", "reason", "is required")
	check(n.Reason == "" || validText(n.Reason, 500), "reason", "must have at most 500 characters, none of them a control character")
	req := operation.Request{Scope: operation.Named("settings"), ID: n.OperationID, Kind: "set_price", Actor: n.Actor,
		RequestID: n.RequestID, Reason: n.Reason, Object: "action:" + n.Action, Invalid: bad,
		Input: operation.Input{"action": n.Action, "unit": n.Unit, "unit_price": n.UnitPrice, "minimum": n.Minimum,
			"discount_bps": n.DiscountBps, "rounding": string(n.Rounding), "reason": n.Reason}}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		g := tx.DB.WithContext(ctx)
		if err := g.Exec(`INSERT INTO actions (id, unit) VALUES (?, ?) ON CONFLICT DO NOTHING`, n.Action, n.Unit).Error; err != nil {
			return nil, fmt.Errorf("pricing: action: %w", err)
		}
		var before struct {
			Unit     string
			Baseline *string
		}
		err := g.Raw(`SELECT unit, baseline FROM actions WHERE id = ? FOR NO KEY UPDATE`, n.Action).Scan(&before).Error
		if err != nil {
			return nil, fmt.Errorf("pricing: lock action: %w", err)
		}
		// In a statement of its own: the one that waited for the lock would count the versions of before.
		var latest int
		if err := g.Raw(`SELECT COALESCE(max(version), 0) FROM rule_versions WHERE action = ?`, n.Action).Scan(&latest).Error; err != nil {
			return nil, fmt.Errorf("pricing: latest version: %w", err)
		}
		if before.Unit != n.Unit {
			return nil, fault.InvalidField("unit", "is %q for this action and cannot change", before.Unit)
		}
		id := n.Action + "@v" + strconv.Itoa(latest+1)
		err = g.Exec(`INSERT INTO rule_versions (id, action, version, unit_price, minimum, discount_bps, rounding, author, reason)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, id, n.Action, latest+1, n.UnitPrice, n.Minimum, n.DiscountBps,
			string(n.Rounding), n.Actor.String(), n.Reason).Error
		if err != nil {
			return nil, fmt.Errorf("pricing: rule version: %w", err)
		}
		if err := g.Exec(`UPDATE actions SET baseline = ? WHERE id = ?`, id, n.Action).Error; err != nil {
			return nil, fmt.Errorf("pricing: put in force: %w", err)
		}
		result := RuleResult{RuleVersion: id}
		if before.Baseline != nil {
			result.Previous = *before.Baseline
		}
		return result, nil
	})
}

// validText reports whether s can be stored and shown: 1 to limit characters of UTF-8, none of them a
// control character but tab and line breaks.
func validText(s string, limit int) bool {
	n := utf8.RuneCountInString(s)
	return n >= 1 && n <= limit && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r < 0x20 && r != '\n' && r != '\r' && r != '\t' || r == 0x7f
	})
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

// Action is something that can be charged, with the rule version in force.
type Action struct {
	ID   string
	Unit string
	Rule Rule `gorm:"embedded;embeddedPrefix:rule_"`
}

// Actions lists all actions by id with their price in force.
func (s *Service) Actions(ctx context.Context) ([]Action, error) {
	var rows []Action
	err := s.g.WithContext(ctx).Raw(`SELECT a.id, a.unit, r.id AS rule_id, r.action AS rule_action, r.version AS rule_version,
		r.unit_price AS rule_unit_price, r.minimum AS rule_minimum, r.discount_bps AS rule_discount_bps,
		r.rounding AS rule_rounding, r.author AS rule_author, r.reason AS rule_reason, r.created_at AS rule_created_at
		FROM actions a JOIN rule_versions r ON r.id = a.baseline ORDER BY a.id`).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("pricing: actions: %w", err)
	}
	return rows, nil
}
