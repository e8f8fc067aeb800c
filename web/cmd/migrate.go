package cmd

import (
	"database/sql"
	"fmt"
	"os"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"recoup/migrations"
	"recoup/web/config"
)

func lookup(name string) (string, bool) { return os.LookupEnv(name) }

type migrateCmd struct {
	Up     migrateUpCmd     `cmd:"" help:"Apply every pending migration."`
	Status migrateStatusCmd `cmd:"" help:"List migrations and whether the database has them; status 1 when one is pending."`
}

type migrateUpCmd struct{}

func (migrateUpCmd) Run(e *env) error {
	pool, err := migrationPool()
	if err != nil {
		return err
	}
	defer pool.Close()
	names, err := migrations.Up(e.ctx, pool)
	if err != nil {
		return err
	}
	for _, n := range names {
		fmt.Fprintln(e.out, "applied", n)
	}
	if len(names) == 0 {
		fmt.Fprintln(e.out, "the schema is current")
	}
	return nil
}

type migrateStatusCmd struct{}

func (migrateStatusCmd) Run(e *env) error {
	pool, err := migrationPool()
	if err != nil {
		return err
	}
	defer pool.Close()
	list, err := migrations.Status(e.ctx, pool)
	if err != nil {
		return err
	}
	pending := false
	for _, m := range list {
		state := "applied"
		if !m.Applied {
			state, pending = "pending", true
		}
		fmt.Fprintf(e.out, "%-8s %s\n", state, m.File)
	}
	if pending {
		return errSilent
	}
	return nil
}

func migrationPool() (*sql.DB, error) {
	cfg, err := config.Load(lookup, config.Database)
	if err != nil {
		return nil, err
	}
	return sql.Open("pgx", cfg.DatabaseURL)
}
