package ledger_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/page"
)

// Balances at many moments are those of one moment each, whatever the order, and cost one statement.
func TestBalancesBefore(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	ctx := context.Background()
	m.Account(t, "acct_7", 0)
	m.Account(t, "empty", 0)
	for range 23 {
		if _, err := m.Ledger.Adjust(ctx, ledger.AdjustRequest{Envelope: modeltest.Envelope(), AccountID: "acct_7", Amount: 1 + rand.Int64N(50), Reason: "test"}); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := m.Ledger.List(ctx, ledger.Filter{AccountID: "acct_7"}, nil, page.Older, 100)
	if err != nil || len(rows.Rows) != 23 {
		t.Fatal(len(rows.Rows), err)
	}
	moments := []time.Time{time.Now().Add(time.Hour), time.Unix(0, 0), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)}
	for _, e := range rows.Rows {
		moments = append(moments, e.CreatedAt, e.CreatedAt.Add(time.Microsecond), e.CreatedAt)
	}
	rand.Shuffle(len(moments), func(i, j int) { moments[i], moments[j] = moments[j], moments[i] })
	got, err := m.Ledger.BalancesBefore(ctx, "acct_7", moments)
	if err != nil {
		t.Fatal(err)
	}
	for i, at := range moments {
		var want int64
		for _, e := range rows.Rows {
			if e.CreatedAt.Before(at) {
				want += e.Amount
			}
		}
		if got[i] != want {
			t.Errorf("before %s: %d, want %d", at, got[i], want)
		}
		one, err := m.Ledger.BalanceAt(ctx, "acct_7", at.Add(-time.Microsecond))
		if err != nil || one.Balance != want {
			t.Errorf("BalanceAt %s: %d %v, want %d", at, one.Balance, err, want)
		}
	}
	if none, err := m.Ledger.BalancesBefore(ctx, "empty", moments[:2]); err != nil || len(none) != 2 || none[0] != 0 || none[1] != 0 {
		t.Errorf("an account without entries: %v %v", none, err)
	}
	if none, err := m.Ledger.BalancesBefore(ctx, "acct_7", nil); err != nil || none != nil {
		t.Errorf("no moments: %v %v", none, err)
	}
	if _, err := m.Ledger.BalancesBefore(ctx, "nobody", moments[:1]); !fault.Is(err, fault.CodeAccountNotFound) {
		t.Errorf("an unknown account: %v", err)
	}
}
