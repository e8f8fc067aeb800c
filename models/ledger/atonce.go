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
		now.g, now.known = tx, &known{accounts: map[string]Account{}, seqs: map[accountAt]int64{}}
		return read(&now)
	})
}

// known is what was already read of a moment and is asked for by most of what is read of it: accounts by their id, and
// the seq of an account's newest entry before a time.
type known struct {
	accounts map[string]Account
	seqs     map[accountAt]int64
}

// accountAt is an account at a time, in microseconds, as the database knows it.
type accountAt struct{ key, at int64 }

// snapshot runs fn in a transaction that reads one moment. Within AtOnce it is that moment; what fn sets or breaks in
// the transaction is taken back then, so that the next read finds it as it was.
func (s *Service) snapshot(ctx context.Context, fn func(tx *gorm.DB) error) error {
	if s.known == nil {
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
