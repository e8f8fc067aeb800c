-- What runs of the verifier found, row by row, and the runs that people ask for.

-- +goose Up
ALTER TABLE verify_runs
    -- The background task that made the run; NULL for one of the command line.
    ADD COLUMN task_id text COLLATE "C" UNIQUE,
    ADD COLUMN requested_by text NOT NULL DEFAULT '',
    -- Names of the checks that were made: what is absent was not looked at.
    ADD COLUMN checks jsonb NOT NULL DEFAULT '[]';
UPDATE verify_runs SET checks = '["seq", "time", "balance", "hash", "head", "negative_since", "job", "once", "flags", "amount",
    "order", "attribution", "settlement", "line", "stuck", "operation"]';

CREATE TABLE verify_problems (
    run_id     bigint NOT NULL REFERENCES verify_runs (id),
    check_name text COLLATE "C" NOT NULL,
    -- Counts the problems of one check of one run. Only the first ones are kept; verify_runs.by_check has all counted.
    n          integer NOT NULL CHECK (n >= 1),
    account_id text NOT NULL DEFAULT '',
    seq        bigint NOT NULL DEFAULT 0,
    job_id     text NOT NULL DEFAULT '',
    expected   text NOT NULL,
    found      text NOT NULL,
    message    text NOT NULL,
    PRIMARY KEY (run_id, check_name, n)
);

-- What was found stays found.
CREATE TRIGGER verify_problems_append_only_row BEFORE UPDATE OR DELETE ON verify_problems FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER verify_problems_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON verify_problems FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE verify_problems ENABLE ALWAYS TRIGGER verify_problems_append_only_row;
ALTER TABLE verify_problems ENABLE ALWAYS TRIGGER verify_problems_append_only;
CREATE TRIGGER verify_runs_append_only_row BEFORE UPDATE OR DELETE ON verify_runs FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER verify_runs_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON verify_runs FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE verify_runs ENABLE ALWAYS TRIGGER verify_runs_append_only_row;
ALTER TABLE verify_runs ENABLE ALWAYS TRIGGER verify_runs_append_only;

-- How far a run is that is on.
CREATE TABLE verify_progress (
    task_id        text COLLATE "C" PRIMARY KEY,
    accounts       bigint NOT NULL,
    entries        bigint NOT NULL,
    jobs           bigint NOT NULL,
    problems       bigint NOT NULL,
    total_accounts bigint NOT NULL,
    total_entries  bigint NOT NULL
);

-- One run at a time.
CREATE UNIQUE INDEX tasks_one_verify ON tasks (kind) WHERE kind = 'verify' AND state IN ('waiting', 'running');

-- The audit log by each of its filters, newest first.
CREATE INDEX audit_log_by_actor ON audit_log (actor, at, key);
CREATE INDEX audit_log_by_action ON audit_log (action, at, key);
CREATE INDEX audit_log_refused ON audit_log (at, key) WHERE outcome = 'refused';
DROP INDEX audit_log_by_object;
CREATE INDEX audit_log_by_object ON audit_log (object, at, key);

-- +goose Down
DROP INDEX audit_log_by_object;
CREATE INDEX audit_log_by_object ON audit_log (object, key);
DROP INDEX audit_log_refused;
DROP INDEX audit_log_by_action;
DROP INDEX audit_log_by_actor;
DROP INDEX tasks_one_verify;
DROP TABLE verify_progress;
DROP TRIGGER verify_runs_append_only ON verify_runs;
DROP TRIGGER verify_runs_append_only_row ON verify_runs;
DROP TABLE verify_problems;
ALTER TABLE verify_runs DROP COLUMN checks, DROP COLUMN requested_by, DROP COLUMN task_id;
