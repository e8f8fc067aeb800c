-- How long each check of a run took, beside the whole run.

-- +goose Up
-- Check → nanoseconds. Checks that are made in one reading share what it took; empty for runs of before.
ALTER TABLE verify_runs ADD COLUMN took jsonb NOT NULL DEFAULT '{}';

-- +goose Down
ALTER TABLE verify_runs DROP COLUMN took;
