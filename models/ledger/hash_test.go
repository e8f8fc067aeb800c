package ledger_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/hex"
	"math"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/models/ledger"
	"recoup/models/modeltest"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

func p[T any](v T) *T { return &v }

// TestChainHashGoldenVectors holds the chained form: the values were computed by a program that
// shares no code with this one. They must never change, or every stored chain breaks.
func TestChainHashGoldenVectors(t *testing.T) {
	first := ledger.Entry{AccountKey: 1, Seq: 1, Type: ledger.Grant, Amount: 100, BalanceAfter: 100, OperationID: "op-1",
		CreatedAt: time.UnixMicro(1790000000000001)}
	second := ledger.Entry{AccountKey: 1, Seq: 2, Type: ledger.Charge, Amount: -36, BalanceAfter: 64, JobKey: p(int64(7)), OperationID: "op-2",
		Attribution: ledger.Attribution{RolloutID: p("ro_9"), Cohort: p("candidate"), RuleVersion: p("video_render@v3")},
		CreatedAt:   time.UnixMicro(1790000000123456)}
	empty := ledger.Entry{AccountKey: 1, Seq: 1, Type: ledger.Grant, Amount: 100, BalanceAfter: 100,
		Attribution: ledger.Attribution{RolloutID: p(""), Cohort: p(""), RuleVersion: p("")}, CreatedAt: time.UnixMicro(0)}
	extreme := ledger.Entry{AccountKey: -1, Seq: math.MaxInt64, Type: ledger.Adjustment, Amount: math.MinInt64, BalanceAfter: math.MinInt64,
		JobKey: p(int64(0)), OperationID: "Ünïcode-账户", Attribution: ledger.Attribution{Cohort: p("")}, CreatedAt: time.UnixMicro(-1)}
	head := ledger.ChainHash(ledger.ZeroHash(), first)
	for _, c := range []struct {
		name     string
		previous []byte
		entry    ledger.Entry
		want     string
	}{
		{"first", ledger.ZeroHash(), first, "faa6d3786411f1bb33881de29fdf09c5277f2cac83c57b385d977b1585952f7c"},
		{"second, attributed", head, second, "4a66974bacd6f9df8fb06b9fe51c95d1b16ccc568aa95b0fc7d5ad3e0176203b"},
		{"empty texts", ledger.ZeroHash(), empty, "d070a609a37c9b3b2fea8e890d94026e5e01c4648c9277f0e5a277e81f2cff47"},
		{"extremes", ledger.ZeroHash(), extreme, "a947e133d2de4aacd9ebb26bb40a38191286247379f236c932821a2283c459aa"},
	} {
		if got := hex.EncodeToString(ledger.ChainHash(c.previous, c.entry)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestChainHashSeparatesFields moves a character over a field's border and swaps NULL and empty: each
// must give another hash.
func TestChainHashSeparatesFields(t *testing.T) {
	seen := map[string]string{}
	for name, a := range map[string]ledger.Attribution{
		"ab|c": {RolloutID: p("ab"), Cohort: p("c")}, "a|bc": {RolloutID: p("a"), Cohort: p("bc")},
		"NULL|abc": {Cohort: p("abc")}, "empty|abc": {RolloutID: p(""), Cohort: p("abc")}, "abc|NULL": {RolloutID: p("abc")},
	} {
		h := string(ledger.ChainHash(ledger.ZeroHash(), ledger.Entry{Attribution: a, CreatedAt: time.UnixMicro(0)}))
		if other, taken := seen[h]; taken {
			t.Errorf("%s and %s have one hash", name, other)
		}
		seen[h] = name
	}
}

// TestChainHashAgreesWithSQL compares the two implementations on random rows.
func TestChainHashAgreesWithSQL(t *testing.T) {
	pool, err := modeltest.DB(t).DB()
	if err != nil {
		t.Fatal(err)
	}
	text := rapid.StringOf(rapid.Rune().Filter(func(r rune) bool { return r != 0 }))
	optional := func(t *rapid.T, name string) *string {
		if rapid.Bool().Draw(t, name+" is null") {
			return nil
		}
		return p(text.Draw(t, name))
	}
	rapid.Check(t, func(t *rapid.T) {
		e := ledger.Entry{AccountKey: rapid.Int64().Draw(t, "account_key"), Seq: rapid.Int64().Draw(t, "seq"),
			Type:   rapid.SampledFrom(ledger.Types()).Draw(t, "type"),
			Amount: rapid.Int64().Draw(t, "amount"), BalanceAfter: rapid.Int64().Draw(t, "balance_after"),
			OperationID: text.Draw(t, "operation_id"),
			Attribution: ledger.Attribution{RolloutID: optional(t, "rollout_id"), Cohort: optional(t, "cohort"), RuleVersion: optional(t, "rule_version")},
			// 1700 to 2500, in microseconds.
			CreatedAt: time.UnixMicro(rapid.Int64Range(-8_520_336_000_000_000, 16_725_225_600_000_000).Draw(t, "created_at")).UTC()}
		if rapid.Bool().Draw(t, "has job") {
			e.JobKey = p(rapid.Int64().Draw(t, "job_key"))
		}
		previous := rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "previous")
		var got []byte
		err := pool.QueryRowContext(context.Background(), `SELECT entry_hash($1::bytea, $2::bigint, $3::bigint, $4::text, $5::bigint, $6::bigint,
			$7::bigint, $8::text, $9::text, $10::text, $11::text, $12::timestamptz)`, previous, e.AccountKey, e.Seq, string(e.Type), e.Amount,
			e.BalanceAfter, e.JobKey, e.OperationID, e.RolloutID, e.Cohort, e.RuleVersion, e.CreatedAt).Scan(&got)
		if err != nil {
			t.Fatal(err)
		}
		if want := ledger.ChainHash(previous, e); !bytes.Equal(got, want) {
			t.Fatalf("SQL %x, Go %x", got, want)
		}
	})
}

// TestStoredChainIsChainHash posts real entries and recomputes their chain.
func TestStoredChainIsChainHash(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 100)
	m.Charge(t, "a", "j1", 40)
	checkChain(t, m, "a")
	if got := m.Balance(t, "a"); got != 60 {
		t.Fatalf("balance %d", got)
	}
}

// checkChain recomputes an account's chain, sums and order from its entries and compares the head.
func checkChain(t testing.TB, m *modeltest.Models, account string) {
	t.Helper()
	var head struct {
		Key, Balance, LastSeq int64
		LastHash              []byte
		LastAt                sql.NullTime
	}
	if err := m.G.Raw(`SELECT key, balance, last_seq, last_hash, last_at FROM accounts WHERE id = ?`, account).Scan(&head).Error; err != nil {
		t.Fatal(err)
	}
	var entries []ledger.Entry
	if err := m.G.Raw(`SELECT * FROM entries WHERE account_key = ? ORDER BY seq`, head.Key).Scan(&entries).Error; err != nil {
		t.Fatal(err)
	}
	hash, balance, at := ledger.ZeroHash(), int64(0), time.Time{}
	for i, e := range entries {
		balance += e.Amount
		hash = ledger.ChainHash(hash, e)
		if e.Seq != int64(i+1) || e.BalanceAfter != balance || !e.CreatedAt.After(at) || !bytes.Equal(e.Hash, hash) {
			t.Fatalf("entry %d of %s: seq %d, balance %d of %d, at %s after %s, hash right: %t", i+1, account, e.Seq, e.BalanceAfter, balance,
				e.CreatedAt, at, bytes.Equal(e.Hash, hash))
		}
		at = e.CreatedAt
	}
	if head.Balance != balance || head.LastSeq != int64(len(entries)) || !bytes.Equal(head.LastHash, hash) || !head.LastAt.Time.Equal(at) {
		t.Fatalf("head of %s: %+v, entries end at %d with balance %d", account, head, len(entries), balance)
	}
}
