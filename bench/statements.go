package main

import (
	"fmt"
	"strings"
)

// The statements below are what pgbench runs: each does in one statement, on the same schema, with the
// same triggers and foreign keys, what an operation of the models does in one transaction. They leave
// the same rows, and the verifier must find nothing wrong with them.
//
// An entry's hash is left NULL: the trigger fills it in. The account's copy of it is computed beside,
// since one statement cannot change a row twice. Texts hold no colon before a letter, which pgbench would
// take for a variable.

// spread is the expression for the account of the n-th operation.
func spread(accounts int) string { return fmt.Sprintf("'acct_' || (t.n %% %d)", accounts) }

// hot sends every operation to one account.
const hot = "'acct_0'"

// who numbers the operation, names its job and finds its account.
func who(prefix, account, opPrefix string) string {
	return fmt.Sprintf(`WITH t AS MATERIALIZED (SELECT nextval('bench_n') AS n, clock_timestamp() AS now),
k AS MATERIALIZED (SELECT t.now, '%s' || t.n AS job, '%s' || t.n AS op, a.key FROM t JOIN accounts a ON a.id = %s)`,
		prefix, opPrefix, account)
}

// moveHead is the account's conditional update for an entry of a job in CTE j; amount is an expression.
func moveHead(kind, amount, guard string) string {
	at := "GREATEST(k.now, accounts.last_at + interval '1 microsecond')"
	return fmt.Sprintf(`a AS (UPDATE accounts SET balance = balance + %[2]s, last_seq = last_seq + 1, last_at = %[3]s,
	last_hash = entry_hash(last_hash, accounts.key, last_seq + 1, '%[1]s', %[2]s, balance + %[2]s, j.key, k.op, NULL, j.cohort, j.rule_version, %[3]s),
	negative_since = CASE WHEN balance + %[2]s < 0 THEN COALESCE(negative_since, %[3]s) END
	FROM j, k WHERE accounts.key = j.account_key %[4]s
	RETURNING accounts.key, accounts.last_seq, accounts.balance, accounts.last_at),
e AS (INSERT INTO entries (account_key, seq, type, amount, balance_after, job_key, operation_id, cohort, rule_version, actor, created_at)
	SELECT a.key, a.last_seq, '%[1]s', %[2]s, a.balance, j.key, k.op, j.cohort, j.rule_version, 'system', a.last_at FROM a, j, k)`,
		kind, amount, at, guard)
}

func event(kind, outcome, before, after string) string {
	return fmt.Sprintf(`v AS (INSERT INTO job_events (account_key, job_key, kind, attempt, generation, outcome, state_before, state_after, entry_seq, actor, operation_id)
	SELECT j.account_key, j.key, '%s', j.attempt, j.generation, '%s', '%s', '%s', a.last_seq, 'system', k.op FROM a, j, k)`, kind, outcome, before, after)
}

// store is the operation's row with a result as long as the real one.
func store(kind string, resultBytes int) string {
	input := `{"kind":"00000000000000000000000000000000"`
	for _, name := range []string{"job_id", "action", "units"} {
		input += fmt.Sprintf(`,"%s":"00000000000000000000000000000000"`, name)
	}
	input += "}"
	result := `{"job":"` + strings.Repeat("x", resultBytes) + `"}`
	return fmt.Sprintf(`INSERT INTO operations (account_key, scope, id, kind, input_version, input, actor, job_key, completed_at, result)
	SELECT j.account_key, '', k.op, '%s', 1, '%s', 'system', j.key, clock_timestamp(), '%s' FROM j, k`, kind, input, result)
}

// chargeStatement charges job <prefix><n> by operation op-<prefix><n>.
func chargeStatement(prefix, account, mode string) string {
	state, attempt := "queued", "0"
	extra := ""
	if mode == "external" {
		state, attempt = "running", "1"
		extra = "x AS (INSERT INTO attempts (account_key, job_key, attempt, generation) SELECT account_key, key, 1, 0 FROM j),\n"
	}
	deadline := "900000"
	if mode == "external" {
		deadline = "NULL::bigint"
	}
	return who(prefix, account, "op-"+prefix) + fmt.Sprintf(`,
r AS (SELECT r.id, GREATEST(r.minimum, round(%d::numeric * r.unit_price * (10000 - r.discount_bps) / 10000000))::bigint AS cost
	FROM actions c JOIN rule_versions r ON r.id = c.baseline WHERE c.id = '%s'),
j AS (INSERT INTO jobs (account_key, id, action, units, mode, cost, rule_version, operation_id, state, attempt, not_before, expires_at,
		max_attempts, lease_ms, deadline_ms, expires_ms, backoff_base_ms, backoff_max_ms, jitter, created_at, updated_at)
	SELECT k.key, k.job, '%s', %d, '%s', r.cost, r.id, k.op, '%s', %s, k.now, k.now + interval '1 day',
		5, 30000, %s, 86400000, 10000, 600000, true, k.now, k.now FROM k, r
	ON CONFLICT (account_key, id) DO NOTHING RETURNING *),
`, units, action, action, units, mode, state, attempt, deadline) +
		moveHead("charge", "(-j.cost)", "AND balance >= 0 AND balance >= j.cost AND frozen_at IS NULL") + ",\n" +
		event("charged", "", "", state) + ",\n" + extra +
		`w AS (INSERT INTO waiting_line (account_key, job_key, phase, action, dependency, attempt, generation, due_at, expires_at)
	SELECT account_key, key, state, action, dependency, attempt, 0, CASE mode WHEN 'external' THEN expires_at ELSE not_before END, expires_at FROM j)
` + store("charge", 700) + ";\n"
}

