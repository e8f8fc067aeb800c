package ledger

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"recoup/models/db"
)

// Each hands every filtered entry to take, in the order of List or, with oldestFirst, the other way
// round, all of one moment. Rows are streamed: memory does not grow with their number. It ends early, and
// ends the query too, when ctx does or take returns an error. Faults: account_not_found.
func (s *Service) Each(ctx context.Context, f Filter, oldestFirst bool, take func(Entry) error) error {
	w, one, err := s.where(ctx, f)
	if err != nil {
		return err
	}
	order := "DESC"
	if oldestFirst {
		order = "ASC"
	}
	by := fmt.Sprintf(f.order(one), order)
	return db.Snapshot(ctx, s.g, func(tx *gorm.DB) error {
		// An export may take longer than any page is allowed to.
		if err := tx.Exec(`SET LOCAL statement_timeout = 0`).Error; err != nil {
			return fmt.Errorf("ledger: export: %w", err)
		}
		if len(f.Types) > 0 {
			w.And(ofType(f.Types...))
		}
		rows, err := tx.Raw(fmt.Sprintf(selectEntry, "SELECT * FROM entries e "+w.SQL(), by), w.Args()...).Rows()
		if err != nil {
			return fmt.Errorf("ledger: export: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			var e Entry
			if err := tx.ScanRows(rows, &e); err != nil {
				return fmt.Errorf("ledger: export: %w", err)
			}
			if err := take(e); err != nil {
				return err
			}
		}
		if err := rows.Err(); err != nil {
			return fmt.Errorf("ledger: export: %w", err)
		}
		return nil
	})
}
