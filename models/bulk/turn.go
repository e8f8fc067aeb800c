package bulk

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"recoup/models/audit"
	"recoup/models/db"
)

const (
	// lease is how long a row stays with a process that says nothing. An operation that takes longer finds its row taken
	// away and is rolled back.
	lease = 30 * time.Second
	// turnTime bounds a turn of one work, so that others have theirs.
	turnTime = time.Second
	// mostTaken bounds the rows that one process takes at a time.
	mostTaken = 100
	// parallel is how many rows a process does at a time.
	parallel = 4
	// least is how many have to have come back before a share of them says anything, once the first few are through.
	least = 10
	// judgeEvery is how often a work is judged beyond its first few.
	judgeEvery = time.Second
)

// Turn does what is due now of every work that runs, and returns how many rows got an outcome. Any number of processes
// may take turns at once, at any time; nothing is done faster for it. What fails is tried again at a later turn.
func (s *Store) Turn(ctx context.Context) (int, error) {
	var running []int64
	if err := s.g.WithContext(ctx).Raw(`SELECT key FROM bulk_works WHERE state = 'running' ORDER BY key`).Scan(&running).Error; err != nil {
		return 0, fmt.Errorf("bulk: running: %w", err)
	}
	total := 0
	var failed error
	for _, key := range running {
		for begun := time.Now(); time.Since(begun) < turnTime && ctx.Err() == nil; {
			b, err := s.take(ctx, key)
			if err != nil {
				// One work that cannot go on does not hold up the others.
				failed = err
				break
			}
			if len(b.items) == 0 {
				break
			}
			n, err := s.act(ctx, b)
			total += n
			if err != nil {
				failed = err
				break
			}
		}
	}
	return total, failed
}

// item is a row that this process has taken.
type item struct {
	No         int
	AccountKey int64
	JobKey     int64
	Generation int
	AccountID  string
	JobID      string
	Tries      int
}

// batch is what one take got.
type batch struct {
	work  Work
	token string
	items []item
}

// take decides under the work's lock whether it goes on, and takes the rows that are due. Another process that is
// deciding about the same work leaves nothing to do.
func (s *Store) take(ctx context.Context, key int64) (batch, error) {
	var b batch
	err := db.InTx(ctx, s.g, func(tx *gorm.DB) error {
		b = batch{token: rand.Text()}
		var w struct {
			Work `gorm:"embedded"`
			// Due is how many rows the pace allows by now.
			Due   int64
			Judge bool
		}
		// The rate holds twice: rows are spread evenly, up to two seconds' worth are made up for, and no minute has more.
		res := tx.WithContext(ctx).Raw(`SELECT `+columns+`, judged_at < clock_timestamp() - ?::bigint * interval '1 millisecond' AS judge,
				LEAST(CASE WHEN next_at > clock_timestamp() THEN 0 ELSE 1 + LEAST(floor(extract(epoch FROM clock_timestamp() - next_at) * per_minute / 60), per_minute / 30) END,
					per_minute - (SELECT count(*) FROM bulk_items i WHERE i.bulk_key = bulk_works.key AND i.taken_at > clock_timestamp() - interval '1 minute'))::bigint AS due
			FROM bulk_works WHERE key = ? AND state = 'running' FOR NO KEY UPDATE SKIP LOCKED`, judgeEvery.Milliseconds(), key).Scan(&w)
		if res.Error != nil {
			return fmt.Errorf("bulk: take: %w", res.Error)
		}
		if res.RowsAffected == 0 {
			return nil
		}
		b.work = w.Work
		allowed, err := s.allowed(ctx, tx, w.Work, w.Judge, min(w.Due, mostTaken))
		if err != nil || allowed <= 0 {
			return err
		}
		err = tx.WithContext(ctx).Raw(`WITH next AS (
				SELECT no FROM bulk_items WHERE bulk_key = ? AND outcome = '' AND (taken_at IS NULL OR taken_at < clock_timestamp() - ?::bigint * interval '1 millisecond')
				ORDER BY no LIMIT ? FOR NO KEY UPDATE SKIP LOCKED),
			taken AS (
				UPDATE bulk_items i SET take = ?, taken_at = clock_timestamp(), tries = tries + 1, leg = ? FROM next WHERE i.bulk_key = ? AND i.no = next.no
				RETURNING i.no, i.account_key, i.job_key, i.generation, i.tries)
			SELECT t.*, a.id AS account_id, j.id AS job_id FROM taken t JOIN accounts a ON a.key = t.account_key
				JOIN jobs j ON j.account_key = t.account_key AND j.key = t.job_key ORDER BY t.no`,
			key, lease.Milliseconds(), allowed, b.token, w.Leg, key).Scan(&b.items).Error
		if err != nil {
			return fmt.Errorf("bulk: take: %w", err)
		}
		if len(b.items) == 0 {
			return s.finish(ctx, tx, w.Work)
		}
		err = tx.WithContext(ctx).Exec(`UPDATE bulk_works SET next_at = GREATEST(next_at, clock_timestamp() - interval '2 seconds') + ?::bigint * interval '1 minute' / per_minute WHERE key = ?`,
			len(b.items), key).Error
		if err != nil {
			return fmt.Errorf("bulk: take: %w", err)
		}
		return nil
	})
	return b, err
}

