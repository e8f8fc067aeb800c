-- Dead letters as rows of their own: one a death of a job, with what a list filters and sorts by and with what people
-- do about it, so that neither touches the row that carries the money. And the groups that equal deaths fall into.

-- +goose Up
CREATE TABLE dead_letters (
    account_key         bigint NOT NULL,
    job_key             bigint NOT NULL,
    -- A job dies at most once in a generation.
    generation          integer NOT NULL,
    -- '' until it is computed: with the death, or by the caretaker for rows that no program wrote.
    fingerprint         text COLLATE "C" NOT NULL DEFAULT '',
    fingerprint_version smallint NOT NULL DEFAULT 0,

    -- What the job said when it died.
    action         text COLLATE "C" NOT NULL,
    dependency     text COLLATE "C" NOT NULL,
    error_class    text COLLATE "C" NOT NULL,
    error_code     text COLLATE "C" NOT NULL,
    error_message  text NOT NULL,
    dead_reason    text NOT NULL,
    worker_version text COLLATE "C" NOT NULL,
    cost           bigint NOT NULL,
    -- The job's flag. A dead letter without its refund sorts first: the money does not fit the work.
    refunded       boolean NOT NULL,
    dead_at        timestamptz NOT NULL,

    -- NULL and '' while it waits for a person, else when and as what it was closed.
    closed_at      timestamptz,
    outcome        text NOT NULL DEFAULT '' CHECK (outcome IN ('', 'requeued', 'discarded', 'canceled', 'succeeded')),

    -- What people did: the actor who takes care of it, '' for nobody, and until when it is out of sight.
    assignee       text COLLATE "C" NOT NULL DEFAULT '',
    assigned_by    text NOT NULL DEFAULT '',
    assigned_at    timestamptz,
    snoozed_until  timestamptz,
    snoozed_by     text NOT NULL DEFAULT '',
    snoozed_at     timestamptz,

    PRIMARY KEY (account_key, job_key, generation),
    FOREIGN KEY (account_key, job_key) REFERENCES jobs (account_key, key),
    CHECK ((closed_at IS NULL) = (outcome = ''))
) WITH (fillfactor = 80);
CREATE INDEX dead_letters_open ON dead_letters (refunded, dead_at, account_key, job_key, generation) WHERE closed_at IS NULL;
CREATE INDEX dead_letters_of_account ON dead_letters (account_key, refunded, dead_at, job_key, generation) WHERE closed_at IS NULL;
CREATE INDEX dead_letters_by_code ON dead_letters (error_code, refunded, dead_at, account_key, job_key, generation) WHERE closed_at IS NULL;
CREATE INDEX dead_letters_assigned ON dead_letters (assignee, refunded, dead_at, account_key, job_key, generation) WHERE closed_at IS NULL AND assignee <> '';
CREATE INDEX dead_letters_snoozed ON dead_letters (snoozed_until, account_key, job_key, generation) WHERE closed_at IS NULL AND snoozed_until IS NOT NULL;
CREATE INDEX dead_letters_in_group ON dead_letters (fingerprint, account_key) INCLUDE (cost, refunded, dead_at) WHERE closed_at IS NULL;
CREATE INDEX dead_letters_deaths_of_group ON dead_letters (fingerprint, dead_at);
CREATE INDEX dead_letters_deaths ON dead_letters (dead_at);
CREATE INDEX dead_letters_closed ON dead_letters (closed_at, account_key, job_key, generation) WHERE closed_at IS NOT NULL;
CREATE INDEX dead_letters_by_version ON dead_letters (fingerprint_version);
CREATE TRIGGER dead_letters_keep BEFORE DELETE OR TRUNCATE ON dead_letters FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE dead_letters ENABLE ALWAYS TRIGGER dead_letters_keep;

-- Equal deaths: same action, code, normalised message and dependency. What it counts is read from dead_letters, so
-- that it is right in every transaction and a storm of deaths does not queue for one row.
CREATE TABLE dead_letter_groups (
    fingerprint   text COLLATE "C" PRIMARY KEY CHECK (fingerprint <> ''),
    version       smallint NOT NULL,
    action        text COLLATE "C" NOT NULL,
    dependency    text COLLATE "C" NOT NULL,
    error_code    text COLLATE "C" NOT NULL,
    -- The normalised message.
    pattern       text NOT NULL,
    note          text NOT NULL DEFAULT '',
    link          text NOT NULL DEFAULT '',
    -- Snoozed until a time, until so many more deaths, or whichever comes first; snoozed_at is NULL while it is not.
    snoozed_at    timestamptz,
    snoozed_until timestamptz,
    snooze_more   integer NOT NULL DEFAULT 0 CHECK (snooze_more >= 0),
    -- A death after this moment marks the group as returned.
    resolved_at   timestamptz,
    -- Counts what people changed: a form says which one it saw.
    revision      integer NOT NULL DEFAULT 0,
    changed_by    text NOT NULL DEFAULT '',
    changed_at    timestamptz,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK ((snoozed_at IS NOT NULL) = (snoozed_until IS NOT NULL OR snooze_more > 0)),
    CHECK (snoozed_at IS NULL OR resolved_at IS NULL)
) WITH (fillfactor = 80);
CREATE INDEX dead_letter_groups_snoozed ON dead_letter_groups (snoozed_at, fingerprint) WHERE snoozed_at IS NOT NULL;
CREATE INDEX dead_letter_groups_resolved ON dead_letter_groups (resolved_at, fingerprint) WHERE resolved_at IS NOT NULL;
CREATE INDEX dead_letter_groups_by_time ON dead_letter_groups (created_at, fingerprint);
CREATE TRIGGER dead_letter_groups_keep BEFORE DELETE OR TRUNCATE ON dead_letter_groups FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE dead_letter_groups ENABLE ALWAYS TRIGGER dead_letter_groups_keep;

