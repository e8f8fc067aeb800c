package month_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"recoup/models/calendar"
	"recoup/models/modeltest"
	"recoup/models/month"
	"recoup/models/rollup"
)

// tie adds up the balances, as the process in the background does.
func (w *world) tie() rollup.Tie {
	w.t.Helper()
	t, err := w.rollup.Tie(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	return t
}

func breaks(o month.Overview) string {
	out := ""
	for _, b := range o.Breaks() {
		out += fmt.Sprintf("%s %s against %s;", b.Name, b.Figure, b.Against)
	}
	return out
}

// While charges, refunds and grants commit, the rollup goes on and balances are added up, no reading of the running
// month finds a difference, and each of them was held against the balances.
func TestARunningMonthTiesUnderConcurrentWrites(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, "Asia/Kathmandu")
	const accounts, rounds = 4, 12
	w.Price(t, "video_render", 1000)
	for a := range accounts {
		w.Account(t, fmt.Sprintf("a%d", a), 1000)
	}
	w.rollUp()
	w.tie()
	writing := make(chan struct{})
	var writers, readers sync.WaitGroup
	for a := range accounts {
		writers.Go(func() {
			for n := range rounds {
				w.Charge(t, fmt.Sprintf("a%d", a), fmt.Sprintf("j%d", n), int64(1+n))
			}
		})
	}
	readers.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-writing:
				return
			default:
			}
			if _, err := w.rollup.Advance(ctx, 10); err != nil {
				t.Error(err)
			}
			if tie, err := w.rollup.Tie(ctx); err != nil || !tie.Holds() {
				t.Errorf("tie %d: %+v %v", n, tie, err)
			}
		}
	})
	now := calendar.MonthOf(time.Now().In(w.months.Zone()))
	read := func() bool {
		o, err := w.months.Read(ctx, now)
		if err != nil {
			t.Error(err)
			return false
		}
		if o.Tied() == nil || o.Breaks() != nil {
			t.Errorf("tied %v: %s", o.Tied(), breaks(o))
			return false
		}
		return true
	}
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-writing:
					return
				default:
				}
				if !read() {
					return
				}
			}
		})
	}
	writers.Wait()
	close(writing)
	readers.Wait()
	if read() {
		o := w.read(now.String())
		if got := o.Closing.Plus(o.Later).String(); got != fmt.Sprint(accounts*(1000-rounds*(rounds+1)/2)) {
			t.Errorf("in the end %s", got)
		}
	}
}

// An entry that commits after the balances were added up, and is dated before, is on both sides or on neither.
func TestALateCommitDoesNotBreakTheTie(t *testing.T) {
	w := newWorld(t, "UTC")
	w.entries("early", modeltest.Past{At: time.Now().Add(-time.Minute), Type: "grant", Amount: 7})
	w.Account(t, "late", 0)
	w.rollUp()
	tx := w.G.Begin()
	defer tx.Rollback()
	// One entry and its head, as the ledger writes them, and not yet committed.
	for _, s := range []string{
		`INSERT INTO entries (account_key, seq, type, amount, balance_after, operation_id, actor, created_at, hash)
			SELECT key, 1, 'grant', 10, 10, 'late', 'system', clock_timestamp(), last_hash FROM accounts WHERE id = 'late'`,
		`UPDATE accounts a SET balance = 10, last_seq = 1, last_hash = e.hash, last_at = e.created_at FROM entries e WHERE e.account_key = a.key AND a.id = 'late'`} {
		if err := tx.Exec(s).Error; err != nil {
			t.Fatal(err)
		}
	}
	m := time.Now().UTC().Format("2006-01")
	for range 3 {
		w.rollUp()
		if tie := w.tie(); !tie.Holds() {
			t.Fatalf("while it is open: %+v", tie)
		}
		if o := w.read(m); o.Tied() == nil || o.Breaks() != nil || o.Closing.String() != "7" {
			t.Fatalf("while it is open: %s", breaks(o))
		}
	}
	if err := tx.Commit().Error; err != nil {
		t.Fatal(err)
	}
	if o := w.read(m); o.Tied() == nil || o.Breaks() != nil || o.Closing.String() != "17" {
		t.Errorf("after its commit: %s, closing %s", breaks(o), o.Closing)
	}
}