// allowed is how many rows may be taken now: none when too many failed again, which stops the work, and none while the
// first few of the leg are out. Those of a leg are what workers run as long as there is any of it: see freeze.
func (s *Store) allowed(ctx context.Context, tx *gorm.DB, w Work, judge bool, due int64) (int64, error) {
	if w.Kind != Requeue {
		return due, nil
	}
	first := int64(0)
	if w.Probe > 0 {
		// What is with a process counts as sent: it may be done any moment.
		err := tx.WithContext(ctx).Raw(`SELECT count(*) FROM (SELECT 1 FROM bulk_items WHERE bulk_key = ? AND leg = ? AND (outcome = 'done' OR outcome = '' AND take IS NOT NULL)
			LIMIT ?) x`, w.Key, w.Leg, w.Probe+1).Scan(&first).Error
		if err != nil {
			return 0, fmt.Errorf("bulk: first few: %w", err)
		}
	}
	probing := w.Probe > 0 && first <= int64(w.Probe)
	if probing && first < int64(w.Probe) {
		return min(due, int64(w.Probe)-first), nil
	}
	if !probing && !judge {
		return due, nil
	}
	seen, err := countBack(ctx, tx, w.Key, &w.Leg)
	if err != nil {
		return 0, err
	}
	back := seen.Succeeded + seen.Failed
	if probing {
		// The rows that are with a process are not among those that were done.
		if done := back + seen.Canceled + seen.WithCaller; done < first {
			return 0, nil
		}
	}
	if seen.Failed*100 > back*int64(w.StopPercent) && (probing || back >= least) {
		return 0, s.stop(ctx, tx, w, seen.Failed, back)
	}
	if err := tx.WithContext(ctx).Exec(`UPDATE bulk_works SET judged_at = clock_timestamp() WHERE key = ?`, w.Key).Error; err != nil {
		return 0, fmt.Errorf("bulk: judge: %w", err)
	}
	return due, nil
}

// stop ends the leg: too many failed again.
func (s *Store) stop(ctx context.Context, tx *gorm.DB, w Work, failed, back int64) error {
	err := tx.WithContext(ctx).Exec(`UPDATE bulk_works SET state = 'stopped', version = version + 1, stop_failed = ?, stop_back = ?, changed_by = 'system', changed_at = clock_timestamp()
		WHERE key = ? AND state = 'running'`, failed, back, w.Key).Error
	if err != nil {
		return fmt.Errorf("bulk: stop: %w", err)
	}
	if err := tellStop(ctx, tx, w, failed, back); err != nil {
		return err
	}
	return audit.Record(ctx, tx, audit.Row{Actor: system(), Action: KindStop, Object: Object(w.ID), Before: map[string]any{"state": Running},
		After: map[string]any{"state": Stopped, "failed": failed, "back": back, "stop_percent": w.StopPercent}})
}

// finish ends a work none of whose rows is without an outcome. Rows that another process has keep it running.
func (s *Store) finish(ctx context.Context, tx *gorm.DB, w Work) error {
	err := tx.WithContext(ctx).Exec(`UPDATE bulk_works SET state = 'done', version = version + 1, ended_at = clock_timestamp(), changed_by = 'system', changed_at = clock_timestamp()
		WHERE key = ? AND state = 'running' AND NOT EXISTS (SELECT 1 FROM bulk_items WHERE bulk_key = ? AND outcome = '')`, w.Key, w.Key).Error
	if err != nil {
		return fmt.Errorf("bulk: finish: %w", err)
	}
	return nil
}

// Tally is how the rows of a work that were done have come back.
type Tally struct{ Out, WithCaller, Succeeded, Failed, Canceled int64 }

// backOf is what became of job j, which row i put back.
const backOf = `CASE WHEN j.generation > i.generation + 1 THEN 'failed'
	WHEN j.state = 'succeeded' THEN 'succeeded'
	WHEN j.state IN ('dead', 'discarded') THEN 'failed'
	WHEN j.state = 'canceled' THEN 'canceled'
	WHEN j.state = 'running' AND j.attempt > j.generation_base + 1 OR j.state IN ('queued', 'retrying') AND j.attempt > j.generation_base THEN 'failed'
	WHEN j.mode = 'external' THEN 'with_caller'
	ELSE 'out' END`

// countBack counts how the jobs came back that a work, or one leg of it, put back.
func countBack(ctx context.Context, g *gorm.DB, key int64, leg *int) (Tally, error) {
	var t Tally
	args := []any{key}
	of := ""
	if leg != nil {
		of, args = " AND i.leg = ?", append(args, *leg)
	}
	counts := make([]string, 0, 5)
	for _, b := range []Back{Out, WithCaller, Succeeded, Failed, Canceled} {
		counts = append(counts, fmt.Sprintf("count(*) FILTER (WHERE back = '%s') AS %s", b, b))
	}
	err := g.WithContext(ctx).Raw(`SELECT `+strings.Join(counts, ", ")+` FROM (SELECT `+backOf+` AS back FROM bulk_items i
		JOIN jobs j ON j.account_key = i.account_key AND j.key = i.job_key WHERE i.bulk_key = ? AND i.outcome = 'done'`+of+`) x`, args...).Scan(&t).Error
	if err != nil {
		return t, fmt.Errorf("bulk: came back: %w", err)
	}
	return t, nil
}
