package deadletter

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/fault"
	"recoup/models/staff"
	"recoup/models/where"
)

// Holding returns who of some actors has an open dead letter.
func (s *Service) Holding(ctx context.Context, among []string) ([]string, error) {
	var out []string
	if len(among) == 0 {
		return nil, nil
	}
	err := s.g.WithContext(ctx).Raw(`SELECT who FROM unnest(?::text[]) who
		WHERE EXISTS (SELECT 1 FROM dead_letters WHERE closed_at IS NULL AND assignee <> '' AND assignee = who)`, where.ListOf(among)).Scan(&out).Error
	if err != nil {
		return nil, fmt.Errorf("deadletter: holding: %w", err)
	}
	return out, nil
}

// MayTriage refuses an assignee who could not take care of a dead letter. Faults: invalid_request of the field assignee,
// for whoever is no member of the staff, is disabled, or has a role that may not triage.
func MayTriage(ctx context.Context, g *gorm.DB, who actor.Actor) error {
	var roles []string
	if err := g.WithContext(ctx).Raw(`SELECT role FROM staff WHERE id = ? AND disabled_at IS NULL`, who.ID).Scan(&roles).Error; err != nil {
		return fmt.Errorf("deadletter: assignee: %w", err)
	}
	switch {
	case who.Kind != "staff" || len(roles) == 0:
		return fault.InvalidField("assignee", "must be a member of the staff")
	case !staff.Allows(staff.Role(roles[0]), staff.DeadLetterTriage):
		return fault.InvalidField("assignee", "must be somebody who may take care of dead letters")
	}
	return nil
}
