package job_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"recoup/models/ledger"
	"recoup/models/modeltest"
)

// fatal is what checks need of a test; rapid's tests have it too.
type fatal interface {
	Helper()
	Fatalf(format string, args ...any)
}

var _ fatal = (testing.TB)(nil)

// consistent checks everything that must hold in a database between any two operations, by reading the rows
// alone: the ledger's laws, flags against entries, the narrow line, attempts, events. accountKeys
// restricts it to some accounts; none means all.
func consistent(t fatal, m *modeltest.Models, accountKeys ...int64) {
	t.Helper()
	if problems := inconsistencies(t, m, accountKeys...); len(problems) > 0 {
		t.Fatalf("%d inconsistencies, first: %v", len(problems), problems[:min(len(problems), 10)])
	}
}

func inconsistencies(t fatal, m *modeltest.Models, accountKeys ...int64) []string {
	t.Helper()
	list := "{"
	for i, k := range accountKeys {
		if i > 0 {
			list += ","
		}
		list += fmt.Sprint(k)
	}
	list += "}"
	if len(accountKeys) == 0 {
		if err := m.G.Raw(`SELECT array_agg(key)::text FROM accounts`).Row().Scan(&list); err != nil {
			t.Fatalf("accounts: %v", err)
		}
	}
	problems := chainProblems(t, m, list)
	var rows []string
	if err := m.G.Raw(rowLaws, map[string]any{"accounts": list}).Scan(&rows).Error; err != nil {
		t.Fatalf("laws: %v", err)
	}
	return append(problems, rows...)
}

// chainProblems recomputes every chain.
func chainProblems(t fatal, m *modeltest.Models, list string) (problems []string) {
	t.Helper()
	var heads []struct {
		Key, Balance, LastSeq int64
		LastHash              []byte
		LastAt, NegativeSince *time.Time
	}
	if err := m.G.Raw(`SELECT key, balance, last_seq, last_hash, last_at, negative_since FROM accounts WHERE key = ANY (?::bigint[])`, list).Scan(&heads).Error; err != nil {
		t.Fatalf("heads: %v", err)
	}
	var entries []ledger.Entry
	err := m.G.Raw(`SELECT account_key, seq, type, amount, balance_after, job_key, operation_id, rollout_id, cohort, rule_version, actor, created_at, hash
		FROM entries WHERE account_key = ANY (?::bigint[]) ORDER BY account_key, seq`, list).Scan(&entries).Error
	if err != nil {
		t.Fatalf("entries: %v", err)
	}
	of := map[int64][]ledger.Entry{}
	for _, e := range entries {
		of[e.AccountKey] = append(of[e.AccountKey], e)
	}
	for _, h := range heads {
		hash, balance, at := ledger.ZeroHash(), int64(0), time.Time{}
		var since *time.Time
		for i, e := range of[h.Key] {
			balance += e.Amount
			hash = ledger.ChainHash(hash, e)
			switch {
			case e.Seq != int64(i+1):
				problems = append(problems, fmt.Sprintf("account %d: entry %d has seq %d", h.Key, i+1, e.Seq))
			case e.BalanceAfter != balance:
				problems = append(problems, fmt.Sprintf("account %d: entry %d says balance %d, the sum is %d", h.Key, e.Seq, e.BalanceAfter, balance))
			case !e.CreatedAt.After(at):
				problems = append(problems, fmt.Sprintf("account %d: entry %d is not later than the one before", h.Key, e.Seq))
			case !bytes.Equal(e.Hash, hash):
				problems = append(problems, fmt.Sprintf("account %d: entry %d breaks the chain", h.Key, e.Seq))
			case e.Type == ledger.Charge && balance < 0:
				problems = append(problems, fmt.Sprintf("account %d: entry %d charged below zero", h.Key, e.Seq))
			}
			at = e.CreatedAt
			switch {
			case balance >= 0:
				since = nil
			case since == nil:
				since = &at
			}
		}
		lastAt := h.LastAt
		if lastAt == nil {
			lastAt = &time.Time{}
		}
		if h.Balance != balance || h.LastSeq != int64(len(of[h.Key])) || !bytes.Equal(h.LastHash, hash) || !lastAt.Equal(at) {
			problems = append(problems, fmt.Sprintf("account %d: its head is not its newest entry", h.Key))
		}
		if (h.NegativeSince == nil) != (since == nil) {
			problems = append(problems, fmt.Sprintf("account %d: negative since %v with balance %d", h.Key, h.NegativeSince, balance))
		}
	}
	return problems
}

