package ledger_test

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strings"
	"testing"

	"recoup/models/actor"
	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
)

// history makes an account "a" with a job that was charged, refunded, reclaimed and canceled rows beside
// it, so that every append-only table holds rows.
func history(t *testing.T) (*modeltest.Models, *sql.DB) {
	t.Helper()
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 100)
	m.Charge(t, "a", "j1", 40)
	for _, sig := range []job.Signal{{Type: job.SignalFailed, Class: job.Transient}, {Type: job.SignalSucceeded}} {
		if _, err := m.Jobs.Signal(ctx, job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j1", Signal: sig}); err != nil {
			t.Fatal(err)
		}
	}
	e := modeltest.Envelope()
	e.Actor = actor.Staff("kim")
	if _, err := m.Ledger.Freeze(ctx, ledger.FreezeRequest{Envelope: e, AccountID: "a", Reason: "test"}); err != nil {
		t.Fatal(err)
	}
	pool, err := m.G.DB()
	if err != nil {
		t.Fatal(err)
	}
	return m, pool
}

// dump is everything in the tables that must not change.
func dump(t *testing.T, pool *sql.DB) string {
	t.Helper()
	var b strings.Builder
	for _, table := range []string{"accounts", "entries", "operations", "jobs", "job_events", "rule_versions", "audit_log"} {
		var text sql.NullString
		if err := pool.QueryRow(`SELECT string_agg(r::text, E'\n' ORDER BY r::text) FROM ` + table + ` r`).Scan(&text); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s:\n%s\n", table, text.String)
	}
	return b.String()
}

