package cost

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/db"
	"recoup/models/decimal"
	"recoup/models/fault"
	"recoup/models/page"
	"recoup/models/where"
)

// Filter selects records. Zero members do not restrict.
type Filter struct {
	Source   string  `json:"source,omitempty"`
	Currency string  `json:"currency,omitempty"`
	States   []State `json:"states,omitempty"`
	Action   string  `json:"action,omitempty"`
	ImportID string  `json:"import,omitempty"`
	// RuleID selects what is overhead by this rule.
	RuleID string `json:"rule,omitempty"`
	// AccountID and JobID select what is put down to them.
	AccountID string `json:"account,omitempty"`
	JobID     string `json:"job,omitempty"`
	// Text is a part of the description or the external id; case does not matter.
	Text string     `json:"text,omitempty"`
	From *time.Time `json:"from,omitempty"`
	// To is exclusive.
	To *time.Time `json:"to,omitempty"`
}

// Position is a record's place in the list.
type Position struct {
	At  time.Time `json:"t"`
	Key int64     `json:"k"`
}

const (
	fromRecords   = ` FROM cost_records r JOIN cost_states s ON s.record_key = r.key `
	recordColumns = `r.key, r.source, r.external_id, r.amount, r.currency, r.occurred_at, r.occurred_until, r.account_id, r.job_id, r.job_operation_id, r.action,
		r.description, r.dimensions::text AS dimensions, r.import_id, r.actor, r.operation_id, r.recorded_at, s.state, s.seq,
		s.account_key, s.job_key, s.job_operation_id AS to_operation_id, s.rule_key, s.action AS known_action`
	selectRecord = `SELECT r.*, a.id AS to_account_id, j.id AS to_job_id, c.id AS rule_id FROM (SELECT ` + recordColumns + fromRecords + ` %s) r
		LEFT JOIN accounts a ON a.key = r.account_key LEFT JOIN jobs j ON j.account_key = r.account_key AND j.key = r.job_key
		LEFT JOIN cost_rules c ON c.key = r.rule_key `
)

func (f Filter) where() where.Clause {
	var w where.Clause
	equal := func(column, value string) {
		if value != "" {
			w.And(column+" = ?", value)
		}
	}
	equal("r.source", f.Source)
	equal("r.currency", f.Currency)
	equal("s.action", f.Action)
	equal("r.import_id", f.ImportID)
	switch {
	case len(f.States) == 1 && f.States[0] == Unattributed:
		// Written out, so that the partial index serves it under a generic plan.
		w.And("s.state = 'unattributed'")
	case len(f.States) > 0:
		names, _ := json.Marshal(f.States) //nolint:errcheck // strings marshal
		w.And("s.state IN (SELECT jsonb_array_elements_text(?::jsonb))", string(names))
	}
	if f.RuleID != "" {
		w.And("s.rule_key = (SELECT key FROM cost_rules WHERE id = ?)", f.RuleID)
	}
	if f.AccountID != "" {
		w.And("s.account_key = (SELECT key FROM accounts WHERE id = ?)", f.AccountID)
	}
	if f.JobID != "" {
		w.And("(s.account_key, s.job_key) IN (SELECT account_key, key FROM jobs WHERE id = ?)", f.JobID)
	}
	if f.Text != "" {
		w.And("strpos(fold(r.description), (SELECT fold(?))) > 0 OR strpos(fold(r.external_id), (SELECT fold(?))) > 0", f.Text, f.Text)
	}
	if f.From != nil {
		w.And("s.occurred_at >= ?", *f.From)
	}
	if f.To != nil {
		w.And("s.occurred_at < ?", *f.To)
	}
	return w
}

// List returns a page of records, the latest first. from is nil for the first page.
func (s *Service) List(ctx context.Context, f Filter, from *Position, dir page.Direction, limit int) (page.Page[Record, Position], error) {
	w := f.where()
	compare, order := "<", "DESC"
	if dir == page.Newer {
		compare, order = ">", "ASC"
	}
	if from != nil {
		w.And("(s.occurred_at, s.record_key) "+compare+" (?, ?)", from.At, from.Key)
	}
	by := func(at, key string) string { return fmt.Sprintf("ORDER BY %s %s, %s %s", at, order, key, order) }
	var rows []Record
	err := s.g.WithContext(ctx).Raw(fmt.Sprintf(selectRecord, w.SQL()+by("s.occurred_at", "s.record_key")+where.Limit(limit+1))+by("r.occurred_at", "r.key"), w.Args()...).
		Scan(&rows).Error
	if err != nil {
		return page.Page[Record, Position]{}, fmt.Errorf("cost: list: %w", err)
	}
	return page.Cut(rows, limit, from, dir, func(r Record) Position { return Position{At: r.OccurredAt.UTC(), Key: r.Key} }), nil
}

// Each calls do for every record that the filter selects, oldest first, all read at one moment.
func (s *Service) Each(ctx context.Context, f Filter, do func(Record) error) error {
	w := f.where()
	return db.Snapshot(ctx, s.g, func(tx *gorm.DB) error {
		rows, err := tx.WithContext(ctx).Raw(fmt.Sprintf(selectRecord, w.SQL())+"ORDER BY r.occurred_at, r.key", w.Args()...).Rows()
		if err != nil {
			return fmt.Errorf("cost: export: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			var r Record
			if err := tx.ScanRows(rows, &r); err != nil {
				return fmt.Errorf("cost: export: %w", err)
			}
			if err := do(r); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

// Total is the exact sum of one currency's records.
type Total struct {
	Currency string
	Count    int64
	Amount   decimal.Decimal
}

// Totals sums what the filter selects, one sum a currency, in the order of the codes.
func (s *Service) Totals(ctx context.Context, f Filter) ([]Total, error) {
	w := f.where()
	var totals []Total
	err := s.g.WithContext(ctx).Raw(`SELECT r.currency, count(*) AS count, sum(r.amount) AS amount`+fromRecords+w.SQL()+` GROUP BY r.currency ORDER BY r.currency`, w.Args()...).
		Scan(&totals).Error
	if err != nil {
		return nil, fmt.Errorf("cost: totals: %w", err)
	}
	return totals, nil
}

// Get returns one record by its key. Fault: cost_record_not_found.
func (s *Service) Get(ctx context.Context, key int64) (Record, error) { return get(ctx, s.g, key) }

func get(ctx context.Context, g *gorm.DB, key int64) (Record, error) {
	var r Record
	res := g.WithContext(ctx).Raw(fmt.Sprintf(selectRecord, "WHERE r.key = ?"), key).Scan(&r)
	if res.Error != nil {
		return r, fmt.Errorf("cost: record: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return r, fault.New(fault.NotFound, CodeRecordNotFound, "There is no such cost record.")
	}
	return r, nil
}

// Sources lists the sources that have records, in the order of their names, at most 200. It walks the index from name
// to name.
func (s *Service) Sources(ctx context.Context) ([]string, error) {
	var out []string
	err := s.g.WithContext(ctx).Raw(`WITH RECURSIVE v AS (
			(SELECT source AS x FROM cost_records ORDER BY source LIMIT 1)
			UNION ALL SELECT (SELECT source FROM cost_records WHERE source > v.x ORDER BY source LIMIT 1) FROM v WHERE v.x IS NOT NULL)
		SELECT x FROM v WHERE x IS NOT NULL LIMIT 200`).Scan(&out).Error
	if err != nil {
		return nil, fmt.Errorf("cost: sources: %w", err)
	}
	return out, nil
}
