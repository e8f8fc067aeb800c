package local

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Contents are what throw-away clusters hold from their start, made once a machine and copied as files from then on.
type Contents struct {
	// Name tells these contents from all others; it stands in a file's name.
	Name string
	// Fill writes them into an empty cluster, where the machine has not kept any of this name.
	Fill func(ctx context.Context, pg *Postgres) error
}

// keptFor is how long contents of another name are kept: somebody else may be at work on another version.
const keptFor = 24 * time.Hour

// placePristine puts a new cluster at target: a copy of one that was made once. That is kept as a single
// file, since whatever cleans the temp directory can then not remove half of it.
func placePristine(ctx context.Context, base string, who osAccount, target string, contents *Contents) error {
	bin, err := findPostgres(ctx, 0)
	if err != nil {
		return err
	}
	info, err := os.Stat(bin.postgres())
	if err != nil {
		return fmt.Errorf("PostgreSQL: %w", err)
	}
	sum := sha256.Sum256(fmt.Append(nil, bin.postgres(), bin.version, info.Size(), info.ModTime().UnixNano()))
	name := filepath.Join(base, "pristine-"+hex.EncodeToString(sum[:6]))
	empty := pristine{path: name + ".tar", make: func(dir string) error { return initCluster(ctx, bin, who, filepath.Join(dir, "postgres"), false) }}
	if contents == nil {
		return empty.place(base, who, target)
	}
	filled := pristine{path: name + "-" + contents.Name + ".tar", make: func(dir string) error {
		if err := removeOld(name + "-*.tar"); err != nil {
			return err
		}
		if err := unpack(empty.path, filepath.Join(dir, "postgres"), who); err != nil {
			return err
		}
		return fill(ctx, dir, contents)
	}}
	if filled.kept() {
		return filled.place(base, who, target)
	}
	if err := empty.keep(base, who); err != nil {
		return err
	}
	return filled.place(base, who, target)
}

// fill starts the cluster in dir, which nobody uses yet, writes the contents and stops it in order.
func fill(ctx context.Context, dir string, contents *Contents) error {
	pg, err := StartPostgres(ctx, Options{Dir: dir, NoFsync: true})
	if err != nil {
		return err
	}
	err = contents.Fill(ctx, pg)
	if err != nil {
		err = fmt.Errorf("fill a cluster with %s: %w", contents.Name, err)
	}
	return errors.Join(err, pg.Stop(context.WithoutCancel(ctx)))
}

// removeOld removes what matches pattern and was made long ago.
func removeOld(pattern string) error {
	all, err := filepath.Glob(pattern)
	if err != nil {
		return fmt.Errorf("look for old clusters: %w", err)
	}
	for _, path := range all {
		info, err := os.Stat(path)
		if err == nil && time.Since(info.ModTime()) > keptFor {
			err = os.Remove(path)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove an old cluster: %w", err)
		}
	}
	return nil
}

// pristine is a cluster that nobody has used, kept as an archive.
type pristine struct {
	path string
	// make makes the cluster in the directory postgres of dir and leaves it stopped.
	make func(dir string) error
}

func (p pristine) kept() bool {
	_, err := os.Stat(p.path)
	return err == nil
}

// place puts a copy at target.
func (p pristine) place(base string, who osAccount, target string) error {
	if err := p.keep(base, who); err != nil {
		return err
	}
	return unpack(p.path, target, who)
}

// keep makes the cluster and packs it, unless it is kept already.
func (p pristine) keep(base string, who osAccount) error {
	if p.kept() {
		return nil
	}
	lock, err := waitLock(filepath.Join(base, "pristine.lock"))
	if err != nil {
		return err
	}
	defer lock.release()
	if p.kept() {
		return nil // another process has just made it
	}
	dir := filepath.Join(base, "pristine")
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("pristine cluster: %w", err)
	}
	if err := who.makeDataDir(dir); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := p.make(dir); err != nil {
		return err
	}
	file, err := os.OpenFile(p.path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("pristine cluster: %w", err)
	}
	w := tar.NewWriter(file)
	err = w.AddFS(os.DirFS(filepath.Join(dir, "postgres")))
	if err := errors.Join(err, w.Close(), file.Close()); err != nil {
		return fmt.Errorf("pack the pristine cluster: %w", err)
	}
	if err := os.Rename(p.path+".new", p.path); err != nil {
		return fmt.Errorf("pristine cluster: %w", err)
	}
	return nil
}

// unpack writes the archive's directories and files below target, all of them owned by who.
func unpack(path, target string, who osAccount) error {
	archive, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("pristine cluster: %w", err)
	}
	defer archive.Close()
	if err := unpackAll(archive, target, who); err != nil {
		return fmt.Errorf("unpack the pristine cluster: %w", err)
	}
	return nil
}

func unpackAll(archive io.Reader, target string, who osAccount) error {
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