// What the owner of the tables changes breaks the tie of the months it concerns.
func TestDamageBreaksTheTie(t *testing.T) {
	for _, c := range []struct {
		name, damage string
		// again is true where the balances have to be added up anew to see it.
		again bool
		// august and october are the breaks of the month that is closed and of one that is open.
		august, october string
	}{
		{"nothing", `SELECT 1`, true, "", ""},
		{"a head", `UPDATE accounts SET balance = balance + 5 WHERE id = 'a'`, true, "balances 100 against 105;", "balances 61 against 66;"},
		{"kept sums before", `UPDATE rollup_days SET amount = amount + 3 WHERE amount = 100`, false,
			"balances 103 against 100;closed 103 against 100;", ""},
		{"kept sums of the month after", `UPDATE rollup_days SET amount = amount - 2 WHERE amount = -40`, false, "balances 100 against 102;", ""},
		{"what all days before come to", `UPDATE rollup_through SET amount = amount - 2 WHERE amount = -40`, false, "", "balances 59 against 61;"},
		{"kept sums that make up for each other", `UPDATE rollup_days SET amount = amount + CASE amount WHEN 100 THEN 2 ELSE -2 END WHERE amount IN (100, -40)`, false,
			"closed 102 against 100;", ""},
		{"an entry that came from outside", `INSERT INTO entries (account_key, seq, type, amount, balance_after, operation_id, actor, created_at, hash)
			SELECT key, 1, 'grant', 9, 9, 'x', 'system', clock_timestamp(), last_hash FROM accounts WHERE id = 'empty'`, true,
			"balances 100 against 91;", "balances 61 against 52;"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, "Asia/Tokyo")
			w.entries("empty")
			w.entries("a", modeltest.Past{At: at(t, "2025-08-10T00:00:00Z"), Type: "grant", Amount: 100, Category: "paid"},
				modeltest.Past{At: at(t, "2025-09-11T00:00:00Z"), Type: "adjustment", Amount: -40},
				modeltest.Past{At: at(t, "2025-10-12T00:00:00Z"), Type: "grant", Amount: 1, Category: "paid"})
			w.verified()
			w.rollUp()
			w.tie()
			w.mustClose("2025-08")
			if res := w.G.Exec(c.damage); res.Error != nil {
				t.Fatal(res.Error)
			}
			if c.again {
				w.tie()
			}
			for m, want := range map[string]string{"2025-08": c.august, "2025-10": c.october} {
				o := w.read(m)
				if o.Tied() == nil {
					t.Fatalf("%s was not held against the balances", m)
				}
				if got := breaks(o); got != want {
					t.Errorf("%s: %q, want %q", m, got, want)
				}
			}
		})
	}
}

// A month whose opening is not what the one before was closed with says so.
func TestAMonthOpensWithWhatTheOneBeforeWasClosedWith(t *testing.T) {
	w := newWorld(t, "UTC")
	w.entries("a", modeltest.Past{At: at(t, "2025-08-10T00:00:00Z"), Type: "grant", Amount: 100, Category: "paid"},
		modeltest.Past{At: at(t, "2025-09-10T00:00:00Z"), Type: "grant", Amount: 1, Category: "paid"})
	w.verified()
	w.rollUp()
	w.mustClose("2025-08")
	if got := breaks(w.read("2025-09")); got != "" {
		t.Fatal(got)
	}
	if err := w.G.Exec(`UPDATE rollup_through SET amount = 99 WHERE amount = 100`).Error; err != nil {
		t.Fatal(err)
	}
	if got := breaks(w.read("2025-09")); got != "before 99 against 100;" {
		t.Errorf("%q", got)
	}
}

// Balances that were added up too long ago, or never, are not carried on: the month is held against nothing.
func TestAnOldTieIsNotCarriedOn(t *testing.T) {
	w := newWorld(t, "UTC")
	w.entries("a", modeltest.Past{At: at(t, "2025-08-10T00:00:00Z"), Type: "grant", Amount: 100})
	if o := w.read("2025-08"); o.Tied() != nil || o.Balances.Tied != nil || o.Balances.At.IsZero() {
		t.Errorf("never added up: %+v", o.Balances)
	}
	w.tie()
	if o := w.read("2025-08"); o.Tied() == nil || o.Balances.Tied == nil {
		t.Errorf("just added up: %+v", o.Balances)
	}
	if err := w.G.Exec(`UPDATE rollup_state SET tied_at = tied_at - interval '1 hour'`).Error; err != nil {
		t.Fatal(err)
	}
	if o := w.read("2025-08"); o.Tied() != nil || o.Balances.Tied == nil {
		t.Errorf("an hour ago: %+v", o.Balances)
	}
}
