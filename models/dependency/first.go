package dependency

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/fault"
	"recoup/models/operation"
)

// Events by which a refusal tells who was first.
const (
	byHand   = `event IN ('held', 'released')`
	settings = `event = 'changed' AND data->>'after' IS NOT NULL`
	defaults = `event = 'changed' AND data->>'action' IS NOT NULL`
)

// LastStep is the newest step by which somebody held or released a dependency or an action by hand, as Request.Seen takes
// it; 0 where nobody has. What a breaker does by itself is none.
func (s *Service) LastStep(ctx context.Context, kind Kind, name string) (int64, error) {
	return lastStep(ctx, s.g, kind, name)
}

func lastStep(ctx context.Context, g *gorm.DB, kind Kind, name string) (int64, error) {
	var key int64
	err := g.WithContext(ctx).Raw(`SELECT COALESCE(max(key), 0) FROM hold_events WHERE kind = ? AND name = ? AND `+byHand, string(kind), name).Scan(&key).Error
	if err != nil {
		return 0, fmt.Errorf("dependency: last step: %w", err)
	}
	return key, nil
}

// unmoved refuses a release where somebody has held or released it since the person looked. The hold is locked first, so that
// of two releases at once the second reads what the first one did.
func unmoved(ctx context.Context, tx *operation.Tx, kind Kind, r Request) error {
	if r.Seen == nil {
		return nil
	}
	var locked []string
	err := tx.DB.WithContext(ctx).Raw(`SELECT name FROM holds WHERE kind = ? AND name = ? FOR UPDATE`, string(kind), r.Name).Scan(&locked).Error
	if err != nil {
		return fmt.Errorf("dependency: release: %w", err)
	}
	last, err := lastStep(ctx, tx.DB, kind, r.Name)
	if err != nil || last == *r.Seen {
		return err
	}
	return told(ctx, tx, kind, r.Name, byHand, fault.State("hold_changed", "Somebody has held or released %s meanwhile. Nothing was changed.", r.Name))
}

// told adds to a refusal who made the newest step of some events, and when.
func told(ctx context.Context, tx *operation.Tx, kind Kind, name, events string, f *fault.Error) error {
	return newest(ctx, tx, f, `kind = ? AND name = ? AND `+events, string(kind), name)
}

// newest adds to a refusal who made the newest event that meets a condition, and when.
func newest(ctx context.Context, tx *operation.Tx, f *fault.Error, condition string, args ...any) error {
	var rows []struct {
		Actor string
		At    time.Time
	}
	err := tx.DB.WithContext(ctx).Raw(`SELECT actor, at FROM hold_events WHERE `+condition+` ORDER BY key DESC LIMIT 1`, args...).Scan(&rows).Error
	if err != nil {
		return fmt.Errorf("dependency: who was first: %w", err)
	}
	if len(rows) == 0 {
		return f
	}
	return f.With("by", rows[0].Actor).With("at", rows[0].At.UTC())
}
