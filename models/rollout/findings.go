package rollout

import (
	"context"
	"fmt"
	"time"

	"recoup/models/page"
	"recoup/models/where"
)

// Finding is one thing that a check found.
type Finding struct {
	Check     CheckName
	AccountID string
	// Example is what was found, with the operation.
	Example
	FoundAt time.Time
	// GoneAt is when it was put right; nil while it is open.
	GoneAt *time.Time

	accountKey int64
}

// FindingPosition is a finding's place in the list.
type FindingPosition struct {
	Open        bool      `json:"o"`
	FoundAt     time.Time `json:"t"`
	Check       CheckName `json:"c"`
	AccountKey  int64     `json:"a"`
	OperationID string    `json:"i"`
	What        string    `json:"w"`
}

// Findings returns a page of what the checks of a rollout have found, open ones first, then the newest; of one check, or of all where
// that is empty. from is nil for the first page.
func (s *Service) Findings(ctx context.Context, id string, of CheckName, from *FindingPosition, dir page.Direction, limit int) (page.Page[Finding, FindingPosition], error) {
	const place = `(f.gone_at IS NULL, f.found_at, f."check", f.account_key, f.operation_id, f.what)`
	var w where.Clause
	w.And("f.rollout_id = ?", id)
	if of != "" {
		w.And(`f."check" = ?`, string(of))
	}
	compare, order := "<", "DESC"
	if dir == page.Newer {
		compare, order = ">", "ASC"
	}
	if from != nil {
		w.And(place+" "+compare+" (?, ?, ?, ?, ?, ?)", from.Open, from.FoundAt, string(from.Check), from.AccountKey, from.OperationID, from.What)
	}
	var rows []struct {
		Finding
		AccountKey int64
	}
	err := s.g.WithContext(ctx).Raw(`SELECT f."check", COALESCE(a.id, '') AS account_id, f.account_key, f.operation_id, f.what, f.expected, f.found, f.found_at, f.gone_at
		FROM rollout_findings f LEFT JOIN accounts a ON a.key = f.account_key `+w.SQL()+`
		ORDER BY f.gone_at IS NULL `+order+`, f.found_at `+order+`, f."check" `+order+`, f.account_key `+order+`, f.operation_id `+order+`, f.what `+order+where.Limit(limit+1),
		w.Args()...).Scan(&rows).Error
	if err != nil {
		return page.Page[Finding, FindingPosition]{}, fmt.Errorf("rollout: findings: %w", err)
	}
	found := make([]Finding, len(rows))
	for i, r := range rows {
		found[i], found[i].accountKey = r.Finding, r.AccountKey
	}
	return page.Cut(found, limit, from, dir, func(f Finding) FindingPosition {
		return FindingPosition{Open: f.GoneAt == nil, FoundAt: f.FoundAt.UTC(), Check: f.Check, AccountKey: f.accountKey, OperationID: f.OperationID, What: f.What}
	}), nil
}
