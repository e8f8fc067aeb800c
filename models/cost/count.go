package cost

import (
	"context"
	"fmt"
)

// CountUnattributed counts the records that are unattributed, up to most.
func (s *Service) CountUnattributed(ctx context.Context, most int) (int64, error) {
	var n int64
	err := s.g.WithContext(ctx).Raw(`SELECT count(*) FROM (SELECT 1 FROM cost_states WHERE state = 'unattributed' LIMIT ?) u`, most).Scan(&n).Error
	if err != nil {
		return 0, fmt.Errorf("cost: count unattributed: %w", err)
	}
	return n, nil
}
