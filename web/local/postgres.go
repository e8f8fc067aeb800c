package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// fastShutdown is the time for PostgreSQL to end its sessions and write everything out,
	// immediateShutdown the time to just end.
	fastShutdown      = 10 * time.Second
	immediateShutdown = 5 * time.Second

	// startPatience covers the recovery of a large cluster after a crash.
	startPatience = 2 * time.Minute

	// crashPatience is how long a start waits for server processes that outlived their main process.
	crashPatience = 10 * time.Second
)

// Postgres is a private PostgreSQL cluster run by this program. Its methods may be called from several
// goroutines.
type Postgres struct {
	opts    Options
	log     *slog.Logger
	bin     pgBinaries
	who     osAccount
	dataDir string
	runDir  string
	logPath string

	mu   sync.Mutex
	lock *fileLock // nil while stopped
	proc *child    // nil while stopped; an ended one after Kill
}

// StartPostgres starts the cluster in opts.Dir, making it on first use, and returns once it takes connections.
// It stops what an earlier program left running there. Errors to expect: *NotInstalledError, *InUseError,
// *VersionError.
func StartPostgres(ctx context.Context, opts Options) (*Postgres, error) {
	dir, who, err := prepareDir(opts.Dir)
	if err != nil {
		return nil, err
	}
	opts.Dir = dir
	p := &Postgres{
		opts:    opts,
		log:     opts.logger(),
		who:     who,
		dataDir: filepath.Join(dir, "postgres"),
		runDir:  socketDir(dir, who),
		logPath: filepath.Join(dir, "postgres.log"),
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.start(ctx); err != nil {
		return nil, err
	}
	return p, nil
}

// prepareDir makes the data directory and says who runs the services in it.
func prepareDir(dir string) (string, osAccount, error) {
	if dir == "" {
		return "", osAccount{}, errors.New("no data directory is named")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", osAccount{}, fmt.Errorf("data directory: %w", err)
	}
	who, err := chooseAccount(dir)
	if err != nil {
		return "", osAccount{}, err
	}
	return dir, who, who.makeDataDir(dir)
}

// start brings a stopped cluster up. The caller holds p.mu.
func (p *Postgres) start(ctx context.Context) (err error) {
	if p.lock == nil {
		if p.lock, err = lockDir(ctx, filepath.Join(p.opts.Dir, "postgres.lock"), p.opts.Dir); err != nil {
			return err
		}
	}
	defer func() {
		if err != nil {
			p.lock.release()
			p.lock, p.proc = nil, nil
		}
	}()
	major, err := clusterMajor(p.dataDir)
	if err != nil {
		return err
	}
	if p.bin, err = findPostgres(ctx, major); err != nil {
		return err
	}
	if major == 0 {
		p.log.InfoContext(ctx, "making a private PostgreSQL cluster", "dir", p.dataDir, "version", p.bin.version, "user", p.who.name)
		if err := initCluster(ctx, p.bin, p.who, p.dataDir, !p.opts.NoFsync); err != nil {
			return err
		}
	} else if major != p.bin.major {
		return &VersionError{Dir: p.dataDir, Cluster: major, Installed: p.bin.version + " in " + p.bin.dir}
	}
	if err := p.who.makePrivateDir(p.runDir); err != nil {
		return err
	}
	if err := stopOrphans(ctx, p.dataDir, func(pid int) {
		p.log.WarnContext(ctx, "stopping the PostgreSQL that an earlier run left behind", "pid", pid)
	}); err != nil {
		return err
	}
	// After a crash PostgreSQL believes the process id in the socket's lock file too.
	if err := p.removeSocket(); err != nil {
		return err
	}

	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	for deadline := time.Now().Add(crashPatience); ; {
		output, err := p.launch(ctx)
		if err == nil {
			return nil
		}
		// Server processes of a killed main process end by themselves, when they next look up.
		stillThere := strings.Contains(output, "still in use") || strings.Contains(output, "postmaster.pid\" already exists")
		if !stillThere || time.Now().After(deadline) || ctx.Err() != nil {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// launch starts the server once and waits until it takes connections. When it fails, the process is gone and
// output is what it wrote.
func (p *Postgres) launch(ctx context.Context) (output string, err error) {
	logFile, offset, err := openLog(p.logPath)
	if err != nil {
		return "", err
	}
	defer logFile.Close()
	cmd := exec.Command(p.bin.postgres(), p.arguments()...)
	cmd.Dir, cmd.Env = "/", childEnv()
	cmd.Stdout, cmd.Stderr = logFile, logFile
	orphanSignal := syscall.SIGINT
	if p.opts.throwAway {
		orphanSignal = syscall.SIGQUIT
	}
	began := time.Now()
	proc, err := startChild(cmd, p.who, orphanSignal)
	if err != nil {
		return "", err
	}
	if err := p.waitReady(ctx, proc); err != nil {
		proc.kill()
		output := logSince(p.logPath, offset)
		return output, fmt.Errorf("start PostgreSQL in %s: %w\n%s", p.dataDir, err, strings.TrimSpace(output))
	}
	p.proc = proc
	p.log.InfoContext(ctx, "PostgreSQL is running", "pid", proc.pid, "dir", p.dataDir, "version", p.bin.version,
		"took", time.Since(began).Round(time.Millisecond))
	go func() {
		<-proc.done
		if !proc.stopping.Load() {
			p.log.Error("PostgreSQL ended by itself", "how", proc.err, "log", p.logPath)
		}
	}()
	return "", nil
}

// arguments is the server's command line. Settings stand there and not in postgresql.conf, so that a cluster
// made by an older Recoup runs with today's.
func (p *Postgres) arguments() []string {
	settings := map[string]string{
		"synchronous_commit": "on",
		"timezone":           "UTC",
		"log_timezone":       "UTC",
		"max_connections":    "200",
		"logging_collector":  "off",
	}
	if p.opts.NoFsync {
		settings["fsync"], settings["full_page_writes"] = "off", "off"
	}
	if p.opts.throwAway {
		settings["shared_buffers"] = "64MB"
		// Little is written and nothing read again: no standby, no segments of zeros, no statistics for later.
		settings["wal_level"], settings["max_wal_senders"], settings["wal_init_zero"] = "minimal", "0", "off"
		settings["max_wal_size"], settings["autovacuum"] = "256MB", "off"
		// In the data directory, so that a killed cluster leaves nothing outside of it.
		settings["dynamic_shared_memory_type"] = "mmap"
	}
	maps.Copy(settings, p.opts.Settings)
	settings["listen_addresses"] = ""
	settings["unix_socket_directories"] = quoteSetting(p.runDir)
	settings["unix_socket_permissions"] = "0700"
	settings["port"] = socketPort

	args := []string{"-D", p.dataDir}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		args = append(args, "-c", name+"="+settings[name])
	}
	return args
}

// quoteSetting quotes a name for a setting that is a list: a comma in a path would split it.
func quoteSetting(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

func (p *Postgres) waitReady(ctx context.Context, proc *child) error {
	var last error
	for {
		conn, err := pgx.Connect(ctx, p.URL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		if ctx.Err() == nil {
			last = err
		}
		select {
		case <-proc.done:
			return fmt.Errorf("it ended: %w", proc.err)
		case <-ctx.Done():
			return errors.Join(ctx.Err(), last)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Stop shuts the cluster down in order: sessions are ended, everything committed is written out. It takes
// force after ten seconds, or when ctx ends, and at once where the cluster is thrown away; nothing committed is lost
// then either, the next start is only slower. Stopping a stopped cluster does nothing.
func (p *Postgres) Stop(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.proc == nil {
		return nil
	}
	steps := []stopStep{{syscall.SIGINT, fastShutdown}, {syscall.SIGQUIT, immediateShutdown}}
	if p.opts.throwAway {
		steps = steps[1:]
	}
	forced := p.proc.stop(ctx, steps...)
	p.log.InfoContext(ctx, "PostgreSQL is stopped", "pid", p.proc.pid, "forced", forced)
	p.proc = nil
	err := errors.Join(p.removeSocket(), removeOuterSocketDir(p.opts.Dir, p.runDir))
	p.lock.release()
	p.lock = nil
	return err
}

// removeSocket removes the socket of a PostgreSQL that is gone.
func (p *Postgres) removeSocket() error {
	socket := filepath.Join(p.runDir, ".s.PGSQL."+socketPort)
	for _, path := range []string{socket, socket + ".lock"} {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove the socket: %w", err)
		}
	}
	return nil
}

// removeOuterSocketDir removes a socket directory outside the data directory, unless the other service still
// uses it.
func removeOuterSocketDir(dir, runDir string) error {
	if filepath.Dir(runDir) == dir {
		return nil
	}
	err := os.Remove(runDir)
	if err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, syscall.ENOTEMPTY) && !errors.Is(err, syscall.EEXIST) {
		return fmt.Errorf("remove the socket directory: %w", err)
	}
	return nil
}

// Kill ends PostgreSQL, all its processes, with SIGKILL, as a crash would, and waits for their end. The data
// directory stays reserved for this program, which can call Restart.
func (p *Postgres) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.proc != nil {
		p.proc.kill()
	}
}

// Restart starts the cluster again after Kill, Stop or an end of its own, at the same URL. A cluster that
// runs is left running.
func (p *Postgres) Restart(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.proc != nil && !p.proc.ended() {
		return nil
	}
	return p.start(ctx)
}

// PID is the id of PostgreSQL's main process, 0 when it does not run.
func (p *Postgres) PID() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.proc == nil || p.proc.ended() {
		return 0
	}
	return p.proc.pid
}
