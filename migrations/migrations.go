// Package migrations holds the schema as numbered SQL files, embedded in the program, and applies
// them. A file that has been released is never edited; a change is a new file.
package migrations

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed sql/*.sql
var files embed.FS

// ErrNotCurrent is returned by Check when the database lacks migrations of this program or has
// some that it does not know.
var ErrNotCurrent = errors.New("the database schema is not current")

// Migration is one numbered file and whether the database has it.
type Migration struct {
	Version int64
	File    string
	Applied bool
}

// Digest is 16 hexadecimal digits that change with any file of the schema.
func Digest() (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(files, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := files.ReadFile(path)
		fmt.Fprintf(sum, "%s %d\n%s", path, len(text), text)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("migrations: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

func provider(db *sql.DB) (*goose.Provider, error) {
	dir, err := fs.Sub(files, "sql")
	if err != nil {
		return nil, err
	}
	// Several processes may start at once: one migrates, the others wait for it.
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db, dir, goose.WithSessionLocker(locker))
}

// Up applies every pending migration, each in its own transaction, and returns their file names
// in order (nil when there was nothing to do).
func Up(ctx context.Context, db *sql.DB) ([]string, error) {
	p, err := provider(db)
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	if have, want, err := p.GetVersions(ctx); err == nil && have > want {
		return nil, fmt.Errorf("%w: the database is at %d, this program knows %d: run a newer program", ErrNotCurrent, have, want)
	}
	results, err := p.Up(ctx)
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	var names []string
	for _, r := range results {
		names = append(names, r.Source.Path)
	}
	return names, nil
}

// Status lists every migration of this program in order.
func Status(ctx context.Context, db *sql.DB) ([]Migration, error) {
	p, err := provider(db)
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	states, err := p.Status(ctx)
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	out := make([]Migration, 0, len(states))
	for _, s := range states {
		out = append(out, Migration{Version: s.Source.Version, File: s.Source.Path, Applied: s.State == goose.StateApplied})
	}
	return out, nil
}

// Check returns nil when the database has exactly the migrations of this program, ErrNotCurrent
// (wrapped, with the versions) when not.
func Check(ctx context.Context, db *sql.DB) error {
	p, err := provider(db)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	have, want, err := p.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	pending, err := p.HasPending(ctx)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	if have > want {
		return fmt.Errorf("%w: the database is at %d, this program knows %d: run a newer program", ErrNotCurrent, have, want)
	}
	if pending || have != want {
		return fmt.Errorf("%w: database at %d, program at %d; run `recoup migrate up`", ErrNotCurrent, have, want)
	}
	return nil
}
