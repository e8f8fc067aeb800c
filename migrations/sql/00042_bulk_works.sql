-- Bulk works: one change of many dead letters. The set is frozen when a person looks at it, each row is an operation
-- of its own, and what is due next is decided from these rows alone, by whichever process comes first.

-- +goose Up
CREATE TABLE bulk_works (
    key          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           text COLLATE "C" NOT NULL UNIQUE CHECK (id ~ '^bw_[a-z0-9]{16}$'),
    kind         text NOT NULL CHECK (kind IN ('requeue', 'discard', 'assign', 'snooze')),
    -- The filter that selected the rows, as the query of the list's address; '' for rows that were ticked.
    filter       text NOT NULL,
    state        text NOT NULL CHECK (state IN ('prepared', 'proposed', 'running', 'paused', 'stopped', 'aborted', 'done')),
    -- Counts its steps: a form says which one it saw.
    version      integer NOT NULL DEFAULT 0,

    -- The frozen set: what is in it beside what is excluded, and a SHA-256 over its rows in their order.
    count        integer NOT NULL CHECK (count >= 0),
    accounts     integer NOT NULL CHECK (accounts >= 0),
    credits      numeric NOT NULL CHECK (credits >= 0),
    excluded     integer NOT NULL CHECK (excluded >= 0),
    digest       bytea NOT NULL CHECK (length(digest) = 32),

    -- What is done with each row, and how fast; set when it is started.
    reason       text NOT NULL DEFAULT '',
    note         text NOT NULL DEFAULT '',
    assignee     text NOT NULL DEFAULT '',
    until        timestamptz,
    probe        integer NOT NULL DEFAULT 0 CHECK (probe >= 0),
    per_minute   integer NOT NULL DEFAULT 1 CHECK (per_minute >= 1),
    stop_percent integer NOT NULL DEFAULT 100 CHECK (stop_percent BETWEEN 0 AND 100),
    operation_id text,

    -- Each start and resume begins a leg: the first few come first again, and only its rows count for the stop.
    leg          integer NOT NULL DEFAULT 0,
    -- No row is taken before this moment.
    next_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    judged_at    timestamptz NOT NULL DEFAULT '-infinity',
    -- How the rows of the leg had come back when it stopped by itself.
    stop_failed  integer,
    stop_back    integer,

    prepared_by  text NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    started_by   text NOT NULL DEFAULT '',
    started_at   timestamptz,
    changed_by   text NOT NULL,
    changed_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at     timestamptz,
    CHECK ((started_at IS NOT NULL) = (state IN ('running', 'paused', 'stopped', 'aborted', 'done'))),
    CHECK ((ended_at IS NOT NULL) = (state IN ('aborted', 'done'))),
    CHECK ((operation_id IS NOT NULL) = (state <> 'prepared'))
) WITH (fillfactor = 70);
CREATE INDEX bulk_works_running ON bulk_works (key) WHERE state = 'running';
CREATE INDEX bulk_works_prepared ON bulk_works (created_at) WHERE state = 'prepared';

CREATE TABLE bulk_items (
    bulk_key    bigint NOT NULL REFERENCES bulk_works (key),
    -- From 1, in the order in which they are done.
    no          integer NOT NULL,
    account_key bigint NOT NULL,
    job_key     bigint NOT NULL,
    generation  integer NOT NULL,
    cost        bigint NOT NULL,

    -- Who works on it, and since when; NULL while nobody does. A take that is too old is void.
    take        text COLLATE "C",
    taken_at    timestamptz,
    tries       integer NOT NULL DEFAULT 0,
    leg         integer NOT NULL DEFAULT 0,

    -- '' while it is to be done. code says why it is not done: a state, or a fault.
    outcome     text NOT NULL DEFAULT '' CHECK (outcome IN ('', 'done', 'lost', 'excluded', 'refused')),
    code        text NOT NULL DEFAULT '',
    -- Who was first and when; for lost.
    first_by    text NOT NULL DEFAULT '',
    first_at    timestamptz,
    acted_at    timestamptz,
    PRIMARY KEY (bulk_key, no),
    UNIQUE (bulk_key, account_key, job_key),
    FOREIGN KEY (account_key, job_key) REFERENCES jobs (account_key, key),
    CHECK ((outcome = '') = (acted_at IS NULL)),
    CHECK ((take IS NULL) = (taken_at IS NULL))
) WITH (fillfactor = 70);
CREATE INDEX bulk_items_pending ON bulk_items (account_key, job_key, generation) WHERE outcome = '';
CREATE INDEX bulk_items_next ON bulk_items (bulk_key, no) WHERE outcome = '';
CREATE INDEX bulk_items_taken ON bulk_items (bulk_key, taken_at);

-- A frozen set stays what was seen, and what came of a row is said once. Only what nobody started may go.
-- +goose StatementBegin
CREATE FUNCTION bulk_items_keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF EXISTS (SELECT 1 FROM bulk_works w WHERE w.key = OLD.bulk_key AND w.state <> 'prepared') THEN
            RAISE EXCEPTION 'the rows of a bulk work are kept' USING ERRCODE = 'RC002';
        END IF;
        RETURN OLD;
    END IF;
    IF OLD.outcome <> '' OR (OLD.bulk_key, OLD.no, OLD.account_key, OLD.job_key, OLD.generation, OLD.cost)
        IS DISTINCT FROM (NEW.bulk_key, NEW.no, NEW.account_key, NEW.job_key, NEW.generation, NEW.cost) THEN
        RAISE EXCEPTION 'a row of a bulk work is not changed once it has its outcome' USING ERRCODE = 'RC002';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER bulk_items_kept BEFORE UPDATE OR DELETE ON bulk_items FOR EACH ROW EXECUTE FUNCTION bulk_items_keep();
ALTER TABLE bulk_items ENABLE ALWAYS TRIGGER bulk_items_kept;
CREATE TRIGGER bulk_items_not_truncated BEFORE TRUNCATE ON bulk_items FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE bulk_items ENABLE ALWAYS TRIGGER bulk_items_not_truncated;

-- +goose Down
DROP TABLE bulk_items;
DROP FUNCTION bulk_items_keep;
DROP TABLE bulk_works;
