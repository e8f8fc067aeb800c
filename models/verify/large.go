package verify

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// fetchRows is how many rows one round trip brings from a cursor.
const fetchRows = "2000"

// mergeLarge checks the jobs of an account whose entries are too many to keep: two cursors of the same
// snapshot, both in order of the job, read in step.
func (w *worker) mergeLarge(ctx context.Context, tx pgx.Tx, account int64, now time.Time) error {
	if _, err := tx.Exec(ctx, `DECLARE large_entries NO SCROLL CURSOR FOR SELECT `+entryColumns+` FROM entries
		WHERE account_key = $1 AND job_key IS NOT NULL ORDER BY job_key, seq`, pgx.QueryExecModeExec, account); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `DECLARE large_jobs NO SCROLL CURSOR FOR `+
		selectJobs(func(column string) string { return column + " = $1" })+` ORDER BY j.key`, pgx.QueryExecModeExec, account); err != nil {
		return err
	}
	entries := cursor[moved]{name: "large_entries", decode: func(row [][]byte, m *moved) {
		var e entry
		decodeEntry(row, &e)
		*m = w.movedBy(&e)
	}}
	jobs := cursor[jobRow]{name: "large_jobs", decode: w.decodeJob}
	var own []moved
	for {
		j, err := jobs.peek(ctx, tx)
		if err != nil {
			return err
		}
		m, err := entries.peek(ctx, tx)
		if err != nil {
			return err
		}
		switch {
		case m != nil && (j == nil || m.job < j.key):
			if err := w.orphans([]moved{*m}); err != nil {
				return err
			}
			entries.skip()
			continue
		case j == nil:
			_, err := tx.Exec(ctx, `CLOSE large_entries; CLOSE large_jobs`, pgx.QueryExecModeSimpleProtocol)
			return err
		}
		own = own[:0]
		for m != nil && m.job == j.key {
			own = append(own, *m)
			entries.skip()
			if m, err = entries.peek(ctx, tx); err != nil {
				return err
			}
		}
		if err := w.checkJob(j, own, now); err != nil {
			return err
		}
		jobs.skip()
	}
}

// cursor reads a declared cursor ahead by one round trip.
type cursor[T any] struct {
	name   string
	decode func(row [][]byte, into *T)
	rows   []T
	at     int
	done   bool
}

// peek returns the next row without taking it, nil at the end.
func (c *cursor[T]) peek(ctx context.Context, tx pgx.Tx) (*T, error) {
	if c.at == len(c.rows) && !c.done {
		c.rows, c.at = c.rows[:0], 0
		err := each(ctx, tx, func(row [][]byte) error {
			var v T
			c.decode(row, &v)
			c.rows = append(c.rows, v)
			return nil
		}, `FETCH `+fetchRows+` FROM `+c.name)
		if err != nil {
			return nil, err
		}
		c.done = len(c.rows) == 0
	}
	if c.done {
		return nil, nil
	}
	return &c.rows[c.at], nil
}

func (c *cursor[T]) skip() { c.at++ }
