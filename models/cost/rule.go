package cost

import (
	"context"
	"fmt"
	"strings"
	"time"

	"recoup/models/audit"
	"recoup/models/fault"
	"recoup/models/freetext"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/operation"
)

// ruleMatches is the condition under which rule c calls record r overhead.
const ruleMatches = `c.retired_at IS NULL AND (c.source = '' OR c.source = r.source)
	AND (c.description = '' OR strpos(fold(r.description), fold(c.description)) > 0)
	AND (c.dimension = '' OR r.dimensions ->> c.dimension = c.dimension_value)`

// Match selects records for an overhead rule. Empty members do not restrict; at least one must be set.
type Match struct {
	Source string
	// Description is a part of the description; case does not matter.
	Description string
	// Dimension and DimensionValue go together: the record has exactly this value under this name.
	Dimension      string
	DimensionValue string
}

// Rule says that records it matches belong to no job: they are overhead.
type Rule struct {
	Key            int64
	ID             string
	Source         string
	Description    string
	Dimension      string
	DimensionValue string
	Author         string
	Reason         string
	CreatedAt      time.Time
	// RetiredAt is nil while the rule is in force; RetiredBy and RetireReason are empty then.
	RetiredAt    *time.Time
	RetiredBy    string
	RetireReason string
	// Records counts the records that are overhead by this rule now.
	Records int64
}

func (m Match) check() []fault.Field {
	var bad []fault.Field
	if m.Source != "" {
		if err := CheckSource(m.Source); err != nil {
			bad = append(bad, fault.Field{Name: "source", Message: err.Error()})
		}
	}
	for _, t := range []struct {
		name, value string
		limit       int
	}{{"description", m.Description, MaxDescription}, {"dimension", m.Dimension, MaxDimensionName}, {"dimension_value", m.DimensionValue, MaxDimensionValue}} {
		if p := textProblem(t.value, t.limit); p != "" {
			bad = append(bad, fault.Field{Name: t.name, Message: p})
		}
	}
	if (m.Dimension == "") != (m.DimensionValue == "") {
		bad = append(bad, fault.Field{Name: "dimension_value", Message: "goes with a dimension: fill in both or none"})
	}
	if m == (Match{}) {
		bad = append(bad, fault.Field{Name: "source", Message: "or description or dimension is required"})
	}
	return bad
}

// RuleRequest asks for an overhead rule.
type RuleRequest struct {
	ledger.Envelope
	Match
	// Reason is required, up to 500 characters.
	Reason string
}

// RuleResult is the stored result of AddRule and RetireRule.
type RuleResult struct {
	RuleID string `json:"rule_id"`
	// Matched counts the unattributed records that became overhead; 0 for a retirement.
	Matched int64 `json:"matched"`
}

// AddRule makes an overhead rule: unattributed records that it matches become overhead, those there are and those to
// come. Faults: invalid_request and those of operation.Apply.
func (s *Service) AddRule(ctx context.Context, r RuleRequest) (operation.Outcome, error) {
	req := operation.Request{Scope: operation.Named("settings"), ID: r.OperationID, Kind: "cost_rule", Actor: r.Actor, RequestID: r.RequestID,
		Reason: r.Reason, Object: "cost_rules", Invalid: checkReason(r.Match.check(), r.Reason),
		Input: operation.Input{"source": r.Source, "description": r.Description, "dimension": r.Dimension, "dimension_value": r.DimensionValue, "reason": r.Reason}}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		g := tx.DB.WithContext(ctx)
		// Batches that are under way finish first; later ones see the rule.
		if err := g.Exec(`SELECT pg_advisory_xact_lock(?)`, rulesLock).Error; err != nil {
			return nil, fmt.Errorf("cost: lock: %w", err)
		}
		result := RuleResult{RuleID: ids.New()}
		var key int64
		err := g.Raw(`INSERT INTO cost_rules (id, source, description, dimension, dimension_value, author, reason) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING key`,
			result.RuleID, r.Source, r.Description, r.Dimension, r.DimensionValue, r.Actor.String(), r.Reason).Scan(&key).Error
		if err != nil {
			return nil, fmt.Errorf("cost: rule: %w", err)
		}
		res := g.Exec(`INSERT INTO cost_attributions (record_key, seq, state, rule_key, action, cause, reason, actor, operation_id)
			SELECT s.record_key, s.seq + 1, 'overhead', c.key, s.action, 'rule', c.reason, ?, ?
			FROM cost_states s JOIN cost_records r ON r.key = s.record_key JOIN cost_rules c ON c.key = ?
			WHERE s.state = 'unattributed' AND `+ruleMatches+` FOR UPDATE OF s`, r.Actor.String(), r.OperationID, key)
		if res.Error != nil {
			return nil, fmt.Errorf("cost: apply rule: %w", res.Error)
		}
		result.Matched = res.RowsAffected
		return result, audit.Record(ctx, tx.DB, audit.Row{Actor: r.Actor, Action: req.Kind, Object: "cost_rule:" + result.RuleID, Reason: r.Reason,
			After:       map[string]any{"source": r.Source, "description": r.Description, "dimension": r.Dimension, "dimension_value": r.DimensionValue, "matched": result.Matched},
			OperationID: r.OperationID, RequestID: r.RequestID, TraceID: tx.TraceID})
	})
}

