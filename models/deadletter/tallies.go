package deadletter

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"recoup/models/db"
)

// RewriteTallies counts the open dead letters of all groups anew and returns how many tallies were written. Whatever moves
// dead letters waits meanwhile. It is for what verify finds; nothing else makes tallies wrong.
func (s *Service) RewriteTallies(ctx context.Context) (int64, error) {
	var n int64
	err := db.InTx(ctx, s.g, func(tx *gorm.DB) error {
		for _, statement := range []string{
			`LOCK TABLE dead_letters IN SHARE ROW EXCLUSIVE MODE`,
			`DELETE FROM dead_letter_accounts`,
			`INSERT INTO dead_letter_accounts (fingerprint, account_key, open)
				SELECT fingerprint, account_key, count(*) FROM dead_letters WHERE closed_at IS NULL AND fingerprint <> '' GROUP BY 1, 2`,
			`DELETE FROM dead_letter_tallies`,
			`INSERT INTO dead_letter_tallies (fingerprint, shard, open, accounts, refunded, charged)
				SELECT fingerprint, account_key % 16, count(*), count(DISTINCT account_key), COALESCE(sum(cost) FILTER (WHERE refunded), 0), COALESCE(sum(cost) FILTER (WHERE NOT refunded), 0)
				FROM dead_letters WHERE closed_at IS NULL AND fingerprint <> '' GROUP BY 1, 2`,
		} {
			res := tx.WithContext(ctx).Exec(statement)
			if res.Error != nil {
				return fmt.Errorf("deadletter: tallies: %w", res.Error)
			}
			n = res.RowsAffected
		}
		return nil
	})
	return n, err
}
