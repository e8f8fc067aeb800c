package cmd

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"recoup/models/ids"
)

// workerEnv makes the test binary a worker of its own: it claims one job from the address with the key that the variable
// names, works for a while, and delivers.
const workerEnv = "RECOUP_TEST_WORKER"

// beWorker is that worker. It says what it does, and what the server answered.
func beWorker(config string) {
	address, key, _ := strings.Cut(config, " ")
	api := newCaller(address, key)
	var out struct{ Jobs []claimedJob }
	a, err := api.send(http.MethodPost, "/v1/jobs/claim", ids.New(), map[string]any{"actions": []string{"video_render"}, "max": 1, "wait_s": 20, "worker": "frozen-1"})
	if err == nil {
		err = unmarshal(a.result, &out)
	}
	if err != nil || len(out.Jobs) != 1 {
		fmt.Println("no job:", a, err)
		return
	}
	fmt.Println("claimed", out.Jobs[0].JobID)
	time.Sleep(2 * time.Second) // rendering; a stopped process does not notice how long it took
	a, err = api.send(http.MethodPost, "/v1/jobs/complete", ids.New(), map[string]any{"lease_token": out.Jobs[0].LeaseToken, "result": "s3://late"})
	fmt.Println("completed", a.status, a.result, err)
}

// reader is a member of the staff with a browser.
type reader struct {
	t    *testing.T
	http *http.Client
	url  string
}

