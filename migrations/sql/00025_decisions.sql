-- Which price applies to an operation, frozen by its first record: one row a charge or quote.

-- +goose Up
CREATE TABLE decisions (
    account_key     bigint NOT NULL,
    operation_id    text COLLATE "C" NOT NULL,
    -- Its input.
    action          text COLLATE "C" NOT NULL,
    units           bigint NOT NULL CHECK (units >= 1),
    rule_version    text COLLATE "C" NOT NULL,
    price           bigint NOT NULL CHECK (price >= 0),
    -- The live rollout and its version as they were read, the stage that admits the account where one does, and
    -- the account's bucket; all NULL outside a rollout.
    rollout_id      text COLLATE "C",
    rollout_version bigint,
    stage           integer,
    cohort          text NOT NULL,
    bucket          integer,
    -- Why, as a stable word.
    reason          text NOT NULL,
    -- Until when a charge may adopt it: set for quotes alone.
    expires_at      timestamptz,
    trace_id        bytea,
    at              timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The transaction that wrote it, for what reads decisions of a rollout in the order in which they became visible.
    tx              xid8,
    PRIMARY KEY (account_key, operation_id),
    CHECK ((rollout_id IS NULL) = (rollout_version IS NULL) AND (rollout_id IS NULL) = (bucket IS NULL) AND (rollout_id IS NULL) = (tx IS NULL)),
    CHECK (stage IS NULL OR rollout_id IS NOT NULL)
);
CREATE INDEX decisions_of_rollout ON decisions (rollout_id, tx, account_key, operation_id) WHERE rollout_id IS NOT NULL;
CREATE TRIGGER decisions_append_only_row BEFORE UPDATE OR DELETE ON decisions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER decisions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON decisions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE decisions ENABLE ALWAYS TRIGGER decisions_append_only_row;
ALTER TABLE decisions ENABLE ALWAYS TRIGGER decisions_append_only;

-- Entries of a rollout, for its checks and the ledger's filter. Entries outside rollouts are not in it.
CREATE INDEX entries_of_rollout ON entries (rollout_id, created_at, account_key, seq) WHERE rollout_id IS NOT NULL;

-- +goose Down
DROP INDEX entries_of_rollout;
DROP TABLE decisions;
