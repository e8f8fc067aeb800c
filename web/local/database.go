package local

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// duplicateDatabase is the SQLSTATE of a database name that is taken.
const duplicateDatabase = "42P04"

// URL is the connection string for the named database, for pgx and libpq alike. It holds no secret: the
// socket's directory keeps others out. It stays the same over Kill, Stop and Restart.
func (p *Postgres) URL(dbname string) string {
	query := url.Values{"host": {p.runDir}, "port": {socketPort}, "user": {superuser}, "sslmode": {"disable"}}
	return "postgres:///" + url.PathEscape(dbname) + "?" + query.Encode()
}

// CreateDatabase makes an empty database. The error is a *pgconn.PgError with code 42P04 when the name is taken.
func (p *Postgres) CreateDatabase(ctx context.Context, name string) error {
	return p.CreateDatabaseFrom(ctx, name, "template1")
}

// CreateDatabaseFrom makes a database as a copy of template, which nobody may be connected to meanwhile.
func (p *Postgres) CreateDatabaseFrom(ctx context.Context, name, template string) error {
	how := " TEMPLATE " + identifier(template)
	if p.opts.throwAway {
		// Copying files costs two checkpoints, which have next to nothing to do here, and saves writing every page twice.
		how += " STRATEGY file_copy"
	}
	if err := p.administer(ctx, "CREATE DATABASE "+identifier(name)+how); err != nil {
		return fmt.Errorf("create database %s: %w", name, err)
	}
	return nil
}

// EnsureDatabase makes the named database unless it exists.
func (p *Postgres) EnsureDatabase(ctx context.Context, name string) error {
	err := p.CreateDatabase(ctx, name)
	if pgErr := (*pgconn.PgError)(nil); errors.As(err, &pgErr) && pgErr.Code == duplicateDatabase {
		return nil
	}
	return err
}

// DropDatabase removes the named database and ends the sessions in it. A missing one is no error.
func (p *Postgres) DropDatabase(ctx context.Context, name string) error {
	if err := p.administer(ctx, "DROP DATABASE IF EXISTS "+identifier(name)+" WITH (FORCE)"); err != nil {
		return fmt.Errorf("drop database %s: %w", name, err)
	}
	return nil
}

func (p *Postgres) administer(ctx context.Context, sql string) error {
	conn, err := pgx.Connect(ctx, p.URL("postgres"))
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, sql)
	return errors.Join(err, conn.Close(ctx))
}

func identifier(name string) string { return pgx.Identifier{name}.Sanitize() }
