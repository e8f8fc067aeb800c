package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"recoup/models/db"
	"recoup/web/local"
)

// output is what a process prints, readable while it runs.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// proc is the program running as a process of its own.
type proc struct {
	t    *testing.T
	cmd  *exec.Cmd
	out  *output
	done chan struct{}
}

// command says how to run the program. The environment of the tests is not passed on but for the path.
type command struct {
	args  []string
	env   []string
	stdin string
	// user runs the program as another user; nil for the one who runs the tests.
	user *syscall.Credential
}

func run(t *testing.T, c command) *proc {
	t.Helper()
	p := &proc{t: t, out: &output{}, done: make(chan struct{})}
	p.cmd = exec.Command(built.path(t), c.args...)
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "TMPDIR=" + os.TempDir()}, c.env...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = strings.NewReader(c.stdin), p.out, p.out
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.user, Setpgid: true}
	p.cmd.Dir = "/"
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.cmd.Wait() //nolint:errcheck // the state says it
		close(p.done)
	}()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("recoup %s printed:\n%s", strings.Join(c.args, " "), p.out)
		}
	})
	return p
}

// kill ends the process as a crash would.
func (p *proc) kill() {
	p.cmd.Process.Kill() //nolint:errcheck // it may have ended
	<-p.done
}

// terminate asks the process to end and returns its exit status.
func (p *proc) terminate() int {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
	return p.wait(40 * time.Second)
}

// wait waits for the end and returns the exit status.
func (p *proc) wait(within time.Duration) int {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(within):
		p.t.Fatalf("the process still runs after %s", within)
	}
	return p.cmd.ProcessState.ExitCode()
}

// finds waits until the output matches and returns the first group.
func (p *proc) finds(pattern string) string {
	p.t.Helper()
	re := regexp.MustCompile(pattern)
	var found []string
	eventually(p.t, 60*time.Second, "the output matches "+pattern, func() bool {
		found = re.FindStringSubmatch(p.out.String())
		if found == nil {
			select {
			case <-p.done:
				p.t.Fatalf("ended with %d before its output matched %s", p.cmd.ProcessState.ExitCode(), pattern)
			default:
			}
		}
		return found != nil
	})
	return found[len(found)-1]
}

// result runs a command to its end.
func result(t *testing.T, c command) (status int, text string) {
	t.Helper()
	p := run(t, c)
	status = p.wait(60 * time.Second)
	return status, p.out.String()
}

// place is a directory that PostgreSQL's user can reach, with a path short enough for sockets.
func place(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(local.MemoryDir(), "recoup-cmd-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// processesIn lists processes whose command line names dir.
func processesIn(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, path := range all {
		line, err := os.ReadFile(path)
		if err == nil && bytes.Contains(line, []byte(dir)) {
			found = append(found, path+": "+strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}

// caller sends requests to a process that may be killed meanwhile.
type caller struct {
	url, key string
	http     *http.Client
}

func newCaller(url, key string) *caller {
	return &caller{url: url, key: key, http: &http.Client{Timeout: 20 * time.Second}}
}

// answer is what came back: the status, whether it was a replay, and the bytes of the result.
type answer struct {
	status   int
	replayed bool
	result   string
}

// send sends a change once. An error means that there was no whole answer.
func (c *caller) send(method, path, operation string, body any) (answer, error) {
	payload, err := json.Marshal(body)
	if err != nil {
		return answer{}, err
	}
	req, err := http.NewRequest(method, c.url+path, bytes.NewReader(payload))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", operation)
	res, err := c.http.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return answer{}, err
	}
	var out struct{ Result json.RawMessage }
	if err := json.Unmarshal(text, &out); err != nil {
		return answer{}, fmt.Errorf("%d %s: %w", res.StatusCode, text, err)
	}
	a := answer{status: res.StatusCode, replayed: res.Header.Get("Idempotent-Replayed") == "true", result: string(out.Result)}
	if a.status >= 500 || bytes.Contains(text, []byte(`"operation_in_progress"`)) {
		return a, fmt.Errorf("%d %s", res.StatusCode, text) // to be sent again
	}
	return a, nil
}

func unmarshal(text string, out any) error { return json.Unmarshal([]byte(text), out) }

// must sends a change until it is answered, as a careful client does, and fails the test on a refusal.
func (c *caller) must(t *testing.T, method, path, operation string, body any) answer {
	t.Helper()
	var a answer
	var err error
	for deadline := time.Now().Add(45 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if a, err = c.send(method, path, operation, body); err == nil {
			break
		}
	}
	if err != nil || a.status >= 300 {
		t.Errorf("%s %s as %s: %+v %v", method, path, operation, a, err)
	}
	return a
}

func (c *caller) healthy() bool {
	res, err := c.http.Get(c.url + "/readyz")
	if err != nil {
		return false
	}
	res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// number reads one number from the database.
func number(t *testing.T, url, query string, args ...any) int {
	t.Helper()
	n, err := look(url, query, args...)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func look(url, query string, args ...any) (n int, err error) {
	g, err := db.Open(context.Background(), db.Config{URL: url, MaxConns: 2})
	if err != nil {
		return 0, err
	}
	pool, err := g.DB()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	return n, g.Raw(query, args...).Scan(&n).Error
}

// nobody is a user without rights, where the tests may become one.
func nobody(t *testing.T) *syscall.Credential {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can run the program as another user")
	}
	passwd, err := os.ReadFile("/etc/passwd")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(passwd)) {
		f := strings.Split(line, ":")
		if len(f) < 4 || f[0] != "nobody" {
			continue
		}
		uid, err1 := strconv.ParseUint(f[2], 10, 32)
		gid, err2 := strconv.ParseUint(f[3], 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	t.Skip("no user nobody")
	return nil
}
