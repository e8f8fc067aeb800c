package dependency

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"recoup/models/fault"
	"recoup/models/operation"
)

// Unnamed is what a request is refused with, at its name, that asks for a dependency which nothing depends on.
const Unnamed = "is named by no job and no action"

// Named tells whether anything depends on a dependency, or did: a job that was tried or waits to be, or an action by default.
// One that is known may be named by nothing, because somebody held it under a name that is wrong.
func (s *Service) Named(ctx context.Context, name string) (bool, error) { return named(ctx, s.g, name) }

func named(ctx context.Context, g *gorm.DB, name string) (bool, error) {
	var found bool
	err := g.WithContext(ctx).Raw(`SELECT EXISTS (SELECT 1 FROM attempts WHERE dependency <> '' AND dependency = @name)
		OR EXISTS (SELECT 1 FROM waiting_line WHERE phase = 'queued' AND dependency <> '' AND dependency = @name)
		OR EXISTS (SELECT 1 FROM actions WHERE dependency = @name)`, map[string]any{"name": name}).Scan(&found).Error
	if err != nil {
		return false, fmt.Errorf("dependency: named: %w", err)
	}
	return found, nil
}

// mustBeNamed refuses a name that nothing depends on, unless the request expects that.
func mustBeNamed(ctx context.Context, tx *operation.Tx, r Request) error {
	if !r.OnlyNamed {
		return nil
	}
	found, err := named(ctx, tx.DB, r.Name)
	if err == nil && !found {
		err = fault.InvalidField("name", Unnamed)
	}
	return err
}
