package month

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/calendar"
	"recoup/models/db"
	"recoup/models/rollup"
)

// recountTimeout bounds the one long statement of a closing. It reads the month's entries by their time, about a
// second for a million of them.
const recountTimeout = 5 * time.Minute

// recount adds a month up from its entries and from the closed month before it, without any sum that is kept: what
// closing it is held against. Its cost grows with the entries of the month, not with those before it. It is to be
// asked for months that nothing can write into any more.
func (s *Service) recount(ctx context.Context, m calendar.Month, from, to time.Time) (Figures, error) {
	var f Figures
	err := db.Snapshot(ctx, s.g, func(tx *gorm.DB) error {
		if err := tx.Exec(`SELECT set_config('statement_timeout', ?, true)`, fmt.Sprint(recountTimeout.Milliseconds())).Error; err != nil {
			return err
		}
		var groups []rollup.Group
		err := tx.Raw(`SELECT 1 AS part, type, COALESCE(rule_version, '') AS rule_version, COALESCE(rollout_id, '') AS rollout_id, COALESCE(cohort, '') AS cohort,
				COALESCE(category, '') AS category, count(*) AS count, sum(amount) AS amount
			FROM entries WHERE created_at >= ? AND created_at < ? GROUP BY 2, 3, 4, 5, 6`, from, to).Scan(&groups).Error
		if err != nil {
			return err
		}
		f = Of(m, s.zone.String(), from, to, groups)
		var before []stored
		if err := tx.Raw(selectClosed+` WHERE ends <= ? ORDER BY ends DESC LIMIT 1`, from).Scan(&before).Error; err != nil || len(before) == 0 {
			return err
		}
		last, err := before[0].closed()
		if err != nil {
			return err
		}
		// No entry lies between two closed months: the earlier one would have to be closed first.
		f.Opening = last.Figures.Closing
		f.Closing = f.Opening.Plus(f.Net())
		f.OpenRefunds = f.OpenRefunds.plus(last.Figures.OpenRefunds.Count, last.Figures.OpenRefunds.Amount)
		return nil
	})
	if err != nil {
		return f, fmt.Errorf("month: recount: %w", err)
	}
	return f, nil
}