// signedIn signs a person in by a link from the command line.
func signedIn(t *testing.T, i *installation, role string) *reader {
	t.Helper()
	if status, text := i.command("staff", "add", "bo@example.com", "--name", "Bo", "--role", role); status != 0 {
		t.Fatalf("staff add: %d %s", status, text)
	}
	status, text := i.command("staff", "link", "bo@example.com")
	token := regexp.MustCompile(`token=(\S+)`).FindStringSubmatch(text)
	if status != 0 || token == nil {
		t.Fatalf("staff link: %d %s", status, text)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{t: t, http: &http.Client{Jar: jar, Timeout: 20 * time.Second}, url: i.url}
	res, err := r.http.PostForm(i.url+"/sign-in/link", url.Values{"token": {token[1]}})
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return r
}

// shows waits until a page says all of the words.
func (r *reader) shows(path string, status int, words ...string) {
	r.t.Helper()
	last := ""
	eventually(r.t, 40*time.Second, path+" says "+strings.Join(words, ", "), func() bool {
		res, err := r.http.Get(r.url + path)
		if err != nil {
			last = err.Error()
			return false
		}
		defer res.Body.Close()
		page, err := io.ReadAll(res.Body)
		last = fmt.Sprint(res.StatusCode, " ", string(page), err)
		if err != nil || res.StatusCode != status {
			return false
		}
		for _, w := range words {
			if !strings.Contains(last, w) {
				return false
			}
		}
		return true
	})
}

// A worker is stopped beyond its lease and goes on; Redis and PostgreSQL are stopped and come back. At each step the
// screen says what is so, the money is right, and nothing is lost.
func TestWhatTheScreenSaysWhenThingsStop(t *testing.T) {
	t.Parallel()
	i, ctx := install(t), context.Background()
	for _, args := range [][]string{{"migrate", "up"}, {"price", "set", "video_render", "--unit", "second", "--unit-price", "1000", "--reason", "test"}} {
		if status, text := i.command(args...); status != 0 {
			t.Fatalf("%v: %d %s", args, status, text)
		}
	}
	status, key := i.command("key", "create", "--name", "test", "--scopes", "jobs:write,jobs:work,ledger:read,ledger:write")
	if status != 0 {
		t.Fatalf("key create: %d %s", status, key)
	}
	// Beyond the test's end, so that what waits for its next try is seen waiting.
	i.env = append(i.env, "RECOUP_BACKOFF_BASE=10m", "RECOUP_BACKOFF_MAX=10m")
	i.startServe()
	i.startWork()
	api := newCaller(i.url, strings.TrimSpace(key))
	eventually(t, 30*time.Second, "the server answers", api.healthy)
	bo := signedIn(t, i, "support")
	api.must(t, http.MethodPut, "/v1/accounts/acct_7", "put", map[string]any{"name": "Ann"})
	api.must(t, http.MethodPost, "/v1/accounts/acct_7/grants", "grant", map[string]any{"amount": 100, "category": "paid"})
	api.must(t, http.MethodPost, "/v1/accounts/acct_7/jobs", "charge", map[string]any{"job_id": "render-1", "action": "video_render", "units": 40})
	balance := func(want int) {
		t.Helper()
		if n := number(t, i.database(), `SELECT balance FROM accounts WHERE id = 'acct_7'`); n != want {
			t.Errorf("the balance is %d, want %d", n, want)
		}
	}
	bo.shows("/queue", 200, "render-1", "first try of generation 0")
	balance(60)

	// The worker stops in mid-job, for longer than its lease.
	said := &output{}
	worker := exec.Command(os.Args[0])
	worker.Env = append(os.Environ(), workerEnv+"="+i.url+" "+strings.TrimSpace(key))
	worker.Stdout, worker.Stderr = said, said
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { worker.Process.Kill() }) //nolint:errcheck // it has ended
	eventually(t, 30*time.Second, "the worker claims", func() bool { return strings.Contains(said.String(), "claimed render-1") })
	if err := worker.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	bo.shows("/queue?tab=running", 200, "render-1", "frozen-1", "attempt 1 since")
	bo.shows("/queue?tab=retrying", 200, "render-1", "attempt 1 failed", "lease_over")
	bo.shows("/accounts/acct_7/jobs/render-1", 200, "Retrying", "lease")
	balance(100)

	// Redis goes away: the page says so and still shows what waits.
	if err := i.services.Redis.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	bo.shows("/queue?tab=retrying", 200, "Redis cannot be reached.", "The queue is not empty because of that", "render-1")

	// The worker goes on as if nothing had been: delivered after all, taken back once. Redis is away all the while.
	if err := worker.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	eventually(t, 30*time.Second, "the worker delivers", func() bool { return strings.Contains(said.String(), "completed") })
	if err := worker.Wait(); err != nil || !strings.Contains(said.String(), "late_reclaimed") {
		t.Errorf("the worker said %s, %v", said, err)
	}
	bo.shows("/accounts/acct_7/jobs/render-1", 200, "Late success")
	bo.shows("/dead-letters?tab=late", 200, "render-1")
	bo.shows("/queue?tab=retrying", 200, "No job waits for its next try.", "Redis cannot be reached.")
	balance(60)
	if err := i.services.Redis.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	eventually(t, 40*time.Second, "the page forgets that Redis was away", func() bool {
		res, err := bo.http.Get(bo.url + "/queue")
		if err != nil {
			return false
		}
		defer res.Body.Close()
		page, err := io.ReadAll(res.Body)
		return err == nil && res.StatusCode == 200 && !strings.Contains(string(page), "Redis cannot be reached.")
	})

	// PostgreSQL goes away: no page claims that there is nothing.
	i.services.Postgres.Kill()
	bo.shows("/queue", 503, "The database does not answer just now")
	if err := i.services.Postgres.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	bo.shows("/queue", 200, "No job waits for a worker.")
	balance(60)
	for kind, want := range map[string]int{"grant": 1, "charge": 1, "refund": 1, "reclaim": 1} {
		if n := number(t, i.database(), `SELECT count(*) FROM entries WHERE type = ?`, kind); n != want {
			t.Errorf("%d entries of type %s, want %d", n, kind, want)
		}
	}
	if status, text := i.command("verify"); status != 0 {
		t.Errorf("verify: %d %s", status, text)
	}
}
