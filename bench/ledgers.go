package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/jackc/pgx/v5"

	"recoup/web/local"
)

// ledgers is a private PostgreSQL with generated ledgers of several sizes, each a database of its own.
type ledgers struct {
	services *local.Services
	// remove is the directory to remove in the end, "" for one that stays.
	remove string
}

// openLedgers starts a cluster in dir, which stays; in a temporary directory, which does not, where dir is "".
func openLedgers(ctx context.Context, dir string) (*ledgers, error) {
	l := &ledgers{}
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "recoup-ledgers-"); err != nil {
			return nil, err
		}
		l.remove = dir
	}
	// What is generated can be generated again: the disk need not be waited for.
	services, err := local.Start(ctx, local.Options{Dir: dir, NoFsync: true, Settings: map[string]string{
		"shared_buffers": "2GB", "max_wal_size": "8GB", "checkpoint_timeout": "30min", "wal_level": "minimal", "max_wal_senders": "0"}})
	if err != nil {
		return nil, errors.Join(err, l.clear())
	}
	l.services = services
	return l, nil
}

func (l *ledgers) clear() error {
	if l.remove == "" {
		return nil
	}
	return os.RemoveAll(l.remove)
}

func (l *ledgers) close(ctx context.Context) error {
	return errors.Join(l.services.Stop(context.WithoutCancel(ctx)), l.clear())
}

// ledger is the connection string of a ledger of n entries. It is generated, and verified, where there is none.
func (l *ledgers) ledger(ctx context.Context, n int64, deadEvery int, log io.Writer) (string, error) {
	name := fmt.Sprintf("entries_%d", n)
	if deadEvery == allDead {
		name += "_dead"
	}
	url := l.services.Postgres.URL(name)
	if conn, err := pgx.Connect(ctx, url); err == nil {
		// The directory may be from before the newest migration.
		return url, errors.Join(conn.Close(ctx), migrate(ctx, url))
	}
	fmt.Fprintf(log, "a ledger of %d entries\n", n)
	// Until it is whole it has another name.
	part := name + "_part"
	if err := l.services.Postgres.DropDatabase(ctx, part); err != nil {
		return "", err
	}
	if err := l.services.Postgres.CreateDatabase(ctx, part); err != nil {
		return "", err
	}
	if err := generate(ctx, l.services.Postgres.URL(part), n, deadEvery, log); err != nil {
		return "", err
	}
	if err := verifyGenerated(ctx, l.services.Postgres.URL(part), log); err != nil {
		return "", err
	}
	conn, err := pgx.Connect(ctx, l.services.Postgres.URL("postgres"))
	if err != nil {
		return "", err
	}
	_, err = conn.Exec(ctx, fmt.Sprintf(`ALTER DATABASE %s RENAME TO %s`, part, name))
	return url, errors.Join(err, conn.Close(ctx))
}

// copy makes a copy of the ledger at url, which then names the copy, and returns what drops it.
func (l *ledgers) copy(ctx context.Context, url *string) (drop func() error, err error) {
	cfg, err := pgx.ParseConfig(*url)
	if err != nil {
		return nil, err
	}
	name := cfg.Database + "_copy"
	if err := l.services.Postgres.DropDatabase(ctx, name); err != nil {
		return nil, err
	}
	conn, err := pgx.Connect(ctx, l.services.Postgres.URL("postgres"))
	if err != nil {
		return nil, err
	}
	_, err = conn.Exec(ctx, fmt.Sprintf(`CREATE DATABASE %s TEMPLATE %s STRATEGY file_copy`, name, cfg.Database))
	if err = errors.Join(err, conn.Close(ctx)); err != nil {
		return nil, err
	}
	*url = l.services.Postgres.URL(name)
	return func() error { return l.services.Postgres.DropDatabase(context.WithoutCancel(ctx), name) }, nil
}

// runGenerate is `bench generate`.
func runGenerate(ctx context.Context, args []string) (err error) {
	flags := flag.NewFlagSet("bench generate", flag.ExitOnError)
	n := flags.Int64("entries", 100_000, "how many entries")
	url := flags.String("url", "", "an empty database to fill")
	data := flags.String("data", "", "or a directory for a private PostgreSQL, where they become the database entries_<n>")
	dead := flags.Bool("dead", false, "every job that failed for good is a dead letter, one of forty entries; the database is then entries_<n>_dead")
	flags.Parse(args) //nolint:errcheck // ExitOnError
	deadEvery := fewDead
	if *dead {
		deadEvery = allDead
	}
	switch {
	case *url != "" && *data == "":
		if err := generate(ctx, *url, *n, deadEvery, os.Stderr); err != nil {
			return err
		}
		return verifyGenerated(ctx, *url, os.Stderr)
	case *url == "" && *data != "":
		l, err := openLedgers(ctx, *data)
		if err != nil {
			return err
		}
		_, err = l.ledger(ctx, *n, deadEvery, os.Stderr)
		return errors.Join(err, l.close(ctx))
	}
	return errors.New("generate: name a database with -url or a directory with -data")
}
