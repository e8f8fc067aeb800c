package cmd

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"recoup/models/actor"
	"recoup/models/bulk"
	"recoup/models/deadletter"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
)

// bulkSize is how many dead letters are requeued: 300, or what RECOUP_TEST_BULK says, 10000 for one.
func bulkSize(t *testing.T) int {
	t.Helper()
	text := os.Getenv("RECOUP_TEST_BULK")
	if text == "" {
		return 300
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 100 {
		t.Fatalf("RECOUP_TEST_BULK is %q, want a number from 100", text)
	}
	return n
}

// TestBulkThroughAKillAndAFlush requeues many dead letters, and media workers run what comes back, while one process of
// work after the other is killed without a word and Redis loses everything. Each job is put back once, claimed once in
// its second generation and delivered; no minute has more than the rate; and what the console shows is what the database
// has, both in the middle and at the end.
func TestBulkThroughAKillAndAFlush(t *testing.T) {
	t.Parallel()
	ctx, total := context.Background(), bulkSize(t)
	perMinute := max(2400, total*6/10)
	i := install(t)
	if status, text := i.command("migrate", "up"); status != 0 {
		t.Fatalf("migrate up: %d %s", status, text)
	}
	status, key := i.command("key", "create", "--name", "media", "--scopes", "jobs:work")
	if status != 0 {
		t.Fatalf("key create: %d %s", status, key)
	}
	m := modeltest.New(t, modeltest.Open(t, i.database(), nil), job.DefaultPolicy())
	m.Price(t, modeltest.Action, 1000)
	const credits = 1_000_000
	for account, n := range map[string]int{"a": total / 2, "b": total - total/2} {
		m.Account(t, account, credits)
		modeltest.Dead(t, m.G, account, account, n)
	}
	works := bulk.New(m.Ops, m.Letters, m.Jobs, bulk.Options{})
	by := func() ledger.Envelope { return ledger.Envelope{OperationID: ids.New(), Actor: actor.Staff("st_lena")} }
	out, err := works.Prepare(ctx, by(), bulk.Requeue, bulk.Selection{Tab: deadletter.Open, Query: "tab=open"})
	if err != nil {
		t.Fatal(err)
	}
	var set bulk.PreparedSet
	if err := out.Decode(&set); err != nil {
		t.Fatal(err)
	}
	i.startServe()
	api := newCaller(i.url, strings.TrimSpace(key))
	eventually(t, 30*time.Second, "the server answers", api.healthy)
	bo := signedIn(t, i, "support")
	count := func(sql string) (n int) {
		t.Helper()
		if err := m.G.Raw(sql).Scan(&n).Error; err != nil {
			t.Fatal(err)
		}
		return n
	}
	const again = `SELECT count(*) FROM jobs WHERE generation = 1`

	// A machine with other work may do few a second; what is in question is that all come to their end.
	patience := 3*time.Minute + time.Duration(total)*100*time.Millisecond
	i.startWork()
	other := run(t, command{args: []string{"work"}, env: i.env})
	ended := media(t, api)
	begun := time.Now()
	if _, err := works.Start(ctx, bulk.StartRequest{Envelope: by(), ID: set.ID, Count: set.Count, Reason: "storage is back", Pace: bulk.Pace{PerMinute: int64(perMinute), StopPercent: 100}}); err != nil {
		t.Fatal(err)
	}
	eventually(t, patience, "a quarter is done", func() bool { return count(again) > total/4 })
	other.kill()
	client := redis.NewClient(&redis.Options{Network: i.services.Redis.Network(), Addr: i.services.Redis.Addr()})
	err = client.FlushAll(ctx).Err()
	if err = errors.Join(err, client.Close()); err != nil {
		t.Fatal(err)
	}
	eventually(t, patience, "the other process goes on", func() bool { return count(again) > total/2 })
	i.work.kill()
	// Nobody is left to do any, and the page counts what the database has.
	eventually(t, 20*time.Second, "the page shows the jobs that were put back", func() bool {
		return bo.worked(set.ID, bulk.ShowDone) == count(again)
	})
	if left := bo.worked(set.ID, bulk.ShowPending); left == 0 || left != total-count(again) {
		t.Fatalf("%d are left to do, %d of %d jobs are put back", left, count(again), total)
	}
	i.startWork()
	// What a killed process had taken is free after its lease.
	eventually(t, patience, "all are done", func() bool { return count(`SELECT count(*) FROM bulk_works WHERE state = 'done'`) == 1 })
	took := time.Since(begun)
	eventually(t, patience, "all are delivered", func() bool { return count(`SELECT count(*) FROM jobs WHERE state <> 'succeeded'`) == 0 })
	claimed := ended()
	t.Logf("%d dead letters at %d a minute: put back in %s, delivered after %s", total, perMinute, took.Round(time.Millisecond), time.Since(begun).Round(time.Millisecond))

	if least := time.Duration(total)*time.Minute/time.Duration(perMinute) - 3*time.Second; took < least {
		t.Errorf("%d were done in %s at %d a minute", total, took, perMinute)
	}
	for what, found := range map[string]int{
		"handed to media workers":               claimed,
		"jobs that were put back":               count(again),
		"operations":                            count(`SELECT count(*) FROM operations WHERE id LIKE 'bulk:%' AND result IS NOT NULL`),
		"times put back":                        count(`SELECT count(*) FROM job_events WHERE kind = 'requeued'`),
		"claims":                                count(`SELECT count(*) FROM attempts`),
		"jobs claimed in the second generation": count(`SELECT count(DISTINCT (account_key, job_key)) FROM attempts WHERE generation = 1`),
		"reclaims":                              count(`SELECT count(*) FROM entries WHERE type = 'reclaim'`),
		"shown as done":                         bo.worked(set.ID, bulk.ShowDone),
		"shown as succeeded":                    bo.worked(set.ID, bulk.ShowSucceeded),
	} {
		if found != total {
			t.Errorf("%s: %d, want %d", what, found, total)
		}
	}
	for what, found := range map[string]int{
		"shown as failed again": bo.worked(set.ID, bulk.ShowFailed),
		"shown as out":          bo.worked(set.ID, bulk.ShowOut),
		"shown as to do":        bo.worked(set.ID, bulk.ShowPending),
		"open dead letters":     count(`SELECT count(*) FROM dead_letters WHERE closed_at IS NULL`),
	} {
		if found != 0 {
			t.Errorf("%s: %d, want none", what, found)
		}
	}
	if most := count(`SELECT max(n) FROM (SELECT count(*) OVER (ORDER BY taken_at RANGE BETWEEN '1 minute' PRECEDING AND CURRENT ROW) AS n FROM bulk_items) x`); most > perMinute {
		t.Errorf("%d in one minute, at %d a minute", most, perMinute)
	}
	if got, want := m.Balance(t, "a")+m.Balance(t, "b"), int64(2*credits-3*total); got != want {
		t.Errorf("the balances come to %d, want %d", got, want)
	}
	if status := i.work.terminate(); status != 0 {
		t.Errorf("work ended with %d", status)
	}
}

// media runs three media workers that deliver whatever they are given. The function that it returns ends them and counts
// the jobs that they were handed.
func media(t *testing.T, api *caller) func() int {
	t.Helper()
	var stop atomic.Bool
	var claimed atomic.Int64
	var workers sync.WaitGroup
	for range 3 {
		workers.Go(func() {
			for !stop.Load() && !t.Failed() {
				a := api.must(t, http.MethodPost, "/v1/jobs/claim", ids.New(), map[string]any{"actions": []string{modeltest.Action}, "max": 20, "wait_s": 1})
				var got struct{ Jobs []claimedJob }
				if err := unmarshal(a.result, &got); err != nil {
					t.Errorf("claim: %s: %v", a.result, err)
				}
				claimed.Add(int64(len(got.Jobs)))
				for _, j := range got.Jobs {
					api.must(t, http.MethodPost, "/v1/jobs/complete", ids.New(), map[string]any{"lease_token": j.LeaseToken, "result": "s3://" + j.JobID})
				}
			}
		})
	}
	end := func() int {
		stop.Store(true)
		workers.Wait()
		return int(claimed.Load())
	}
	t.Cleanup(func() { end() })
	return end
}

// worked is how many rows of a bulk work its page shows in one of its figures.
func (r *reader) worked(id string, show bulk.Show) int {
	r.t.Helper()
	res, err := r.http.Get(r.url + "/dead-letters/bulk/" + id)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	found := regexp.MustCompile(`<a class="figure[^"]*" href="[^"]*\?show=` + string(show) + `">([0-9,]+)</a>`).FindSubmatch(page)
	if found == nil {
		r.t.Fatalf("%d: no figure of %q on the page: %s", res.StatusCode, show, page)
	}
	n, err := strconv.Atoi(strings.ReplaceAll(string(found[1]), ",", ""))
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}
