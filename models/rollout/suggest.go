package rollout

import (
	"context"
	"fmt"

	"recoup/models/where"
)

// suggested is how many rollouts Suggest returns at most.
const suggested = 20

// Named is a rollout by its id and title.
type Named struct{ ID, Title string }

// Suggest returns the newest rollouts whose id or title holds what was typed, not case-sensitive; at most twenty, none for
// an empty text. Rollouts are made by people, so that looking through all of them is quick.
func (s *Service) Suggest(ctx context.Context, typed string) ([]Named, error) {
	if typed == "" {
		return nil, nil
	}
	var out []Named
	err := s.g.WithContext(ctx).Raw(`SELECT id, title FROM rollouts WHERE strpos(fold(id || ' ' || title), fold(?)) > 0
		ORDER BY created_at DESC, id`+where.Limit(suggested), typed).Scan(&out).Error
	if err != nil {
		return nil, fmt.Errorf("rollout: suggest: %w", err)
	}
	return out, nil
}
