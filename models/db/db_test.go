package db_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/modeltest"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

func TestFault(t *testing.T) {
	for code, want := range map[string]string{"RC001": fault.CodeAccountInconsistent, "22003": fault.CodeAmountOverflow,
		"55P03": fault.CodeBusy, "40001": fault.CodeBusy, "40P01": fault.CodeBusy} {
		err := fmt.Errorf("ledger: %w", &pgconn.PgError{Code: code})
		if got := fault.As(db.Fault(err)); got == nil || got.Code != want {
			t.Errorf("%s became %v, want %s", code, got, want)
		}
	}
	taken := &pgconn.PgError{Code: "23505", ConstraintName: "entries_pkey"}
	if !fault.Is(db.Fault(taken), fault.CodeAccountInconsistent) {
		t.Errorf("a seq that is taken: %v", db.Fault(taken))
	}
	mine := fault.New(fault.NotFound, fault.CodeJobNotFound, "x")
	for _, err := range []error{nil, errors.New("x"), mine, &pgconn.PgError{Code: "23505", ConstraintName: "entries_once_a_job"}} {
		if got := db.Fault(err); !errors.Is(got, err) || got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
}

func table(t *testing.T) *gorm.DB {
	t.Helper()
	g := modeltest.DB(t)
	if err := g.Exec(`CREATE TABLE pairs (id int PRIMARY KEY, n int NOT NULL DEFAULT 0)`).Error; err != nil {
		t.Fatal(err)
	}
	if err := g.Exec(`INSERT INTO pairs (id) VALUES (1), (2)`).Error; err != nil {
		t.Fatal(err)
	}
	return g
}

func sum(t *testing.T, g *gorm.DB) (n int) {
	t.Helper()
	if err := g.Raw(`SELECT sum(n) FROM pairs`).Scan(&n).Error; err != nil {
		t.Fatal(err)
	}
	return n
}

// TestInTxRepeatsAfterDeadlock locks two rows in opposite orders: PostgreSQL ends one transaction, which
// then runs again as a whole, so both leave exactly their effect.
func TestInTxRepeatsAfterDeadlock(t *testing.T) {
	ctx := context.Background()
	g := table(t)
	var meet sync.WaitGroup
	meet.Add(2)
	var runs atomic.Int32
	both := func(first, second int) error {
		met := false
		return db.InTx(ctx, g, func(tx *gorm.DB) error {
			runs.Add(1)
			if err := tx.Exec(`UPDATE pairs SET n = n + 1 WHERE id = ?`, first).Error; err != nil {
				return err
			}
			if !met {
				met = true
				meet.Done()
				meet.Wait()
			}
			return tx.Exec(`UPDATE pairs SET n = n + 1 WHERE id = ?`, second).Error
		})
	}
	errs := make(chan error, 2)
	go func() { errs <- both(1, 2) }()
	go func() { errs <- both(2, 1) }()
	for range 2 {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
	// Three runs, or more when the two meet again.
	if runs.Load() < 3 || sum(t, g) != 4 {
		t.Fatalf("%d runs left %d, want at least 3 runs and 4", runs.Load(), sum(t, g))
	}
}

// TestInTxLeavesNothing ends transactions by an error and by a panic: neither leaves a row or a connection.
func TestInTxLeavesNothing(t *testing.T) {
	ctx := context.Background()
	g := table(t)
	sentinel := errors.New("stop")
	for range 40 {
		err := db.InTx(ctx, g, func(tx *gorm.DB) error {
			if err := tx.Exec(`UPDATE pairs SET n = 7`).Error; err != nil {
				return err
			}
			return sentinel
		})
		if !errors.Is(err, sentinel) {
			t.Fatal(err)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Fatal("the panic was swallowed")
				}
			}()
			err := db.InTx(ctx, g, func(tx *gorm.DB) error {
				tx.Exec(`UPDATE pairs SET n = 7`)
				panic("stop")
			})
			t.Fatal(err)
		}()
	}
	if n := sum(t, g); n != 0 {
		t.Fatalf("rolled back transactions left %d", n)
	}
	pool, err := g.DB()
	if err != nil {
		t.Fatal(err)
	}
	if used := pool.Stats().InUse; used != 0 {
		t.Fatalf("%d connections are still in use", used)
	}
}

// TestSnapshotIsOfOneMoment changes rows between two reads of a snapshot, and tries to write in one.
func TestSnapshotIsOfOneMoment(t *testing.T) {
	ctx := context.Background()
	g := table(t)
	err := db.Snapshot(ctx, g, func(tx *gorm.DB) error {
		first := sum(t, tx)
		if err := g.Exec(`UPDATE pairs SET n = n + 1`).Error; err != nil {
			return err
		}
		if again := sum(t, tx); again != first {
			t.Errorf("%d, then %d in one snapshot", first, again)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Snapshot(ctx, g, func(tx *gorm.DB) error { return tx.Exec(`UPDATE pairs SET n = 100`).Error })
	if err == nil || sum(t, g) != 2 {
		t.Fatalf("a snapshot wrote: %v", err)
	}
}
