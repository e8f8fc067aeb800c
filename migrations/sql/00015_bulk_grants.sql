-- Files of grants: what was uploaded, by whom, and what became of it. All lines are applied or none.

-- +goose Up
CREATE TABLE bulk_grants (
    key          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           text COLLATE "C" NOT NULL UNIQUE CHECK (id ~ '^bg_[a-z0-9]{16}$'),
    name         text NOT NULL,
    -- SHA-256 of the file as it was uploaded.
    digest       bytea NOT NULL CHECK (octet_length(digest) = 32),
    -- The lines as they were read, in JSON.
    lines        text NOT NULL,
    count        integer NOT NULL CHECK (count BETWEEN 1 AND 10000),
    credits      numeric NOT NULL CHECK (credits > 0),
    uploaded_by  text COLLATE "C" NOT NULL CHECK (uploaded_by <> ''),
    uploaded_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The operation that confirmed it, in the scope bulk_grants.
    operation_id text COLLATE "C",
    -- The task that applies it, once nothing stands against that.
    task_id      text,
    applied_at   timestamptz,
    -- How many of its grants are new; the others had been applied before.
    granted      integer,
    CHECK ((applied_at IS NULL) = (granted IS NULL)),
    CHECK (task_id IS NULL OR operation_id IS NOT NULL),
    CHECK (applied_at IS NULL OR task_id IS NOT NULL)
);
CREATE INDEX bulk_grants_by_uploader ON bulk_grants (uploaded_by, key);

-- What was uploaded is what is previewed, approved and applied; what was applied stays so.
-- +goose StatementBegin
CREATE FUNCTION bulk_grants_forward() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (OLD.key, OLD.id, OLD.name, OLD.digest, OLD.lines, OLD.count, OLD.credits, OLD.uploaded_by, OLD.uploaded_at)
          IS DISTINCT FROM (NEW.key, NEW.id, NEW.name, NEW.digest, NEW.lines, NEW.count, NEW.credits, NEW.uploaded_by, NEW.uploaded_at)
       OR OLD.operation_id IS NOT NULL AND NEW.operation_id IS DISTINCT FROM OLD.operation_id
       OR OLD.task_id IS NOT NULL AND NEW.task_id IS DISTINCT FROM OLD.task_id
       OR OLD.applied_at IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'RC002', MESSAGE = format('file of grants %s: what was uploaded, confirmed or applied is never changed', OLD.id);
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER bulk_grants_only_forward BEFORE UPDATE ON bulk_grants FOR EACH ROW EXECUTE FUNCTION bulk_grants_forward();
CREATE TRIGGER bulk_grants_keep_row BEFORE DELETE ON bulk_grants FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER bulk_grants_keep BEFORE DELETE OR TRUNCATE ON bulk_grants FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE bulk_grants ENABLE ALWAYS TRIGGER bulk_grants_only_forward;
ALTER TABLE bulk_grants ENABLE ALWAYS TRIGGER bulk_grants_keep_row;
ALTER TABLE bulk_grants ENABLE ALWAYS TRIGGER bulk_grants_keep;

-- +goose Down
DROP TABLE bulk_grants;
DROP FUNCTION bulk_grants_forward;
