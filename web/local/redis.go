package local

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// The kinds of Redis that StartRedis can give.
const (
	RedisServer    = "redis-server" // a child process
	RedisInProcess = "in-process"   // inside this program: slower, for a machine without redis-server
)

// redisShutdown is the time for redis-server to end; it has nothing to save.
const redisShutdown = 3 * time.Second

var redisVersion = regexp.MustCompile(`v=(\d+)\.(\d+)`)

// Redis is a Redis run by this program, empty at every start: it holds wake-up calls only, which are rebuilt
// from PostgreSQL. Its methods may be called from several goroutines.
type Redis struct {
	log *slog.Logger

	// For the kind RedisServer.
	dir, bin, runDir string
	who              osAccount

	mu        sync.Mutex
	lock      *fileLock
	proc      *child
	inProcess *inProcessRedis // nil for the kind RedisServer and while stopped
	addr      string
}

// StartRedis starts a Redis for the data directory opts.Dir: redis-server (or the program that
// RECOUP_REDIS_BIN names) where there is one of version 6.2 or newer, else one inside this process. The
// error is *InUseError when another program runs the Redis of that directory.
func StartRedis(ctx context.Context, opts Options) (*Redis, error) {
	r := &Redis{log: opts.logger()}
	var err error
	if !opts.InProcessRedis {
		if r.bin, err = findRedis(ctx, r.log); err != nil {
			return nil, err
		}
	}
	if r.bin != "" {
		if r.dir, r.who, err = prepareDir(opts.Dir); err != nil {
			return nil, err
		}
		r.runDir = socketDir(r.dir, r.who)
		r.addr = filepath.Join(r.runDir, "redis.sock")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.start(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// findRedis returns the redis-server to run, "" when there is none that can be used.
func findRedis(ctx context.Context, log *slog.Logger) (string, error) {
	named := os.Getenv("RECOUP_REDIS_BIN")
	if named != "" {
		if _, err := exec.LookPath(named); err != nil {
			return "", fmt.Errorf("RECOUP_REDIS_BIN must be the program redis-server: %w", err)
		}
	}
	// valkey-server is what some distributions now give in its place.
	for _, name := range []string{named, "redis-server", "valkey-server"} {
		path, err := exec.LookPath(name)
		if name == "" || err != nil {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		out, err := exec.CommandContext(ctx, path, "--version").Output()
		if err != nil {
			return "", fmt.Errorf("%s --version: %w", path, err)
		}
		if !recentRedis(string(out)) {
			log.WarnContext(ctx, "this Redis is older than 6.2 and not used", "program", path, "version", strings.TrimSpace(string(out)))
			continue
		}
		return filepath.Abs(path)
	}
	return "", nil
}

// recentRedis reports whether the output of redis-server --version names 6.2 or newer, which asynq needs.
func recentRedis(version string) bool {
	m := redisVersion.FindStringSubmatch(version)
	if m == nil {
		return false
	}
	major, err1 := strconv.Atoi(m[1])
	minor, err2 := strconv.Atoi(m[2])
	return err1 == nil && err2 == nil && (major > 6 || major == 6 && minor >= 2)
}

// start brings a stopped Redis up. The caller holds r.mu.
func (r *Redis) start(ctx context.Context) (err error) {
	if r.bin == "" {
		if r.inProcess, err = startInProcessRedis(r.addr); err != nil {
			return err
		}
		r.addr = r.inProcess.server.Addr()
		r.log.InfoContext(ctx, "Redis runs inside this process (no redis-server is used)", "addr", r.addr)
		return nil
	}
	if r.lock == nil {
		if r.lock, err = lockDir(ctx, filepath.Join(r.dir, "redis.lock"), r.dir); err != nil {
			return err
		}
	}
	defer func() {
		if err != nil {
			r.lock.release()
			r.lock, r.proc = nil, nil
		}
	}()
	workDir := filepath.Join(r.dir, "redis")
	for _, dir := range []string{workDir, r.runDir} {
		if err := r.who.makePrivateDir(dir); err != nil {
			return err
		}
	}
	// A redis-server that outlived its program would go on without an address.
	_ = redisCommand(r.addr, "SHUTDOWN NOSAVE")

	logPath := filepath.Join(r.dir, "redis.log")
	logFile, offset, err := openLog(logPath)
	if err != nil {
		return err
	}
	defer logFile.Close()
	cmd := exec.Command(r.bin,
		"--port", "0", "--unixsocket", r.addr, "--unixsocketperm", "700",
		"--dir", workDir, "--save", "", "--appendonly", "no", "--maxmemory-policy", "noeviction",
		"--daemonize", "no")
	cmd.Dir, cmd.Env = "/", childEnv()
	cmd.Stdout, cmd.Stderr = logFile, logFile
	proc, err := startChild(cmd, r.who, syscall.SIGKILL)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := waitRedis(ctx, r.addr, proc); err != nil {
		proc.kill()
		return fmt.Errorf("start %s: %w\n%s", r.bin, err, strings.TrimSpace(logSince(logPath, offset)))
	}
	r.proc = proc
	r.log.InfoContext(ctx, "Redis is running", "pid", proc.pid, "socket", r.addr)
	go func() {
		<-proc.done
		if !proc.stopping.Load() {
			r.log.Error("Redis ended by itself", "how", proc.err, "log", logPath)
		}
	}()
	return nil
}

func waitRedis(ctx context.Context, addr string, proc *child) error {
	for {
		err := redisCommand(addr, "PING")
		if err == nil {
			return nil
		}
		select {
		case <-proc.done:
			return fmt.Errorf("it ended: %w", proc.err)
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// redisCommand sends one command and waits for a reply that is no error.
func redisCommand(addr, command string) error {
	conn, err := net.DialTimeout("unix", addr, time.Second)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(2 * time.Second)); err != nil {
		return err
	}
	if _, err := conn.Write([]byte(command + "\r\n")); err != nil {
		return err
	}
	reply, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return err
	}
	if strings.HasPrefix(reply, "-") {
		return errors.New(strings.TrimSpace(reply[1:]))
	}
	return nil
}

// Kind is RedisServer or RedisInProcess.
func (r *Redis) Kind() string {
	if r.bin == "" {
		return RedisInProcess
	}
	return RedisServer
}

// Network is the network of Addr, as net.Dial and asynq.RedisClientOpt take it: "unix" or "tcp".
func (r *Redis) Network() string {
	if r.bin == "" {
		return "tcp"
	}
	return "unix"
}

// Addr is the path of the socket, or host:port for the kind RedisInProcess. It stays the same over Kill, Stop
// and Restart.
func (r *Redis) Addr() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.addr
}

// PID is the id of the redis-server process, 0 when it does not run or is of the kind RedisInProcess.
func (r *Redis) PID() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.proc == nil || r.proc.ended() {
		return 0
	}
	return r.proc.pid
}

// Stop ends Redis; what it held is gone. Stopping a stopped Redis does nothing.
func (r *Redis) Stop(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.inProcess != nil {
		r.inProcess.stop()
		r.inProcess = nil
	}
	if r.proc == nil {
		return nil
	}
	forced := r.proc.stop(ctx, stopStep{syscall.SIGTERM, redisShutdown})
	r.log.InfoContext(ctx, "Redis is stopped", "pid", r.proc.pid, "forced", forced)
	r.proc = nil
	var errs []error
	if err := os.Remove(r.addr); err != nil && !errors.Is(err, os.ErrNotExist) {
		errs = append(errs, fmt.Errorf("remove the socket: %w", err))
	}
	errs = append(errs, removeOuterSocketDir(r.dir, r.runDir))
	r.lock.release()
	r.lock = nil
	return errors.Join(errs...)
}

// Kill ends Redis at once, as a crash would: clients see their connections break. Restart brings it back.
func (r *Redis) Kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.inProcess != nil {
		r.inProcess.stop()
		r.inProcess = nil
	}
	if r.proc != nil {
		r.proc.kill()
	}
}

// Restart starts Redis again, empty and at the same address, after Kill, Stop or an end of its own. A Redis
// that runs is left running.
func (r *Redis) Restart(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.inProcess != nil || r.proc != nil && !r.proc.ended() {
		return nil
	}
	return r.start(ctx)
}

// inProcessRedis is miniredis with a clock: by itself it never lets a key expire.
type inProcessRedis struct {
	server *miniredis.Miniredis
	quit   chan struct{}
	ended  chan struct{}
}

// redisTick is the step of the clock. miniredis walks over all its keys at every step, so it cannot be small;
// a key can therefore go up to one step early.
const redisTick = time.Second

// startInProcessRedis listens at addr, on a free port of the loopback interface when addr is "".
func startInProcessRedis(addr string) (*inProcessRedis, error) {
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	server := miniredis.NewMiniRedis()
	if err := server.StartAddr(addr); err != nil {
		return nil, fmt.Errorf("start Redis inside this process: %w", err)
	}
	r := &inProcessRedis{server: server, quit: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(r.ended)
		ticker := time.NewTicker(redisTick)
		defer ticker.Stop()
		last := time.Now()
		for {
			select {
			case <-r.quit:
				return
			case <-ticker.C:
				// By the time that passed, not by the tick: a busy or sleeping machine drops ticks.
				now := time.Now()
				server.FastForward(now.Sub(last))
				last = now
			}
		}
	}()
	return r, nil
}

func (r *inProcessRedis) stop() {
	close(r.quit)
	<-r.ended
	r.server.Close()
}
