package operation_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"recoup/models/audit"
	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/modeltest"
)

// TestLockedAccountLeavesConnections locks one account's row and sends it more operations than the pool has
// connections: everybody else is served meanwhile, and all of them go through in the end.
func TestLockedAccountLeavesConnections(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	ctx := context.Background()
	m.Account(t, "locked", 0)
	m.Account(t, "free", 0)
	grant := func(account string) error {
		_, err := m.Ledger.Grant(ctx, ledger.GrantRequest{Envelope: modeltest.Envelope(), AccountID: account, Amount: 1, Category: ledger.Paid})
		return err
	}
	holder := m.G.Begin()
	defer holder.Rollback()
	if err := holder.Exec(`SELECT 1 FROM accounts WHERE id = 'locked' FOR NO KEY UPDATE`).Error; err != nil {
		t.Fatal(err)
	}
	const crowd = 60 // the pool of a test has 24
	var wg sync.WaitGroup
	errs := make(chan error, crowd)
	for range crowd {
		wg.Go(func() { errs <- grant("locked") })
	}
	time.Sleep(300 * time.Millisecond)
	served := make(chan error, 1)
	go func() { served <- grant("free") }()
	select {
	case err := <-served:
		if err != nil {
			t.Errorf("another account: %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Error("another account waited for the locked one")
	}
	if err := holder.Rollback().Error; err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := m.Balance(t, "locked"); got != crowd {
		t.Errorf("balance %d, want %d", got, crowd)
	}
}

// TestBadInputIsAudited refuses bad input of several kinds: nothing is stored but one audit row each, also
// where the input is text that the database could not keep.
func TestBadInputIsAudited(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	ctx := context.Background()
	m.Account(t, "a", 10)
	bad := []func() error{
		func() error {
			_, err := m.Ledger.Grant(ctx, ledger.GrantRequest{Envelope: modeltest.Envelope(), AccountID: "a", Category: ledger.Paid})
			return err
		},
		func() error {
			_, err := m.Ledger.Adjust(ctx, ledger.AdjustRequest{Envelope: modeltest.Envelope(), AccountID: "a", Amount: 1})
			return err
		},
		func() error {
			_, err := m.Ledger.Freeze(ctx, ledger.FreezeRequest{Envelope: modeltest.Envelope(), AccountID: "a", Reason: "\x00"})
			return err
		},
	}
	for i, try := range bad {
		before := refusals(t, m)
		if err := try(); !fault.Is(err, fault.CodeInvalid) {
			t.Errorf("case %d: %v", i, err)
		}
		if got := refusals(t, m); got != before+1 {
			t.Errorf("case %d left %d audit rows, want 1", i, got-before)
		}
	}
	rows, err := audit.Of(ctx, m.G, "account:a", 10)
	if err != nil || len(rows) != len(bad) || rows[0].Code != fault.CodeInvalid || rows[0].Outcome != "refused" {
		t.Errorf("audit rows %+v %v", rows, err)
	}
}

func refusals(t *testing.T, m *modeltest.Models) (n int64) {
	t.Helper()
	if err := m.G.Raw(`SELECT count(*) FROM audit_log WHERE outcome = 'refused'`).Scan(&n).Error; err != nil {
		t.Fatal(err)
	}
	return n
}
