package bulkgrant

import (
	"context"
	"encoding/json"
	"fmt"
)

// Entry is the entry that a line's grant wrote.
type Entry struct {
	Seq, Amount, BalanceAfter int64
}

// Entries returns the entries of those lines that were granted, by the lines' references, whichever way they were.
func (s *Store) Entries(ctx context.Context, lines []Line) (map[string]Entry, error) {
	asked, err := json.Marshal(lines)
	if err != nil {
		return nil, fmt.Errorf("bulkgrant: %w", err)
	}
	var rows []struct {
		Reference string
		Entry     `gorm:"embedded"`
	}
	err = s.g.WithContext(ctx).Raw(`SELECT l.reference, e.seq, e.amount, e.balance_after
		FROM json_to_recordset(?::json) AS l (reference text, account text)
		JOIN accounts a ON a.id = l.account
		JOIN operations o ON o.account_key = a.key AND o.scope = '' AND o.id = l.reference AND o.kind = 'grant' AND o.result IS NOT NULL
		JOIN entries e ON e.account_key = a.key AND e.operation_id = o.id AND e.seq = (o.result->'entry'->>'seq')::bigint`, string(asked)).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("bulkgrant: entries: %w", err)
	}
	out := make(map[string]Entry, len(rows))
	for _, r := range rows {
		out[r.Reference] = r.Entry
	}
	return out, nil
}
