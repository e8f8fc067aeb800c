package cost

import (
	"context"
	"fmt"

	"recoup/models/fault"
)

// RulePreview is what an overhead rule would claim at once: the unattributed records that it matches now.
type RulePreview struct {
	Records int64
	// Totals are their sums, one a currency, in the order of the codes.
	Totals []Total
}

// PreviewRule says what a rule with this match would claim now. Nothing is written. Fault: invalid_request.
func (s *Service) PreviewRule(ctx context.Context, m Match) (RulePreview, error) {
	if bad := m.check(); len(bad) > 0 {
		return RulePreview{}, fault.InvalidFields(bad...)
	}
	const matched = ` FROM cost_states s JOIN cost_records r ON r.key = s.record_key
		CROSS JOIN (SELECT NULL::timestamptz AS retired_at, ?::text AS source, ?::text AS description, ?::text AS dimension, ?::text AS dimension_value) c
		WHERE s.state = 'unattributed' AND ` + ruleMatches
	var p RulePreview
	err := s.g.WithContext(ctx).Raw(`SELECT r.currency, count(*) AS count, sum(r.amount) AS amount`+matched+` GROUP BY 1 ORDER BY 1`,
		m.Source, m.Description, m.Dimension, m.DimensionValue).Scan(&p.Totals).Error
	if err != nil {
		return p, fmt.Errorf("cost: preview of a rule: %w", err)
	}
	for _, t := range p.Totals {
		p.Records += t.Count
	}
	return p, nil
}