// failStatement is a failure signal of attempt 1: the refund guard, the retry and their traces.
func failStatement(prefix, account string) string {
	return who(prefix, account, "fail-"+prefix) + `,
j AS (UPDATE jobs SET is_refunded = true, refunded_at = k.now, state = 'retrying', lease_until = NULL, deadline_at = NULL,
		not_before = date_trunc('second', k.now + interval '20 seconds'), error_class = 'transient', error_code = 'bench', updated_at = k.now
	FROM k WHERE account_key = k.key AND jobs.id = k.job AND NOT is_refunded AND delivered_at IS NULL AND state = 'running' RETURNING jobs.*),
` + moveHead("refund", "j.cost", "") + ",\n" + event("failed", "refunded", "running", "retrying") + `,
w AS (UPDATE waiting_line l SET phase = 'retrying', attempt = j.attempt, due_at = j.not_before FROM j WHERE l.account_key = j.account_key AND l.job_key = j.key),
x AS (UPDATE attempts p SET ended_at = k.now, outcome = 'failed', error_class = 'transient', error_code = 'bench'
	FROM j, k WHERE p.account_key = j.account_key AND p.job_key = j.key AND p.attempt = 1 AND p.ended_at IS NULL),
o AS (INSERT INTO outbox (task, account_key, job_key, attempt, generation, due_at) SELECT 'job' || chr(58) || 'wake', account_key, key, attempt, generation, not_before FROM j)
` + store("signal", 900) + ";\n"
}

// succeedStatement is a late success of attempt 1: deliver, the reclaim guard and their traces.
func succeedStatement(prefix, account string) string {
	return who(prefix, account, "done-"+prefix) + `,
j AS (UPDATE jobs SET delivered_at = k.now, deliveries = deliveries + 1, late_success_of = state, state = 'succeeded', is_reclaimed = true, reclaimed_at = k.now,
		lease_until = NULL, deadline_at = NULL, dead_at = NULL, result = 'bench', updated_at = k.now
	FROM k WHERE account_key = k.key AND jobs.id = k.job AND is_refunded AND NOT is_reclaimed RETURNING jobs.*),
` + moveHead("reclaim", "(-j.cost)", "") + ",\n" + event("succeeded", "reclaimed", "retrying", "succeeded") + `,
w AS (DELETE FROM waiting_line l USING j WHERE l.account_key = j.account_key AND l.job_key = j.key),
x AS (UPDATE attempts p SET ended_at = k.now, outcome = 'succeeded' FROM j, k
	WHERE p.account_key = j.account_key AND p.job_key = j.key AND p.attempt = 1 AND p.ended_at IS NULL)
` + store("signal", 900) + ";\n"
}

// replayStatement finds the stored result of one of the first count charges and counts the replay.
func replayStatement(prefix, account string, count int64) string {
	return fmt.Sprintf(`WITH t AS MATERIALIZED (SELECT 1 + nextval('bench_n') %% %d AS n),
o AS (SELECT o.account_key, o.scope, o.id, o.input::text, o.result, j.cost, j.rule_version FROM t JOIN accounts a ON a.id = %s
	JOIN operations o ON o.account_key = a.key AND o.scope = '' AND o.id = 'op-%s' || t.n
	LEFT JOIN jobs j ON j.account_key = o.account_key AND j.key = o.job_key),
i AS (INSERT INTO operation_attempts (account_key, scope, operation_id, attempt, outcome, price, rule_version, actor)
	SELECT account_key, scope, id, 2 + (SELECT count(*) FROM operation_attempts p
			WHERE (p.account_key, p.scope, p.operation_id) = (o.account_key, o.scope, o.id)), 'replayed', cost, rule_version, 'system' FROM o)
SELECT result FROM o;
`, count, account, prefix)
}
