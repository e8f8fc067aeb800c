package deadletter

import (
	"context"
	"fmt"

	"recoup/models/where"
)

// AccountNames returns the names of some accounts by their keys; those without a name are left out.
func (s *Service) AccountNames(ctx context.Context, keys []int64) (map[int64]string, error) {
	var rows []struct {
		Key  int64
		Name string
	}
	err := s.g.WithContext(ctx).Raw(`SELECT key, name FROM accounts WHERE key = ANY (?::bigint[]) AND name <> ''`, where.ListOf(keys)).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("deadletter: account names: %w", err)
	}
	out := make(map[int64]string, len(rows))
	for _, r := range rows {
		out[r.Key] = r.Name
	}
	return out, nil
}
