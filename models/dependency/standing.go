package dependency

import (
	"context"
	"fmt"
	"time"

	"recoup/models/where"
)

// Standing is a hold that stands between jobs and their workers, with the breaker behind it where one made it.
type Standing struct {
	Hold
	// State is the breaker's, "" for actions; ChangedAt is since when, nil while it has never left Closed.
	State     State
	ChangedAt *time.Time
	// OpenS is how many seconds the breaker stays open, Probes how many jobs it then lets through to try, and
	// ReleasePerMinute how many a minute follow once they have succeeded. 0 for actions.
	OpenS, Probes, ReleasePerMinute int64
}

// Health is the condition of what is held, in one word; never Healthy.
func (s Standing) Health() Health {
	return Status{Dependency: Dependency{State: s.State}, Hold: &s.Hold}.Health()
}

// Tries is when an open breaker lets jobs through to try; nil for anything else.
func (s Standing) Tries() *time.Time {
	if s.Health() != Opened || s.ChangedAt == nil {
		return nil
	}
	at := s.ChangedAt.Add(time.Duration(s.OpenS) * time.Second)
	return &at
}

// Standing returns the holds on any of these actions and dependencies: those on actions first, by name. What is not among
// them is handed out freely. Empty names are none.
func (s *Service) Standing(ctx context.Context, actions, dependencies []string) ([]Standing, error) {
	var rows []Standing
	err := s.g.WithContext(ctx).Raw(`SELECT h.*, COALESCE(d.state, '') AS state, d.changed_at, COALESCE(d.open_s, 0) AS open_s, COALESCE(d.probes, 0) AS probes,
			COALESCE(d.release_per_minute, 0) AS release_per_minute
		FROM holds h LEFT JOIN dependencies d ON h.kind = 'dependency' AND d.name = h.name
		WHERE h.kind = 'action' AND h.name = ANY (?::text[]) OR h.kind = 'dependency' AND h.name = ANY (?::text[])
		ORDER BY h.kind, h.name`, where.ListOf(actions), where.ListOf(dependencies)).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("dependency: standing: %w", err)
	}
	return rows, nil
}
