package staff

import (
	"context"
	"fmt"

	"recoup/models/actor"
)

// Named is somebody who may have done something, with the name to show.
type Named struct {
	Actor actor.Actor
	Name  string
	// Email is a person's; empty for a key.
	Email string
}

// Actors returns everybody who may have done something: all people in the order of List, then all keys in that of ListKeys, the
// disabled and revoked too, since what they did stays. It is one statement, as most pages need it.
func (s *Service) Actors(ctx context.Context) ([]Named, error) {
	var rows []struct {
		Kind, ID, Name, Email string
	}
	err := s.db.WithContext(ctx).Raw(`SELECT kind, id, name, email FROM (
			SELECT 'staff' AS kind, 1 AS part, id, name, email, lower(name) AS by_name, CAST(NULL AS timestamptz) AS made FROM staff
			UNION ALL SELECT 'key', 2, id, name, '', '', created_at FROM api_keys) x
		ORDER BY part, by_name, made DESC, id`).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("staff: actors: %w", err)
	}
	named := make([]Named, len(rows))
	for i, r := range rows {
		named[i] = Named{Actor: actor.Actor{Kind: r.Kind, ID: r.ID}, Name: r.Name, Email: r.Email}
	}
	return named, nil
}
