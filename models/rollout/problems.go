package rollout

// The statement that examines decisions, in pieces. What is read of a decision is its operation, its job, and the entries of
// both, each once. It is planned for the very set that it is at: a few decisions are looked up by index, many are joined with
// their tables at a time. As it is, a look costs five to fifteen microseconds a decision.

// planning is what a look needs of its transaction for that.
const planning = `SELECT set_config('plan_cache_mode', 'force_custom_plan', true), set_config('work_mem', '64MB', true),
	set_config('random_page_cost', '1', true), set_config('jit', 'off', true)`

// What a look can be at, as rows of decisions; the parameters are those of look. recent are decisions that are new, those whose
// entries or replays are, and those with an open finding; older are the next ones of all others, in turn. Together they are all: one of
// a transaction that there never was is new at each look, as is for a while what commits late.
const (
	recent = `SELECT d.* FROM (SELECT account_key, operation_id FROM decisions WHERE rollout_id = @ro AND tx >= (@from)::xid8
			UNION SELECT e.account_key, j.operation_id FROM entries e JOIN jobs j ON j.account_key = e.account_key AND j.key = e.job_key
				WHERE e.rollout_id = @ro AND e.created_at > @since
			UNION SELECT account_key, operation_id FROM operation_attempts WHERE at > @since AND scope = '' AND outcome = 'replayed'
			UNION SELECT account_key, operation_id FROM rollout_findings WHERE rollout_id = @ro AND gone_at IS NULL) one
		JOIN decisions d ON d.account_key = one.account_key AND d.operation_id = one.operation_id AND d.rollout_id = @ro`
	older = `SELECT * FROM decisions WHERE rollout_id = @ro AND tx < (@from)::xid8
		AND (tx, account_key, operation_id) > ((@again_tx)::xid8, @again_account, @again_id) ORDER BY tx, account_key, operation_id LIMIT @again_rows`
)

// examined are those decisions with what their operations say, and: who, their accounts with the bucket that each has, computed once
// for all its decisions, and its enrolment; by_operation and by_job, those whose operation has not exactly its charge or no result,
// whose job has an entry that it should not have.
const examined = `d AS MATERIALIZED (SELECT d.account_key, d.operation_id, d.action, d.units, d.rule_version, d.price, d.rollout_id, d.rollout_version, d.stage, d.cohort,
			d.bucket, d.at, d.reason, d.tx, d.expires_at IS NOT NULL AS quoted, o.job_key, o.result IS NOT NULL AS charged,
			-- The text that a charge writes proves itself at a fifth of the time; whatever is not that text is read.
			CASE WHEN strpos(o.result::text, '"cost":' || d.price || ',"net":' || -d.price || ',"rule_version":"' || d.rule_version || '",') > 0 THEN NULL
				WHEN (o.result #>> '{job,cost}', o.result #>> '{job,rule_version}') IS DISTINCT FROM (d.price::text, d.rule_version) AND o.result IS NOT NULL
				THEN COALESCE(o.result #>> '{job,cost}', '') || '|' || COALESCE(o.result #>> '{job,rule_version}', '') END AS other_answer
		FROM source d LEFT JOIN operations o ON o.account_key = d.account_key AND o.scope = '' AND o.id = d.operation_id AND o.kind = 'charge'),
	who AS MATERIALIZED (SELECT a.key, a.id, ` + bucketOf + ` AS bucket, n.stage AS enrolled, n.enrolled_at
		FROM (SELECT DISTINCT account_key FROM d) one JOIN accounts a ON a.key = one.account_key
			LEFT JOIN enrolments n ON n.account_key = a.key AND n.rollout_id = @ro),
	admitted AS MATERIALIZED (SELECT d.*, w.id, w.bucket AS own_bucket, w.enrolled, w.enrolled_at, v.state_after, v.stage_after
		FROM d JOIN who w ON w.key = d.account_key LEFT JOIN rollout_events v ON v.rollout_id = @ro AND v.version = d.rollout_version),
	by_operation AS MATERIALIZED (SELECT d.account_key, d.operation_id, count(e.seq) AS n
		FROM d LEFT JOIN entries e ON e.account_key = d.account_key AND e.operation_id = d.operation_id AND e.type = 'charge' GROUP BY d.account_key, d.operation_id
		HAVING count(e.seq) <> 1 OR NOT bool_and(d.charged) OR NOT bool_and((e.amount, e.rule_version, e.rollout_id, e.cohort, e.job_key)
			IS NOT DISTINCT FROM (-d.price, d.rule_version, d.rollout_id, d.cohort, COALESCE(d.job_key, e.job_key)))),
	by_job AS MATERIALIZED (SELECT d.account_key, d.operation_id, count(*) FILTER (WHERE e.type = 'charge') AS n
		FROM d JOIN entries e ON e.account_key = d.account_key AND e.job_key = d.job_key GROUP BY d.account_key, d.operation_id
		HAVING count(*) FILTER (WHERE e.type = 'charge') > 1 OR NOT bool_and(abs(e.amount::numeric) = d.price AND e.rule_version IS NOT DISTINCT FROM d.rule_version))`

