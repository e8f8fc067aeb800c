package local

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// helperEnv makes the test binary act as another program instead of running tests.
const helperEnv = "RECOUP_LOCAL_HELPER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(helperEnv); mode != "" {
		if err := runHelper(mode); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// helperReport is what a helper program prints once its services run.
type helperReport struct {
	UID, PostgresPID, RedisPID int
	Dir, URL                   string
}

// runHelper starts services, reports them, and runs until its standard input ends.
func runHelper(mode string) error {
	// The strictest umask must not close the way to the services' directories.
	syscall.Umask(0o077)
	ctx := context.Background()
	var s *Services
	var err error
	switch mode {
	case "start":
		s, err = Start(ctx, Options{Dir: os.Getenv("HELPER_DIR")})
	case "tests":
		s, err = StartForTests(ctx, TestOptions{Redis: true})
	default:
		err = fmt.Errorf("no helper %q", mode)
	}
	if err != nil {
		return err
	}
	report := helperReport{
		UID: os.Getuid(), PostgresPID: s.Postgres.PID(), RedisPID: s.Redis.PID(),
		Dir: s.Postgres.opts.Dir, URL: s.Postgres.URL("postgres"),
	}
	if err := json.NewEncoder(os.Stdout).Encode(report); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return s.Stop(ctx)
}

// helper is a running helper program.
type helper struct {
	cmd   *exec.Cmd
	stdin io.Closer
	helperReport
}

// startHelper starts a helper program and waits for its report. A nil credential means this test's own user.
func startHelper(t *testing.T, mode string, credential *syscall.Credential, env ...string) *helper {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if credential != nil {
		program = copyProgram(t, program)
	}
	cmd := exec.Command(program)
	cmd.Env = append(append(os.Environ(), helperEnv+"="+mode), env...)
	cmd.Dir = "/"
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	h := &helper{cmd: cmd, stdin: stdin}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		t.Fatalf("helper %s ended without a report: %v", mode, err)
	}
	if err := json.Unmarshal(line, &h.helperReport); err != nil {
		t.Fatal(err)
	}
	return h
}

// kill ends the helper as kill -9 does.
func (h *helper) kill(t *testing.T) {
	t.Helper()
	if err := h.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Wait(); err == nil {
		t.Fatal("the helper ended by itself")
	}
}

// finish lets the helper stop its services and waits for its good end.
func (h *helper) finish(t *testing.T) {
	t.Helper()
	if err := h.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

// copyProgram puts the test binary where every user can run it.
func copyProgram(t *testing.T, program string) string {
	t.Helper()
	dir := openDir(t)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(dir, "local.test")
	if err := os.WriteFile(target, text, 0o755); err != nil {
		t.Fatal(err)
	}
	return target
}

// openDir is a temp directory that other users can pass through; t.TempDir is closed to them.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "recoup-local-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}

// startPostgres starts a cluster that ends with the test.
func startPostgres(t *testing.T, opts Options) *Postgres {
	t.Helper()
	p, err := StartPostgres(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return p
}

// query runs sql on a connection of its own and returns the single value it gives.
func query[T any](t *testing.T, url, sql string, args ...any) T {
	t.Helper()
	conn := connect(t, url)
	var value T
	if err := conn.QueryRow(t.Context(), sql, args...).Scan(&value); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return value
}

// execute runs sql on a connection of its own.
func execute(t *testing.T, url, sql string, args ...any) {
	t.Helper()
	conn := connect(t, url)
	_, err := conn.Exec(t.Context(), sql, args...)
	if err := errors.Join(err, conn.Close(t.Context())); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// eventually waits up to limit for condition.
func eventually(t *testing.T, limit time.Duration, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(limit); !condition(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after %v still not: %s", limit, what)
		}
	}
}
