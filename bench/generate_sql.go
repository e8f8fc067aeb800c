package main

// What `bench generate` writes, in a pattern that repeats every forty entries of an account: a grant that pays for
// all that follows, charges, and among them refunds and reclaims of the charge two or three entries before.
// Positions count from 0: 0 is the grant; 10, 20 and 30 are refunds of 8, 18 and 28; 11 and 31 reclaims of
// 8 and 28. An account that ends in between leaves its last job delivered or refunded. Numbers that vary come from
// multiplying with a prime, so that every run writes the same.

const (
	// generateOptions keeps what the statements below need to know: of how many jobs that were refunded and never delivered
	// one is a dead letter. The others are canceled.
	generateOptions = `CREATE TABLE bench.options AS SELECT $1::int AS dead_every`

	// generateSizes says how many entries each account gets, $1 together, and from when on.
	generateSizes = `CREATE UNLOGGED TABLE bench.sizes AS
WITH c AS (SELECT $1::bigint AS total, $1::bigint / 40 AS accounts, greatest($1::bigint / 4000, 1) AS medium,
		date_trunc('minute', clock_timestamp()) - interval '14 months' AS first, date_trunc('minute', clock_timestamp()) - interval '10 minutes' AS last),
s AS (SELECT n, CASE WHEN n <= 5 THEN total / 40
			WHEN n <= 5 + medium THEN greatest(total / 5 / medium, 1)
			ELSE 1 + n * 2654435761 % (2 * (total * 6 / 10 / (accounts - 5 - medium)) - 1) END AS entries,
		-- The long tail joins over the first year.
		CASE WHEN n <= 5 + medium THEN first ELSE first + interval '1 second' * (n * 40503 % 31000000) END AS first, last, total
	FROM c, generate_series(1, accounts) n),
r AS (SELECT n, first, last, CASE WHEN n = 1 THEN total - (SELECT sum(entries) FROM s WHERE n > 1)::bigint ELSE entries END AS entries FROM s)
SELECT n AS account_key, entries, sum(entries) OVER (ORDER BY n) - entries AS jobs_after, first,
	-- Microseconds between two entries.
	(extract(epoch FROM last - first) * 1000000)::bigint / entries AS step,
	n % 40 = 7 AND entries > 1 AS negative
FROM r`

	generateAccounts = `INSERT INTO accounts (key, id, name, plan, region, created_at, updated_at) OVERRIDING SYSTEM VALUE
SELECT account_key, 'acct_' || account_key,
	(ARRAY['Northlight','Harbour','Blue Door','Kestrel','Old Mill','Silver Birch','Paper Crane','Fjord','Lantern','Quarry','Maple','Orchard','Tidal','Granite','Copper','Juniper'])[1 + account_key % 16]
	|| ' ' || (ARRAY['Studio','Films','Media','Pictures','Post','Motion','Sound','Press'])[1 + account_key / 16 % 8] || ' ' || account_key,
	(ARRAY['starter','starter','team','business'])[1 + account_key % 4], (ARRAY['eu','us','jp'])[1 + account_key % 3], first, first
FROM bench.sizes ORDER BY account_key`

	generateActions = `INSERT INTO actions (id, unit, created_at)
SELECT id, unit, (SELECT min(first) FROM bench.sizes) - interval '1 day'
FROM (VALUES ('video_render', 'second'), ('transcription', 'minute'), ('image_generation', 'image'), ('voice_over', 'second')) v (id, unit)`

	generateRules = `INSERT INTO rule_versions (id, action, version, unit_price, discount_bps, minimum, rounding, author, reason, created_at)
SELECT a.id || '@v' || v, a.id, v, CASE a.id WHEN 'video_render' THEN 667 WHEN 'transcription' THEN 250 ELSE 1000 END, (v - 1) * 500, 1, 'up',
	'system', 'generated', a.created_at + (v - 1) * interval '140 days'
FROM actions a, generate_series(1, 3) v`

	generateBaselines = `UPDATE actions SET baseline = id || '@v3'`

	// generatePlan is one row an entry, lying in the order of time.
	generatePlan = `CREATE UNLOGGED TABLE bench.plan AS
WITH slot AS (SELECT z.account_key, s AS seq, (s - 1) % 40 AS p, z.negative AND s = z.entries AS falls, z.entries - z.negative::int AS whole,
		z.jobs_after + s AS own, z.step,
		z.first + interval '1 microsecond' * ((s - 1) * z.step + (z.jobs_after + s) * 2654435761 % (z.step * 9 / 10)) AS at
	FROM bench.sizes z, LATERAL generate_series(1, z.entries) s),
kind AS (SELECT *, CASE WHEN falls OR p = 39 AND account_key % 3 = 0 THEN 'adjustment' WHEN p = 0 THEN 'grant' WHEN p IN (10, 20, 30) THEN 'refund'
			WHEN p IN (11, 31) THEN 'reclaim' ELSE 'charge' END AS type,
		-- The slot of the job's charge, whose number is the job's key.
		CASE WHEN p IN (10, 20, 30) THEN 2 WHEN p IN (11, 31) THEN 3 ELSE 0 END AS back FROM slot),
job AS (SELECT *, CASE WHEN type IN ('charge', 'refund', 'reclaim') THEN own - back END AS job_key,
		p - back IN (8, 18, 28) AND seq - back + 2 <= whole AS refunded, p - back IN (8, 28) AND seq - back + 3 <= whole AS reclaimed FROM kind),
priced AS (SELECT *, 1 + job_key * 7919 % 120 AS units,
		-- One in fifty thousand is of an action that is hardly used.
		CASE WHEN job_key % 50000 = 17 THEN 'voice_over' WHEN job_key * 31 % 20 < 12 THEN 'video_render' WHEN job_key * 31 % 20 < 17 THEN 'transcription' ELSE 'image_generation' END AS action,
		lag(at, back) OVER w AS charged_at, CASE WHEN refunded THEN lead(at, 2 - back) OVER w END AS refunded_at,
		CASE WHEN reclaimed THEN lead(at, 3 - back) OVER w END AS reclaimed_at
	FROM job WINDOW w AS (PARTITION BY account_key ORDER BY seq)),
ruled AS (SELECT d.*, r.id AS rule_version, GREATEST(r.minimum, ceil(units::numeric * r.unit_price * (10000 - r.discount_bps) / 10000000))::bigint AS cost
	FROM priced d LEFT JOIN rule_versions r ON d.job_key IS NOT NULL AND r.action = d.action AND r.version =
		CASE WHEN d.charged_at < (SELECT max(created_at) FROM rule_versions WHERE version = 2) THEN 1
			WHEN d.charged_at < (SELECT max(created_at) FROM rule_versions WHERE version = 3) THEN 2 ELSE 3 END),
moved AS (SELECT *, CASE WHEN type = 'grant' THEN 5000 WHEN falls THEN 0 WHEN type = 'adjustment' THEN 10 WHEN type = 'refund' THEN cost ELSE -cost END AS move FROM ruled),
summed AS (SELECT *, sum(move) OVER (PARTITION BY account_key ORDER BY seq)::bigint AS sum FROM moved),
-- Where an account falls below zero, its last entry takes it there.
whole AS (SELECT *, 25 + account_key % 100 AS short FROM summed)
SELECT row_number() OVER (ORDER BY at, account_key) AS n, account_key, seq, type, CASE WHEN falls THEN -sum - short ELSE move END AS amount,
	CASE WHEN falls THEN -short ELSE sum END AS balance_after, job_key, at, cost, units, action, rule_version, refunded_at, reclaimed_at,
	-- One rollout that priced few accounts for some weeks.
	CASE WHEN rule_version = 'video_render@v2' AND account_key % 1000 = 11 THEN 'ro_generated' END AS rollout_id,
	CASE WHEN job_key IS NOT NULL THEN CASE WHEN rule_version = 'video_render@v2' AND account_key % 1000 = 11 THEN 'candidate' ELSE 'baseline' END END AS cohort,
	CASE type WHEN 'grant' THEN 'grant-' || own WHEN 'adjustment' THEN 'adjust-' || own WHEN 'charge' THEN 'charge-' || job_key
		WHEN 'refund' THEN 'failed-' || job_key ELSE 'done-' || job_key END AS operation_id,
	CASE WHEN type = 'adjustment' THEN 'staff:st_generated0000' || account_key % 5 WHEN type = 'grant' THEN 'key:billing000000000' ELSE 'key:platform00000000' END AS actor
FROM whole ORDER BY at, account_key`

	generateEntries = `INSERT INTO entries (account_key, seq, type, amount, balance_after, job_key, operation_id, rollout_id, cohort, rule_version, actor,
	category, reference, reason, created_at)
SELECT account_key, seq, type, amount, balance_after, job_key, operation_id, rollout_id, cohort, rule_version, actor,
	CASE WHEN type = 'grant' THEN 'paid' END, CASE WHEN type = 'grant' THEN 'pay-' || n END, CASE WHEN type = 'adjustment' THEN 'generated' END, at
FROM bench.plan WHERE n > $1 AND n <= $2 ORDER BY n`

	generateJobs = `INSERT INTO jobs (account_key, key, id, action, units, mode, cost, rule_version, rollout_id, cohort, operation_id, is_refunded, refunded_at,
	is_reclaimed, reclaimed_at, delivered_at, deliveries, state, attempt, not_before, expires_at, late_success_of, error_class, error_code,
	error_message, dead_reason, dead_at, max_attempts, lease_ms, expires_ms, backoff_base_ms, backoff_max_ms, jitter, created_at, updated_at) OVERRIDING SYSTEM VALUE
SELECT account_key, job_key, 'job-' || job_key, action, units, 'external', cost, rule_version, rollout_id, cohort, operation_id, refunded_at IS NOT NULL, refunded_at,
	reclaimed_at IS NOT NULL, reclaimed_at, delivered, (delivered IS NOT NULL)::int, CASE WHEN delivered IS NOT NULL THEN 'succeeded' WHEN dead THEN 'dead' ELSE 'canceled' END,
	1, at, at + interval '1 day', CASE WHEN reclaimed_at IS NOT NULL THEN 'retrying' END,
	CASE WHEN refunded_at IS NULL THEN '' ELSE 'transient' END,
	CASE WHEN refunded_at IS NULL THEN '' WHEN NOT dead THEN 'worker_lost' WHEN kind < 17 THEN 'storage_unavailable'
		ELSE (ARRAY['gpu_lost', 'codec_error', 'upstream_503', 'out_of_memory', 'model_timeout', 'disk_full'])[1 + kind % 6] END,
	CASE WHEN NOT dead THEN '' WHEN kind < 17 THEN 'PUT to bucket renders-' || job_key::bigint % 7 || ' answered 503 after ' || 20000 + job_key::bigint % 9000 || ' ms'
		ELSE (ARRAY['decode', 'scale', 'mux', 'upload', 'align'])[1 + kind % 5] || ' stopped on host gpu-' || job_key::bigint % 300 || ' with status ' || kind END,
	CASE WHEN dead THEN 'attempts' ELSE '' END, CASE WHEN dead THEN refunded_at END, 1, 30000, 86400000, 10000, 600000, true, at, COALESCE(delivered, refunded_at)
FROM (SELECT *, CASE WHEN reclaimed_at IS NOT NULL THEN reclaimed_at WHEN refunded_at IS NULL THEN at + interval '25 seconds' END AS delivered,
		refunded_at IS NOT NULL AND reclaimed_at IS NULL AND job_key % (SELECT dead_every FROM bench.options) = 0 AS dead,
		-- Which of fifty kinds of failure it died of; the first third is one outage.
		job_key::bigint * 2654435761 / 64 % 50 AS kind
	FROM bench.plan WHERE n > $1 AND n <= $2 AND type = 'charge') x ORDER BY n`

	// Charges of the rollout name its decision; others have been charged before decisions were recorded.
	generateDecisions = `INSERT INTO decisions (account_key, operation_id, action, units, rule_version, price, rollout_id, rollout_version, stage, cohort, bucket, reason, at, tx)
SELECT account_key, operation_id, action, units, rule_version, cost, rollout_id, 1, 1, cohort, account_key % 100000, 'enrolled', at, pg_current_xact_id()
FROM bench.plan WHERE n > $1 AND n <= $2 AND type = 'charge' AND rollout_id IS NOT NULL ORDER BY n`

	// One event an entry: what the pages read to say what caused it.
	generateEvents = `INSERT INTO job_events (account_key, job_key, kind, attempt, generation, outcome, state_before, state_after, entry_seq, actor, operation_id, data, at)
SELECT account_key, job_key, CASE type WHEN 'charge' THEN 'charged' WHEN 'refund' THEN 'failed' ELSE 'succeeded' END, CASE WHEN type = 'charge' THEN NULL ELSE 1 END, 0,
	CASE type WHEN 'charge' THEN '' WHEN 'refund' THEN 'refunded' ELSE 'reclaimed' END, CASE type WHEN 'charge' THEN '' WHEN 'refund' THEN 'running' ELSE 'retrying' END,
	CASE type WHEN 'charge' THEN 'running' WHEN 'refund' THEN 'retrying' ELSE 'succeeded' END, seq, actor, operation_id,
	CASE WHEN type = 'refund' THEN '{"class":"transient","code":"worker_lost"}'::json END, at
FROM bench.plan WHERE n > $1 AND n <= $2 AND job_key IS NOT NULL
	-- An event needs its job, which is written with its charge: a slice earlier or in this one.
	ORDER BY n`

	generateOperations = `INSERT INTO operations (account_key, scope, id, kind, input_version, input, actor, job_key, started_at, completed_at, result)
SELECT account_key, '', operation_id, CASE WHEN type IN ('grant', 'adjustment', 'charge') THEN type ELSE 'signal' END, 1,
	-- What a person or a till asked for, by its digests, as verify compares them with the entry.
	CASE WHEN type IN ('grant', 'adjustment') THEN json_strip_nulls(json_build_object('kind', encode(substring(sha256('s'::bytea || type::bytea) FOR 16), 'hex'),
		'amount', encode(substring(sha256('i'::bytea || int8send(amount)) FOR 16), 'hex'),
		'category', CASE WHEN type = 'grant' THEN encode(substring(sha256('spaid'::bytea) FOR 16), 'hex') END,
		'reference', CASE WHEN type = 'grant' THEN encode(substring(sha256(('spay-' || n)::bytea) FOR 16), 'hex') END,
		'reason', CASE WHEN type = 'adjustment' THEN encode(substring(sha256('sgenerated'::bytea) FOR 16), 'hex') END))
		ELSE '{"kind":"00000000000000000000000000000000"}' END, actor, job_key, at, at,
	json_build_object('entry', json_build_object('seq', seq, 'type', type, 'amount', amount, 'balance_after', balance_after, 'created_at', at))
FROM bench.plan WHERE n > $1 AND n <= $2 ORDER BY n`

	generateHeads = `UPDATE accounts a SET balance = e.balance_after, last_seq = e.seq, last_hash = e.hash, last_at = e.created_at,
	negative_since = CASE WHEN e.balance_after < 0 THEN e.created_at END, updated_at = e.created_at
FROM bench.sizes z JOIN LATERAL (SELECT * FROM entries WHERE account_key = z.account_key ORDER BY seq DESC LIMIT 1) e ON true
WHERE a.key = z.account_key`
)
