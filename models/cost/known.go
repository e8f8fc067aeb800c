package cost

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/decimal"
	"recoup/models/where"
)

// Example is an unattributed record, to be named on a page.
type Example struct {
	Key        int64
	Source     string
	ExternalID string
	Amount     decimal.Decimal
	Currency   string
	OccurredAt time.Time
	// Action is nil where it is not known, so that the record may concern any action.
	Action *string
}

// lastMoment is the last moment of a record, in the columns of a table: of its period, or its only one.
func lastMoment(of string) string {
	return `COALESCE(` + of + `.occurred_until - interval '1 microsecond', ` + of + `.occurred_at)`
}

// maxExamples is how many records UnattributedFor names.
const maxExamples = 5

// UnattributedFor counts the records that are unattributed and concern an action: those of that action, whenever they arose
// (a bill dates a line by the day or the month that it is for), and those without a known one that arose in [from, to), or
// whose period reaches into it, which concern every action. It also returns the oldest of them, at most
// five. It may run inside a transaction.
func UnattributedFor(ctx context.Context, g *gorm.DB, action string, from, to time.Time) (int64, []Example, error) {
	concerned := ` FROM cost_states s WHERE s.state = 'unattributed' AND (s.action = ? OR s.action IS NULL AND ` + lastMoment("s") + ` >= ? AND s.occurred_at < ?)`
	var count int64
	if err := g.WithContext(ctx).Raw(`SELECT count(*)`+concerned, action, from, to).Scan(&count).Error; err != nil {
		return 0, nil, fmt.Errorf("cost: unattributed: %w", err)
	}
	if count == 0 {
		return 0, nil, nil
	}
	var examples []Example
	err := g.WithContext(ctx).Raw(`SELECT r.key, r.source, r.external_id, r.amount, r.currency, r.occurred_at, x.action
		FROM (SELECT s.record_key, s.action, s.occurred_at`+concerned+` ORDER BY s.occurred_at, s.record_key LIMIT ?) x
		JOIN cost_records r ON r.key = x.record_key ORDER BY x.occurred_at, x.record_key`, action, from, to, maxExamples).Scan(&examples).Error
	if err != nil {
		return 0, nil, fmt.Errorf("cost: unattributed: %w", err)
	}
	return count, examples, nil
}

// Jobs selects jobs. Zero members do not restrict.
type Jobs struct {
	Action      string
	RuleVersion string
	RolloutID   string
	Cohort      string
}

// Coverage says for how many delivered jobs a cost is known.
type Coverage struct {
	// Delivered counts the jobs delivered in the period; Known those of them with at least one attributed record.
	Delivered, Known int64
}

// CoverageOf counts over the jobs that were delivered in [from, to). It may run inside a transaction. Its cost grows
// with the number of those jobs.
func CoverageOf(ctx context.Context, g *gorm.DB, of Jobs, from, to time.Time) (Coverage, error) {
	var w where.Clause
	w.And("j.delivered_at >= ? AND j.delivered_at < ?", from, to)
	for _, c := range []struct{ column, value string }{{"action", of.Action}, {"rule_version", of.RuleVersion}, {"rollout_id", of.RolloutID}, {"cohort", of.Cohort}} {
		if c.value != "" {
			w.And("j."+c.column+" = ?", c.value)
		}
	}
	var c Coverage
	err := g.WithContext(ctx).Raw(`SELECT count(*) AS delivered, count(*) FILTER (WHERE EXISTS (
			SELECT 1 FROM cost_states s WHERE s.account_key = j.account_key AND s.job_key = j.key)) AS known
		FROM jobs j `+w.SQL(), w.Args()...).Scan(&c).Error
	if err != nil {
		return c, fmt.Errorf("cost: coverage: %w", err)
	}
	return c, nil
}