// rowLaws finds rows that contradict each other, one line of text each.
const rowLaws = `WITH j AS (SELECT j.*, state IN ('queued', 'running', 'retrying') AS waits FROM jobs j WHERE account_key = ANY ((@accounts)::bigint[])),
	e AS (SELECT * FROM entries WHERE account_key = ANY ((@accounts)::bigint[]))
SELECT 'job ' || j.id || ': ' || p.problem FROM j CROSS JOIN LATERAL (
	SELECT 'has not exactly one charge of its cost' AS problem
		WHERE (SELECT array_agg(amount) FROM e WHERE e.account_key = j.account_key AND job_key = j.key AND type = 'charge') IS DISTINCT FROM ARRAY[-j.cost]
	UNION ALL SELECT 'refund flag ' || j.is_refunded || ' against its entries'
		WHERE (SELECT coalesce(array_agg(amount), '{}') FROM e WHERE e.account_key = j.account_key AND job_key = j.key AND type = 'refund')
			<> CASE WHEN j.is_refunded THEN ARRAY[j.cost] ELSE '{}' END
	UNION ALL SELECT 'reclaim flag ' || j.is_reclaimed || ' against its entries'
		WHERE (SELECT coalesce(array_agg(amount), '{}') FROM e WHERE e.account_key = j.account_key AND job_key = j.key AND type = 'reclaim')
			<> CASE WHEN j.is_reclaimed THEN ARRAY[-j.cost] ELSE '{}' END
	UNION ALL SELECT 'delivered and not paid' WHERE j.delivered_at IS NOT NULL AND
		(SELECT sum(amount) FROM e WHERE e.account_key = j.account_key AND job_key = j.key) <> -j.cost
	UNION ALL SELECT 'ended without delivery and not refunded' WHERE j.delivered_at IS NULL AND j.state IN ('retrying', 'dead', 'canceled', 'discarded')
		AND (SELECT sum(amount) FROM e WHERE e.account_key = j.account_key AND job_key = j.key) <> 0
	UNION ALL SELECT 'entry ' || e.seq || ' has another attribution than the job' FROM e WHERE e.account_key = j.account_key AND e.job_key = j.key
		AND (e.rule_version, e.cohort, e.rollout_id) IS DISTINCT FROM (j.rule_version, j.cohort, j.rollout_id)
	UNION ALL SELECT 'entry ' || e.seq || ' has not exactly one event' FROM e WHERE e.account_key = j.account_key AND e.job_key = j.key
		AND (SELECT count(*) FROM job_events v WHERE v.account_key = e.account_key AND v.job_key = e.job_key AND v.entry_seq = e.seq) <> 1
	UNION ALL SELECT 'event of an entry that is not there' FROM job_events v WHERE v.account_key = j.account_key AND v.job_key = j.key AND v.entry_seq IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM e WHERE e.account_key = v.account_key AND e.job_key = v.job_key AND e.seq = v.entry_seq)
	UNION ALL SELECT 'waits as ' || j.state || ' and the line says ' || coalesce(w.phase, 'nothing')
		FROM (SELECT 1) one LEFT JOIN waiting_line w ON w.account_key = j.account_key AND w.job_key = j.key
		WHERE j.waits AND (w.phase, w.attempt, w.generation, w.expires_at, w.action, w.dependency)
			IS DISTINCT FROM (j.state, j.attempt, j.generation, j.expires_at, j.action, j.dependency)
	UNION ALL SELECT 'in line at another time than its own' FROM waiting_line w WHERE w.account_key = j.account_key AND w.job_key = j.key AND j.waits
		AND w.due_at <> CASE WHEN j.state <> 'running' THEN j.not_before WHEN j.mode = 'managed' THEN least(j.lease_until, j.deadline_at)
			ELSE least(j.deadline_at, j.expires_at) END
	UNION ALL SELECT 'in line as ' || w.phase || ' though ' || j.state FROM waiting_line w WHERE w.account_key = j.account_key AND w.job_key = j.key AND NOT j.waits
	UNION ALL SELECT 'attempt ' || a.attempt || ' is open though the job is ' || j.state || ' at ' || j.attempt FROM attempts a
		WHERE a.account_key = j.account_key AND a.job_key = j.key AND a.ended_at IS NULL AND NOT (j.state = 'running' AND a.attempt = j.attempt)
	UNION ALL SELECT 'runs without an open attempt' WHERE j.state = 'running'
		AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.account_key = j.account_key AND a.job_key = j.key AND a.attempt = j.attempt AND a.ended_at IS NULL)
	UNION ALL SELECT 'has made ' || j.attempt || ' attempts and has other rows' WHERE j.mode = 'managed' AND
		(SELECT coalesce(array_agg(attempt ORDER BY attempt), '{}') FROM attempts a WHERE a.account_key = j.account_key AND a.job_key = j.key)
			<> (SELECT coalesce(array_agg(n), '{}') FROM generate_series(1, j.attempt) n)
	UNION ALL SELECT 'an ended attempt has no outcome' FROM attempts a WHERE a.account_key = j.account_key AND a.job_key = j.key AND (a.ended_at IS NULL) <> (a.outcome = '')
	UNION ALL SELECT 'retries and no bell is owed' WHERE j.state = 'retrying' AND NOT EXISTS (SELECT 1 FROM outbox o
		WHERE o.account_key = j.account_key AND o.job_key = j.key AND o.attempt = j.attempt AND o.generation = j.generation)
	UNION ALL SELECT 'leased though ' || j.state WHERE (j.lease_until IS NOT NULL) <> (j.state = 'running' AND j.mode = 'managed')
	UNION ALL SELECT 'was delivered ' || j.deliveries || ' times by other events' WHERE j.deliveries <>
		(SELECT count(*) FROM job_events v WHERE v.account_key = j.account_key AND v.job_key = j.key AND v.kind IN ('succeeded', 'recovered'))
	UNION ALL SELECT 'was charged without its decision' WHERE NOT EXISTS (SELECT 1 FROM decisions d
		WHERE d.account_key = j.account_key AND d.operation_id = j.operation_id
			AND (d.action, d.units, d.price, d.rule_version, d.rollout_id, d.cohort) IS NOT DISTINCT FROM (j.action, j.units, j.cost, j.rule_version, j.rollout_id, j.cohort))
	UNION ALL SELECT 'is ' || j.state || ' and its dead letters say ' || coalesce(d.outcome, 'nothing')
		FROM (SELECT 1) one LEFT JOIN dead_letters d ON d.account_key = j.account_key AND d.job_key = j.key AND d.generation = j.generation
		WHERE (j.state IN ('dead', 'discarded') OR d.generation IS NOT NULL) AND (d.outcome, d.dead_at, d.closed_at, d.refunded, d.error_code, d.fingerprint <> '')
			IS DISTINCT FROM (CASE WHEN j.state = 'dead' THEN '' WHEN j.state = 'succeeded' AND j.late_success_of = 'canceled' THEN 'canceled' ELSE j.state END, coalesce(j.dead_at, d.dead_at),
				CASE WHEN j.state = 'dead' THEN NULL ELSE coalesce(j.resolved_at, d.closed_at) END, j.is_refunded, j.error_code, true)
	UNION ALL SELECT 'dead letter of generation ' || d.generation || ' says ' || d.outcome FROM dead_letters d
		WHERE d.account_key = j.account_key AND d.job_key = j.key AND d.generation < j.generation AND d.outcome <> 'requeued'
	UNION ALL SELECT 'is in a group that is not there' FROM dead_letters d WHERE d.account_key = j.account_key AND d.job_key = j.key
		AND NOT EXISTS (SELECT 1 FROM dead_letter_groups g WHERE g.fingerprint = d.fingerprint AND g.action = d.action AND g.error_code = d.error_code)
	UNION ALL SELECT 'is priced by no rule' WHERE NOT EXISTS (SELECT 1 FROM rule_versions r WHERE r.id = j.rule_version AND r.action = j.action)
) p
UNION ALL SELECT 'entry ' || seq || ' of account ' || account_key || ' has no operation' FROM e
	WHERE NOT EXISTS (SELECT 1 FROM operations o WHERE o.account_key = e.account_key AND o.id = e.operation_id)
UNION ALL SELECT 'decision ' || operation_id || ' is of no charge and no quote' FROM decisions d WHERE account_key = ANY ((@accounts)::bigint[])
	AND expires_at IS NULL AND NOT EXISTS (SELECT 1 FROM j WHERE j.account_key = d.account_key AND j.operation_id = d.operation_id)
UNION ALL SELECT 'operation ' || id || ' has no result' FROM operations WHERE result IS NULL AND (account_key = 0 OR account_key = ANY ((@accounts)::bigint[]))`
