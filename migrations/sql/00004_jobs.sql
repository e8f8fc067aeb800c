-- Jobs, their attempts, their timeline, the narrow line of waiting work, and what is owed to the queue.

-- +goose Up
CREATE TABLE jobs (
    account_key     bigint NOT NULL REFERENCES accounts (key),
    key             bigint GENERATED ALWAYS AS IDENTITY,
    id              text COLLATE "C" NOT NULL
                    CHECK (id ~ '^[A-Za-z0-9._:@-]{1,64}$' AND id NOT IN ('.', '..')),
    action          text COLLATE "C" NOT NULL REFERENCES actions (id),
    units           bigint NOT NULL CHECK (units >= 1),
    mode            text NOT NULL CHECK (mode IN ('managed', 'external')),
    dependency      text NOT NULL DEFAULT '',
    -- json, not jsonb: workers get the bytes the caller sent.
    payload         json,

    -- Money: the decision that priced it, and the guards.
    cost            bigint NOT NULL CHECK (cost >= 0),
    rule_version    text COLLATE "C" NOT NULL REFERENCES rule_versions (id),
    rollout_id      text,
    cohort          text NOT NULL DEFAULT 'baseline',
    operation_id    text COLLATE "C" NOT NULL,
    is_refunded     boolean NOT NULL DEFAULT false,
    refunded_at     timestamptz,
    is_reclaimed    boolean NOT NULL DEFAULT false,
    reclaimed_at    timestamptz,
    delivered_at    timestamptz,
    deliveries      integer NOT NULL DEFAULT 0,
    result          text NOT NULL DEFAULT '',

    -- Work.
    state           text NOT NULL CHECK (state IN ('queued', 'running', 'retrying', 'dead', 'succeeded', 'canceled', 'discarded')),
    attempt         integer NOT NULL DEFAULT 0 CHECK (attempt >= 0),
    generation      integer NOT NULL DEFAULT 0 CHECK (generation >= 0),
    -- The attempt number the present generation began after.
    generation_base integer NOT NULL DEFAULT 0,
    not_before      timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL,
    lease_until     timestamptz,
    deadline_at     timestamptz,
    late_success_of text CHECK (late_success_of IN ('queued', 'running', 'retrying', 'dead', 'succeeded', 'canceled', 'discarded')),
    error_class     text NOT NULL DEFAULT '',
    error_code      text NOT NULL DEFAULT '',
    error_message   text NOT NULL DEFAULT '',
    dead_reason     text NOT NULL DEFAULT '',
    dead_at         timestamptz,
    -- Why a person discarded it; empty unless discarded.
    resolution      text NOT NULL DEFAULT '',

    -- The retry policy, frozen when the job is charged.
    max_attempts    integer NOT NULL CHECK (max_attempts BETWEEN 1 AND 1000),
    lease_ms        bigint NOT NULL CHECK (lease_ms > 0),
    -- How long an attempt may run; NULL for external jobs without a deadline of their own.
    deadline_ms     bigint CHECK (deadline_ms > 0),
    expires_ms      bigint NOT NULL CHECK (expires_ms > 0),
    backoff_base_ms bigint NOT NULL CHECK (backoff_base_ms > 0),
    backoff_max_ms  bigint NOT NULL CHECK (backoff_max_ms >= backoff_base_ms),
    jitter          boolean NOT NULL,

    trace_id        bytea,
    traceparent     text NOT NULL DEFAULT '',
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at      timestamptz NOT NULL DEFAULT clock_timestamp(),

    PRIMARY KEY (account_key, key),
    UNIQUE (account_key, id),
    CHECK (is_refunded = (refunded_at IS NOT NULL)),
    CHECK (is_reclaimed = (reclaimed_at IS NOT NULL)),
    CHECK (NOT is_reclaimed OR (is_refunded AND delivered_at IS NOT NULL)),
    CHECK ((delivered_at IS NOT NULL) = (state = 'succeeded')),
    CHECK ((dead_at IS NOT NULL) = (state IN ('dead', 'discarded')))
) WITH (fillfactor = 70);
CREATE INDEX jobs_by_id ON jobs (id);
CREATE INDEX jobs_dead ON jobs (dead_at, account_key, key) WHERE dead_at IS NOT NULL;
CREATE INDEX jobs_late_success ON jobs (delivered_at, account_key, key) WHERE late_success_of IS NOT NULL;
CREATE INDEX jobs_by_time ON jobs (created_at, account_key, key);
CREATE INDEX jobs_reclaimable ON jobs (account_key, refunded_at) WHERE is_refunded AND NOT is_reclaimed;
CREATE TRIGGER jobs_keep BEFORE DELETE OR TRUNCATE ON jobs FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE jobs ENABLE ALWAYS TRIGGER jobs_keep;

