// Package horizon knows up to which moment the past is final: no transaction that is still open, and none
// that begins later, can add an entry that is dated at or before it.
//
// An entry gets its time while its transaction runs and can be seen only after that has ended. So whoever
// reads on from "the newest entry I have seen" misses what commits late. Whatever is derived in steps from
// rows with a time of the database's clock (rollups, checks, a month that is closed) goes no further than
// this horizon.
//
// It works without a column of its own in those tables. A moment t is read from the clock. In a later
// statement a transaction id x is taken: every transaction that had an id at t has a smaller one. A
// transaction takes its id with its first write, before it dates an entry, so an entry at or before t
// belongs to a transaction older than x. Once the oldest transaction still running is x or younger, t is
// final. The end of a snapshot (pg_snapshot_xmax) would not do in the place of x: it lies behind the newest
// transaction that has ended, and an older one that runs may stand before it or behind it.
package horizon

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/db"
)

// Final returns the moment up to which the past is final, as the last Advance left it: the Unix epoch when
// there was none. A transaction that begins after Final returned sees every entry dated at or before it.
func Final(ctx context.Context, g *gorm.DB) (time.Time, error) {
	var at time.Time
	if err := db.Row(ctx, g, `SELECT final_at FROM horizon`).Scan(&at); err != nil {
		return at, fmt.Errorf("horizon: %w", db.Fault(err))
	}
	return at.UTC(), nil
}

// Advance moves the horizon if it can and returns where it is. A moment is marked by one call and becomes
// final by a later one, as soon as all transactions that were open when it was marked have ended; until then
// the mark stays, however often Advance is called. Any number of processes may call it. It must run outside
// the transaction of whoever wants to know.
func Advance(ctx context.Context, g *gorm.DB) (time.Time, error) {
	var final time.Time
	err := db.InTx(ctx, g, func(tx *gorm.DB) error {
		// The clock comes first: this transaction has no id yet, and gets it with the update.
		var now time.Time
		if err := db.Row(ctx, tx, `SELECT clock_timestamp()`).Scan(&now); err != nil {
			return err
		}
		// Whoever waits here for another process reads what it left in a statement of its own.
		if err := tx.WithContext(ctx).Exec(`SELECT 1 FROM horizon FOR UPDATE`).Error; err != nil {
			return err
		}
		return db.Row(ctx, tx, `UPDATE horizon SET
				final_at = CASE WHEN passed THEN GREATEST(final_at, marked_at) ELSE final_at END,
				marked_at = CASE WHEN passed OR marked_at IS NULL THEN $1 ELSE marked_at END,
				marked_xid = CASE WHEN passed OR marked_at IS NULL THEN pg_current_xact_id() ELSE marked_xid END
			FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS oldest) s
			CROSS JOIN LATERAL (SELECT COALESCE(s.oldest >= marked_xid, false) AS passed FROM horizon) p
			RETURNING final_at`, now).Scan(&final)
	})
	if err != nil {
		return final, fmt.Errorf("horizon: advance: %w", err)
	}
	return final.UTC(), nil
}

// Settle advances twice and returns where the horizon is. Where no older transaction is open, that is at most
// as old as the mark that the first call found or set.
func Settle(ctx context.Context, g *gorm.DB) (time.Time, error) {
	// An old mark may have to pass before the new one can be set.
	if _, err := Advance(ctx, g); err != nil {
		return time.Time{}, err
	}
	return Advance(ctx, g)
}

// Oldest says since when the oldest transaction runs that holds the horizon back, nil when none does. Of
// processes of other roles nothing may be known: then it is nil, too.
func Oldest(ctx context.Context, g *gorm.DB) (*time.Time, error) {
	var since *time.Time
	err := db.Row(ctx, g, `SELECT min(a.xact_start) FROM pg_stat_activity a, horizon h
		WHERE a.backend_xid IS NOT NULL AND a.pid <> pg_backend_pid() AND h.marked_at IS NOT NULL AND a.xact_start <= h.marked_at`).Scan(&since)
	if err != nil {
		return nil, fmt.Errorf("horizon: oldest transaction: %w", db.Fault(err))
	}
	return since, nil
}
