-- A job's operations are found through its timeline, whose rows name them. The index on operations cost
-- every operation two index writes: its job is known only with its result, so the one update that
-- stores the result could never stay within its page.

-- +goose Up
DROP INDEX operations_by_job;

-- +goose Down
CREATE INDEX operations_by_job ON operations (account_key, job_key) WHERE job_key IS NOT NULL;