-- One row an attempt that was handed out or reported.
CREATE TABLE attempts (
    account_key    bigint NOT NULL,
    job_key        bigint NOT NULL,
    attempt        integer NOT NULL CHECK (attempt >= 1),
    generation     integer NOT NULL,
    worker         text NOT NULL DEFAULT '',
    worker_version text NOT NULL DEFAULT '',
    -- SHA-256 of the lease token; NULL for external jobs.
    lease_hash     bytea,
    claimed_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    queued_at      timestamptz,
    heartbeat_at   timestamptz,
    ended_at       timestamptz,
    outcome        text NOT NULL DEFAULT '' CHECK (outcome IN ('', 'succeeded', 'failed', 'timed_out', 'canceled')),
    error_class    text NOT NULL DEFAULT '',
    error_code     text NOT NULL DEFAULT '',
    error_message  text NOT NULL DEFAULT '',
    PRIMARY KEY (account_key, job_key, attempt),
    FOREIGN KEY (account_key, job_key) REFERENCES jobs (account_key, key)
) WITH (fillfactor = 80);

-- The timeline: append-only.
CREATE TABLE job_events (
    account_key  bigint NOT NULL,
    job_key      bigint NOT NULL,
    key          bigint GENERATED ALWAYS AS IDENTITY,
    kind         text NOT NULL,
    attempt      integer,
    generation   integer NOT NULL,
    -- What the guards found, e.g. refunded, already_refunded, delivered_before.
    outcome      text NOT NULL DEFAULT '',
    state_before text NOT NULL DEFAULT '',
    state_after  text NOT NULL DEFAULT '',
    entry_seq    bigint,
    actor        text NOT NULL CHECK (actor <> ''),
    operation_id text NOT NULL DEFAULT '',
    trace_id     bytea,
    data         json,
    at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (account_key, job_key, key),
    FOREIGN KEY (account_key, job_key) REFERENCES jobs (account_key, key)
);
CREATE TRIGGER job_events_append_only_row BEFORE UPDATE OR DELETE ON job_events FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER job_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON job_events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE job_events ENABLE ALWAYS TRIGGER job_events_append_only_row;
ALTER TABLE job_events ENABLE ALWAYS TRIGGER job_events_append_only;

-- One narrow row a job that still waits for something: a worker, a result, its next try. It repeats
-- what the job row says so that claim and sweeper cross accounts without touching the wide table.
CREATE TABLE waiting_line (
    account_key bigint NOT NULL,
    job_key     bigint NOT NULL,
    phase       text NOT NULL CHECK (phase IN ('queued', 'running', 'retrying')),
    action      text COLLATE "C" NOT NULL,
    dependency  text NOT NULL DEFAULT '',
    attempt     integer NOT NULL,
    generation  integer NOT NULL,
    -- queued: may be claimed from; running: lease or deadline ends; retrying: wakes.
    due_at      timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    PRIMARY KEY (account_key, job_key),
    FOREIGN KEY (account_key, job_key) REFERENCES jobs (account_key, key)
) WITH (fillfactor = 50);
CREATE INDEX waiting_line_claim ON waiting_line (action, due_at, account_key, job_key) WHERE phase = 'queued';
CREATE INDEX waiting_line_due ON waiting_line (due_at, account_key, job_key) WHERE phase <> 'queued';
CREATE INDEX waiting_line_expiry ON waiting_line (expires_at, account_key, job_key);

-- Wake-up calls owed to the queue: written with the change, deleted when the queue has them.
CREATE TABLE outbox (
    key         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    task        text NOT NULL,
    account_key bigint NOT NULL,
    job_key     bigint NOT NULL,
    attempt     integer NOT NULL,
    generation  integer NOT NULL,
    due_at      timestamptz NOT NULL,
    traceparent text NOT NULL DEFAULT '',
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- +goose Down
DROP TABLE outbox;
DROP TABLE waiting_line;
DROP TABLE job_events;
DROP TABLE attempts;
DROP TABLE jobs;
