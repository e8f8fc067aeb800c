// Package rollup keeps sums of entries by quarter hour and by day, and adds up any period from them.
//
// The sums are derived, never a second truth: they cover entries below the horizon only (package horizon),
// what lies after it and the edges of a period that begin or end within a quarter hour are added up from the
// entries themselves, and verify holds all of it against the ledger. A sum from here equals the plain sum of
// the entries at the same moment, to the credit, however far the rollup has come.
//
// Quarters fit every time zone. Days are those of one zone, the installation's book time zone; they make
// long periods cheap in any other zone too, since only the edges are then read by quarter.
package rollup

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"recoup/models/calendar"
	"recoup/models/db"
	"recoup/models/horizon"
)

const (
	// bucket is the length of a quarter.
	bucket = 15 * time.Minute
	// stepSpan is how much time one transaction of Advance covers at most.
	stepSpan = 24 * time.Hour
	// stepDays is how many days one transaction puts together at most.
	stepDays = 366
	// stepTimeout bounds one statement of a step: a day of the busiest installation takes seconds.
	stepTimeout = 10 * time.Minute
)

// Store keeps the rollup of one database.
type Store struct {
	g    *gorm.DB
	zone *time.Location
}

// New makes a Store whose days are those of zone.
func New(g *gorm.DB, zone *time.Location) *Store { return &Store{g: g, zone: zone} }

// Zone is the zone of the days.
func (s *Store) Zone() *time.Location { return s.zone }

// Progress is how far the rollup is.
type Progress struct {
	// Through is the moment before which all entries are in it.
	Through time.Time
	// More is true when Advance could go on at once.
	More bool
	// Busy is true when another process was just at it, and nothing was done.
	Busy bool
}

// Advance takes up entries below the horizon, at most so many steps of a day each, and says how far it came.
// One process does so at a time. A step is one transaction: cut off anywhere, it did nothing.
func (s *Store) Advance(ctx context.Context, steps int) (Progress, error) {
	final, err := horizon.Advance(ctx, s.g)
	if err != nil {
		return Progress{}, err
	}
	var p Progress
	for range max(steps, 1) {
		if p, err = s.step(ctx, final.Truncate(bucket)); err != nil {
			return p, fmt.Errorf("rollup: %w", err)
		}
		if !p.More || p.Busy {
			break
		}
	}
	return p, nil
}

// state is the row of rollup_state.
type state struct {
	Through     time.Time
	DaysThrough time.Time
	Zone        string
}

func (s *Store) step(ctx context.Context, limit time.Time) (Progress, error) {
	var p Progress
	err := db.InTx(ctx, s.g, func(tx *gorm.DB) error {
		tx = tx.WithContext(ctx)
		p = Progress{}
		var now state
		res := tx.Raw(`SELECT through, days_through, zone FROM rollup_state FOR UPDATE SKIP LOCKED`).Scan(&now)
		if res.Error != nil {
			return res.Error
		}
		if res.RowsAffected == 0 {
			p.Busy = true
			return nil
		}
		if err := tx.Exec(`SELECT set_config('statement_timeout', ?, true)`, fmt.Sprint(stepTimeout.Milliseconds())).Error; err != nil {
			return err
		}
		if now.Zone != s.zone.String() {
			// The days were those of another zone, and come from the quarters anew.
			for _, statement := range []string{`DELETE FROM rollup_days`, `DELETE FROM rollup_through`} {
				if err := tx.Exec(statement).Error; err != nil {
					return err
				}
			}
			now.Zone, now.DaysThrough = s.zone.String(), time.Unix(0, 0)
		}
		moreQuarters, err := quarters(tx, &now, limit)
		if err != nil {
			return fmt.Errorf("quarters: %w", err)
		}
		moreDays, err := s.days(tx, &now)
		if err != nil {
			return fmt.Errorf("days: %w", err)
		}
		p.Through, p.More = now.Through.UTC(), moreQuarters || moreDays
		return tx.Exec(`UPDATE rollup_state SET through = ?, days_through = ?, zone = ?`, now.Through, now.DaysThrough, now.Zone).Error
	})
	return p, err
}

// quarters takes up the entries of at most stepSpan. Time without entries is skipped at once.
func quarters(tx *gorm.DB, now *state, limit time.Time) (more bool, err error) {
	if !now.Through.Before(limit) {
		return false, nil
	}
	var first *time.Time
	err = db.Row(tx.Statement.Context, tx, `SELECT (SELECT created_at FROM entries WHERE created_at >= $1 AND created_at < $2 ORDER BY created_at LIMIT 1)`,
		now.Through, limit).Scan(&first)
	if err != nil {
		return false, err
	}
	if first == nil {
		now.Through = limit
		return false, nil
	}
	from := first.UTC().Truncate(bucket)
	upto := from.Add(stepSpan)
	if upto.After(limit) {
		upto = limit
	}
	err = tx.Exec(`INSERT INTO rollup_quarters (bucket, type, rule_version, rollout_id, cohort, category, count, amount)
		`+quartersOf+` WHERE created_at >= ? AND created_at < ? GROUP BY 1, 2, 3, 4, 5, 6`, from, upto).Error
	now.Through = upto
	return upto.Before(limit), err
}

