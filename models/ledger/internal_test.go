package ledger

import (
	"context"
	"time"

	"gorm.io/gorm"
)

// Within lets the tests, which need the services above this package, bound a query.
func (s *Service) Within(ctx context.Context, limit time.Duration, run func(g *gorm.DB) error) error {
	return s.within(ctx, limit, run)
}
