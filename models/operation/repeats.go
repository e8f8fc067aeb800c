package operation

import (
	"context"
	"fmt"
)

// Repeats counts the further attempts to send one operation: those that were answered with its stored result and
// those refused for other input.
type Repeats struct {
	Scope, ID          string
	Replays, Conflicts int64
}

// RepeatsOfJob counts the further attempts of the operations that concern one job. Operations sent once are left out,
// and attempts older than the configured time are no longer counted.
func (s *Store) RepeatsOfJob(ctx context.Context, accountKey, jobKey int64) ([]Repeats, error) {
	var rows []Repeats
	err := s.g.WithContext(ctx).Raw(`SELECT o.scope, o.id, count(*) FILTER (WHERE p.outcome = 'replayed') AS replays,
			count(*) FILTER (WHERE p.outcome = 'conflict') AS conflicts
		FROM operations o JOIN operation_attempts p ON (p.account_key, p.scope, p.operation_id) = (o.account_key, o.scope, o.id)
		WHERE o.account_key = ? AND o.job_key = ? GROUP BY o.scope, o.id`, accountKey, jobKey).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("operation: repeats of job: %w", err)
	}
	return rows, nil
}
