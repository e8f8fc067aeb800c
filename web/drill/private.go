package drill

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"recoup/models/ids"
	"recoup/web/local"
)

// private is a whole Recoup in a temporary directory: real services, and this very program as serve
// and work.
type private struct {
	// base holds everything, the logs of serve and work too.
	base     string
	program  string
	services *local.Services
	env      []string
	url, key string
	prices   map[string]int64

	serve, work *part
}

// StartPrivate starts PostgreSQL, Redis, serve and work in a new temporary directory, with the
// program that runs now. When it returns an error, nothing is left running.
func StartPrivate(ctx context.Context, s Settings) (System, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	return startPrivate(ctx, s, program, "")
}

// startPrivate is StartPrivate with a program of the caller's, in a directory below dir; that is the temp directory when
// it is "".
func startPrivate(ctx context.Context, s Settings, program, dir string) (_ System, err error) {
	base, err := os.MkdirTemp(dir, "recoup-drill-")
	if err != nil {
		return nil, fmt.Errorf("temporary directory: %w", err)
	}
	p := &private{base: base, program: program, prices: s.Prices}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Stop(context.WithoutCancel(ctx)))
		}
	}()
	// PostgreSQL may run as another user, who has to pass through.
	if err := os.Chmod(base, 0o711); err != nil {
		return nil, fmt.Errorf("temporary directory: %w", err)
	}
	if p.services, err = local.Start(ctx, local.Options{Dir: filepath.Join(base, "data")}); err != nil {
		return nil, err
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	p.url = "http://" + address
	p.setEnv(s, address)
	if err := p.prepare(ctx); err != nil {
		return nil, err
	}
	p.serve, p.work = &part{p: p, name: "serve"}, &part{p: p, name: "work"}
	if err := p.serve.start(); err != nil {
		return nil, err
	}
	if err := p.work.start(); err != nil {
		return nil, err
	}
	return p, p.waitReady(ctx)
}

// freeAddress is an address of the loopback interface that nobody listened on just now.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// setEnv makes the environment of the children: this program's own without options of Recoup and of
// telemetry, which belong to other installations, and with the drill's.
func (p *private) setEnv(s Settings, address string) {
	redis := "redis://" + p.services.Redis.Addr()
	if p.services.Redis.Network() == "unix" {
		redis = "unix://" + p.services.Redis.Addr()
	}
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		other := strings.HasPrefix(name, "RECOUP_") || strings.HasPrefix(name, "OTEL_") || strings.HasPrefix(name, "PG") ||
			strings.HasPrefix(name, "DATABASE_URL") || strings.HasPrefix(name, "REDIS_URL")
		if !other {
			p.env = append(p.env, v)
		}
	}
	p.env = append(p.env,
		"DATABASE_URL="+p.services.Postgres.URL(local.DatabaseName),
		"REDIS_URL="+redis,
		"RECOUP_SECRET="+ids.Secret(48),
		"RECOUP_LISTEN="+address,
		"RECOUP_LEASE="+s.Lease.String(),
		"RECOUP_BACKOFF_BASE="+s.BackoffBase.String(),
		"RECOUP_BACKOFF_MAX="+s.BackoffMax.String(),
		"RECOUP_SWEEP_INTERVAL=500ms",
		// The drill gives each account in one grant what its jobs cost together: no second person is at hand.
		"RECOUP_APPROVAL_LIMIT=9223372036854775807",
		"RECOUP_LOG_LEVEL=warn",
	)
}

// prepare brings the schema up, puts prices in force and makes a key.
func (p *private) prepare(ctx context.Context) error {
	if _, err := p.command(ctx, "migrate", "up"); err != nil {
		return err
	}
	for _, action := range sortedKeys(p.prices) {
		if _, err := p.command(ctx, "price", "set", action, "--unit", "second", "--unit-price", fmt.Sprint(p.prices[action]),
			"--rounding", "half_even", "--reason", "drill"); err != nil {
			return err
		}
	}
	out, err := p.command(ctx, "key", "create", "--name", "drill", "--scopes", "jobs:write,jobs:work,ledger:read,ledger:write,costs:write")
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	p.key = strings.TrimSpace(lines[len(lines)-1])
	return nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// command runs one subcommand to its end and returns what it printed.
func (p *private) command(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, p.program, args...)
	cmd.Env = p.env
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("recoup %s: %w\n%s%s", strings.Join(args, " "), err, out.String(), errOut.String())
	}
	return out.String(), nil
}

func (p *private) URL() string              { return p.url }
func (p *private) Key() string              { return p.key }
func (p *private) Prices() map[string]int64 { return p.prices }

// readyPatience covers the recovery of PostgreSQL after a kill.
const readyPatience = time.Minute

// waitReady waits until the server answers that it is ready.
func (p *private) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyPatience)
	defer cancel()
	last := errors.New("no answer")
	for {
		if p.serve.ended() {
			return fmt.Errorf("serve has ended by itself\n%s", p.serve.log())
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/readyz", nil)
		if err != nil {
			return fmt.Errorf("drill: %w", err)
		}
		res, err := http.DefaultClient.Do(req)
		if err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
			err = fmt.Errorf("readyz answers %d", res.StatusCode)
		}
		if ctx.Err() == nil {
			last = err
		}
		if !sleep(ctx, 50*time.Millisecond) {
			return fmt.Errorf("serve is not ready: %w\n%s", last, p.serve.log())
		}
	}
}

