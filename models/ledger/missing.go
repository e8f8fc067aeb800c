package ledger

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"recoup/models/where"
)

// MissingAccounts returns those of the ids that are no account's, in their order. It may run inside a transaction.
func MissingAccounts(ctx context.Context, g *gorm.DB, ids []string) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var out []string
	err := g.WithContext(ctx).Raw(`SELECT x.id FROM unnest(?::text[]) WITH ORDINALITY x (id, n)
		WHERE NOT EXISTS (SELECT 1 FROM accounts a WHERE a.id = x.id COLLATE "C") ORDER BY x.n`, where.ListOf(ids)).Scan(&out).Error
	if err != nil {
		return nil, fmt.Errorf("ledger: missing accounts: %w", err)
	}
	return out, nil
}