// bucketOf is what Bucket of package pricing says of account a in the rollout: 2^32 is 67296 in the numbers modulo 100000.
const bucketOf = `(SELECT (('x' || substr(h, 1, 8))::bit(32)::bigint % 100000 * 67296 + ('x' || substr(h, 9, 8))::bit(32)::bigint) % 100000
			FROM encode(sha256(convert_to('recoup-bucket-v1', 'UTF8') || decode('00', 'hex') || convert_to(@salt, 'UTF8') || decode('00', 'hex') || convert_to(a.id, 'UTF8')), 'hex') h)`

// problems are what is wrong with the decisions of d, one row each: check, account, operation, what, expected, found. What
// and the values are codes, see Problem. Charges of the rollout without a decision are looked for among those since @charges_since and
// where one was found before.
const problems = chargesTwice + ` UNION ALL ` + pricesDiffer + ` UNION ALL ` + notAdmitted + ` UNION ALL ` + notReconciled

const chargesTwice = `SELECT 'uniqueness' AS "check", account_key, operation_id, 'operation_charges' AS what, '1' AS expected, n::text AS found FROM by_operation WHERE n > 1
	UNION ALL SELECT 'uniqueness', account_key, operation_id, 'job_charges', '1', n::text FROM by_job WHERE n > 1`

// A replay is told what is stored as the operation's result, whether one came or not.
const pricesDiffer = `SELECT 'consistency', d.account_key, d.operation_id, 'entry_price:' || e.seq, d.price || '|' || d.rule_version,
			abs(e.amount::numeric) || '|' || COALESCE(e.rule_version, '')
		FROM by_job b JOIN d ON d.account_key = b.account_key AND d.operation_id = b.operation_id JOIN entries e ON e.account_key = d.account_key AND e.job_key = d.job_key
		WHERE abs(e.amount::numeric) <> d.price OR e.rule_version IS DISTINCT FROM d.rule_version
	UNION ALL SELECT 'consistency', d.account_key, d.operation_id, 'answer_price', d.price || '|' || d.rule_version, d.other_answer FROM d WHERE d.other_answer IS NOT NULL
	UNION ALL SELECT 'consistency', d.account_key, d.operation_id, 'replay_price:' || p.attempt, d.price || '|' || d.rule_version,
			COALESCE(p.price::text, '') || '|' || COALESCE(p.rule_version, '')
		FROM d JOIN operation_attempts p ON p.account_key = d.account_key AND p.scope = '' AND p.operation_id = d.operation_id AND p.outcome = 'replayed'
		WHERE d.charged AND (p.price, p.rule_version) IS DISTINCT FROM (d.price, d.rule_version)`

// What an account's plan, region and attributes were at the time nobody knows any more, so admission is held against names,
// thresholds and enrolments.
const notAdmitted = `SELECT 'consistency', d.account_key, d.operation_id, 'admission:' || d.rollout_version,
			COALESCE(d.state_after || '|' || d.stage_after, ''), d.reason || '|' || COALESCE(d.stage::text, '')
		FROM admitted d WHERE d.state_after IS NULL OR d.state_after NOT IN ('running', 'paused', 'halted')
			OR d.cohort = 'candidate' AND d.reason <> 'enrolled' AND (d.state_after <> 'running' OR d.stage > d.stage_after)
	UNION ALL SELECT 'consistency', d.account_key, d.operation_id, 'bucket', d.own_bucket::text, d.bucket::text FROM admitted d WHERE d.bucket <> d.own_bucket
	UNION ALL SELECT 'consistency', d.account_key, d.operation_id, 'enrolment', COALESCE(d.stage::text, ''), COALESCE(d.enrolled::text, '')
		FROM admitted d WHERE d.cohort = 'candidate' AND (d.enrolled IS NULL OR d.reason = 'enrolled' AND d.enrolled IS DISTINCT FROM d.stage)
	UNION ALL SELECT 'consistency', d.account_key, d.operation_id, 'threshold:' || COALESCE(d.stage::text, ''), COALESCE(s.threshold::text, ''), d.bucket::text
		FROM admitted d LEFT JOIN rollout_stages s ON s.rollout_id = @ro AND s.stage = d.stage WHERE d.reason = 'below_threshold' AND COALESCE(d.bucket >= s.threshold, true)
	UNION ALL SELECT 'consistency', d.account_key, d.operation_id, 'name:' || COALESCE(d.stage::text, ''), d.id, ''
		FROM admitted d LEFT JOIN rollout_stages s ON s.rollout_id = @ro AND s.stage = d.stage
		WHERE d.reason = 'named' AND NOT COALESCE(jsonb_exists(s.segment -> 'accounts', d.id), false)
	UNION ALL SELECT 'consistency', d.account_key, d.operation_id, 'left_out:' || s.stage, CASE WHEN s.named THEN 'named' ELSE d.bucket || '|' || s.threshold END, d.reason
		FROM admitted d CROSS JOIN LATERAL (SELECT x.stage, x.threshold, COALESCE(jsonb_exists(x.segment -> 'accounts', d.id), false) AS named FROM rollout_stages x
			WHERE x.rollout_id = @ro AND x.stage <= d.stage_after AND (COALESCE(jsonb_exists(x.segment -> 'accounts', d.id), false)
				OR d.bucket < x.threshold AND NOT jsonb_exists_any(x.segment, ARRAY['plans', 'regions', 'attributes'])) ORDER BY x.stage LIMIT 1) s
		WHERE d.cohort = 'baseline' AND d.state_after = 'running'
	UNION ALL SELECT 'consistency', d.account_key, d.operation_id, 'enrolled_before', d.enrolled::text, d.reason
		FROM admitted d WHERE d.cohort = 'baseline' AND d.enrolled_at < d.at - make_interval(secs => @lateness)`