// RetireRequest asks that a rule match no more.
type RetireRequest struct {
	ledger.Envelope
	RuleID string
	// Reason is required.
	Reason string
}

// RetireRule ends a rule for records to come. What it called overhead stays overhead. Faults: invalid_request,
// cost_rule_not_found, state_conflict when it is retired already, and those of operation.Apply.
func (s *Service) RetireRule(ctx context.Context, r RetireRequest) (operation.Outcome, error) {
	req := operation.Request{Scope: operation.Named("settings"), ID: r.OperationID, Kind: "cost_rule_retire", Actor: r.Actor, RequestID: r.RequestID,
		Reason: r.Reason, Object: "cost_rule:" + r.RuleID, Invalid: checkReason(nil, r.Reason), Input: operation.Input{"rule_id": r.RuleID, "reason": r.Reason}}
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		res := tx.DB.WithContext(ctx).Exec(`UPDATE cost_rules SET retired_at = clock_timestamp(), retired_by = ?, retire_reason = ?
			WHERE id = ? AND retired_at IS NULL`, r.Actor.String(), r.Reason, r.RuleID)
		if res.Error != nil {
			return nil, fmt.Errorf("cost: retire rule: %w", res.Error)
		}
		if res.RowsAffected == 0 {
			if _, err := s.rule(ctx, tx, r.RuleID); err != nil {
				return nil, err
			}
			return nil, fault.State("retired", "This overhead rule is retired already. Nothing was changed.")
		}
		return RuleResult{RuleID: r.RuleID}, audit.Record(ctx, tx.DB, audit.Row{Actor: r.Actor, Action: req.Kind, Object: req.Object, Reason: r.Reason,
			Before: map[string]any{"state": "active"}, After: map[string]any{"state": "retired"}, OperationID: r.OperationID, RequestID: r.RequestID, TraceID: tx.TraceID})
	})
}

const selectRule = `SELECT c.*, (SELECT count(*) FROM cost_states s WHERE s.rule_key = c.key) AS records FROM cost_rules c `

func (s *Service) rule(ctx context.Context, tx *operation.Tx, id string) (Rule, error) {
	g := s.g
	if tx != nil {
		g = tx.DB
	}
	var r Rule
	res := g.WithContext(ctx).Raw(selectRule+`WHERE c.id = ?`, storable(id)).Scan(&r)
	if res.Error != nil {
		return r, fmt.Errorf("cost: rule: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return r, fault.New(fault.NotFound, CodeRuleNotFound, "There is no such overhead rule.")
	}
	return r, nil
}

// Rule returns one overhead rule. Fault: cost_rule_not_found.
func (s *Service) Rule(ctx context.Context, id string) (Rule, error) { return s.rule(ctx, nil, id) }

// Rules lists overhead rules, those in force first, newest first, at most limit.
func (s *Service) Rules(ctx context.Context, limit int) ([]Rule, error) {
	var rules []Rule
	if err := s.g.WithContext(ctx).Raw(selectRule+`ORDER BY c.retired_at IS NOT NULL, c.key DESC LIMIT ?`, limit).Scan(&rules).Error; err != nil {
		return nil, fmt.Errorf("cost: rules: %w", err)
	}
	return rules, nil
}

// checkReason adds what is wrong with a person's reason.
func checkReason(bad []fault.Field, reason string) []fault.Field {
	if freetext.Blank(reason) {
		return append(bad, fault.Field{Name: "reason", Message: "is required"})
	}
	if m := textProblem(reason, 500); m != "" {
		return append(bad, fault.Field{Name: "reason", Message: m})
	}
	return bad
}

// storable is text that the database can be asked for: what no text holds finds nothing.
func storable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
