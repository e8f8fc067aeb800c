package pricing

import (
	"context"
	"fmt"

	"recoup/models/where"
)

// suggested is how many rule versions Suggest returns at most.
const suggested = 20

// Suggest returns the rule versions whose id holds what was typed, not case-sensitive, those of an action newest first; at
// most twenty, none for an empty text. Rule versions are made by people, so that looking through all of them is quick.
func (s *Service) Suggest(ctx context.Context, typed string) ([]string, error) {
	if typed == "" {
		return nil, nil
	}
	var out []string
	err := s.g.WithContext(ctx).Raw(`SELECT id FROM rule_versions WHERE strpos(lower(id), lower(?)) > 0
		ORDER BY action, version DESC`+where.Limit(suggested), typed).Scan(&out).Error
	if err != nil {
		return nil, fmt.Errorf("pricing: suggest: %w", err)
	}
	return out, nil
}