// quartersOf selects entries as the rows of rollup_quarters; the condition and the grouping follow.
const quartersOf = `SELECT date_bin('15 minutes', created_at, 'epoch') AS bucket, type, COALESCE(rule_version, '') AS rule_version,
	COALESCE(rollout_id, '') AS rollout_id, COALESCE(cohort, '') AS cohort, COALESCE(category, '') AS category,
	count(*) AS count, sum(amount) AS amount FROM entries`

// days puts together the days that are whole. Days without entries have no rows.
func (s *Store) days(tx *gorm.DB, now *state) (more bool, err error) {
	var first *time.Time
	err = db.Row(tx.Statement.Context, tx, `SELECT (SELECT bucket FROM rollup_quarters WHERE bucket >= $1 ORDER BY bucket LIMIT 1)`, now.DaysThrough).Scan(&first)
	if err != nil {
		return false, err
	}
	if first == nil {
		return false, nil
	}
	local := first.In(s.zone)
	day := func(n int) time.Time { return calendar.Day(local.Year(), local.Month(), local.Day()+n, s.zone) }
	var starts, ends []time.Time
	for n := 0; n < stepDays; n++ {
		a, b := day(n), day(n+1)
		if b.After(now.Through) {
			break
		}
		if a.Before(b) {
			starts, ends = append(starts, a), append(ends, b)
		}
	}
	if starts == nil {
		return false, nil
	}
	err = tx.Exec(`INSERT INTO rollup_days (starts, ends, type, rule_version, rollout_id, cohort, category, count, amount)
		SELECT d.starts, d.ends, q.type, q.rule_version, q.rollout_id, q.cohort, q.category, sum(q.count), sum(q.amount)
		FROM unnest(?::timestamptz[], ?::timestamptz[]) d (starts, ends) JOIN rollup_quarters q ON q.bucket >= d.starts AND q.bucket < d.ends
		GROUP BY 1, 2, 3, 4, 5, 6, 7`, moments(starts), moments(ends)).Error
	if err != nil {
		return false, err
	}
	// Days come in their order, so what was reached before is what the newest row of each type says.
	err = tx.Exec(`WITH reached AS (SELECT type, count, amount FROM rollup_through WHERE ends = (SELECT max(ends) FROM rollup_through)),
			days AS (SELECT ends, type, sum(count) AS count, sum(amount) AS amount FROM rollup_days WHERE starts >= ? GROUP BY 1, 2)
		INSERT INTO rollup_through (ends, type, count, amount)
		SELECT * FROM (SELECT d.ends, t.type, COALESCE(r.count, 0) + sum(COALESCE(x.count, 0)) OVER upto AS count,
				COALESCE(r.amount, 0) + sum(COALESCE(x.amount, 0)) OVER upto AS amount
			FROM (SELECT DISTINCT ends FROM days) d CROSS JOIN (SELECT type FROM reached UNION SELECT type FROM days) t
				LEFT JOIN reached r ON r.type = t.type LEFT JOIN days x ON x.ends = d.ends AND x.type = t.type
			WINDOW upto AS (PARTITION BY t.type ORDER BY d.ends)) s
		WHERE count > 0`, starts[0]).Error
	now.DaysThrough = ends[len(ends)-1]
	return len(starts) == stepDays, err
}

// Rebuild forgets all sums and takes the entries up anew; it returns when the rollup is where the horizon was.
// Until then sums are added up from the entries, and right.
func (s *Store) Rebuild(ctx context.Context) (Progress, error) {
	err := db.InTx(ctx, s.g, func(tx *gorm.DB) error {
		tx = tx.WithContext(ctx)
		for _, statement := range []string{
			`UPDATE rollup_state SET through = 'epoch', days_through = 'epoch', tied_at = NULL, tied_through = NULL, tied_base = NULL`,
			`DELETE FROM rollup_quarters`, `DELETE FROM rollup_days`, `DELETE FROM rollup_through`} {
			if err := tx.Exec(statement).Error; err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Progress{}, fmt.Errorf("rollup: rebuild: %w", err)
	}
	for {
		p, err := s.Advance(ctx, stepDays)
		if err != nil || !p.More && !p.Busy {
			return p, err
		}
		if p.Busy {
			select {
			case <-ctx.Done():
				return p, ctx.Err()
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
}

// Through is the moment before which all entries are in the rollup, the Unix epoch when there is none.
func (s *Store) Through(ctx context.Context) (time.Time, error) {
	var at time.Time
	if err := db.Row(ctx, s.g, `SELECT through FROM rollup_state`).Scan(&at); err != nil {
		return at, fmt.Errorf("rollup: %w", db.Fault(err))
	}
	return at.UTC(), nil
}

// moments is times as a PostgreSQL array literal.
func moments(list []time.Time) string {
	out := make([]string, len(list))
	for i, at := range list {
		out[i] = `"` + at.UTC().Format("2006-01-02 15:04:05.999999Z07:00") + `"`
	}
	return "{" + strings.Join(out, ",") + "}"
}
