package ledger_test

import (
	"context"
	"testing"
	"time"

	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
)

// TestReadsDoNotBelieveADamagedHead moves heads away from their entries, as an owner of the tables can: what
// is read comes from the entries, the account is shown as inconsistent, and no charge is answered by the
// wrong balance.
func TestReadsDoNotBelieveADamagedHead(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	ctx := context.Background()
	for _, c := range []struct{ name, damage string }{
		{"ahead", `UPDATE accounts SET last_seq = last_seq + 50 WHERE id = 'ahead'`},
		{"poor", `UPDATE accounts SET balance = 0 WHERE id = 'poor'`},
		{"rich", `UPDATE accounts SET balance = 560 WHERE id = 'rich'`},
	} {
		m.Account(t, c.name, 60)
		if differs(t, m, c.name) {
			t.Fatalf("%s differs before anything was done to it", c.name)
		}
		if err := m.G.Exec(c.damage).Error; err != nil {
			t.Fatal(err)
		}
		if b, err := m.Ledger.BalanceAt(ctx, c.name, time.Now().Add(time.Hour)); err != nil || b.Balance != 60 || b.Seq != 1 {
			t.Errorf("%s: balance at a time %+v %v, want 60 of entry 1", c.name, b, err)
		}
		if b, err := m.Ledger.BalancesBefore(ctx, c.name, []time.Time{time.Now().Add(time.Hour)}); err != nil || len(b) != 1 || b[0] != 60 {
			t.Errorf("%s: balances at moments %v %v, want 60", c.name, b, err)
		}
		if !differs(t, m, c.name) {
			t.Errorf("%s: its head is taken for whole", c.name)
		}
		for _, units := range []int64{10, 10_000} {
			_, err := m.Jobs.Charge(ctx, job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: c.name, JobID: "j", Action: modeltest.Action, Units: units})
			if !fault.Is(err, fault.CodeAccountInconsistent) {
				t.Errorf("%s: a charge of %d: %v, want account_inconsistent", c.name, units, err)
			}
		}
	}
	if _, err := m.Ledger.BalancesBefore(ctx, "nobody", []time.Time{time.Now()}); !fault.Is(err, fault.CodeAccountNotFound) {
		t.Errorf("an unknown account: %v", err)
	}
}

// TestTotalsBeyond64Bits sums entries of which each fits and all together do not.
func TestTotalsBeyond64Bits(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	ctx := context.Background()
	const most = 9223372036854775807
	m.Account(t, "huge", most)
	m.Account(t, "vast", most)
	totals, err := m.Ledger.Totals(ctx, ledger.Filter{Types: []ledger.Type{ledger.Grant}})
	if err != nil || len(totals) != 1 || totals[0].Amount.String() != "18446744073709551614" || totals[0].Count != 2 {
		t.Fatalf("totals %+v %v", totals, err)
	}
}

func differs(t *testing.T, m *modeltest.Models, account string) bool {
	t.Helper()
	a, err := m.Ledger.Account(context.Background(), account)
	if err != nil {
		t.Fatal(err)
	}
	d, err := m.Ledger.HeadDiffers(context.Background(), a.Key)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
