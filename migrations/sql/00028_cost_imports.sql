-- Bills as files: uploaded, looked at, then imported in the background.

-- +goose Up
CREATE TABLE cost_imports (
    key          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           text COLLATE "C" NOT NULL UNIQUE,
    source       text COLLATE "C" NOT NULL,
    mapping      json NOT NULL,
    file_name    text NOT NULL,
    size         bigint NOT NULL,
    -- Of the file under its mapping; the same digest is the same import.
    digest       text COLLATE "C" NOT NULL,
    -- NULL once it is imported, and some days after it was not.
    content      bytea,
    actor        text NOT NULL CHECK (actor <> ''),
    operation_id text COLLATE "C" NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The task that imports it; NULL before it was asked for.
    task_id      text COLLATE "C",
    reason       text NOT NULL DEFAULT ''
);
CREATE TRIGGER cost_imports_keep BEFORE DELETE OR TRUNCATE ON cost_imports FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE cost_imports ENABLE ALWAYS TRIGGER cost_imports_keep;
CREATE INDEX cost_records_by_import ON cost_records (import_id, occurred_at, key) WHERE import_id IS NOT NULL;

-- +goose Down
DROP INDEX cost_records_by_import;
DROP TABLE cost_imports;
