package ledger_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"gorm.io/gorm"

	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/verify"
)

// long appends n grants and adjustments, a second apart from first on, to an account that has none.
func long(t *testing.T, g *gorm.DB, account string, n int, first time.Time) {
	t.Helper()
	err := g.Exec(`INSERT INTO entries (account_key, seq, type, amount, balance_after, operation_id, actor, category, created_at)
		SELECT key, s, CASE WHEN s % 3 = 0 THEN 'adjustment' ELSE 'grant' END, CASE WHEN s % 3 = 0 THEN -1 ELSE s END,
			sum(CASE WHEN s % 3 = 0 THEN -1 ELSE s END) OVER (ORDER BY s), 'op-' || s, 'system', CASE WHEN s % 3 <> 0 THEN 'paid' END,
			?::timestamptz + s * interval '1 second'
		FROM accounts, generate_series(1, ?) n (s) WHERE id = ? ORDER BY n.s`, first, n, account).Error
	if err == nil {
		err = g.Exec(`UPDATE accounts a SET balance = e.balance_after, last_seq = e.seq, last_hash = e.hash, last_at = e.created_at
			FROM entries e WHERE e.account_key = a.key AND e.seq = ? AND a.id = ?`, n, account).Error
	}
	if err != nil {
		t.Fatal(err)
	}
	modeltest.Operations(t, g, account)
}

func checkpoints(t *testing.T, m *modeltest.Models) (n int) {
	t.Helper()
	for {
		wrote, err := m.Ledger.WriteCheckpoints(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if n += wrote; wrote == 0 {
			return n
		}
	}
}

// plainSums adds up an account's entries with nothing between.
func plainSums(t *testing.T, g *gorm.DB, account string, from, to *time.Time, types string) string {
	t.Helper()
	var rows []struct {
		Type   string
		Count  int64
		Amount string
	}
	err := g.Raw(`SELECT type, count(*) AS count, sum(amount)::text AS amount FROM entries e JOIN accounts a ON a.key = e.account_key
		WHERE a.id = ? AND (?::timestamptz IS NULL OR e.created_at >= ?) AND (?::timestamptz IS NULL OR e.created_at < ?)
		AND (? = '' OR type = ?) GROUP BY type ORDER BY type DESC`, account, from, from, to, to, types, types).Scan(&rows).Error
	if err != nil {
		t.Fatal(err)
	}
	out := ""
	for _, r := range rows {
		out += fmt.Sprintf("%s %d %s; ", r.Type, r.Count, r.Amount)
	}
	return out
}

func written(totals []ledger.Total) string {
	out := ""
	for _, x := range totals {
		out += fmt.Sprintf("%s %d %s; ", x.Type, x.Count, x.Amount)
	}
	return out
}

// An account's totals in any period are the sum of its entries: without checkpoints, with some of them missing, with
// all.
func TestTotalsFromCheckpointsAreTheSumOfTheEntries(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	ctx := context.Background()
	m.Account(t, "acct_long", 0)
	m.Account(t, "acct_short", 0)
	first := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	const n = 5321
	long(t, m.G, "acct_long", n, first)
	long(t, m.G, "acct_short", 999, first)

	r := rand.New(rand.NewPCG(1, 2))
	compare := func(when string) {
		t.Helper()
		for i := range 60 {
			f := ledger.Filter{AccountID: "acct_long"}
			from, to := first.Add(time.Duration(r.IntN(n+10))*time.Second), first.Add(time.Duration(r.IntN(n+10))*time.Second)
			if i%4 != 0 {
				f.From = &from
			}
			if i%3 != 0 {
				f.To = &to
			}
			kind := ""
			if i%5 == 0 {
				kind = "adjustment"
				f.Types = []ledger.Type{ledger.Adjustment}
			}
			got, err := m.Ledger.Totals(ctx, f)
			if err != nil {
				t.Fatal(err)
			}
			if want := plainSums(t, m.G, f.AccountID, f.From, f.To, kind); written(got) != want {
				t.Fatalf("%s: totals of %v are %q, the entries add up to %q", when, f, written(got), want)
			}
		}
	}
	compare("without checkpoints")
	if wrote := checkpoints(t, m); wrote != 26+4 {
		t.Fatalf("%d checkpoints written, not one for two hundred entries", wrote)
	}
	compare("with checkpoints")
	if err := m.G.Exec(`DELETE FROM entry_checkpoints WHERE seq IN (2000, 5000)`).Error; err != nil {
		t.Fatal(err)
	}
	compare("with two missing")
	if wrote := checkpoints(t, m); wrote != 2 {
		t.Fatalf("%d of the two missing checkpoints written", wrote)
	}
	compare("with all again")
	report, err := verify.New(m.G).Run(ctx, verify.Options{})
	if err != nil || !report.OK() {
		t.Fatalf("verify: %v, %v", report.ByCheck, err)
	}
}

// Totals of a long account come from its checkpoints: what they say is what is shown, and verify names the one that
// is wrong.
func TestWrongCheckpointsAreFoundAndRewritten(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	ctx := context.Background()
	m.Account(t, "acct_long", 0)
	long(t, m.G, "acct_long", 3500, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	checkpoints(t, m)
	if err := m.G.Exec(`UPDATE entry_checkpoints SET amount = amount + 7 WHERE seq = 3400 AND type = 'grant'`).Error; err != nil {
		t.Fatal(err)
	}
	if err := m.G.Exec(`INSERT INTO entry_checkpoints SELECT account_key, 4000, type, count, amount FROM entry_checkpoints WHERE seq = 2000`).Error; err != nil {
		t.Fatal(err)
	}
	totals, err := m.Ledger.Totals(ctx, ledger.Filter{AccountID: "acct_long"})
	if err != nil {
		t.Fatal(err)
	}
	if written(totals) == plainSums(t, m.G, "acct_long", nil, nil, "") {
		t.Error("the totals were not computed from the checkpoints")
	}
	var found []string
	_, err = verify.New(m.G).Run(ctx, verify.Options{OnProblem: func(p verify.Problem) error {
		found = append(found, fmt.Sprintf("%s %s %d", p.Check, p.AccountID, p.Seq))
		return nil
	}})
	if err != nil || fmt.Sprint(found) != "[checkpoint acct_long 3400 checkpoint acct_long 4000]" {
		t.Errorf("verify found %q, %v", found, err)
	}
	n, err := m.Ledger.RewriteCheckpoints(ctx)
	if err != nil || n != 17 {
		t.Fatalf("%d checkpoints, %v", n, err)
	}
	if report, err := verify.New(m.G).Run(ctx, verify.Options{}); err != nil || !report.OK() {
		t.Errorf("verify: %v, %v", report.ByCheck, err)
	}
}
