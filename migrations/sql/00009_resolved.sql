-- When a dead letter was discarded, so that the list of resolved ones can be read latest first.

-- +goose Up
ALTER TABLE jobs ADD COLUMN resolved_at timestamptz;
UPDATE jobs SET resolved_at = updated_at WHERE state = 'discarded';
ALTER TABLE jobs ADD CONSTRAINT jobs_resolved_check CHECK ((resolved_at IS NOT NULL) = (state = 'discarded'));
CREATE INDEX jobs_resolved ON jobs (resolved_at, account_key, key) WHERE resolved_at IS NOT NULL;

-- +goose Down
DROP INDEX jobs_resolved;
ALTER TABLE jobs DROP CONSTRAINT jobs_resolved_check;
ALTER TABLE jobs DROP COLUMN resolved_at;
