// Package local starts the services Recoup needs on a machine that offers none: a private PostgreSQL cluster
// and a Redis, both children of this program and both reachable by this user only.
//
// `recoup dev` and `recoup drill` keep theirs in a data directory; tests take a throw-away one from
// StartForTests. In production neither is used: there PostgreSQL and Redis are given by URL.
//
// The package needs a Unix: it relies on flock, process groups and Unix sockets.
package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
)

// DatabaseName is the database that Start creates in a new cluster.
const DatabaseName = "recoup"

// systemDir is the data directory of root where root's home is closed to the user PostgreSQL runs as.
const systemDir = "/var/lib/recoup"

// Options says where a service lives and how it runs. The zero value, with Dir filled in, is safe for data
// that must last.
type Options struct {
	// Dir is the data directory; it is made when missing. It must be set. PostgreSQL keeps its cluster in
	// Dir/postgres. One Dir serves one running program: a second one is refused with *InUseError.
	Dir string

	// Log hears what happens to the services; nil means silence. What the services write themselves goes
	// to Dir/postgres.log and Dir/redis.log.
	Log *slog.Logger

	// NoFsync lets PostgreSQL confirm a commit before the disk has it. A crash of PostgreSQL loses nothing
	// even so, a crash of the machine can destroy the cluster: only for clusters that are thrown away.
	NoFsync bool

	// Settings are PostgreSQL settings (name → value) that go before the package's own. They cannot move
	// the socket or the data directory.
	Settings map[string]string

	// InProcessRedis asks for the Redis inside this process even where redis-server is installed.
	InProcessRedis bool

	// throwAway marks a cluster of StartForTests: when the program dies, PostgreSQL need not shut down
	// in order.
	throwAway bool
}

func (o Options) logger() *slog.Logger {
	if o.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Log
}

// Services are a PostgreSQL and a Redis that belong together.
type Services struct {
	Postgres *Postgres

	// Redis is nil only where TestOptions did not ask for one.
	Redis *Redis

	// afterStop removes what a throw-away pair leaves behind; nil for a lasting one.
	afterStop func() error
}

// Start starts PostgreSQL and Redis in opts.Dir and makes sure that the database DatabaseName exists. When it
// returns an error, nothing is left running. Errors to expect: *NotInstalledError, *InUseError,
// *VersionError.
func Start(ctx context.Context, opts Options) (*Services, error) {
	pg, err := StartPostgres(ctx, opts)
	if err != nil {
		return nil, err
	}
	s := &Services{Postgres: pg}
	if err := pg.EnsureDatabase(ctx, DatabaseName); err != nil {
		return nil, errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
	}
	if s.Redis, err = StartRedis(ctx, opts); err != nil {
		return nil, errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
	}
	return s, nil
}

// Stop stops both services in order and, for a throw-away pair, removes their files. Everything is stopped
// when it returns, also when ctx ends early (then by force) and also when it returns an error.
func (s *Services) Stop(ctx context.Context) error {
	var errs []error
	if s.Redis != nil {
		errs = append(errs, s.Redis.Stop(ctx))
	}
	errs = append(errs, s.Postgres.Stop(ctx))
	if s.afterStop != nil {
		errs = append(errs, s.afterStop())
	}
	return errors.Join(errs...)
}

// DefaultDir is the data directory where none is named: $XDG_DATA_HOME/recoup, else ~/.local/share/recoup.
// PostgreSQL does not run as root; for root it is /var/lib/recoup when the user that runs PostgreSQL instead
// cannot enter root's own directory.
func DefaultDir() (string, error) {
	dir := ""
	if base := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(base) {
		dir = filepath.Join(base, "recoup")
	} else if home, err := os.UserHomeDir(); err == nil {
		dir = filepath.Join(home, ".local", "share", "recoup")
	} else if os.Geteuid() != 0 {
		return "", fmt.Errorf("no data directory: name one, or set XDG_DATA_HOME or HOME: %w", err)
	}
	if os.Geteuid() != 0 {
		return dir, nil
	}
	if dir == "" {
		return systemDir, nil
	}
	who, err := chooseAccount(dir)
	if err != nil {
		return "", err
	}
	if closed := who.closedDir(dir); closed != "" {
		return systemDir, nil
	}
	return dir, nil
}
