package ledger

import (
	"context"
	"fmt"
	"strings"
	"time"

	"recoup/models/db"
)

// BalancesBefore returns an account's balance before each of the moments: the sum of the entries made earlier
// than it, 0 where there is none. The result is in the order of the moments, which may be in any order and
// repeat. One statement reads all of them by a few primary key reads each, however long the account is.
// Faults: account_not_found, account_inconsistent when an entry is missing.
func (s *Service) BalancesBefore(ctx context.Context, accountID string, moments []time.Time) ([]int64, error) {
	if len(moments) == 0 {
		return nil, nil
	}
	list := make([]string, len(moments))
	for i, at := range moments {
		list[i] = `"` + at.UTC().Format("2006-01-02 15:04:05.999999Z07:00") + `"`
	}
	var balances []int64
	err := s.g.WithContext(ctx).Raw(`WITH RECURSIVE search (n, at, account_key, low, high) AS (
			SELECT m.n, m.at, a.key, 0::bigint, COALESCE((SELECT max(seq) FROM entries WHERE account_key = a.key), 0) + 1
			FROM accounts a, unnest(?::timestamptz[]) WITH ORDINALITY m (at, n) WHERE a.id = ?
			UNION ALL
			SELECT s.n, s.at, s.account_key, CASE WHEN e.created_at < s.at THEN e.seq ELSE s.low END, CASE WHEN e.created_at < s.at THEN s.high ELSE e.seq END
			FROM search s CROSS JOIN LATERAL (SELECT seq, created_at FROM entries
				WHERE account_key = s.account_key AND seq = (s.low + s.high) / 2 LIMIT 1) e
			WHERE s.high - s.low > 1)
		SELECT COALESCE((SELECT balance_after FROM entries e WHERE e.account_key = s.account_key AND e.seq = s.low), 0)
		FROM search s WHERE s.high - s.low <= 1 ORDER BY s.n`, "{"+strings.Join(list, ",")+"}", accountID).Scan(&balances).Error
	if err != nil {
		return nil, fmt.Errorf("ledger: balances: %w", err)
	}
	if len(balances) != len(moments) {
		if _, err := s.Account(ctx, accountID); err != nil {
			return nil, err
		}
		return nil, db.Inconsistent() // an entry is missing in the middle
	}
	return balances, nil
}
