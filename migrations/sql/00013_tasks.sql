-- Long work that somebody asked for and that a worker process does in the background: exports, checks of the
-- whole ledger, imports. The row is the truth; the queue only rings.

-- +goose Up
CREATE TABLE tasks (
    key          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           text COLLATE "C" NOT NULL UNIQUE,
    kind         text COLLATE "C" NOT NULL CHECK (kind <> ''),
    title        text NOT NULL DEFAULT '',
    input        json NOT NULL,
    state        text NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed', 'canceled')),
    done         bigint NOT NULL DEFAULT 0 CHECK (done >= 0),
    -- 0 while nobody knows how much there is to do.
    total        bigint NOT NULL DEFAULT 0 CHECK (total >= 0),
    result       json,
    error        text NOT NULL DEFAULT '',
    message      text NOT NULL DEFAULT '',
    requested_by text NOT NULL CHECK (requested_by <> ''),
    request_id   text NOT NULL DEFAULT '',
    traceparent  text NOT NULL DEFAULT '',
    -- How often it was taken: whoever holds the newest try may write.
    tries        integer NOT NULL DEFAULT 0 CHECK (tries >= 0),
    worker       text NOT NULL DEFAULT '',
    -- waiting: may be taken from; running: the lease ends.
    due_at       timestamptz NOT NULL,
    -- When the queue is to ring (again), and how often it did.
    ring_at      timestamptz NOT NULL,
    rings        integer NOT NULL DEFAULT 0,
    keep_ms      bigint NOT NULL DEFAULT 0 CHECK (keep_ms >= 0),
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    started_at   timestamptz,
    finished_at  timestamptz,
    -- Until when the result is kept; NULL before it is done and for results that stay.
    expires_at   timestamptz,
    CHECK ((finished_at IS NOT NULL) = (state IN ('done', 'failed', 'canceled'))),
    CHECK ((error <> '') = (state = 'failed'))
) WITH (fillfactor = 70);
CREATE INDEX tasks_ring ON tasks (ring_at) WHERE state IN ('waiting', 'running');
CREATE INDEX tasks_by_kind ON tasks (kind, key);
CREATE INDEX tasks_expiry ON tasks (kind, expires_at) WHERE expires_at IS NOT NULL;

-- +goose Down
DROP TABLE tasks;
