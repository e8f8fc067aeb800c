package ledger_test

import (
	"slices"
	"testing"

	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/page"
)

// A search finds the accounts whose id or name begins so, each once and in the order of ids, page after page, whether
// few names match or many.
func TestSearchFindsAccountsByTheBeginningOfIDOrName(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	err := m.G.Exec(`INSERT INTO accounts (id, name, plan) SELECT 'acct_' || n, CASE WHEN n % 10 = 0 THEN 'acct_' || n WHEN n % 2 = 0 THEN 'Harbour %' || n ELSE 'Quarry_' || n END,
		CASE WHEN n % 3 = 0 THEN 'team' ELSE '' END FROM generate_series(1, 1500) n`).Error
	if err != nil {
		t.Fatal(err)
	}
	// Names that no account of the first pages has: too many to be sorted, and few enough.
	err = m.G.Exec(`INSERT INTO accounts (id, name) SELECT 'last_' || n, CASE WHEN n % 3 = 0 THEN 'Delta ' ELSE 'Echo ' END || n FROM generate_series(1, 900) n`).Error
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []ledger.AccountFilter{{Search: "acct_12"}, {Search: "harbour"}, {Search: "HARBOUR %1"}, {Search: "quarry_77"}, {Search: "Quarry_", Plan: "team"},
		{Search: "acct_1", Plan: "team"}, {Search: "acct_"}, {Search: "Q%"}, {Search: "nobody"}, {Search: "harbour %11", Plan: "team", Frozen: false},
		{Search: "delta"}, {Search: "echo"}, {Search: "Echo 7"}, {Search: "l"}} {
		var want []string
		err := m.G.Raw(`SELECT id FROM accounts WHERE (starts_with(id, ?) OR starts_with(lower(name), lower(?))) AND (? = '' OR plan = ?) ORDER BY id`,
			f.Search, f.Search, f.Plan, f.Plan).Scan(&want).Error
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		var from *ledger.AccountPosition
		for {
			p, err := m.Ledger.Accounts(t.Context(), f, from, page.Older, 50)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range p.Rows {
				got = append(got, a.ID)
			}
			if from = p.Older; from == nil {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v finds %d accounts, want %d", f, len(got), len(want))
		}
	}
}
