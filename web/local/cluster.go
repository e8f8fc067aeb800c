package local

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// superuser is the role that owns the private cluster.
const superuser = "recoup"

// socketPort only names the socket file: the cluster does not listen on TCP.
const socketPort = "5432"

// maxSocketPath is the longest path of a Unix socket that Linux (107) and macOS (103) both take.
const maxSocketPath = 103

// VersionError says that a cluster was made by another major version of PostgreSQL than the one installed.
type VersionError struct {
	Dir       string // the cluster's directory
	Cluster   int    // the major version that made it
	Installed string // what is installed, and where
}

func (e *VersionError) Error() string {
	if e.Cluster < minPostgres {
		return fmt.Sprintf("the cluster in %s was made by PostgreSQL %d, older than Recoup can use, and the PostgreSQL found is %s: "+
			"convert the cluster with pg_upgrade, or start with another data directory", e.Dir, e.Cluster, e.Installed)
	}
	return fmt.Sprintf("the cluster in %s was made by PostgreSQL %d, and the PostgreSQL found is %s: "+
		"install PostgreSQL %d (or name its programs with RECOUP_PG_BIN), convert the cluster with pg_upgrade, "+
		"or start with another data directory", e.Dir, e.Cluster, e.Installed, e.Cluster)
}

// clusterMajor returns the major version that made the cluster in dir, 0 when there is no cluster yet.
func clusterMajor(dir string) (int, error) {
	text, err := os.ReadFile(filepath.Join(dir, "PG_VERSION"))
	if err == nil {
		major, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			return 0, fmt.Errorf("%s is not the version of a PostgreSQL cluster: %w", filepath.Join(dir, "PG_VERSION"), err)
		}
		return major, nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return 0, fmt.Errorf("cluster: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return 0, nil
		}
		return 0, fmt.Errorf("cluster: %w", err)
	}
	if len(entries) > 0 {
		return 0, fmt.Errorf("%s holds files but no PostgreSQL cluster: move them away or choose another data directory", dir)
	}
	return 0, nil
}

// initCluster makes a new cluster in dir. It is made beside dir and moved there when it is whole, so that an
// interrupted first start leaves nothing that looks like a cluster.
func initCluster(ctx context.Context, b pgBinaries, who osAccount, dir string, sync bool) error {
	fresh := dir + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return fmt.Errorf("remove an interrupted first start: %w", err)
	}
	if err := who.makePrivateDir(fresh); err != nil {
		return err
	}
	args := []string{"-D", fresh, "-U", superuser, "--auth=trust", "--encoding=UTF8", "--locale=C"}
	if !sync {
		args = append(args, "--no-sync")
	}
	cmd := exec.Command(b.initdb(), args...)
	cmd.Dir, cmd.Env = "/", childEnv()
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	proc, err := startChild(cmd, who, syscall.SIGKILL)
	if err != nil {
		return err
	}
	select {
	case <-proc.done:
	case <-ctx.Done():
		// initdb removes its work on a gentle signal.
		proc.stop(ctx, stopStep{syscall.SIGTERM, immediateShutdown})
		return fmt.Errorf("initdb: %w", ctx.Err())
	}
	if proc.err != nil {
		return fmt.Errorf("initdb as %s: %w\n%s", who.name, proc.err, strings.TrimSpace(output.String()))
	}
	// An empty dir may stand there; Rename replaces it.
	if err := os.Rename(fresh, dir); err != nil {
		return fmt.Errorf("put the new cluster in place: %w", err)
	}
	return nil
}

// stopOrphans ends the PostgreSQL processes that an earlier program left in the cluster, and removes a
// postmaster.pid that names a process of something else. The caller holds the lock of the data directory, so
// no program that is alive needs them.
func stopOrphans(ctx context.Context, dir string, warn func(pid int)) error {
	pidFile := filepath.Join(dir, "postmaster.pid")
	main := readPostmasterPID(pidFile)
	servers := serversIn(dir)
	if len(servers) > 0 {
		warn(main)
		if main != 0 && contains(servers, main) {
			for _, step := range []stopStep{{syscall.SIGINT, fastShutdown}, {syscall.SIGQUIT, immediateShutdown}} {
				_ = syscall.Kill(main, step.signal)
				if waitGone(ctx, []int{main}, step.wait) {
					break
				}
			}
		}
		for _, pid := range serversIn(dir) {
			killTree(pid)
		}
		if !waitGone(ctx, servers, immediateShutdown) {
			return fmt.Errorf("processes %v of an earlier run still work in %s and cannot be ended", serversIn(dir), dir)
		}
	}
	if main == 0 {
		return nil
	}
	// PostgreSQL refuses to start while the named process lives, and in a container process ids soon
	// return. That no server works here was just seen.
	if err := os.Remove(pidFile); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove the process id of an earlier run: %w", err)
	}
	return nil
}

// waitGone waits until none of the processes is left and reports whether that came to pass in time.
func waitGone(ctx context.Context, pids []int, limit time.Duration) bool {
	deadline := time.Now().Add(limit)
	for {
		left := false
		for _, pid := range pids {
			left = left || alive(pid)
		}
		if !left {
			return true
		}
		if ctx.Err() != nil || time.Now().After(deadline) {
			return false
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func contains(pids []int, pid int) bool {
	for _, p := range pids {
		if p == pid {
			return true
		}
	}
	return false
}

// readPostmasterPID returns the process that postmaster.pid names, 0 when there is no such file.
func readPostmasterPID(path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || pid <= 0 {
		return 0
	}
	return pid
}

// socketDir is the directory for the sockets of the data directory dir: inside it, or, as the path of a
// socket must be short, under a name made from dir's in the temp directory.
func socketDir(dir string, who osAccount) string {
	fits := func(candidate string) bool {
		return len(filepath.Join(candidate, ".s.PGSQL."+socketPort)) <= maxSocketPath
	}
	if inside := filepath.Join(dir, "run"); fits(inside) {
		return inside
	}
	sum := sha256.Sum256([]byte(dir))
	name := fmt.Sprintf("recoup-%d-%s", who.uid, hex.EncodeToString(sum[:6]))
	if short := filepath.Join(os.TempDir(), name); fits(short) && who.closedDir(os.TempDir()) == "" {
		return short
	}
	return filepath.Join("/tmp", name)
}
