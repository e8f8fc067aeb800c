package db

import (
	"context"
	"fmt"

	"gorm.io/gorm"
)

// Planned runs fn so that its statements are planned anew for the rows there are now, with their values, and look rows up by index where one
// leads to them. A connection keeps the plan that it made first, also one made while a table was empty: looking up thousands of keys by that
// compares each with each. fn may run within a transaction; after it plans are as before.
func Planned(ctx context.Context, g *gorm.DB, fn func(tx *gorm.DB) error) error {
	return g.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if err := tx.Exec(`SELECT set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_seqscan', 'off', true)`).Error; err != nil {
			return fmt.Errorf("db: planned: %w", err)
		}
		if err := fn(tx); err != nil {
			return err
		}
		for _, setting := range []string{"plan_cache_mode", "enable_seqscan"} {
			if err := tx.Exec(`SET LOCAL ` + setting + ` TO DEFAULT`).Error; err != nil {
				return fmt.Errorf("db: planned: %w", err)
			}
		}
		return nil
	})
}
