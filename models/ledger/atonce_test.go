package ledger_test

import (
	"testing"
	"time"

	"gorm.io/gorm"

	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/page"
)

// What is read at once is of one moment, whatever is granted between its statements, and a search that was ended does
// not end the rest.
func TestAtOnce(t *testing.T) {
	ctx := t.Context()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "acct_7", 100)
	m.Account(t, "acct_8", 0)
	grant := func() {
		t.Helper()
		_, err := m.Ledger.Grant(ctx, ledger.GrantRequest{Envelope: modeltest.Envelope(), AccountID: "acct_7", Amount: 10, Category: "goodwill", Reason: "sorry"})
		if err != nil {
			t.Fatal(err)
		}
	}
	one := int64(1)
	err := m.Ledger.AtOnce(ctx, func(l *ledger.Service) error {
		a, err := l.Account(ctx, "acct_7")
		if err != nil {
			return err
		}
		grant()
		err = l.Within(ctx, 20*time.Millisecond, func(g *gorm.DB) error { return g.Exec(`SELECT pg_sleep(30)`).Error })
		if !fault.Is(err, fault.CodeFilterTooWide) {
			t.Errorf("a search that takes too long: %v", err)
		}
		for _, f := range []ledger.Filter{{AccountID: "acct_7"}, {}, {AccountID: "acct_7", MinAmount: &one}} {
			rows, err := l.List(ctx, f, nil, page.Older, 10)
			if err != nil {
				return err
			}
			sums, err := l.Totals(ctx, f)
			if err != nil {
				return err
			}
			if len(rows.Rows) != 1 || len(sums) != 1 || sums[0].Count != 1 || sums[0].Amount.String() != "100" {
				t.Errorf("%+v: %d entries, totals %v", f, len(rows.Rows), sums)
			}
		}
		// What is known of one time or account is not taken for another's.
		before, after := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
		for _, c := range []struct {
			f    ledger.Filter
			want int
		}{{ledger.Filter{AccountID: "acct_7", From: &before, To: &after}, 1}, {ledger.Filter{AccountID: "acct_7", To: &before}, 0},
			{ledger.Filter{AccountID: "acct_7", From: &after}, 0}, {ledger.Filter{AccountID: "acct_8", To: &after}, 0}} {
			for range 2 {
				rows, err := l.List(ctx, c.f, nil, page.Older, 10)
				if err != nil {
					return err
				}
				sums, err := l.Totals(ctx, c.f)
				if err != nil {
					return err
				}
				count := int64(0)
				for _, t := range sums {
					count += t.Count
				}
				if len(rows.Rows) != c.want || count != int64(c.want) {
					t.Errorf("%+v: %d entries, totals %v", c.f, len(rows.Rows), sums)
				}
			}
		}
		balances, err := l.BalancesBefore(ctx, a.ID, []time.Time{time.Now().Add(time.Hour)})
		if err != nil {
			return err
		}
		all, err := l.Replay(ctx, a.ID, nil)
		if err != nil {
			return err
		}
		differs, err := l.HeadDiffers(ctx, a.Key)
		if a.Balance != 100 || balances[0] != 100 || all.Balance != 100 || !all.Holds() || differs {
			t.Errorf("balances %d, %v, %d, head differs: %v", a.Balance, balances, all.Balance, differs)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	grant()
	if a, err := m.Ledger.Account(ctx, "acct_7"); err != nil || a.Balance != 120 {
		t.Errorf("afterwards %d, %v", a.Balance, err)
	}
}
