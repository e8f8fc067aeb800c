package ledger

import (
	"context"
	"fmt"

	"recoup/models/where"
)

// Missing returns those of the ids that are no account's, in their order.
func (s *Service) Missing(ctx context.Context, ids []string) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var out []string
	err := s.g.WithContext(ctx).Raw(`SELECT x.id FROM unnest(?::text[]) WITH ORDINALITY x (id, n)
		WHERE NOT EXISTS (SELECT 1 FROM accounts a WHERE a.id = x.id COLLATE "C") ORDER BY x.n`, where.ListOf(ids)).Scan(&out).Error
	if err != nil {
		return nil, fmt.Errorf("ledger: missing accounts: %w", err)
	}
	return out, nil
}
