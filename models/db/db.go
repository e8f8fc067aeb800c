// Package db opens PostgreSQL for the models and keeps the few rules that every statement obeys:
// one transaction helper, one translation of PostgreSQL's errors.
package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// Config says how to reach the database and how long to wait for it.
type Config struct {
	// URL is a PostgreSQL connection string. The parameter default_query_exec_mode=exec makes it
	// fit PgBouncer in transaction mode.
	URL string
	// MaxConns bounds the pool; 16 when zero.
	MaxConns int
	// LockTimeout bounds the wait for a row, 10 s when zero.
	LockTimeout time.Duration
	// StatementTimeout bounds one statement, 60 s when zero.
	StatementTimeout time.Duration
	// Tracer sees every statement, BEGIN and COMMIT included; nil for none.
	Tracer pgx.QueryTracer
	// AppName shows in pg_stat_activity; "recoup" when empty.
	AppName string
}

// Open connects and pings. The caller closes the returned pool through (*gorm.DB).DB().
func Open(ctx context.Context, c Config) (*gorm.DB, error) {
	cfg, err := pgx.ParseConfig(c.URL)
	if err != nil {
		// pgx masks the password in its message.
		return nil, fmt.Errorf("db: the database URL: %w", err)
	}
	set := func(name, value string) {
		if _, given := cfg.RuntimeParams[name]; !given {
			cfg.RuntimeParams[name] = value
		}
	}
	// PgBouncer refuses start-up parameters it does not know. With the exec mode that it needs, the
	// role's own settings (ALTER ROLE … SET) take the place of these.
	if cfg.DefaultQueryExecMode != pgx.QueryExecModeExec && cfg.DefaultQueryExecMode != pgx.QueryExecModeSimpleProtocol {
		set("application_name", orString(c.AppName, "recoup"))
		set("timezone", "UTC")
		set("plan_cache_mode", "force_generic_plan")
		// A plan for all arguments is estimated for the worst of them: it would be compiled for a tenth of a second
		// to read a few rows.
		set("jit", "off")
		set("lock_timeout", millis(c.LockTimeout, 10*time.Second))
		set("statement_timeout", millis(c.StatementTimeout, 60*time.Second))
		set("idle_in_transaction_session_timeout", millis(0, 60*time.Second))
	}
	cfg.Tracer = c.Tracer
	pool := stdlib.OpenDB(*cfg)
	n := c.MaxConns
	if n <= 0 {
		n = 16
	}
	pool.SetMaxOpenConns(n)
	pool.SetMaxIdleConns(n)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	if err := pool.PingContext(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("db: cannot reach PostgreSQL: %w", err)
	}
	g, err := Wrap(pool)
	if err != nil {
		pool.Close()
		return nil, err
	}
	return g, nil
}

// Wrap makes a GORM handle with our settings over an open pool.
func Wrap(pool *sql.DB) (*gorm.DB, error) {
	g, err := gorm.Open(postgres.New(postgres.Config{Conn: pool}), &gorm.Config{
		// pgx caches prepared statements a connection; GORM's own cache prepares anew inside every
		// transaction and breaks PgBouncer.
		PrepareStmt:            false,
		SkipDefaultTransaction: true,
		QueryFields:            true,
		TranslateError:         false, // Fault below keeps PostgreSQL's own error
		DisableAutomaticPing:   true,
		Logger:                 logger.Discard,
	})
	if err != nil {
		return nil, fmt.Errorf("db: %w", err)
	}
	return g, nil
}

func millis(d, fallback time.Duration) string {
	if d <= 0 {
		d = fallback
	}
	return fmt.Sprintf("%d", d.Milliseconds())
}

func orString(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

// maxTries bounds how often InTx runs a function whose transaction PostgreSQL asked to repeat.
const maxTries = 5

// InTx runs fn in one READ COMMITTED transaction: committed when fn returns nil, rolled back on an
// error or a panic. When PostgreSQL reports a serialization failure or a deadlock, or that somebody else
// recorded the decision first, the whole function runs again, so it must keep no effect outside the transaction. Other errors come back
// translated by Fault.
func InTx(ctx context.Context, g *gorm.DB, fn func(tx *gorm.DB) error) error {
	for try := 1; ; try++ {
		err := once(ctx, g, nil, fn)
		if err == nil {
			return nil
		}
		if try < maxTries && repeatable(err) && ctx.Err() == nil {
			continue
		}
		return Fault(err)
	}
}

// Snapshot runs fn in one read-only REPEATABLE READ transaction: everything fn reads is of one moment.
func Snapshot(ctx context.Context, g *gorm.DB, fn func(tx *gorm.DB) error) error {
	opts := &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	return Fault(once(ctx, g, opts, fn))
}

func once(ctx context.Context, g *gorm.DB, opts *sql.TxOptions, fn func(tx *gorm.DB) error) (err error) {
	tx := g.WithContext(ctx).Begin(opts)
	if tx.Error != nil {
		return tx.Error
	}
	done := false
	defer func() {
		if !done {
			tx.Rollback()
		}
	}()
	if err := fn(tx); err != nil {
		return err
	}
	done = true
	return tx.Commit().Error
}

func repeatable(err error) bool {
	code := Code(err)
	// A quote that came while a charge of the same operation was under way: tried again, the charge adopts it.
	return code == "40001" || code == "40P01" || code == codeUnique && Constraint(err) == "decisions_pkey"
}

// IsNoRows reports whether err says that a query found nothing.
func IsNoRows(err error) bool {
	return errors.Is(err, gorm.ErrRecordNotFound) || errors.Is(err, sql.ErrNoRows)
}
