package horizon_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"gorm.io/gorm"

	"recoup/models/horizon"
	"recoup/models/ledger"
	"recoup/models/modeltest"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

func advance(t *testing.T, g *gorm.DB) time.Time {
	t.Helper()
	at, err := horizon.Advance(context.Background(), g)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func clock(t *testing.T, g *gorm.DB) time.Time {
	t.Helper()
	var at time.Time
	if err := g.Raw(`SELECT clock_timestamp()`).Scan(&at).Error; err != nil {
		t.Fatal(err)
	}
	return at
}

// open begins a transaction that has written an entry, and returns the entry's time and what commits it.
func open(t *testing.T, m *modeltest.Models, account string) (at time.Time, commit func()) {
	t.Helper()
	tx := m.G.Begin()
	t.Cleanup(func() { tx.Rollback() })
	err := tx.Raw(`INSERT INTO entries (account_key, seq, type, amount, balance_after, operation_id, actor, created_at, hash)
		SELECT key, 1, 'grant', 5, 5, 'late', 'system', clock_timestamp(), last_hash FROM accounts WHERE id = ? RETURNING created_at`, account).Scan(&at).Error
	if err != nil {
		t.Fatal(err)
	}
	return at, func() {
		t.Helper()
		if err := tx.Commit().Error; err != nil {
			t.Fatal(err)
		}
	}
}

// A transaction that has dated an entry and is still open holds the horizon before that entry, whatever else
// begins and ends meanwhile.
func TestNothingIsFinalBehindAnOpenTransaction(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "late", 0)
	m.Account(t, "busy", 0)
	advance(t, m.G)
	at, commit := open(t, m, "late")
	for range 20 {
		if final := advance(t, m.G); !final.Before(at) {
			t.Fatalf("final at %s, though an entry of %s is not committed", final, at)
		}
		_, err := m.Ledger.Grant(context.Background(), ledger.GrantRequest{Envelope: modeltest.Envelope(), AccountID: "busy", Amount: 1, Category: ledger.Paid})
		if err != nil {
			t.Fatal(err)
		}
	}
	commit()
	after := clock(t, m.G)
	advance(t, m.G) // the old mark passes, a new one is set
	if final := advance(t, m.G); final.Before(after) {
		t.Fatalf("final at %s, though nothing is open since %s", final, after)
	}
}

// Without anything else going on the end of a snapshot stands at the open transaction's own id: the place
// where a rule that compares with it is wrong.
func TestAnOpenTransactionAloneIsSeen(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "late", 0)
	at, commit := open(t, m, "late")
	for range 5 {
		if final := advance(t, m.G); !final.Before(at) {
			t.Fatalf("final at %s, entry of %s not committed", final, at)
		}
	}
	commit()
	advance(t, m.G)
	if final := advance(t, m.G); final.Before(at) {
		t.Fatalf("final at %s, which is before the committed entry of %s", final, at)
	}
}

// A reader that keeps its snapshot for an hour writes nothing and holds nothing back.
func TestReadersDoNotHoldTheHorizon(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	tx := m.G.Begin()
	defer tx.Rollback()
	var n int
	if err := tx.Raw(`SELECT count(*) FROM entries`).Scan(&n).Error; err != nil {
		t.Fatal(err)
	}
	start := clock(t, m.G)
	advance(t, m.G)
	advance(t, m.G)
	if final := advance(t, m.G); final.Before(start) {
		t.Fatalf("final at %s, want after %s", final, start)
	}
}

// Writers commit while others follow the horizon: whoever reads up to it sees every entry, at once and for good.
func TestWhatIsFinalNeverGrows(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	ctx := context.Background()
	accounts := []string{"a", "b", "c", "d"}
	for _, id := range accounts {
		m.Account(t, id, 0)
	}
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for _, id := range accounts {
		writers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				_, err := m.Ledger.Grant(ctx, ledger.GrantRequest{Envelope: modeltest.Envelope(), AccountID: id, Amount: 1, Category: ledger.Paid})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	type seen struct {
		at    time.Time
		count int64
	}
	var all []seen
	count := func(at time.Time) (n int64) {
		if err := m.G.Raw(`SELECT count(*) FROM entries WHERE created_at <= ?`, at).Scan(&n).Error; err != nil {
			t.Error(err)
		}
		return n
	}
	var mu sync.Mutex
	var followers sync.WaitGroup
	for range 2 {
		followers.Go(func() {
			for range 150 {
				at, err := horizon.Advance(ctx, m.G)
				if err != nil {
					t.Error(err)
					return
				}
				n := count(at)
				mu.Lock()
				all = append(all, seen{at, n})
				mu.Unlock()
			}
		})
	}
	followers.Wait()
	close(stop)
	writers.Wait()
	if last := all[len(all)-1]; last.count == 0 {
		t.Fatal("the horizon never moved")
	}
	for _, s := range all {
		if n := count(s.at); n != s.count {
			t.Fatalf("%d entries up to %s, %d were seen when it was final", n, s.at, s.count)
		}
	}
}
