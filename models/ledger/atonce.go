package ledger

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"recoup/models/db"
)

// AtOnce runs read with a Service whose reads are all of one moment, however many there are: what it lists, adds up and
// tells of balances belongs together while entries are being appended. That Service holds a connection and only reads;
// it ends with read, which must ask nothing else of the database meanwhile.
func (s *Service) AtOnce(ctx context.Context, read func(now *Service) error) error {
	return s.snapshot(ctx, func(tx *gorm.DB) error {
		now := *s
		now.g, now.fixed = tx, true
		return read(&now)
	})
}

// snapshot runs fn in a transaction that reads one moment. Within AtOnce it is that moment; what fn sets or breaks in
// the transaction is taken back then, so that the next read finds it as it was.
func (s *Service) snapshot(ctx context.Context, fn func(tx *gorm.DB) error) error {
	if !s.fixed {
		return db.Snapshot(ctx, s.g, fn)
	}
	tx := s.g.WithContext(ctx)
	if err := tx.Exec(`SAVEPOINT part`).Error; err != nil {
		return fmt.Errorf("ledger: read within a moment: %w", err)
	}
	err := fn(tx)
	if undo := tx.Exec(`ROLLBACK TO SAVEPOINT part`).Error; undo != nil && err == nil {
		err = fmt.Errorf("ledger: read within a moment: %w", undo)
	}
	return db.Fault(err)
}
