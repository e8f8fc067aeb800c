-- What work depends on, with a breaker each; and what is held, by a breaker or by a person. Held work stays queued: a row of
-- holds keeps workers from getting it.

-- +goose Up
CREATE TABLE dependencies (
    name               text COLLATE "C" PRIMARY KEY
                       CHECK (name ~ '^[A-Za-z0-9._:@-]{1,64}$' AND name NOT IN ('.', '..')),
    state              text NOT NULL DEFAULT 'closed' CHECK (state IN ('closed', 'open', 'half_open')),
    -- Since when it has been in its state, NULL while it has never left closed: older results say nothing about it.
    changed_at         timestamptz,
    -- The breaker opens when failure_percent or more of the newest window_results results are failures, out of at least
    -- minimum_results. It stays open for open_s, then lets probes through.
    breaker            boolean NOT NULL DEFAULT true,
    failure_percent    integer NOT NULL DEFAULT 50 CHECK (failure_percent BETWEEN 1 AND 100),
    window_results     integer NOT NULL DEFAULT 50 CHECK (window_results BETWEEN 1 AND 1000),
    minimum_results    integer NOT NULL DEFAULT 20 CHECK (minimum_results BETWEEN 1 AND 1000),
    open_s             integer NOT NULL DEFAULT 60 CHECK (open_s BETWEEN 1 AND 86400),
    probes             integer NOT NULL DEFAULT 3 CHECK (probes BETWEEN 1 AND 100),
    release_per_minute integer NOT NULL DEFAULT 600 CHECK (release_per_minute BETWEEN 1 AND 60000),
    -- version counts changes of state, revision those of the settings.
    version            bigint NOT NULL DEFAULT 1,
    revision           bigint NOT NULL DEFAULT 1,
    created_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK (minimum_results <= window_results)
);
CREATE TRIGGER dependencies_keep BEFORE DELETE OR TRUNCATE ON dependencies FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE dependencies ENABLE ALWAYS TRIGGER dependencies_keep;

-- One row a dependency or action whose work is not handed out freely. It goes when nothing waits behind it any more.
CREATE TABLE holds (
    kind        text NOT NULL CHECK (kind IN ('dependency', 'action')),
    name        text COLLATE "C" NOT NULL,
    -- What workers get of it now: nothing; as many probes as are left; or no more than a number a minute.
    passing     text NOT NULL CHECK (passing IN ('nothing', 'probes', 'paced')),
    -- The person who holds it, '' when nobody does (any more).
    held_by     text NOT NULL DEFAULT '',
    held_at     timestamptz,
    reason      text NOT NULL DEFAULT '',
    probes_left integer NOT NULL DEFAULT 0 CHECK (probes_left >= 0),
    -- A release hands out one job each spacing_us, at most burst of them at once: together never more than per_minute in
    -- any minute. paced_at is when the next would be on time.
    per_minute  integer NOT NULL CHECK (per_minute BETWEEN 1 AND 60000),
    spacing_us  bigint NOT NULL CHECK (spacing_us > 0),
    burst       integer NOT NULL CHECK (burst >= 1),
    paced_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    since       timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (kind, name),
    CHECK ((held_by <> '') = (held_at IS NOT NULL)),
    CHECK (held_by = '' OR passing = 'nothing')
) WITH (fillfactor = 50);

-- What became of a dependency or a held action, and who did it: append-only.
CREATE TABLE hold_events (
    key          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind         text NOT NULL CHECK (kind IN ('dependency', 'action')),
    name         text COLLATE "C" NOT NULL,
    event        text NOT NULL CHECK (event IN ('opened', 'probing', 'closed', 'held', 'released', 'drained', 'changed')),
    -- The breaker's state after it; '' for actions.
    state        text NOT NULL DEFAULT '',
    actor        text NOT NULL CHECK (actor <> ''),
    reason       text NOT NULL DEFAULT '',
    -- The figures that led to it, as JSON; NULL where there are none.
    data         json,
    operation_id text NOT NULL DEFAULT '',
    at           timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX hold_events_of ON hold_events (kind, name, key);
CREATE TRIGGER hold_events_append_only_row BEFORE UPDATE OR DELETE ON hold_events FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER hold_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON hold_events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE hold_events ENABLE ALWAYS TRIGGER hold_events_append_only_row;
ALTER TABLE hold_events ENABLE ALWAYS TRIGGER hold_events_append_only;

-- What jobs of an action depend on where their charge names nothing.
ALTER TABLE actions ADD COLUMN dependency text COLLATE "C" NOT NULL DEFAULT '';

-- Results of a dependency are counted from its newest attempts, by this index. Neither column changes, so that the end of an
-- attempt stays an update in place.
ALTER TABLE attempts ADD COLUMN dependency text COLLATE "C" NOT NULL DEFAULT '';
CREATE INDEX attempts_of_dependency ON attempts (dependency, claimed_at) WHERE dependency <> '';

-- held marks queued work of a dependency that has a row in holds, so that a claim need not step over it. The mark follows the
-- hold within a second or so; that held work stays where it is does not depend on it.
ALTER TABLE waiting_line ADD COLUMN held boolean NOT NULL DEFAULT false;
ALTER TABLE waiting_line ALTER COLUMN dependency TYPE text COLLATE "C";
DROP INDEX waiting_line_claim;
CREATE INDEX waiting_line_claim ON waiting_line (action, due_at, account_key, job_key) WHERE phase = 'queued' AND NOT held;
CREATE INDEX waiting_line_dependency ON waiting_line (dependency, held, action, due_at, account_key, job_key) WHERE phase = 'queued' AND dependency <> '';

-- +goose Down
DROP INDEX waiting_line_dependency;
DROP INDEX waiting_line_claim;
CREATE INDEX waiting_line_claim ON waiting_line (action, due_at, account_key, job_key) WHERE phase = 'queued';
ALTER TABLE waiting_line ALTER COLUMN dependency TYPE text COLLATE "default";
ALTER TABLE waiting_line DROP COLUMN held;
DROP INDEX attempts_of_dependency;
ALTER TABLE attempts DROP COLUMN dependency;
ALTER TABLE actions DROP COLUMN dependency;
DROP TABLE hold_events;
DROP TABLE holds;
DROP TABLE dependencies;
