-- One account's jobs and dead letters in the order of their lists. Without these the first page of an
-- account with few rows walks through everybody's.

-- +goose Up
CREATE INDEX jobs_of_account ON jobs (account_key, created_at, key);
CREATE INDEX jobs_dead_of_account ON jobs (account_key, dead_at, key) WHERE dead_at IS NOT NULL;

-- +goose Down
DROP INDEX jobs_dead_of_account;
DROP INDEX jobs_of_account;
