package cmd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"recoup/models/db"
	"recoup/models/ids"
	"recoup/web/local"
)

// installation is serve and work as processes of their own, over services of their own.
type installation struct {
	t           *testing.T
	services    *local.Services
	env         []string
	url         string
	serve, work *proc
}

func install(t *testing.T) *installation {
	t.Helper()
	services, err := local.Start(context.Background(), local.Options{Dir: filepath.Join(place(t), "d"), NoFsync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := services.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	listen := freeAddress(t)
	// Secrets by file, as an installation does.
	secrets := place(t)
	env := []string{"RECOUP_LISTEN=" + listen, "RECOUP_BACKOFF_BASE=1s", "RECOUP_BACKOFF_MAX=2s", "RECOUP_LEASE=5s", "RECOUP_MAX_ATTEMPTS=50",
		"RECOUP_SHUTDOWN_GRACE=15s", "RECOUP_LOG_LEVEL=warn"}
	for name, value := range map[string]string{"DATABASE_URL": services.Postgres.URL(local.DatabaseName),
		"REDIS_URL": redisURL(services.Redis), "RECOUP_SECRET": "a secret of tests, 32 bytes or more"} {
		path := filepath.Join(secrets, name)
		if err := os.WriteFile(path, []byte(value+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		env = append(env, name+"_FILE="+path)
	}
	return &installation{t: t, services: services, env: env, url: "http://" + listen}
}

func (i *installation) database() string { return i.services.Postgres.URL(local.DatabaseName) }

func (i *installation) command(args ...string) (int, string) {
	i.t.Helper()
	return result(i.t, command{args: args, env: i.env})
}

func (i *installation) startServe() { i.serve = run(i.t, command{args: []string{"serve"}, env: i.env}) }
func (i *installation) startWork()  { i.work = run(i.t, command{args: []string{"work"}, env: i.env}) }

func TestServeAndWork(t *testing.T) {
	t.Parallel()
	i := install(t)
	refuseOldSchema(t, i)
	if status, text := i.command("price", "set", "video_render", "--unit", "second", "--unit-price", "1000", "--reason", "test"); status != 0 {
		t.Fatalf("price set: %d %s", status, text)
	}
	status, key := i.command("key", "create", "--name", "test", "--scopes", "jobs:write,jobs:work,ledger:read,ledger:write")
	if status != 0 {
		t.Fatalf("key create: %d %s", status, key)
	}
	manageAccess(t, i)
	i.startServe()
	i.startWork()
	api := newCaller(i.url, strings.TrimSpace(key))
	eventually(t, 30*time.Second, "the server answers", api.healthy)
	surviveFaults(t, i, api)
	endInOrder(t, i, api)
}

func refuseOldSchema(t *testing.T, i *installation) {
	for _, name := range []string{"serve", "work"} {
		if status, text := i.command(name); status != 1 || !strings.Contains(text, "recoup migrate up") {
			t.Errorf("%s on an empty database: %d %s", name, status, text)
		}
	}
	if status, text := i.command("migrate", "status"); status != 1 || !strings.Contains(text, "pending") || strings.Contains(text, "applied") {
		t.Errorf("migrate status before: %d %s", status, text)
	}
	if status, text := i.command("migrate", "up"); status != 0 || !strings.Contains(text, "applied 00001_ledger.sql") {
		t.Fatalf("migrate up: %d %s", status, text)
	}
	if status, text := i.command("migrate", "up"); status != 0 || !strings.Contains(text, "current") {
		t.Errorf("migrate up again: %d %s", status, text)
	}
	if status, text := i.command("migrate", "status"); status != 0 || strings.Contains(text, "pending") {
		t.Errorf("migrate status after: %d %s", status, text)
	}
	// A name given twice is no choice to make for the operator, and its value is not printed.
	status, text := result(t, command{args: []string{"serve"}, env: append([]string{"DATABASE_URL=postgres://u:hunter2@x/y"}, i.env...)})
	if status == 0 || !strings.Contains(text, "DATABASE_URL_FILE") || strings.Contains(text, "hunter2") {
		t.Errorf("DATABASE_URL twice: %d %s", status, text)
	}
}

// manageAccess gives, changes and takes a person's access by command line alone.
func manageAccess(t *testing.T, i *installation) {
	for _, step := range []struct {
		args   []string
		status int
		prints string
	}{
		{[]string{"staff", "add", "ann@example.com", "--name", "Ann", "--role", "viewer"}, 0, "ann@example.com"},
		{[]string{"staff", "role", "ann@example.com", "--role", "finance", "--reason", "new post"}, 0, "finance"},
		{[]string{"staff", "disable", "ann@example.com"}, 2, "--reason"},
		{[]string{"staff", "disable", "ann@example.com", "--reason", "left"}, 0, "shut out"},
		{[]string{"staff", "list"}, 0, "disabled"},
		{[]string{"staff", "link", "ann@example.com"}, 1, ""},
		{[]string{"staff", "enable", "ann@example.com", "--reason", "back"}, 0, "again"},
		{[]string{"staff", "link", "ann@example.com"}, 0, "/sign-in/link?token="},
		{[]string{"staff", "disable", "nobody@example.com", "--reason", "x"}, 1, "no such person"},
	} {
		if status, text := i.command(step.args...); status != step.status || !strings.Contains(text, step.prints) {
			t.Errorf("%s: %d %s", strings.Join(step.args, " "), status, text)
		}
	}
	if n := number(t, i.database(), `SELECT count(*) FROM audit_log WHERE actor = 'operator' AND reason IN ('new post', 'left', 'back')`); n != 3 {
		t.Errorf("%d of 3 changes of access are in the audit log", n)
	}
}

// TestHelp prints the table of options without needing any of them.
func TestHelp(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"serve", "work"} {
		status, text := result(t, command{args: []string{name, "--help"}})
		if status != 0 {
			t.Errorf("%s --help: exit status %d", name, status)
		}
		for _, line := range []string{`DATABASE_URL \*\s+–\s+PostgreSQL`, `REDIS_URL \*\s`, `RECOUP_SECRET \*\s`, `RECOUP_LEASE\s+30s\s+silence`,
			`OTEL_EXPORTER_OTLP_ENDPOINT\s+–\s`} {
			if !regexp.MustCompile(`(?m)^\s+` + line).MatchString(text) {
				t.Errorf("%s --help has no line %s:\n%s", name, line, text)
			}
		}
	}
	if status, text := result(t, command{args: []string{"sevre"}}); status != 2 || !strings.Contains(text, "sevre") {
		t.Errorf("a wrong command: %d %s", status, text)
	}
	if status, text := result(t, command{args: []string{"serve"}}); status != 1 || !strings.Contains(text, "DATABASE_URL") || !strings.Contains(text, "RECOUP_SECRET") {
		t.Errorf("serve without options: %d %s", status, text)
	}
}

// ledgerOf is what the callers were told.
type ledgerOf struct {
	mu  sync.Mutex
	all []told
}

type told struct {
	path, operation string
	body            any
	answer          answer
}

func (l *ledgerOf) add(t told) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, t)
}

const unitsOfEach = 3

// surviveFaults runs customers and workers while each part is killed in turn, and then asks for everything
// that was acknowledged once more.
func surviveFaults(t *testing.T, i *installation, api *caller) {
	const accounts, credits = 3, 90_000
	for n := range accounts {
		account := fmt.Sprintf("acct_%d", n)
		api.must(t, http.MethodPut, "/v1/accounts/"+account, "put-"+account, map[string]any{"name": account})
		api.must(t, http.MethodPost, "/v1/accounts/"+account+"/grants", "grant-"+account, map[string]any{"amount": credits, "category": "paid"})
	}
	var heard ledgerOf
	var charged, replays atomic.Int64
	var stop, drained atomic.Bool
	change := func(path, operation string, body any) answer {
		a := api.must(t, http.MethodPost, path, operation, body)
		if a.replayed {
			replays.Add(1) // its first answer was lost on the way
		}
		heard.add(told{path, operation, body, a})
		return a
	}
	var customers, workers sync.WaitGroup
	for c := range 4 {
		customers.Go(func() {
			for n := 0; !stop.Load() && !t.Failed(); n++ {
				account, id := fmt.Sprintf("acct_%d", n%accounts), fmt.Sprintf("j-%d-%d", c, n)
				change("/v1/accounts/"+account+"/jobs", "charge-"+id, map[string]any{"job_id": id, "action": "video_render", "units": unitsOfEach, "expires_in_s": 3600})
				charged.Add(1)
				time.Sleep(30 * time.Millisecond)
			}
		})
	}
	for range 3 {
		workers.Go(func() {
			for !drained.Load() && !t.Failed() {
				for _, j := range claimSome(t, api) {
					// Each job fails once and is delivered by a later attempt.
					name := fmt.Sprintf("%s-%d", j.JobID, j.Attempt)
					if j.Attempt == 1 {
						change("/v1/jobs/fail", "fail-"+name, map[string]any{"lease_token": j.LeaseToken, "class": "transient", "code": "gpu_lost"})
					} else {
						change("/v1/jobs/complete", "complete-"+name, map[string]any{"lease_token": j.LeaseToken, "result": "s3://" + j.JobID})
					}
				}
			}
		})
	}
	makeFaults(t, i, api)
	stop.Store(true)
	customers.Wait()
	eventually(t, 60*time.Second, "every job ends", func() bool {
		n, err := look(i.database(), `SELECT count(*) FROM jobs WHERE state <> 'succeeded'`)
		return t.Failed() || err == nil && n == 0
	})
	drained.Store(true)
	workers.Wait()
	if t.Failed() {
		t.FailNow()
	}
	t.Logf("%d jobs, %d answers, %d of them replays of a lost one", charged.Load(), len(heard.all), replays.Load())

	jobs := number(t, i.database(), `SELECT count(*) FROM jobs`)
	if int64(jobs) != charged.Load() || jobs < 20 {
		t.Errorf("%d jobs, %d charges acknowledged", jobs, charged.Load())
	}
	for kind, want := range map[string]int{"charge": jobs, "refund": jobs, "reclaim": jobs} {
		if n := number(t, i.database(), `SELECT count(*) FROM entries WHERE type = ?`, kind); n != want {
			t.Errorf("%d entries of type %s, want %d", n, kind, want)
		}
	}
	if n, want := number(t, i.database(), `SELECT sum(balance)::bigint FROM accounts`), accounts*credits-unitsOfEach*jobs; n != want {
		t.Errorf("balances sum to %d, want %d", n, want)
	}
	before := number(t, i.database(), `SELECT count(*) FROM entries`)
	for _, h := range heard.all {
		a, err := api.send(http.MethodPost, h.path, h.operation, h.body)
		if err != nil || !a.replayed || a.result != h.answer.result {
			t.Errorf("%s was acknowledged with %+v; asked again: %+v %v", h.operation, h.answer, a, err)
		}
	}
	if after := number(t, i.database(), `SELECT count(*) FROM entries`); after != before {
		t.Errorf("replays made %d entries", after-before)
	}
	if status, text := i.command("verify"); status != 0 {
		t.Errorf("verify: %d %s", status, text)
	}
}

type claimedJob struct {
	JobID      string `json:"job_id"`
	Attempt    int    `json:"attempt"`
	LeaseToken string `json:"lease_token"`
}

// claimSome claims a job under one operation id until an answer comes.
func claimSome(t *testing.T, api *caller) []claimedJob {
	a := api.must(t, http.MethodPost, "/v1/jobs/claim", ids.New(), map[string]any{"actions": []string{"video_render"}, "max": 2, "wait_s": 1})
	var out struct{ Jobs []claimedJob }
	if t.Failed() {
		return nil
	}
	if err := unmarshal(a.result, &out); err != nil {
		t.Errorf("claim: %s: %v", a.result, err)
	}
	return out.Jobs
}

// redisAway is how long Redis is away; RECOUP_TEST_REDIS_AWAY makes it longer, e.g. 60s.
func redisAway(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("RECOUP_TEST_REDIS_AWAY")
	if text == "" {
		return 5 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func makeFaults(t *testing.T, i *installation, api *caller) {
	t.Helper()
	ctx := context.Background()
	loaded := func() { time.Sleep(1500 * time.Millisecond) }
	loaded()
	i.serve.kill()
	i.startServe()
	eventually(t, 30*time.Second, "serve is back", api.healthy)
	loaded()
	i.services.Postgres.Kill()
	time.Sleep(300 * time.Millisecond)
	if err := i.services.Postgres.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	eventually(t, 30*time.Second, "PostgreSQL is back", api.healthy)
	loaded()
	client := redis.NewClient(&redis.Options{Network: i.services.Redis.Network(), Addr: i.services.Redis.Addr()})
	err := client.FlushAll(ctx).Err()
	if err = errors.Join(err, client.Close()); err != nil {
		t.Fatal(err)
	}
	loaded()
	if err := i.services.Redis.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	i.work.kill() // and a work that has to start without Redis
	i.startWork()
	time.Sleep(redisAway(t))
	if !api.healthy() {
		t.Error("not ready while only Redis is away")
	}
	if err := i.services.Redis.Restart(ctx); err != nil {
		t.Fatal(err)
	}
	loaded()
}

// endInOrder asks both processes to end while a request runs: it is answered, and both end with status 0.
func endInOrder(t *testing.T, i *installation, api *caller) {
	g, err := db.Open(context.Background(), db.Config{URL: i.database(), MaxConns: 2})
	if err != nil {
		t.Fatal(err)
	}
	pool, err := g.DB()
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	tx := g.Begin()
	if err := tx.Exec(`SELECT 1 FROM accounts WHERE id = 'acct_0' FOR NO KEY UPDATE`).Error; err != nil {
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	go func() {
		a, err := api.send(http.MethodPost, "/v1/accounts/acct_0/grants", "last-grant", map[string]any{"amount": 1, "category": "paid"})
		if err == nil && a.status != http.StatusCreated {
			err = fmt.Errorf("answered %+v", a)
		}
		answered <- err
	}()
	eventually(t, 20*time.Second, "the request waits for the account", func() bool {
		return number(t, i.database(), `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'`) > 0
	})
	ended := make(chan int, 1)
	go func() { ended <- i.serve.terminate() }()
	eventually(t, 10*time.Second, "serve takes no more requests", func() bool { return !newCaller(i.url, "").healthy() })
	select {
	case err := <-answered:
		t.Fatalf("answered before it could be: %v", err)
	default:
	}
	if err := tx.Commit().Error; err != nil {
		t.Fatal(err)
	}
	if err := <-answered; err != nil {
		t.Errorf("the running request: %v", err)
	}
	if status := <-ended; status != 0 {
		t.Errorf("serve ended with %d", status)
	}
	if n := number(t, i.database(), `SELECT count(*) FROM entries WHERE operation_id = 'last-grant'`); n != 1 {
		t.Errorf("%d entries of the last grant", n)
	}
	if status := i.work.terminate(); status != 0 {
		t.Errorf("work ended with %d", status)
	}
}
