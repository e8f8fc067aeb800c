package drill

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"recoup/models/modeltest"
	"recoup/web/local"
)

// builtIn is the directory of the program, "" until a test has asked for it.
var builtIn string

// program builds recoup once for all tests of this package.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "recoup-test-drill-")
	if err != nil {
		return "", err
	}
	builtIn = dir
	path := filepath.Join(dir, "recoup")
	if out, err := exec.Command("go", "build", "-o", path, "recoup").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	modeltest.Waiting(4)
	code := m.Run()
	if builtIn != "" {
		os.RemoveAll(builtIn)
	}
	os.Exit(code)
}

// writeTrace makes a trace with the mix of phases of a busy cluster.
func writeTrace(t *testing.T, n int) string {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write([]string{"job_id", "account_id", "action", "units", "phase", "created_s"})
	for i := range n {
		phase := []Phase{Failed, Running, Failed, Succeeded, Running, Failed, Pending}[i%7]
		_ = w.Write([]string{fmt.Sprintf("job-%d", i), fmt.Sprintf("tenant-%d", i*i%11), []string{"video_render", "transcription"}[i%2],
			strconv.Itoa(1 + i*37%7200), string(phase), strconv.Itoa(i / 3)})
	}
	w.Flush()
	if err := w.Error(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "trace.csv")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func starter(t *testing.T) func(context.Context, Settings) (System, error) {
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, s Settings) (System, error) {
		return startPrivate(ctx, s, path, local.MemoryDir())
	}
}

// row returns the value of a row of the table.
func row(t *testing.T, out, name string) string {
	m := regexp.MustCompile(`(?m)^` + name + ` {2,}(.*?)(?: {2,}.*)?$`).FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("no row %q in\n%s", name, out)
	}
	return strings.TrimSpace(m[1])
}

func number(t *testing.T, out, name string) int {
	n, err := strconv.Atoi(strings.ReplaceAll(row(t, out, name), ",", ""))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The whole program, real services, every fault: nothing may be wrong.
func TestDrillOfAPrivateSystem(t *testing.T) {
	t.Parallel() // it waits much of its time
	if testing.Short() {
		t.Skip("starts the whole system and kills it")
	}
	var out bytes.Buffer
	err := Run(t.Context(), Options{JobsFile: writeTrace(t, 150), Workers: 16, Seed: 11, StopRedisFor: 3 * time.Second, Out: &out, Start: starter(t)})
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	text := out.String()
	for name, want := range map[string]string{"wrong": "0", "verify": "clean", "jobs": "150", "incidents": "9"} {
		if got := row(t, text, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"signals", "replays", "lost answers", "refunds", "reclaims", "dead", "workers killed", "refusals wanted"} {
		if number(t, text, name) == 0 {
			t.Errorf("%s: none; the faults did not happen", name)
		}
	}
	mb, err := strconv.ParseFloat(strings.TrimSuffix(row(t, text, "memory of serve"), " MB"), 64)
	if err != nil || mb < 5 || mb > 100 {
		t.Errorf("memory of serve %v MB, %v", mb, err)
	}
	if t.Failed() {
		t.Log(text)
	}
}

// A running system is driven by its API alone, with actions of its own.
func TestDrillOfARunningSystem(t *testing.T) {
	t.Parallel() // it waits much of its time
	if testing.Short() {
		t.Skip("starts the whole system")
	}
	settings := Settings{Prices: map[string]int64{"drill_video_render": 667, "other": 1}, Lease: 2 * time.Second,
		BackoffBase: time.Second, BackoffMax: time.Second}
	system, err := starter(t)(t.Context(), settings)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := system.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	var out bytes.Buffer
	o := Options{JobsFile: writeTrace(t, 42), URL: system.URL(), Key: system.Key(), Workers: 4, Seed: 3, ActionPrefix: "drill_", Out: &out}
	err = Run(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), "recoup price set drill_transcription ") || strings.Contains(err.Error(), "video_render") {
		t.Fatalf("without a price: %v", err)
	}
	p := system.(*private)
	if _, err := p.command(t.Context(), "price", "set", "drill_transcription", "--unit", "second", "--unit-price", "0", "--reason", "free of charge"); err != nil {
		t.Fatal(err)
	}
	if err := Run(t.Context(), o); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if row(t, out.String(), "wrong") != "0" || !strings.HasPrefix(row(t, out.String(), "verify"), "not run") {
		t.Error(out.String())
	}
	if clean, text, err := system.Verify(t.Context()); err != nil || !clean {
		t.Errorf("verify: %v\n%s", err, text)
	}
	o.Key = "rk_wrong"
	if err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "scopes jobs:write") {
		t.Errorf("with a wrong key: %v", err)
	}
}

