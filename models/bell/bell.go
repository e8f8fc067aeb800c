// Package bell rings for rows that a worker is to take: it hands them to the queue and notes that it did.
// A bell that nobody answers rings again, so the queue may lose everything that it holds.
package bell

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/db"
)

// again is when a bell that nobody answered rings again; it doubles up to most.
const again, most = 10 * time.Second, 10 * time.Minute

// Bell is what the queue is given for a row.
type Bell struct {
	Key int64 `json:"key"`
	// Rings counts the bells of a row, so that each has an id of its own in the queue.
	Rings int `json:"rings"`
	// Traceparent is that of the request which made the row, or empty.
	Traceparent string `json:"-"`
}

// Table is a table whose rows have bells: columns key, rings and ring_at, with an index on ring_at over the rows that
// Open selects, unless there are only ever a few. All texts are parts of SQL statements.
type Table struct {
	Name, Open string
	// Traceparent is the traceparent of a row; its column of that name when empty.
	Traceparent string
	// Every is after how long a bell that nobody answered rings again. Zero: after 10 s, doubling with each up to 10
	// minutes. Rows that are rung for all their life have it, for theirs would grow ever slower.
	Every time.Duration
}

// Ring hands up to limit rows whose time has come to enqueue, one after another, and notes that it rang for
// those where it returned nil. The first error ends the batch and is returned as it is. Rows that another
// process is just ringing for are passed over.
func (t Table) Ring(ctx context.Context, g *gorm.DB, limit int, enqueue func(context.Context, Bell) error) (rung int, err error) {
	var failed error
	err = db.InTx(ctx, g, func(tx *gorm.DB) error {
		rung, failed = 0, nil
		var bells []Bell
		trace := t.Traceparent
		if trace == "" {
			trace = "traceparent"
		}
		err := tx.WithContext(ctx).Raw(`SELECT key, rings, `+trace+` AS traceparent FROM `+t.Name+` WHERE `+t.Open+` AND ring_at <= clock_timestamp()
			ORDER BY ring_at LIMIT ? FOR NO KEY UPDATE SKIP LOCKED`, limit).Scan(&bells).Error
		if err != nil {
			return fmt.Errorf("bell: %s: %w", t.Name, err)
		}
		for _, b := range bells {
			if failed = enqueue(ctx, b); failed != nil {
				return nil
			}
			wait := min(again<<min(b.Rings, 10), most)
			err := tx.WithContext(ctx).Exec(`UPDATE `+t.Name+` SET rings = rings + 1, ring_at = clock_timestamp() + ?::bigint * interval '1 millisecond' WHERE key = ?`,
				wait.Milliseconds(), b.Key).Error
			if err != nil {
				return fmt.Errorf("bell: %s: %w", t.Name, err)
			}
			rung++
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return rung, failed
}