// TestDatabaseRefusesChange sends what somebody with psql could send, also as a replica, where ordinary
// triggers sleep.
func TestDatabaseRefusesChange(t *testing.T) {
	ctx := context.Background()
	_, pool := history(t)
	before := dump(t, pool)
	if n := strings.Count(before, "\n"); n < 20 {
		t.Fatalf("only %d rows to protect:\n%s", n, before)
	}
	statements := []string{
		`UPDATE entries SET amount = amount + 1`,
		`UPDATE entries SET reason = 'x' WHERE seq = 1`,
		`UPDATE entries SET reason = reason WHERE false`,
		`DELETE FROM entries`,
		`DELETE FROM entries WHERE seq = (SELECT max(seq) FROM entries)`,
		`TRUNCATE entries CASCADE`,
		`TRUNCATE accounts CASCADE`,
		`INSERT INTO entries SELECT * FROM entries WHERE seq = 1 ON CONFLICT (account_key, seq) DO UPDATE SET amount = 1000000`,
		`MERGE INTO entries e USING (SELECT 1) s ON e.seq = 1 WHEN MATCHED THEN UPDATE SET amount = 5`,
		`MERGE INTO entries e USING (SELECT 1) s ON e.seq = 1 WHEN MATCHED THEN DELETE`,
		`WITH gone AS (DELETE FROM entries RETURNING 1) SELECT count(*) FROM gone`,
		`UPDATE operations SET result = '{"forged":true}'`,
		`UPDATE operations SET result = NULL, completed_at = NULL`,
		`UPDATE operations SET actor = 'staff:other'`,
		`UPDATE operations SET request_id = 'x'`,
		`DELETE FROM operations`,
		`TRUNCATE operations CASCADE`,
		`UPDATE operation_attempts SET outcome = 'conflict'`,
		`TRUNCATE operation_attempts`,
		`UPDATE job_events SET outcome = 'refunded'`,
		`DELETE FROM job_events WHERE kind = 'failed'`,
		`TRUNCATE job_events`,
		`TRUNCATE jobs CASCADE`,
		`DELETE FROM jobs`,
		`DELETE FROM accounts`,
		`UPDATE rule_versions SET unit_price = 1`,
		`DELETE FROM rule_versions`,
		`TRUNCATE rule_versions CASCADE`,
		`TRUNCATE actions CASCADE`,
		`UPDATE audit_log SET actor = 'staff:other'`,
		`DELETE FROM audit_log WHERE false`,
		`TRUNCATE audit_log`,
	}
	for _, role := range []string{"origin", "replica"} {
		for _, statement := range statements {
			conn, err := pool.Conn(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := conn.ExecContext(ctx, `SET session_replication_role = `+role); err != nil {
				t.Fatal(err)
			}
			_, err = conn.ExecContext(ctx, statement)
			if err == nil {
				t.Errorf("as %s accepted: %s", role, statement)
			} else if code := db.Code(err); code != "RC002" && code != "RC001" {
				t.Errorf("as %s: %s: %v", role, statement, err)
			}
			if _, err := conn.ExecContext(ctx, `RESET session_replication_role`); err != nil {
				t.Fatal(err)
			}
			conn.Close()
		}
	}
	if after := dump(t, pool); after != before {
		t.Errorf("the rows changed\nbefore:\n%s\nafter:\n%s", before, after)
	}
}

// TestDatabaseRefusesBrokenChain inserts entries that do not continue their account's chain, from
// outside the program.
func TestDatabaseRefusesBrokenChain(t *testing.T) {
	_, pool := history(t)
	before := dump(t, pool)
	const insert = `INSERT INTO entries (account_key, seq, type, amount, balance_after, job_key, operation_id, actor, created_at, hash)
		SELECT a.key, a.last_seq + %s, '%s', %s, a.balance + %s, %s, 'x', 'staff:psql', a.last_at + interval '%s', %s FROM accounts a WHERE a.id = 'a'`
	for name, c := range map[string]struct{ step, kind, amount, sum, job, later, hash, code string }{
		"a gap":                {"2", "grant", "5", "5", "NULL", "1 second", "a.last_hash", "RC001"},
		"a fork":               {"0", "grant", "5", "5", "NULL", "1 second", "a.last_hash", "RC001"},
		"a wrong balance":      {"1", "grant", "5", "6", "NULL", "1 second", "a.last_hash", "RC001"},
		"a wrong hash":         {"1", "grant", "5", "5", "NULL", "1 second", "sha256('x')", "RC001"},
		"a short hash":         {"1", "grant", "5", "5", "NULL", "1 second", `'\x00'`, "RC001"},
		"an older time":        {"1", "grant", "5", "5", "NULL", "-1 second", "a.last_hash", "RC001"},
		"the same time":        {"1", "grant", "5", "5", "NULL", "0 second", "a.last_hash", "RC001"},
		"a second refund":      {"1", "refund", "40", "40", "(SELECT key FROM jobs)", "1 second", "a.last_hash", "23505"},
		"a second charge":      {"1", "charge", "-40", "-40", "(SELECT key FROM jobs)", "1 second", "a.last_hash", "23505"},
		"a second reclaim":     {"1", "reclaim", "-40", "-40", "(SELECT key FROM jobs)", "1 second", "a.last_hash", "23505"},
		"an uncovered charge":  {"1", "charge", "-1000", "-1000", "-1", "1 second", "a.last_hash", "23514"},
		"a positive charge":    {"1", "charge", "5", "5", "-1", "1 second", "a.last_hash", "23514"},
		"a negative refund":    {"1", "refund", "-5", "-5", "-1", "1 second", "a.last_hash", "23514"},
		"a positive reclaim":   {"1", "reclaim", "5", "5", "-1", "1 second", "a.last_hash", "23514"},
		"a grant of nothing":   {"1", "grant", "0", "0", "NULL", "1 second", "a.last_hash", "23514"},
		"an empty adjustment":  {"1", "adjustment", "0", "0", "NULL", "1 second", "a.last_hash", "23514"},
		"a charge of no job":   {"1", "charge", "-5", "-5", "NULL", "1 second", "a.last_hash", "23514"},
		"a grant of a job":     {"1", "grant", "5", "5", "(SELECT key FROM jobs)", "1 second", "a.last_hash", "23514"},
		"an unknown type":      {"1", "bonus", "5", "5", "NULL", "1 second", "a.last_hash", "23514"},
		"more than 64 bits":    {"1", "grant", fmt.Sprint(int64(math.MaxInt64)), "5", "NULL", "1 second", "a.last_hash", "22003"},
		"seq 0 of the account": {"-a.last_seq", "grant", "5", "5", "NULL", "1 second", "a.last_hash", "RC001"},
	} {
		_, err := pool.Exec(fmt.Sprintf(insert, c.step, c.kind, c.amount, c.sum, c.job, c.later, c.hash))
		if err == nil {
			t.Fatalf("%s was accepted", name)
		}
		if db.Code(err) != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
	if after := dump(t, pool); after != before {
		t.Errorf("the rows changed\nbefore:\n%s\nafter:\n%s", before, after)
	}
	// The same statement with nothing wrong is taken: the refusals above are of what is wrong with them.
	if _, err := pool.Exec(fmt.Sprintf(insert, "1", "grant", "5", "5", "NULL", "1 second", "a.last_hash")); err != nil {
		t.Errorf("a right entry: %v", err)
	}
}

// TestJobRefusesHalfFlags checks that no row can say one half of what the flags mean.
func TestJobRefusesHalfFlags(t *testing.T) {
	m, pool := history(t)
	m.Account(t, "b", 10)
	m.Charge(t, "b", "j", 1)
	for _, set := range []string{
		"is_refunded = true", "refunded_at = now()", "is_reclaimed = true, reclaimed_at = now()",
		"is_refunded = true, refunded_at = now(), is_reclaimed = true, reclaimed_at = now()", // not delivered
		"delivered_at = now()", "state = 'succeeded'", "state = 'dead'", "dead_at = now()", "state = 'lost'",
		"units = 0", "cost = -1", "attempt = -1", "generation = -1",
	} {
		if _, err := pool.Exec(`UPDATE jobs SET ` + set + ` WHERE id = 'j'`); db.Code(err) != "23514" {
			t.Errorf("%s: %v", set, err)
		}
	}
}

// TestInconsistentHead damages the head as the owner of the tables could and expects every posting to be
// refused, by name, until it is right again.
func TestInconsistentHead(t *testing.T) {
	ctx := context.Background()
	for name, damage := range map[string]string{
		"balance too high":         `UPDATE accounts SET balance = balance + 1000000 WHERE id = 'a'`,
		"balance too low":          `UPDATE accounts SET balance = balance - 1 WHERE id = 'a'`,
		"head ahead":               `UPDATE accounts SET last_seq = last_seq + 1 WHERE id = 'a'`,
		"head behind":              `UPDATE accounts a SET (last_seq, balance, last_hash, last_at) = (SELECT seq, balance_after, hash, created_at FROM entries e WHERE e.account_key = a.key AND seq = 1) WHERE id = 'a'`,
		"head empty":               `UPDATE accounts SET last_seq = 0, balance = 0, last_hash = decode(repeat('00', 32), 'hex'), last_at = NULL WHERE id = 'a'`,
		"another hash":             `UPDATE accounts SET last_hash = sha256('x') WHERE id = 'a'`,
		"the tail of entries gone": `ALTER TABLE entries DISABLE TRIGGER USER; DELETE FROM entries WHERE seq = 2; ALTER TABLE entries ENABLE ALWAYS TRIGGER entries_append_only_row`,
	} {
		t.Run(name, func(t *testing.T) {
			m := modeltest.Ready(t, modeltest.Fast())
			m.Account(t, "a", 100)
			m.Charge(t, "a", "j1", 40)
			pool, err := m.G.DB()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := pool.Exec(damage); err != nil {
				t.Fatal(err)
			}
			if name == "the tail of entries gone" {
				if _, err := pool.Exec(`ALTER TABLE entries ENABLE ALWAYS TRIGGER entries_chain`); err != nil {
					t.Fatal(err)
				}
			}
			before := dump(t, pool)
			_, err = m.Ledger.Grant(ctx, ledger.GrantRequest{Envelope: modeltest.Envelope(), AccountID: "a", Amount: 5, Category: ledger.Paid})
			if !fault.Is(err, fault.CodeAccountInconsistent) {
				t.Errorf("grant: %v", err)
			}
			_, err = m.Ledger.Adjust(ctx, ledger.AdjustRequest{Envelope: modeltest.Envelope(), AccountID: "a", Amount: -1, Reason: "x"})
			if !fault.Is(err, fault.CodeAccountInconsistent) {
				t.Errorf("adjustment: %v", err)
			}
			_, err = m.Jobs.Charge(ctx, job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j2", Action: modeltest.Action, Units: 1})
			if !fault.Is(err, fault.CodeAccountInconsistent) && !(name == "head empty" && fault.Is(err, fault.CodeInsufficientCredits)) {
				t.Errorf("charge: %v", err)
			}
			_, err = m.Jobs.Signal(ctx, job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j1",
				Signal: job.Signal{Type: job.SignalFailed, Class: job.Transient}})
			if !fault.Is(err, fault.CodeAccountInconsistent) {
				t.Errorf("refund: %v", err)
			}
			// Refusals leave audit rows and nothing else.
			if after := dump(t, pool); after[:strings.Index(after, "audit_log:")] != before[:strings.Index(before, "audit_log:")] {
				t.Errorf("the rows changed\nbefore:\n%s\nafter:\n%s", before, after)
			}
		})
	}
}