// meddler is a system in which somebody else moves money while the drill runs.
type meddler struct {
	System
	proxy *httptest.Server

	mu      sync.Mutex
	account string
}

func newMeddler(t *testing.T, s System) *meddler {
	to, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	m := &meddler{System: s}
	forward := httputil.NewSingleHostReverseProxy(to)
	m.proxy = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rest, ok := strings.CutPrefix(r.URL.Path, "/v1/accounts/"); ok {
			account, _, _ := strings.Cut(rest, "/")
			m.mu.Lock()
			m.account = account
			m.mu.Unlock()
		}
		forward.ServeHTTP(w, r)
	}))
	return m
}

func (m *meddler) URL() string { return m.proxy.URL }

// FlushRedis takes a credit from an account instead.
func (m *meddler) FlushRedis(ctx context.Context) error {
	m.mu.Lock()
	path := accountPath(m.account) + "/adjustments"
	m.mu.Unlock()
	a, err := newClient(m.System.URL(), m.Key(), 1).do(ctx, http.MethodPost, path, "meddle:"+strconv.FormatInt(time.Now().UnixNano(), 10),
		map[string]any{"amount": -1, "reason": "nobody will notice"})
	if err == nil && !a.ok() {
		err = errors.New(a.problem.String())
	}
	return err
}

func (m *meddler) Stop(ctx context.Context) error {
	m.proxy.Close()
	return m.System.Stop(ctx)
}

func TestDrillFindsMoneyThatMovedBehindItsBack(t *testing.T) {
	t.Parallel() // it waits much of its time
	if testing.Short() {
		t.Skip("starts the whole system")
	}
	start := starter(t)
	var out bytes.Buffer
	err := Run(t.Context(), Options{JobsFile: writeTrace(t, 20), Workers: 4, Seed: 3, Faults: Faults{FlushRedis: true}, Out: &out,
		Start: func(ctx context.Context, s Settings) (System, error) {
			system, err := start(ctx, s)
			if err != nil {
				return nil, err
			}
			return newMeddler(t, system), nil
		}})
	text := out.String()
	if !errors.Is(err, ErrDifferences) {
		t.Fatalf("got %v\n%s", err, text)
	}
	kept := regexp.MustCompile(`kept in (.*)\.\n`).FindStringSubmatch(text)
	if kept == nil {
		t.Fatalf("no logs are kept\n%s", text)
	}
	defer os.RemoveAll(kept[1])
	for _, name := range []string{"serve.log", "work.log", "postgres.log"} {
		if _, err := os.Stat(filepath.Join(kept[1], name)); err != nil {
			t.Error(err)
		}
	}
	if !strings.Contains(text, "WRONG  "+string(UnknownEntry)) || !strings.Contains(text, "WRONG  "+string(WrongBalance)) || row(t, text, "wrong") == "0" {
		t.Error(text)
	}
}

func TestRunRefuses(t *testing.T) {
	file := writeTrace(t, 1)
	empty := filepath.Join(t.TempDir(), "empty.csv")
	if err := os.WriteFile(empty, []byte(header), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		o    Options
		want string
	}{
		"URL alone":         {Options{JobsFile: file, URL: "http://x", Workers: 1}, "belong together"},
		"no workers":        {Options{JobsFile: file}, "--workers"},
		"kill elsewhere":    {Options{JobsFile: file, URL: "http://x", Key: "k", Workers: 1, Faults: Faults{KillServer: true}}, "private system"},
		"missing file":      {Options{JobsFile: "no.csv", Workers: 1}, "open the trace"},
		"trace of no jobs":  {Options{JobsFile: empty, Workers: 1}, "no jobs"},
		"negative limit":    {Options{JobsFile: file, Workers: 1, Limit: -1}, "--limit"},
		"nobody is serving": {Options{JobsFile: file, URL: "http://127.0.0.1:1", Key: "k", Workers: 1}, "does not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			c.o.Out = &bytes.Buffer{}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			err := Run(ctx, c.o)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