// FlushRedis sends FLUSHALL.
func (p *private) FlushRedis(ctx context.Context) error {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, p.services.Redis.Network(), p.services.Redis.Addr())
	if err != nil {
		return fmt.Errorf("flush Redis: %w", err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return fmt.Errorf("flush Redis: %w", err)
	}
	if _, err := io.WriteString(conn, "FLUSHALL\r\n"); err != nil {
		return fmt.Errorf("flush Redis: %w", err)
	}
	reply := make([]byte, 5)
	if _, err := io.ReadFull(conn, reply); err != nil || string(reply) != "+OK\r\n" {
		return fmt.Errorf("flush Redis: answer %q: %w", reply, err)
	}
	return nil
}

// The end of ctx cuts the time short and never leaves a part stopped.

// StopRedis kills Redis and starts it again, empty.
func (p *private) StopRedis(ctx context.Context, away time.Duration) error {
	p.services.Redis.Kill()
	sleep(ctx, away)
	return p.services.Redis.Restart(context.WithoutCancel(ctx))
}

// down is how long a killed process stays away.
const down = time.Second

func (p *private) KillServer(ctx context.Context) error { return p.killPart(ctx, p.serve) }

func (p *private) KillWork(ctx context.Context) error { return p.killPart(ctx, p.work) }

func (p *private) killPart(ctx context.Context, a *part) error {
	a.kill()
	sleep(ctx, down)
	if err := a.start(); err != nil {
		return err
	}
	return p.waitReady(context.WithoutCancel(ctx))
}

func (p *private) KillPostgres(ctx context.Context) error {
	p.services.Postgres.Kill()
	sleep(ctx, down)
	ctx = context.WithoutCancel(ctx)
	if err := p.services.Postgres.Restart(ctx); err != nil {
		return err
	}
	return p.waitReady(ctx)
}

// ServeRSS reads the memory of serve's present life and remembers that of the earlier ones.
func (p *private) ServeRSS() (now, peak int64) {
	now = p.serve.measure()
	return now, p.serve.peak.Load()
}

// Verify runs recoup verify. Status 1 is its word for problems found.
func (p *private) Verify(ctx context.Context) (clean bool, text string, err error) {
	out, err := p.command(ctx, "verify")
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
		return false, err.Error(), nil
	}
	return err == nil, out, err
}

// Command runs a subcommand.
func (p *private) Command(ctx context.Context, args ...string) (string, error) {
	return p.command(ctx, args...)
}

// KeepLogs copies the logs of serve, work and PostgreSQL.
func (p *private) KeepLogs() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "recoup-drill-logs-"); err != nil {
		return "", fmt.Errorf("keep the logs: %w", err)
	}
	for _, path := range []string{p.serve.logPath(), p.work.logPath(), filepath.Join(p.base, "data", "postgres.log")} {
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(path)), text, 0o600)
		}
		if err != nil {
			return dir, fmt.Errorf("keep the logs: %w", err)
		}
	}
	return dir, nil
}

// Stop ends serve and work, then the services, and removes the directory.
func (p *private) Stop(ctx context.Context) error {
	for _, a := range []*part{p.serve, p.work} {
		if a != nil {
			a.stop()
		}
	}
	var errs []error
	if p.services != nil {
		errs = append(errs, p.services.Stop(ctx))
	}
	if err := os.RemoveAll(p.base); err != nil {
		errs = append(errs, fmt.Errorf("remove the temporary directory: %w", err))
	}
	return errors.Join(errs...)
}

// part is serve or work: the same subcommand in one life after another.
type part struct {
	p    *private
	name string

	mu   sync.Mutex
	cmd  *exec.Cmd
	done chan struct{}
	peak atomic.Int64
}

// start begins a life.
func (a *part) start() error {
	log, err := os.OpenFile(a.logPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("log of %s: %w", a.name, err)
	}
	defer log.Close()
	cmd := exec.Command(a.p.program, a.name)
	cmd.Env, cmd.Stdout, cmd.Stderr = a.p.env, log, log
	done := make(chan struct{})
	started := make(chan error)
	go run(cmd, started, done)
	if err := <-started; err != nil {
		return fmt.Errorf("start recoup %s: %w", a.name, err)
	}
	a.mu.Lock()
	a.cmd, a.done = cmd, done
	a.mu.Unlock()
	go func() {
		ticker := time.NewTicker(500 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				a.measure()
			case <-done:
				return
			}
		}
	}()
	return nil
}

// measure returns the resident memory now and keeps the peak.
func (a *part) measure() int64 {
	a.mu.Lock()
	cmd := a.cmd
	a.mu.Unlock()
	if cmd == nil || cmd.Process == nil {
		return 0
	}
	now, peak := residentMemory(cmd.Process.Pid)
	for {
		known := a.peak.Load()
		if peak <= known || a.peak.CompareAndSwap(known, peak) {
			return now
		}
	}
}

// kill ends the process with SIGKILL.
func (a *part) kill() {
	a.measure()
	a.mu.Lock()
	cmd, done := a.cmd, a.done
	a.mu.Unlock()
	if cmd == nil {
		return
	}
	_ = cmd.Process.Kill() // it may have ended already
	<-done
}

// stop asks the process to end and kills it when it does not.
func (a *part) stop() {
	a.mu.Lock()
	cmd, done := a.cmd, a.done
	a.mu.Unlock()
	if cmd == nil {
		return
	}
	_ = cmd.Process.Signal(os.Interrupt) // it may have ended already
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		a.kill()
	}
}

func (a *part) ended() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.done == nil {
		return true
	}
	select {
	case <-a.done:
		return true
	default:
		return false
	}
}

func (a *part) logPath() string { return filepath.Join(a.p.base, a.name+".log") }

// log is the end of what the process wrote.
func (a *part) log() string {
	text, err := os.ReadFile(a.logPath())
	if err != nil {
		return ""
	}
	return string(text[max(0, len(text)-4000):])
}
