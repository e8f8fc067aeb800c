-- The digest of all accounts' newest entries at a moment, taken nightly and also written outside the
-- database, so that a tail that was cut off is found.

-- +goose Up
CREATE TABLE anchors (
    moment     timestamptz PRIMARY KEY,
    digest     text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TRIGGER anchors_append_only_row BEFORE UPDATE OR DELETE ON anchors FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER anchors_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON anchors FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE anchors ENABLE ALWAYS TRIGGER anchors_append_only_row;
ALTER TABLE anchors ENABLE ALWAYS TRIGGER anchors_append_only;

-- +goose Down
DROP TABLE anchors;