-- A dead letter follows its job, whoever moves it: opened by a death and by reopening, closed by everything else. It
-- runs where a job dies, leaves death or is refunded while dead, and nowhere on the way of a job that does not die.
-- +goose StatementBegin
CREATE FUNCTION dead_letters_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state IN ('dead', 'discarded') THEN
        INSERT INTO dead_letters (account_key, job_key, generation, action, dependency, error_class, error_code, error_message,
            dead_reason, worker_version, cost, refunded, dead_at, closed_at, outcome, assignee, assigned_by, assigned_at)
        SELECT NEW.account_key, NEW.key, NEW.generation, NEW.action, NEW.dependency, NEW.error_class, NEW.error_code, NEW.error_message,
            NEW.dead_reason, COALESCE(a.worker_version, ''), NEW.cost, NEW.is_refunded, NEW.dead_at,
            NEW.resolved_at, CASE WHEN NEW.state = 'discarded' THEN 'discarded' ELSE '' END,
            COALESCE(before.assignee, ''), COALESCE(before.assigned_by, ''), before.assigned_at
        FROM (SELECT 1) one
        LEFT JOIN attempts a ON a.account_key = NEW.account_key AND a.job_key = NEW.key AND a.attempt = NEW.attempt
        -- Whoever took care of it the last time still does.
        LEFT JOIN LATERAL (SELECT d.assignee, d.assigned_by, d.assigned_at FROM dead_letters d
            WHERE d.account_key = NEW.account_key AND d.job_key = NEW.key AND d.generation < NEW.generation
            ORDER BY d.generation DESC LIMIT 1) before ON true
        ON CONFLICT (account_key, job_key, generation) DO UPDATE
        SET refunded = EXCLUDED.refunded, closed_at = EXCLUDED.closed_at, outcome = EXCLUDED.outcome;
    ELSE
        UPDATE dead_letters SET closed_at = clock_timestamp(), refunded = NEW.is_refunded,
            outcome = CASE NEW.state WHEN 'canceled' THEN 'canceled' WHEN 'succeeded' THEN 'succeeded' ELSE 'requeued' END
        WHERE account_key = NEW.account_key AND job_key = NEW.key AND generation = OLD.generation;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER jobs_died AFTER INSERT ON jobs FOR EACH ROW WHEN (NEW.dead_at IS NOT NULL) EXECUTE FUNCTION dead_letters_follow();
CREATE TRIGGER jobs_dead AFTER UPDATE ON jobs FOR EACH ROW
    WHEN (OLD.dead_at IS DISTINCT FROM NEW.dead_at OR OLD.resolved_at IS DISTINCT FROM NEW.resolved_at
          OR NEW.dead_at IS NOT NULL AND OLD.is_refunded <> NEW.is_refunded)
    EXECUTE FUNCTION dead_letters_follow();
ALTER TABLE jobs ENABLE ALWAYS TRIGGER jobs_died;
ALTER TABLE jobs ENABLE ALWAYS TRIGGER jobs_dead;

INSERT INTO dead_letters (account_key, job_key, generation, action, dependency, error_class, error_code, error_message,
    dead_reason, worker_version, cost, refunded, dead_at, closed_at, outcome)
SELECT j.account_key, j.key, j.generation, j.action, j.dependency, j.error_class, j.error_code, j.error_message,
    j.dead_reason, COALESCE(a.worker_version, ''), j.cost, j.is_refunded, j.dead_at,
    j.resolved_at, CASE WHEN j.state = 'discarded' THEN 'discarded' ELSE '' END
FROM jobs j LEFT JOIN attempts a ON a.account_key = j.account_key AND a.job_key = j.key AND a.attempt = j.attempt
WHERE j.dead_at IS NOT NULL;

-- +goose Down
DROP TRIGGER jobs_dead ON jobs;
DROP TRIGGER jobs_died ON jobs;
DROP FUNCTION dead_letters_follow;
DROP TABLE dead_letter_groups;
DROP TABLE dead_letters;
