package cmd

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// dev is a running `recoup dev`.
type dev struct {
	*proc
	url, link, key, database string
}

func startDev(t *testing.T, c command, data string, more ...string) dev {
	t.Helper()
	d := dev{url: "http://" + freeAddress(t)}
	c.args = append([]string{"dev", "--data", data, "--listen", strings.TrimPrefix(d.url, "http://")}, more...)
	d.proc = run(t, c)
	d.link = d.finds(`Sign in once\s+(\S+)`)
	d.key = d.finds(`API key\s+(\S+)`)
	d.database = d.finds(`DATABASE_URL\s+(\S+)`)
	eventually(t, 30*time.Second, "the server answers", newCaller(d.url, d.key).healthy)
	return d
}

// TestDev is the first hour with Recoup, as a process: start from nothing, sign in, see money move, break it,
// start again, throw it away.
func TestDev(t *testing.T) {
	t.Parallel()
	base := place(t)
	data := filepath.Join(base, "d")
	began := time.Now()
	d := startDev(t, command{}, data)
	signIn(t, d)

	// Before the life below, which kills the first one: beside it the second would at times find the directory free.
	t.Run("a second one is refused by name", func(t *testing.T) {
		status, text := result(t, command{args: []string{"dev", "--data", data, "--listen", freeAddress(t)}})
		if status == 0 || !strings.Contains(text, fmt.Sprint(d.cmd.Process.Pid)) || !strings.Contains(text, data) {
			t.Errorf("status %d: %s", status, text)
		}
	})
	t.Run("life", func(t *testing.T) { devLife(t, d, data, began) })
}

// signIn uses the printed link: looking at it costs nothing, using it works once.
func signIn(t *testing.T, d dev) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	get := func(address string) (int, string, string) {
		t.Helper()
		res, err := browser.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, res.Request.URL.Path, string(body)
	}
	if status, path, _ := get(d.url + "/sign-in"); status != 200 || path != "/sign-in" {
		t.Errorf("the sign-in page: %d at %s", status, path)
	}
	for range 2 { // a mail program that follows links does not use it up
		if status, _, body := get(d.link); status != 200 || !strings.Contains(body, "<form") {
			t.Fatalf("the link's page: %d", status)
		}
	}
	u, err := url.Parse(d.link)
	if err != nil {
		t.Fatal(err)
	}
	use := func(client *http.Client) (int, string) {
		res, err := client.PostForm(d.url+u.Path, url.Values{"token": {u.Query().Get("token")}})
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode, res.Request.URL.Path
	}
	if status, path := use(browser); status != 200 || path == u.Path {
		t.Errorf("the link signs in: %d at %s", status, path)
	}
	if status, path, _ := get(d.url + "/ledger"); status != 200 || path != "/ledger" {
		t.Errorf("signed in, the ledger is %d at %s", status, path)
	}
	if status, _ := use(&http.Client{}); status != 401 {
		t.Errorf("the link used twice: %d, want 401", status)
	}
}

const sampleRows = `SELECT (SELECT count(*) FROM accounts) * 1000000 + (SELECT count(*) FROM staff) * 10000 +
	(SELECT count(*) FROM rule_versions) * 100 + (SELECT count(*) FROM entries WHERE type = 'grant' AND operation_id LIKE 'sample:%')`

