// Package outbox holds the wake-up calls that are owed to the queue. A change that needs one writes
// its row in the same transaction; the relay takes the row away once the queue has the task. So a
// call is never lost between the two, and may be made twice, which does no harm.
package outbox

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"

	"recoup/models/db"
)

// Wake is the task that rings the bell of one attempt of a job.
const Wake = "job:wake"

// Owed is one call that the queue does not have yet.
type Owed struct {
	Key        int64
	AccountKey int64
	JobKey     int64
	Attempt    int
	Generation int
	// DueAt is when it shall be made; it may be past.
	DueAt time.Time
	// Traceparent is that of the job's charge, or empty.
	Traceparent string
}

// Store reads and deletes what is owed.
type Store struct{ g *gorm.DB }

// New makes a Store.
func New(g *gorm.DB) *Store { return &Store{g: g} }

// Take hands up to limit rows of one task, oldest first, to enqueue one after another and deletes those
// for which it returned nil. The first error of enqueue ends the batch: it is returned as it is, and
// what was enqueued before it is deleted all the same. Rows that another process is just taking are
// passed over. A crash between enqueue and the commit leaves the rows, so that they are taken again.
// moved counts the rows deleted.
func (s *Store) Take(ctx context.Context, task string, limit int, enqueue func(context.Context, Owed) error) (moved int, err error) {
	var failed error
	err = db.InTx(ctx, s.g, func(tx *gorm.DB) error {
		moved, failed = 0, nil
		var rows []Owed
		err := tx.WithContext(ctx).Raw(`SELECT key, account_key, job_key, attempt, generation, due_at, traceparent FROM outbox
			WHERE task = ? ORDER BY key LIMIT ? FOR UPDATE SKIP LOCKED`, task, limit).Scan(&rows).Error
		if err != nil {
			return fmt.Errorf("outbox: take: %w", err)
		}
		var done []string
		for _, row := range rows {
			if failed = enqueue(ctx, row); failed != nil {
				break
			}
			done = append(done, strconv.FormatInt(row.Key, 10))
		}
		if len(done) == 0 {
			return nil
		}
		// As one array, so that the statement is the same for every number of rows.
		keys := "{" + strings.Join(done, ",") + "}"
		if err := tx.WithContext(ctx).Exec(`DELETE FROM outbox WHERE key = ANY (?::bigint[])`, keys).Error; err != nil {
			return fmt.Errorf("outbox: delete: %w", err)
		}
		moved = len(done)
		return nil
	})
	if err != nil {
		return 0, err
	}
	return moved, failed
}

// SizeCap is the largest number of rows that Lag counts.
const SizeCap = 10_000

// Backlog is how far the relay is behind.
type Backlog struct {
	// Rows is how many calls are owed; SizeCap means that or more.
	Rows int64
	// Lag is the age of the oldest, 0 when nothing is owed.
	Lag time.Duration
}

// Lag measures the backlog. It looks at no more than SizeCap rows.
func (s *Store) Lag(ctx context.Context) (Backlog, error) {
	var row struct{ Rows, LagUs int64 }
	err := s.g.WithContext(ctx).Raw(`SELECT (SELECT count(*) FROM (SELECT 1 FROM outbox LIMIT ?) o) AS rows,
		COALESCE((SELECT GREATEST(extract(epoch FROM clock_timestamp() - created_at) * 1000000, 0)::bigint
			FROM outbox ORDER BY key LIMIT 1), 0) AS lag_us`, SizeCap).Scan(&row).Error
	if err != nil {
		return Backlog{}, fmt.Errorf("outbox: lag: %w", err)
	}
	return Backlog{Rows: row.Rows, Lag: time.Duration(row.LagUs) * time.Microsecond}, nil
}

// Position is where Owe stopped among the jobs that await a retry.
type Position struct {
	DueAt              time.Time
	AccountKey, JobKey int64
}

// Owe writes the calls of the next up to limit jobs that await a retry once more, soonest first, as is
// needed after the queue lost what it held. It begins behind after, or from the start when after is
// nil, and returns how many it wrote and the position of the last; next is nil when there was none.
// It knows nothing of calls that the queue still has: those are made twice.
func (s *Store) Owe(ctx context.Context, after *Position, limit int) (next *Position, owed int, err error) {
	if after == nil {
		after = &Position{DueAt: time.Unix(0, 0)}
	}
	var rows []Position
	// The condition on phase is a constant so that the index of what has a bell or a lease serves it.
	err = s.g.WithContext(ctx).Raw(`WITH page AS (
			SELECT account_key, job_key, attempt, generation, due_at FROM waiting_line
			WHERE phase = 'retrying' AND (due_at, account_key, job_key) > (?, ?, ?)
			ORDER BY due_at, account_key, job_key LIMIT ?),
		written AS (
			INSERT INTO outbox (task, account_key, job_key, attempt, generation, due_at, traceparent)
			SELECT '`+Wake+`', p.account_key, p.job_key, p.attempt, p.generation, p.due_at, j.traceparent
			FROM page p JOIN jobs j ON j.account_key = p.account_key AND j.key = p.job_key)
		SELECT due_at, account_key, job_key FROM page ORDER BY due_at, account_key, job_key`,
		after.DueAt, after.AccountKey, after.JobKey, limit).Scan(&rows).Error
	if err != nil {
		return nil, 0, fmt.Errorf("outbox: owe: %w", err)
	}
	if len(rows) == 0 {
		return nil, 0, nil
	}
	return &rows[len(rows)-1], len(rows), nil
}
