package console_test

import (
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"gorm.io/gorm"

	"recoup/models/staff"
)

// amid grants one credit to an account after every statement that reads its entries, as somebody else would in between.
func (w *world) amid(account string) {
	w.t.Helper()
	var busy atomic.Bool
	err := w.G.Callback().Row().After("gorm:row").Register("amid", func(tx *gorm.DB) {
		said := tx.Statement.SQL.String()
		if !strings.Contains(said, "FROM entries") && !strings.Contains(said, "FROM accounts") && !strings.Contains(said, "FROM entry_checkpoints") ||
			!busy.CompareAndSwap(false, true) {
			return
		}
		defer busy.Store(false)
		w.grant(account, 1)
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// Rows, totals and balances of a page belong to one moment: credits that are granted between its statements are in all of
// them or in none. Each grant here is of one credit, so every figure is the number of entries.
func TestFiguresOfAPageAreOfOneMoment(t *testing.T) {
	w := newWorld(t)
	w.Account(t, "acct_7", 0)
	for range 52 {
		w.grant("acct_7", 1)
	}
	b := w.as(staff.Finance)
	w.amid("acct_7")
	figure := func(page, pattern string) string {
		t.Helper()
		found := regexp.MustCompile(pattern).FindStringSubmatch(page)
		if found == nil {
			t.Fatalf("nothing is like %q in %s", pattern, page)
		}
		return found[1]
	}
	for path, figures := range map[string][]string{
		"/accounts/acct_7":             {`Opening, credits 0 .*?Closing, credits (\d+) `, `Grant \+(\d+) `, `Balance (\d+) credits after`, `credits after (\d+) entries`, `closing (\d+) `},
		"/accounts/acct_7?type=grant":  {`Closing, credits (\d+) `, `Of this filter, credits (\d+) entries`, `net \+(\d+)`},
		"/ledger?account=acct_7":       {`Of this filter, credits (\d+) entries`, `net \+(\d+)`},
		"/ledger":                      {`Of this filter, credits (\d+) entries`, `net \+(\d+)`},
		"/ledger?account=acct_7&min=1": {`Of this filter, credits (\d+) entries`, `net \+(\d+)`},
	} {
		before := w.entries("acct_7")
		page := b.page(path)
		if w.entries("acct_7") == before {
			t.Fatalf("%s: nothing was granted meanwhile", path)
		}
		want := figure(page, `accounts/acct_7/entries/(\d+)`)
		for _, pattern := range figures {
			if got := figure(text(page), pattern); got != want {
				t.Errorf("%s: %s says %s, the newest entry %s", path, pattern, got, want)
			}
		}
	}
}
