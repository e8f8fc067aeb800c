-- What runs and what awaits its next try is listed and counted apart: with a hundred thousand retries waiting after an outage, the few
-- jobs that run were found by walking over all of them. A row is in one of the two as it was in the one that they replace.

-- +goose Up
CREATE INDEX waiting_line_running ON waiting_line (due_at, account_key, job_key) WHERE phase = 'running';
CREATE INDEX waiting_line_retrying ON waiting_line (due_at, account_key, job_key) WHERE phase = 'retrying';
DROP INDEX waiting_line_due;

-- +goose Down
CREATE INDEX waiting_line_due ON waiting_line (due_at, account_key, job_key) WHERE phase <> 'queued';
DROP INDEX waiting_line_retrying;
DROP INDEX waiting_line_running;
