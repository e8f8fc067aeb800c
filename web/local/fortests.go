package local

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
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

	// Log hears what happens; nil means silence.
	Log *slog.Logger
}

// StartForTests starts a throw-away PostgreSQL (200 connections, 64 MB of buffers) and Redis in the temp
// directory. Call it once per test binary, from TestMain, and Stop the result at the end; that also removes
// the files. A binary that is killed leaves no process, and its files go when the next one starts. The first
// call on a machine keeps a pristine cluster in the temp directory for those after it.
func StartForTests(ctx context.Context, opts TestOptions) (*Services, error) {
	base, who, err := testBase()
	if err != nil {
		return nil, err
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
	if err := placePristine(ctx, base, who, filepath.Join(dir, "postgres")); err != nil {
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

// testBase is the directory of this user's throw-away clusters: in the temp directory, or elsewhere when the
// user who runs PostgreSQL cannot enter that.
func testBase() (string, osAccount, error) {
	who, err := chooseAccount("")
	if err != nil {
		return "", who, err
	}
	me := osAccount{name: "this user", uid: os.Geteuid(), gid: os.Getegid()}
	for _, temp := range []string{os.TempDir(), "/tmp", "/var/tmp"} {
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

// placePristine puts a new cluster at target: a copy of one that initdb made once. That is kept as a single
// file, since whatever cleans the temp directory can then not remove half of it.
func placePristine(ctx context.Context, base string, who osAccount, target string) error {
	bin, err := findPostgres(ctx, 0)
	if err != nil {
		return err
	}
	info, err := os.Stat(bin.postgres())
	if err != nil {
		return fmt.Errorf("PostgreSQL: %w", err)
	}
	sum := sha256.Sum256(fmt.Append(nil, bin.postgres(), bin.version, info.Size(), info.ModTime().UnixNano()))
	path := filepath.Join(base, "pristine-"+hex.EncodeToString(sum[:6])+".tar")

	archive, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		if err := makePristine(ctx, base, path, bin, who); err != nil {
			return err
		}
		archive, err = os.Open(path)
	}
	if err != nil {
		return fmt.Errorf("pristine cluster: %w", err)
	}
	defer archive.Close()
	if err := unpack(archive, target, who); err != nil {
		return fmt.Errorf("unpack the pristine cluster: %w", err)
	}
	return nil
}

// makePristine runs initdb and packs the result into path, unless another process has just done so.
func makePristine(ctx context.Context, base, path string, bin pgBinaries, who osAccount) error {
	lock, err := waitLock(filepath.Join(base, "pristine.lock"))
	if err != nil {
		return err
	}
	defer lock.release()
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	dir := filepath.Join(base, "pristine")
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("pristine cluster: %w", err)
	}
	if err := initCluster(ctx, bin, who, dir, false); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("pristine cluster: %w", err)
	}
	w := tar.NewWriter(file)
	err = w.AddFS(os.DirFS(dir))
	if err := errors.Join(err, w.Close(), file.Close()); err != nil {
		return fmt.Errorf("pack the pristine cluster: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("pristine cluster: %w", err)
	}
	return nil
}

// unpack writes the archive's directories and files below target, all of them owned by who.
func unpack(archive io.Reader, target string, who osAccount) error {
	if err := who.makePrivateDir(target); err != nil {
		return err
	}
	r := tar.NewReader(archive)
	for {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(header.Name, "/")
		if !filepath.IsLocal(name) || header.Typeflag != tar.TypeDir && header.Typeflag != tar.TypeReg {
			return fmt.Errorf("%q does not belong into a cluster", header.Name)
		}
		if name == "." {
			continue
		}
		path := filepath.Join(target, name)
		if header.Typeflag == tar.TypeDir {
			err = who.makePrivateDir(path)
		} else {
			err = unpackFile(r, path, who)
		}
		if err != nil {
			return err
		}
	}
}

func unpackFile(r io.Reader, path string, who osAccount) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, r)
	if who.switched {
		err = errors.Join(err, file.Chown(who.uid, who.gid))
	}
	return errors.Join(err, file.Close())
}
