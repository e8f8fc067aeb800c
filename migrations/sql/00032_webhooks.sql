-- Webhooks out: who wants to be told of what, what happened, and what became of each try to tell it.

-- +goose Up
CREATE TABLE webhook_endpoints (
    key             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id              text COLLATE "C" NOT NULL UNIQUE,
    url             text NOT NULL CHECK (octet_length(url) BETWEEN 1 AND 2000),
    description     text NOT NULL DEFAULT '',
    events          text[] NOT NULL CHECK (cardinality(events) > 0),
    state           text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'disabled')),
    disabled_reason text NOT NULL DEFAULT '',
    -- Sealed with the installation's secret, never readable from the database alone.
    secret          bytea NOT NULL,
    -- The secret before the last rotation signs too, until old_until.
    old_secret      bytea,
    old_until       timestamptz,
    version         integer NOT NULL DEFAULT 1,
    created_by      text NOT NULL CHECK (created_by <> ''),
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK ((old_secret IS NULL) = (old_until IS NULL))
);

-- What happened. Written with the change itself, and only where somebody wants to hear of it.
CREATE TABLE webhook_events (
    key         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id          text COLLATE "C" NOT NULL UNIQUE,
    type        text COLLATE "C" NOT NULL,
    -- json, not jsonb: what is signed and sent are these bytes.
    body        json NOT NULL,
    traceparent text NOT NULL DEFAULT '',
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE webhook_deliveries (
    key          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event_key    bigint NOT NULL REFERENCES webhook_events (key),
    endpoint_key bigint NOT NULL REFERENCES webhook_endpoints (key),
    state        text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'failed')),
    tries        integer NOT NULL DEFAULT 0,
    -- May be tried from; moved ahead by the length of a try while one runs.
    due_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    ring_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    rings        integer NOT NULL DEFAULT 0,
    traceparent  text NOT NULL DEFAULT '',
    finished_at  timestamptz,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK ((finished_at IS NULL) = (state = 'waiting'))
) WITH (fillfactor = 80);
CREATE INDEX webhook_deliveries_ring ON webhook_deliveries (ring_at) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_by_endpoint ON webhook_deliveries (endpoint_key, key);
CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (event_key);

CREATE TABLE webhook_attempts (
    delivery_key bigint NOT NULL REFERENCES webhook_deliveries (key) ON DELETE CASCADE,
    try          integer NOT NULL CHECK (try >= 1),
    at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    duration_ms  bigint NOT NULL CHECK (duration_ms >= 0),
    -- The HTTP status, 0 where none came.
    status       integer NOT NULL,
    error        text NOT NULL DEFAULT '',
    -- The beginning of what the receiver answered.
    answer       text NOT NULL DEFAULT '',
    PRIMARY KEY (delivery_key, try)
);

-- +goose Down
DROP TABLE webhook_attempts;
DROP TABLE webhook_deliveries;
DROP TABLE webhook_events;
DROP TABLE webhook_endpoints;
