-- What people note on an account. Rows are only ever added: a note that is struck out stays, with the row that
-- strikes it out beside it.

-- +goose Up
CREATE TABLE account_notes (
    account_key  bigint NOT NULL REFERENCES accounts (key),
    key          bigint GENERATED ALWAYS AS IDENTITY,
    -- The note that this row strikes out; NULL for a note.
    strikes      bigint,
    -- What is noted, or why a note is struck out.
    text         text NOT NULL CHECK (text <> ''),
    actor        text NOT NULL CHECK (actor <> ''),
    operation_id text COLLATE "C" NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (account_key, key),
    -- At most one strike a note, and of the same account.
    CONSTRAINT account_notes_struck_once UNIQUE (account_key, strikes),
    FOREIGN KEY (account_key, strikes) REFERENCES account_notes (account_key, key),
    CHECK (strikes < key)
);
CREATE TRIGGER account_notes_append_only_row BEFORE UPDATE OR DELETE ON account_notes FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER account_notes_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON account_notes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE account_notes ENABLE ALWAYS TRIGGER account_notes_append_only_row;
ALTER TABLE account_notes ENABLE ALWAYS TRIGGER account_notes_append_only;

-- Jobs that are refunded and could still be reclaimed, in the order of their lists: an account's and everybody's.
DROP INDEX jobs_reclaimable;
CREATE INDEX jobs_reclaimable_of_account ON jobs (account_key, created_at, key) WHERE is_refunded AND NOT is_reclaimed;
CREATE INDEX jobs_reclaimable_by_time ON jobs (created_at, account_key, key) WHERE is_refunded AND NOT is_reclaimed;

-- +goose Down
DROP INDEX jobs_reclaimable_by_time;
DROP INDEX jobs_reclaimable_of_account;
CREATE INDEX jobs_reclaimable ON jobs (account_key, refunded_at) WHERE is_refunded AND NOT is_reclaimed;
DROP TABLE account_notes;
