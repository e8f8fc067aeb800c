-- What the three checks of a rollout have found, and how far they have read.

-- +goose Up
CREATE TABLE rollout_checks (
    rollout_id   text COLLATE "C" PRIMARY KEY REFERENCES rollouts (id),
    -- Decisions of transactions before it have been examined. It only advances below the oldest transaction that is
    -- still under way, so that one which commits late is not passed over.
    horizon      xid8 NOT NULL DEFAULT '0',
    examined     bigint NOT NULL DEFAULT 0,
    -- Up to where examined decisions have been looked at once more.
    again_tx      xid8 NOT NULL DEFAULT '0',
    again_account bigint NOT NULL DEFAULT 0,
    again_id      text COLLATE "C" NOT NULL DEFAULT '',
    -- The checks as they came out last, and when.
    results      jsonb,
    checked_at   timestamptz
) WITH (fillfactor = 50);

-- One thing that a check found. It stays when it is put right, with the time of that.
CREATE TABLE rollout_findings (
    rollout_id   text COLLATE "C" NOT NULL REFERENCES rollouts (id),
    "check"      text NOT NULL CHECK ("check" IN ('uniqueness', 'consistency', 'reconciliation')),
    account_key  bigint NOT NULL,
    operation_id text COLLATE "C" NOT NULL,
    what         text NOT NULL,
    expected     text NOT NULL,
    found        text NOT NULL,
    found_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    gone_at      timestamptz,
    PRIMARY KEY (rollout_id, "check", account_key, operation_id, what)
);
CREATE TRIGGER rollout_findings_keep BEFORE DELETE OR TRUNCATE ON rollout_findings FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE rollout_findings ENABLE ALWAYS TRIGGER rollout_findings_keep;

-- +goose Down
DROP TABLE rollout_findings;
DROP TABLE rollout_checks;