const notReconciled = `SELECT 'reconciliation', d.account_key, d.operation_id, 'charge',
			-d.price || '|' || d.rule_version || '|' || d.rollout_id || '|' || d.cohort, COALESCE(x.found, '')
		FROM by_operation b JOIN d ON d.account_key = b.account_key AND d.operation_id = b.operation_id LEFT JOIN LATERAL (SELECT string_agg(e.amount || '|' || COALESCE(e.rule_version, '') || '|' || COALESCE(e.rollout_id, '') || '|' || COALESCE(e.cohort, ''), ';' ORDER BY e.seq) AS found
			FROM entries e WHERE e.operation_id = d.operation_id AND e.account_key = d.account_key AND e.type = 'charge') x ON true
		WHERE (d.charged OR NOT d.quoted OR b.n > 0) AND x.found IS DISTINCT FROM -d.price || '|' || d.rule_version || '|' || d.rollout_id || '|' || d.cohort
	UNION ALL SELECT 'reconciliation', d.account_key, d.operation_id, 'operation', '1', '0'
		FROM by_operation b JOIN d ON d.account_key = b.account_key AND d.operation_id = b.operation_id WHERE NOT d.charged AND (NOT d.quoted OR b.n > 0)
	UNION ALL SELECT 'reconciliation', d.account_key, d.operation_id, 'job_of_charge', COALESCE((SELECT id FROM jobs j WHERE j.account_key = d.account_key AND j.key = d.job_key), ''),
			COALESCE((SELECT id FROM jobs j WHERE j.account_key = e.account_key AND j.key = e.job_key), '')
		FROM by_operation b JOIN d ON d.account_key = b.account_key AND d.operation_id = b.operation_id
			JOIN entries e ON e.account_key = d.account_key AND e.operation_id = d.operation_id AND e.type = 'charge' WHERE e.job_key IS DISTINCT FROM COALESCE(d.job_key, e.job_key)
	UNION ALL SELECT 'reconciliation', d.account_key, d.operation_id, 'job', d.units || '|' || d.action || '|' || d.price || '|' || d.rule_version || '|' || d.rollout_id || '|' || d.cohort,
			COALESCE(j.units || '|' || j.action || '|' || j.cost || '|' || j.rule_version || '|' || COALESCE(j.rollout_id, '') || '|' || j.cohort, '')
		FROM d LEFT JOIN jobs j ON j.account_key = d.account_key AND j.key = d.job_key
		WHERE d.job_key IS NOT NULL AND (d.units, d.action, d.price, d.rule_version, d.rollout_id, d.cohort) IS DISTINCT FROM (j.units, j.action, j.cost, j.rule_version, j.rollout_id, j.cohort)
	UNION ALL SELECT 'reconciliation', e.account_key, e.operation_id, 'decision', '1', '0'
		FROM (SELECT account_key, operation_id FROM entries WHERE rollout_id = @ro AND created_at > @charges_since AND type = 'charge'
			UNION SELECT x.account_key, x.operation_id FROM rollout_findings f JOIN entries x ON x.operation_id = f.operation_id AND x.account_key = f.account_key
				WHERE f.rollout_id = @ro AND f.gone_at IS NULL AND f.what = 'decision' AND x.rollout_id = @ro AND x.type = 'charge') e
		WHERE NOT EXISTS (SELECT 1 FROM decisions y WHERE y.account_key = e.account_key AND y.operation_id = e.operation_id AND y.rollout_id = @ro)`
