-- The processes of an installation, each telling every few seconds that it lives and what it sees of
-- the queue. Nothing depends on these rows: they are for people.

-- +goose Up
CREATE TABLE processes (
    id            text COLLATE "C" PRIMARY KEY,
    kind          text NOT NULL CHECK (kind IN ('serve', 'work', 'dev')),
    host          text NOT NULL,
    pid           integer NOT NULL,
    version       text NOT NULL DEFAULT '',
    started_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    beat_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    redis_ok      boolean NOT NULL,
    -- Age of the oldest wake-up call still owed to the queue, and how many are owed (capped).
    relay_lag_ms  bigint NOT NULL CHECK (relay_lag_ms >= 0),
    outbox_rows   bigint NOT NULL CHECK (outbox_rows >= 0),
    -- When this process last finished a sweep, NULL while it never did; and how many jobs it moved
    -- since it started.
    last_sweep_at timestamptz,
    swept         bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
CREATE INDEX processes_by_beat ON processes (beat_at);

-- +goose Down
DROP TABLE processes;
