package deadletter_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"recoup/models/credit"
	"recoup/models/db"
	"recoup/models/deadletter"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
)

// Whatever deaths, requeues, discards, reopenings and late successes do beside each other, on accounts that share a tally and
// on one, the figures are those of the rows: nothing waits for each other in a circle, and nothing is counted twice.
func TestFiguresAreThoseOfTheRows(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	ctx := context.Background()
	who := person(t, m, 1)
	const accounts, jobs = 4, 12
	for a := range accounts {
		account := fmt.Sprintf("a%d", a)
		m.Account(t, account, 100_000)
		for j := range jobs {
			die(t, m, account, fmt.Sprintf("%s-%d", account, j), int64(10+j), []string{"gpu_lost", "disk_full"}[j%2], "stopped", "w1")
		}
	}
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(7, uint64(worker)))
			for range 40 {
				account := fmt.Sprintf("a%d", random.IntN(accounts))
				id := fmt.Sprintf("%s-%d", account, random.IntN(jobs))
				e := ledger.Envelope{OperationID: ids.New(), Actor: who}
				ask := job.PersonRequest{Envelope: e, AccountID: account, JobID: id, Reason: "again"}
				var err error
				switch random.IntN(4) {
				case 0:
					_, err = m.Jobs.Requeue(ctx, ask)
				case 1:
					ask.Reason = job.DiscardReasons()[0]
					_, err = m.Jobs.Discard(ctx, ask)
				case 2:
					_, err = m.Jobs.Reopen(ctx, ask)
				case 3:
					_, err = m.Jobs.Signal(ctx, job.SignalRequest{Envelope: e, AccountID: account, JobID: id, Signal: job.Signal{Type: job.SignalSucceeded, Result: "s3://x"}})
				}
				if err != nil && fault.As(err) == nil {
					t.Errorf("%s: %v", id, err)
				}
			}
		})
	}
	wg.Wait()
	var want struct {
		Open              int64
		Refunded, Charged credit.Sum
		Groups            int64
	}
	err := m.G.Raw(`SELECT count(*) AS open, COALESCE(sum(cost) FILTER (WHERE refunded), 0) AS refunded, COALESCE(sum(cost) FILTER (WHERE NOT refunded), 0) AS charged,
		count(DISTINCT fingerprint) AS groups FROM dead_letters WHERE closed_at IS NULL`).Scan(&want).Error
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Letters.Figures(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got.Open != want.Open || got.Refunded.String() != want.Refunded.String() || got.Charged.String() != want.Charged.String() {
		t.Errorf("figures %d, %s, %s; the rows say %d, %s, %s", got.Open, got.Refunded, got.Charged, want.Open, want.Refunded, want.Charged)
	}
	if want.Open == 0 || want.Open == accounts*jobs {
		t.Errorf("%d of %d are open: the test shows nothing", want.Open, accounts*jobs)
	}
	var off int64
	err = m.G.Raw(`SELECT count(*) FROM (SELECT fingerprint, account_key % 16 AS shard, count(*) AS open,
			count(DISTINCT account_key) AS accounts FROM dead_letters WHERE closed_at IS NULL GROUP BY 1, 2) r
		FULL JOIN (SELECT * FROM dead_letter_tallies WHERE open > 0) t USING (fingerprint, shard) WHERE (r.open, r.accounts) IS DISTINCT FROM (t.open, t.accounts)`).Scan(&off).Error
	if err != nil || off != 0 {
		t.Errorf("%d tallies differ from the rows, %v", off, err)
	}
	// Where nothing is open any more there is no tally that would have to be read past.
	if err := m.G.Raw(`SELECT count(*) FROM dead_letter_tallies WHERE open = 0`).Scan(&off).Error; err != nil || off != 0 {
		t.Errorf("%d tallies of nothing, %v", off, err)
	}
}

// Whoever counts no further than some number gets the exact number up to there and a larger one beyond, whatever is out of sight.
func TestWaitingUpTo(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	ctx := context.Background()
	who := person(t, m, 1)
	m.Account(t, "a", 1000)
	later := time.Now().Add(time.Hour)
	const groups, aside = 6, 2
	for i := range groups {
		id := fmt.Sprintf("j%d", i)
		die(t, m, "a", id, 10, fmt.Sprintf("code_%c", 'a'+i), "stopped", "w1")
		if i < aside {
			if _, err := m.Letters.Snooze(ctx, deadletter.SnoozeRequest{Request: of(who, "a", id), Until: &later}); err != nil {
				t.Fatal(err)
			}
		}
	}
	const waiting = groups - aside
	for most := range groups + 2 {
		n, err := db.Counts(ctx, m.G, deadletter.WaitingUpTo(most))
		if err != nil || min(n[0], int64(most)+1) != int64(min(waiting, most+1)) {
			t.Errorf("%d counted up to %d, %v", n, most, err)
		}
	}
}

// What an owner of the tables made of the tallies is put right from the rows.
func TestRewriteTallies(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	ctx := context.Background()
	m.Account(t, "a", 1000)
	die(t, m, "a", "j", 10, "gpu_lost", "stopped", "w1")
	if err := m.G.Exec(`UPDATE dead_letter_tallies SET open = 17, refunded = 3`).Error; err != nil {
		t.Fatal(err)
	}
	if n, err := m.Letters.RewriteTallies(ctx); n != 1 || err != nil {
		t.Fatalf("%d tallies, %v", n, err)
	}
	f, err := m.Letters.Figures(ctx)
	if err != nil || f.Open != 1 || f.Refunded.String() != "10" {
		t.Errorf("figures %+v, %v", f, err)
	}
}
