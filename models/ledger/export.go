package ledger

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"recoup/models/where"
)

// Each hands every filtered entry to take, in the order of List or, with oldestFirst, the other way
// round, all of one moment. Rows are streamed: memory does not grow with their number. It ends early, and
// ends the query too, when ctx does or take returns an error. Faults: account_not_found.
func (s *Service) Each(ctx context.Context, f Filter, oldestFirst bool, take func(Entry) error) error {
	return s.each(ctx, f, oldestFirst, func(*gorm.DB, *where.Clause) error { return nil }, take)
}

// EachCounted is Each, which first tells begin how many entries there will be, counted in the same snapshot and no
// further than limit: what begin is told is exact below it.
func (s *Service) EachCounted(ctx context.Context, f Filter, oldestFirst bool, limit int64, begin func(n int64) error, take func(Entry) error) error {
	return s.each(ctx, f, oldestFirst, func(tx *gorm.DB, w *where.Clause) error {
		n, err := countUpTo(tx, w, limit)
		if err != nil {
			return err
		}
		return begin(n)
	}, take)
}

func (s *Service) each(ctx context.Context, f Filter, oldestFirst bool, begin func(*gorm.DB, *where.Clause) error, take func(Entry) error) error {
	w, one, err := s.where(ctx, f)
	if err != nil {
		return err
	}
	if len(f.Types) > 0 {
		w.And(ofType(f.Types...))
	}
	order := "DESC"
	if oldestFirst {
		order = "ASC"
	}
	by := fmt.Sprintf(f.order(one), order)
	return s.snapshot(ctx, func(tx *gorm.DB) error {
		// An export may take longer than any page is allowed to.
		if err := tx.Exec(`SET LOCAL statement_timeout = 0`).Error; err != nil {
			return fmt.Errorf("ledger: export: %w", err)
		}
		if err := begin(tx, w); err != nil {
			return err
		}
		rows, err := tx.Raw(fmt.Sprintf(selectEntry, "SELECT * FROM entries e "+w.SQL(), by), w.Args()...).Rows()
		if err != nil {
			return fmt.Errorf("ledger: export: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			var e Entry
			if err := scanEntry(rows, &e); err != nil {
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
