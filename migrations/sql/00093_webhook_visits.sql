-- Receivers outside are called one by one, each at its own pace: what is due for one is taken by whoever visits it, and one that does
-- not answer is left alone for a while. Before, all deliveries stood in one line, and a slow receiver kept every other waiting.

-- +goose Up
ALTER TABLE webhook_endpoints
    -- The bell for a visit; see the package bell.
    ADD COLUMN ring_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ADD COLUMN rings bigint NOT NULL DEFAULT 0,
    -- Nobody else visits before: the lease of a visit, or the pause after one that failed.
    ADD COLUMN busy_until timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Counts visits, so that one which lost its lease ends no other.
    ADD COLUMN visit bigint NOT NULL DEFAULT 0,
    -- Visits in a row that failed, and since when.
    ADD COLUMN failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
    ADD COLUMN failing_since timestamptz,
    ADD CONSTRAINT webhook_endpoints_failing CHECK ((failures = 0) = (failing_since IS NULL));

DROP INDEX webhook_deliveries_ring;
ALTER TABLE webhook_deliveries
    DROP COLUMN ring_at,
    DROP COLUMN rings,
    -- A person asked for it and looks at the page: it goes before what waits.
    ADD COLUMN asked boolean NOT NULL DEFAULT false;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_key, due_at) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_asked ON webhook_deliveries (endpoint_key, due_at) WHERE state = 'waiting' AND asked;

-- +goose Down
DROP INDEX webhook_deliveries_asked;
DROP INDEX webhook_deliveries_due;
ALTER TABLE webhook_deliveries
    DROP COLUMN asked,
    ADD COLUMN ring_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ADD COLUMN rings integer NOT NULL DEFAULT 0;
CREATE INDEX webhook_deliveries_ring ON webhook_deliveries (ring_at) WHERE state = 'waiting';
ALTER TABLE webhook_endpoints
    DROP CONSTRAINT webhook_endpoints_failing,
    DROP COLUMN failing_since,
    DROP COLUMN failures,
    DROP COLUMN visit,
    DROP COLUMN busy_until,
    DROP COLUMN rings,
    DROP COLUMN ring_at;
