package cmd

import (
	"context"
	"errors"
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

// TestBulkThroughAKillAndAFlush requeues many dead letters while one of two worker processes is killed without a word
// and Redis loses everything: each job is in its second generation once, at no higher rate, and the page's figures are
// those of the jobs.
func TestBulkThroughAKillAndAFlush(t *testing.T) {
	t.Parallel()
	const total, perMinute = 400, 2400
	ctx := context.Background()
	i := install(t)
	if status, text := i.command("migrate", "up"); status != 0 {
		t.Fatalf("migrate up: %d %s", status, text)
	}
	m := modeltest.New(t, modeltest.Open(t, i.database(), nil), job.DefaultPolicy())
	m.Price(t, modeltest.Action, 1000)
	for _, account := range []string{"a", "b"} {
		m.Account(t, account, 100_000)
		modeltest.Dead(t, m.G, account, account, total/2)
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
	progress := func() (bulk.Work, bulk.Progress) {
		t.Helper()
		w, err := works.Find(ctx, set.ID)
		if err != nil {
			t.Fatal(err)
		}
		p, err := works.Progress(ctx, w)
		if err != nil {
			t.Fatal(err)
		}
		return w, p
	}
	i.startWork()
	other := run(t, command{args: []string{"work"}, env: i.env})
	begun := time.Now()
	if _, err := works.Start(ctx, bulk.StartRequest{Envelope: by(), ID: set.ID, Count: set.Count, Reason: "storage is back", Pace: bulk.Pace{PerMinute: perMinute, StopPercent: 100}}); err != nil {
		t.Fatal(err)
	}
	eventually(t, 60*time.Second, "a quarter is done", func() bool { _, p := progress(); return p.Done > total/4 })
	other.kill()
	client := redis.NewClient(&redis.Options{Network: i.services.Redis.Network(), Addr: i.services.Redis.Addr()})
	err = client.FlushAll(ctx).Err()
	if err = errors.Join(err, client.Close()); err != nil {
		t.Fatal(err)
	}
	i.work.kill()
	_, before := progress()
	if before.Pending == 0 {
		t.Fatal("nothing was left when the last worker was killed")
	}
	i.startWork()
	// What a killed process had taken is free after its lease.
	eventually(t, 120*time.Second, "all are done", func() bool { w, _ := progress(); return w.State == bulk.Done })
	if took := time.Since(begun); took < total*time.Minute/perMinute-3*time.Second {
		t.Errorf("%d were done in %s at %d a minute", total, took, perMinute)
	}
	_, p := progress()
	var again, operations, twice int64
	for sql, to := range map[string]*int64{
		`SELECT count(*) FROM jobs WHERE generation = 1 AND state IN ('retrying', 'queued')`:                             &again,
		`SELECT count(*) FROM operations WHERE id LIKE 'bulk:%' AND result IS NOT NULL`:                                  &operations,
		`SELECT count(*) FROM (SELECT 1 FROM job_events WHERE kind = 'requeued' GROUP BY job_key HAVING count(*) > 1) x`: &twice} {
		if err := m.G.Raw(sql).Scan(to).Error; err != nil {
			t.Fatal(err)
		}
	}
	if p.Done != total || again != total || operations != total || twice != 0 || p.Lost != 0 {
		t.Errorf("%+v; %d jobs again, %d operations, %d twice", p, again, operations, twice)
	}
	if status := i.work.terminate(); status != 0 {
		t.Errorf("work ended with %d", status)
	}
}
