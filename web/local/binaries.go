package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// minPostgres is the oldest PostgreSQL that Recoup's SQL is written for.
const minPostgres = 15

// pgBinaries is one installed PostgreSQL.
type pgBinaries struct {
	dir     string
	major   int
	version string // as the program states it
}

func (b pgBinaries) initdb() string   { return filepath.Join(b.dir, "initdb") }
func (b pgBinaries) postgres() string { return filepath.Join(b.dir, "postgres") }

var digits = regexp.MustCompile(`\d+`)

// findPostgres returns the PostgreSQL to run: the one that RECOUP_PG_BIN names, else the first found on PATH,
// by pg_config, or where packages put it. For an existing cluster give its major version (else 0): several
// versions are often installed side by side, and only that one can open it.
func findPostgres(ctx context.Context, major int) (pgBinaries, error) {
	if dir := os.Getenv("RECOUP_PG_BIN"); dir != "" {
		found, err := probePostgres(ctx, dir)
		if err != nil {
			return pgBinaries{}, fmt.Errorf("RECOUP_PG_BIN must be a directory with the programs initdb and postgres: %w\n%s", err, advice(thisPlatform()))
		}
		if found.major < minPostgres {
			return pgBinaries{}, fmt.Errorf("RECOUP_PG_BIN holds %s, Recoup needs PostgreSQL %d or newer\n%s", found.version, minPostgres, advice(thisPlatform()))
		}
		return found, nil
	}
	return pickPostgres(ctx, postgresDirs(ctx), major)
}

// pickPostgres returns the first PostgreSQL in dirs with that major version, else the first that Recoup can use.
func pickPostgres(ctx context.Context, dirs []string, major int) (pgBinaries, error) {
	var usable []pgBinaries
	var unusable []string
	for _, dir := range dirs {
		found, err := probePostgres(ctx, dir)
		switch {
		case ctx.Err() != nil:
			return pgBinaries{}, fmt.Errorf("looking for PostgreSQL: %w", ctx.Err())
		case errors.Is(err, os.ErrNotExist):
			continue
		case err != nil:
			unusable = append(unusable, err.Error())
		case found.major < minPostgres:
			unusable = append(unusable, fmt.Sprintf("%s in %s is too old", found.version, dir))
		case found.major == major || major == 0:
			return found, nil
		default:
			usable = append(usable, found)
		}
	}
	if len(usable) > 0 {
		return usable[0], nil
	}
	return pgBinaries{}, &NotInstalledError{Unusable: unusable, hint: thisPlatform()}
}

// postgresDirs lists the directories that may hold PostgreSQL's programs, best first.
func postgresDirs(ctx context.Context) []string {
	var dirs []string
	add := func(dir string) {
		if dir != "" && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	// A link on PATH leads to the real directory, which also holds initdb and the shared files' anchor.
	if path, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			add(filepath.Dir(real))
		}
	}
	if path, err := exec.LookPath("pg_config"); err == nil {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		if out, err := exec.CommandContext(ctx, path, "--bindir").Output(); err == nil {
			add(strings.TrimSpace(string(out)))
		}
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin", // Debian, Ubuntu
		"/usr/pgsql-*/bin",          // PostgreSQL's own packages for Fedora and RHEL
		"/usr/libexec/postgresql*",  // Alpine
		"/usr/lib/postgresql*/bin",  // openSUSE
		"/opt/homebrew/opt/postgresql*/bin",
		"/usr/local/opt/postgresql*/bin",
		"/home/linuxbrew/.linuxbrew/opt/postgresql*/bin",
		"/Applications/Postgres.app/Contents/Versions/*/bin",
		"/usr/local/pgsql/bin", // built from source
	} {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			continue
		}
		for _, dir := range newestFirst(matches) {
			add(dir)
		}
	}
	return dirs
}

// newestFirst orders paths by the version number in them, as numbers: 9.6 comes after 15.
func newestFirst(paths []string) []string {
	version := func(path string) int {
		n, err := strconv.Atoi(digits.FindString(path))
		if err != nil {
			return 0
		}
		return n
	}
	sorted := slices.Clone(paths)
	sort.SliceStable(sorted, func(i, j int) bool { return version(sorted[i]) > version(sorted[j]) })
	return sorted
}

// probePostgres reports which PostgreSQL dir holds, or why it holds none.
func probePostgres(ctx context.Context, dir string) (pgBinaries, error) {
	b := pgBinaries{dir: dir}
	for _, program := range []string{b.initdb(), b.postgres()} {
		info, err := os.Stat(program)
		if err != nil {
			return b, err
		}
		if info.IsDir() || info.Mode()&0o111 == 0 {
			return b, fmt.Errorf("%s is not a program", program)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, b.postgres(), "--version").Output()
	if err != nil {
		return b, fmt.Errorf("%s --version: %w", b.postgres(), err)
	}
	b.version = strings.TrimSpace(string(out))
	if b.major, err = majorOf(b.version); err != nil {
		return b, fmt.Errorf("%s: %w", b.postgres(), err)
	}
	return b, nil
}

// majorOf reads 15 out of "postgres (PostgreSQL) 15.4 (Debian 15.4-1)", and 17 out of "… 17beta2".
func majorOf(version string) (int, error) {
	_, after, ok := strings.Cut(version, "(PostgreSQL) ")
	if n, err := strconv.Atoi(digits.FindString(after)); ok && err == nil {
		return n, nil
	}
	return 0, fmt.Errorf("no PostgreSQL version in %q", version)
}
