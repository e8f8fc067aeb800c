package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
)

// TestOptions chooses what StartForTests starts. The zero value is a fast PostgreSQL alone.
type TestOptions struct {
	// Redis asks for a Redis too; InProcessRedis for the one inside this process.
	Redis          bool
	InProcessRedis bool

	// Fsync makes PostgreSQL wait for the disk, as in production. Without it a kill of PostgreSQL still
	// loses nothing.
	Fsync bool

	// Settings are further PostgreSQL settings, name → value.
	Settings map[string]string

	// Contents are in the cluster from its start; nil for none.
	Contents *Contents

	// Log hears what happens; nil means silence.
	Log *slog.Logger
}

// StartForTests starts a throw-away PostgreSQL (200 connections, 64 MB of buffers) and Redis in MemoryDir, or in the
// temp directory where there is none or Fsync asks for a disk. Call it once per test binary, from TestMain, and Stop the
// result at the end; that also removes the files, so PostgreSQL is then not asked to write anything out. A binary that is
// killed leaves no process, and its files go when the next one starts. The first call on a machine keeps a pristine
// cluster in the temp directory for those after it.
func StartForTests(ctx context.Context, opts TestOptions) (*Services, error) {
	kept, who, err := testBase(os.TempDir(), "/tmp", "/var/tmp")
	if err != nil {
		return nil, err
	}
	base := kept
	if memory := MemoryDir(); memory != "" && !opts.Fsync {
		if base, who, err = testBase(memory); err != nil {
			return nil, err
		}
	}
	dir, owner, err := claimTestDir(base, who)
	if err != nil {
		return nil, err
	}
	remove := func() error {
		defer owner.release()
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("remove the throw-away cluster: %w", err)
		}
		return nil
	}
	if err := placePristine(ctx, kept, who, filepath.Join(dir, "postgres"), opts.Contents); err != nil {
		return nil, errors.Join(err, remove())
	}
	options := Options{
		Dir: dir, Log: opts.Log, NoFsync: !opts.Fsync, Settings: opts.Settings,
		InProcessRedis: opts.InProcessRedis, throwAway: true,
	}
	pg, err := StartPostgres(ctx, options)
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	s := &Services{Postgres: pg, afterStop: remove}
	if opts.Redis || opts.InProcessRedis {
		if s.Redis, err = StartRedis(ctx, options); err != nil {
			return nil, errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
		}
	}
	return s, nil
}

// testBase is the directory of this user's throw-away clusters: in the first of the places that the user who runs
// PostgreSQL can enter.
func testBase(places ...string) (string, osAccount, error) {
	who, err := chooseAccount("")
	if err != nil {
		return "", who, err
	}
	me := osAccount{name: "this user", uid: os.Geteuid(), gid: os.Getegid()}
	for _, temp := range places {
		if who.closedDir(temp) != "" {
			continue
		}
		base := filepath.Join(temp, fmt.Sprintf("recoup-test-%d", me.uid))
		if err := me.makePrivateDir(base); err != nil {
			return "", who, err
		}
		if who.switched {
			if err := os.Chmod(base, 0o711); err != nil {
				return "", who, fmt.Errorf("directory for tests: %w", err)
			}
		}
		return base, who, nil
	}
	return "", who, fmt.Errorf("no temp directory that user %s can enter", who.name)
}

// claimTestDir makes a directory of this process's own, held by a lock that ends with the process, and removes
// those whose process is gone.
func claimTestDir(base string, who osAccount) (string, *fileLock, error) {
	// One at a time: a directory made but not yet locked would look abandoned.
	gate, err := waitLock(filepath.Join(base, "gate.lock"))
	if err != nil {
		return "", nil, err
	}
	defer gate.release()
	abandoned, err := filepath.Glob(filepath.Join(base, "run-*"))
	if err != nil {
		return "", nil, fmt.Errorf("look for abandoned clusters: %w", err)
	}
	for _, dir := range abandoned {
		owner, err := tryLock(filepath.Join(dir, "owner.lock"))
		if errors.Is(err, os.ErrNotExist) {
			continue // its owner removed it just now
		}
		if err != nil {
			return "", nil, err
		}
		if owner == nil {
			continue
		}
		for _, pid := range serversIn(filepath.Join(dir, "postgres")) {
			killTree(pid)
		}
		err = os.RemoveAll(dir)
		owner.release()
		if err != nil {
			return "", nil, fmt.Errorf("remove an abandoned cluster: %w", err)
		}
	}
	dir, err := os.MkdirTemp(base, "run-")
	if err != nil {
		return "", nil, fmt.Errorf("directory for a throw-away cluster: %w", err)
	}
	if who.switched {
		if err := os.Chmod(dir, 0o711); err != nil {
			return "", nil, fmt.Errorf("directory for a throw-away cluster: %w", err)
		}
	}
	owner, err := tryLock(filepath.Join(dir, "owner.lock"))
	if err == nil && owner == nil {
		err = errors.New("the lock of a new directory is taken")
	}
	if err != nil {
		return "", nil, err
	}
	return dir, owner, nil
}

// memoryRoom is the room that MemoryDir has to offer: that of some clusters with large tests. A container's usual 64 MB
// are too little for one.
const memoryRoom = 2 << 30

// MemoryDir is a directory in memory, where services that are thrown away start and write fastest, with room for several
// of them; "" where there is none, where it is nearly full, and where TMPDIR asks for another place.
func MemoryDir() string {
	const dir = "/dev/shm"
	if os.Getenv("TMPDIR") != "" || roomInMemory(dir) < memoryRoom {
		return ""
	}
	return dir
}
