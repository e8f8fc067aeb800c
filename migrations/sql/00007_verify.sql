-- What each run of the verifier found, so that screens can say when the ledger was last read back.

-- +goose Up
CREATE TABLE verify_runs (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    started_at   timestamptz NOT NULL,
    finished_at  timestamptz NOT NULL,
    -- A run over some accounts only says nothing of the others.
    partial      boolean NOT NULL,
    accounts     bigint NOT NULL,
    entries      bigint NOT NULL,
    jobs         bigint NOT NULL,
    problems     bigint NOT NULL,
    -- Check → number of problems; checks without problems are absent.
    by_check     jsonb NOT NULL DEFAULT '{}',
    -- Digest of every account's newest entry at heads_at; both NULL for a partial run.
    heads_digest text,
    heads_at     timestamptz,
    CHECK ((heads_digest IS NULL) = (heads_at IS NULL))
);

-- +goose Down
DROP TABLE verify_runs;
