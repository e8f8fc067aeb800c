package verify

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// binaryRows asks for PostgreSQL's binary form of every column: eight bytes for a number or a time, the
// bytes themselves for text. Read without a scan, an entry costs less than the hash over it.
func binaryRows() pgx.QueryResultFormats { return pgx.QueryResultFormats{pgx.BinaryFormatCode} }

// native lends fn one of the pool's connections as pgx knows it.
func (v *Verifier) native(ctx context.Context, fn func(*pgx.Conn) error) error {
	pool, err := v.g.DB()
	if err != nil {
		return err
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connection: %w", err)
	}
	defer conn.Close()
	return conn.Raw(func(driver any) error {
		c, ok := driver.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("the database is not reached through pgx but through %T", driver)
		}
		return fn(c.Conn())
	})
}

// snapshot runs fn in one read-only REPEATABLE READ transaction. A statement may last as long as it
// takes: it streams. Plans are made for the very batch and prefer the order of an index to a sort, the
// sorts that remain stay in memory, and no plan takes several processors, since several workers run
// beside each other. now is the database's clock as the snapshot is taken.
func snapshot(ctx context.Context, conn *pgx.Conn, fn func(tx pgx.Tx, now time.Time) error) error {
	opts := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	return pgx.BeginTxFunc(ctx, conn, opts, func(tx pgx.Tx) error {
		var now time.Time
		err := tx.QueryRow(ctx, `SELECT clock_timestamp() FROM (SELECT set_config('statement_timeout', '0', true),
			set_config('plan_cache_mode', 'force_custom_plan', true), set_config('work_mem', '32MB', true),
			set_config('random_page_cost', '1', true), set_config('max_parallel_workers_per_gather', '0', true),
			set_config('jit', 'off', true) OFFSET 0) s`, pgx.QueryExecModeExec).Scan(&now)
		if err != nil {
			return fmt.Errorf("snapshot: %w", err)
		}
		return fn(tx, now)
	})
}

// each runs a query and hands every row to fn as raw bytes in binary form, nil for NULL. The bytes are
// valid until fn returns.
func each(ctx context.Context, tx pgx.Tx, fn func(row [][]byte) error, sql string, args ...any) error {
	// This mode plans each statement for itself, as its batch needs it, leaves nothing prepared on the
	// connection and honours the format.
	rows, err := tx.Query(ctx, sql, append([]any{pgx.QueryExecModeDescribeExec, binaryRows()}, args...)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows.RawValues()); err != nil {
			return err
		}
	}
	return rows.Err()
}

func int64Of(b []byte) int64 { return int64(binary.BigEndian.Uint64(b)) }

func int32Of(b []byte) int32 { return int32(binary.BigEndian.Uint32(b)) }

func boolOf(b []byte) bool { return len(b) == 1 && b[0] != 0 }

// epoch2000 is PostgreSQL's time zero in microseconds since 1970.
const epoch2000 = 946_684_800_000_000

// microsOf is a timestamptz in microseconds since 1970.
func microsOf(b []byte) int64 { return int64Of(b) + epoch2000 }

// optional is a nullable number or time.
type optional struct {
	value int64
	set   bool
}

func optionalMicros(b []byte) optional {
	if b == nil {
		return optional{}
	}
	return optional{microsOf(b), true}
}

func (o optional) timeText() string {
	if !o.set {
		return "none"
	}
	return timeText(o.value)
}

func timeText(micros int64) string {
	return time.UnixMicro(micros).UTC().Format("2006-01-02T15:04:05.000000Z")
}