func devLife(t *testing.T, d dev, data string, began time.Time) {
	seeded := number(t, d.database, sampleRows)
	for what, query := range map[string]string{
		"a refunded job":  `SELECT count(*) FROM jobs WHERE is_refunded`,
		"a reclaimed job": `SELECT count(*) FROM jobs WHERE is_reclaimed`,
		"a dead letter":   `SELECT count(*) FROM jobs WHERE state = 'dead'`,
	} {
		eventually(t, 2*time.Minute-time.Since(began), what+" within two minutes", func() bool { return number(t, d.database, query) >= 1 })
	}

	// Callers write while the program is killed.
	api := newCaller(d.url, d.key)
	if n := number(t, d.database, `SELECT count(*) FROM accounts WHERE id = 'driftwood'`); n != 1 {
		t.Fatal("the sample has no account driftwood")
	}
	var mu sync.Mutex
	acknowledged := map[string]answer{}
	var writers sync.WaitGroup
	charge := func(id string) (answer, error) {
		return api.send("POST", "/v1/accounts/driftwood/jobs", "ack-"+id, map[string]any{"job_id": "ack-" + id, "action": "image_generation", "units": 1, "mode": "external"})
	}
	for w := range 4 {
		writers.Go(func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("%d-%d", w, i)
				a, err := charge(id)
				if err != nil || a.status >= 300 && a.status != 402 {
					return // killed in the middle
				}
				if a.status < 300 {
					mu.Lock()
					acknowledged[id] = a
					mu.Unlock()
				}
			}
		})
	}
	eventually(t, 20*time.Second, "some charges are acknowledged", func() bool { mu.Lock(); defer mu.Unlock(); return len(acknowledged) >= 20 })
	d.kill()
	writers.Wait()
	noErrors(t, d.proc)

	again := startDev(t, command{}, data)
	api = newCaller(again.url, again.key)
	for id, first := range acknowledged {
		a, err := charge(id)
		if err != nil || !a.replayed || a.result != first.result {
			t.Errorf("charge %s was acknowledged; now %+v %v", id, a, err)
		}
	}
	if n := number(t, again.database, `SELECT count(*) FROM entries WHERE type = 'charge' AND operation_id LIKE 'ack-%'`); n < len(acknowledged) {
		t.Errorf("%d charges in the ledger of %d acknowledged", n, len(acknowledged))
	}
	if n := number(t, again.database, sampleRows); n != seeded {
		t.Errorf("the sample was %d, is now %d", seeded, n)
	}
	if status, text := result(t, command{args: []string{"verify", "--grace", "5m"}, env: []string{"DATABASE_URL=" + again.database}}); status != 0 {
		t.Errorf("verify: %d %s", status, text)
	}
	if status := again.terminate(); status != 0 {
		t.Errorf("SIGTERM: exit status %d", status)
	}
	noErrors(t, again.proc)
	if left := processesIn(t, data); len(left) > 0 {
		t.Errorf("still running: %s", strings.Join(left, "\n"))
	}
	t.Run("hledger reads the export", func(t *testing.T) { exportIsReadByHledger(t, data) })

	listen := freeAddress(t)
	reset := command{args: []string{"dev", "--data", data, "--reset", "--listen", listen}, stdin: "no\n"}
	if status, text := result(t, reset); status == 0 || !strings.Contains(text, "nothing was removed") {
		t.Errorf("reset, answered no: %d %s", status, text)
	}
	if _, err := os.Stat(filepath.Join(data, "postgres", "PG_VERSION")); err != nil {
		t.Errorf("answered no, and yet: %v", err)
	}
	fresh := startDev(t, command{stdin: "yes\n"}, data, "--reset", "--quiet-pipeline")
	if n := number(t, fresh.database, `SELECT count(*) FROM jobs`); n != 0 {
		t.Errorf("%d jobs after the reset", n)
	}
	if n := number(t, fresh.database, sampleRows); n != seeded {
		t.Errorf("the sample of a reset directory is %d, was %d", n, seeded)
	}
	if status := fresh.terminate(); status != 0 {
		t.Errorf("SIGTERM: exit status %d", status)
	}
}

func noErrors(t *testing.T, p *proc) {
	t.Helper()
	for line := range strings.Lines(p.out.String()) {
		if strings.Contains(line, "level=ERROR") {
			t.Errorf("log: %s", line)
		}
	}
}

// TestDevAsAnotherUser runs where nothing belongs to root.
func TestDevAsAnotherUser(t *testing.T) {
	t.Parallel()
	who := nobody(t)
	base := place(t)
	if err := os.Chown(base, int(who.Uid), int(who.Gid)); err != nil {
		t.Fatal(err)
	}
	d := startDev(t, command{user: who, env: []string{"HOME=" + base}}, filepath.Join(base, "d"))
	signIn(t, d)
	if status := d.terminate(); status != 0 {
		t.Errorf("SIGTERM: exit status %d", status)
	}
	noErrors(t, d.proc)
	if left := processesIn(t, base); len(left) > 0 {
		t.Errorf("still running: %s", strings.Join(left, "\n"))
	}
}

// TestDevWithoutPostgreSQL ends with one message that says what to do.
func TestDevWithoutPostgreSQL(t *testing.T) {
	t.Parallel()
	base := place(t)
	status, text := result(t, command{args: []string{"dev", "--data", filepath.Join(base, "d"), "--listen", freeAddress(t)},
		env: []string{"PATH=", "RECOUP_PG_BIN=" + base}})
	if status == 0 {
		t.Error("exit status 0")
	}
	for _, part := range []string{"RECOUP_PG_BIN", base, "Install", "DATABASE_URL="} {
		if !strings.Contains(text, part) {
			t.Errorf("no %s in: %s", part, text)
		}
	}
	if strings.Count(text, "recoup:") != 1 {
		t.Errorf("not one message: %s", text)
	}
}

// A wrong address is told before anything is started.
func TestDevListensNowhere(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	for _, address := range []string{ln.Addr().String(), "nowhere.invalid:80", "127.0.0.1"} {
		data := filepath.Join(place(t), "d")
		status, text := result(t, command{args: []string{"dev", "--data", data, "--listen", address}})
		if status != 1 || !strings.Contains(text, address) {
			t.Errorf("%s: %d %s", address, status, text)
		}
		if _, err := os.Stat(data); !os.IsNotExist(err) {
			t.Errorf("%s: the data directory was made", address)
		}
	}
}
