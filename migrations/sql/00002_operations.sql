-- Operations: one intended change each, named by the caller, and what came of it.

-- +goose Up
CREATE TABLE operations (
    -- 0 and a scope name for what belongs to no account; else the account and its scope:
    -- '' for callers, 'system' for timers.
    account_key   bigint NOT NULL,
    scope         text COLLATE "C" NOT NULL,
    id            text COLLATE "C" NOT NULL CHECK (octet_length(id) BETWEEN 1 AND 255),
    kind          text NOT NULL,
    input_version smallint NOT NULL,
    -- Business field → digest of its canonical form.
    input         json NOT NULL,
    actor         text NOT NULL CHECK (actor <> ''),
    request_id    text NOT NULL DEFAULT '',
    trace_id      bytea,
    job_key       bigint,
    started_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    completed_at  timestamptz,
    -- json, not jsonb: a replay repeats these bytes.
    result        json,
    PRIMARY KEY (account_key, scope, id),
    CHECK ((result IS NULL) = (completed_at IS NULL))
) WITH (fillfactor = 70);
CREATE INDEX operations_by_job ON operations (account_key, job_key) WHERE job_key IS NOT NULL;

-- The one update allowed is the first result, and it changes nothing but the outcome.
-- +goose StatementBegin
CREATE FUNCTION operations_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.result IS NOT NULL OR NEW.result IS NULL
       OR (OLD.account_key, OLD.scope, OLD.id, OLD.kind, OLD.input_version, OLD.input::text, OLD.actor, OLD.started_at)
          IS DISTINCT FROM
          (NEW.account_key, NEW.scope, NEW.id, NEW.kind, NEW.input_version, NEW.input::text, NEW.actor, NEW.started_at) THEN
        RAISE EXCEPTION USING ERRCODE = 'RC002', MESSAGE = format('operation %s has its result: it is never changed', OLD.id);
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER operations_one_result BEFORE UPDATE ON operations FOR EACH ROW EXECUTE FUNCTION operations_once();
CREATE TRIGGER operations_keep_row BEFORE DELETE ON operations FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER operations_keep BEFORE DELETE OR TRUNCATE ON operations FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE operations ENABLE ALWAYS TRIGGER operations_one_result;
ALTER TABLE operations ENABLE ALWAYS TRIGGER operations_keep_row;
ALTER TABLE operations ENABLE ALWAYS TRIGGER operations_keep;

-- Every further try to send an operation: replays and conflicts. Kept for a configured time, so
-- rows may be deleted by the caretaker, never changed.
CREATE TABLE operation_attempts (
    key          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_key  bigint NOT NULL,
    scope        text COLLATE "C" NOT NULL,
    operation_id text COLLATE "C" NOT NULL,
    attempt      integer NOT NULL CHECK (attempt >= 2),
    outcome      text NOT NULL CHECK (outcome IN ('replayed', 'conflict')),
    fields       text[] NOT NULL DEFAULT '{}',
    price        bigint,
    rule_version text,
    actor        text NOT NULL,
    request_id   text NOT NULL DEFAULT '',
    trace_id     bytea,
    at           timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX operation_attempts_by_operation ON operation_attempts (account_key, scope, operation_id, key);
CREATE INDEX operation_attempts_by_time ON operation_attempts (at);

-- What people did, and everything that was refused, to whom, with before and after.
CREATE TABLE audit_log (
    key          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    actor        text NOT NULL CHECK (actor <> ''),
    action       text NOT NULL,
    object       text NOT NULL,
    outcome      text NOT NULL CHECK (outcome IN ('done', 'refused')),
    code         text NOT NULL DEFAULT '',
    reason       text NOT NULL DEFAULT '',
    before       jsonb,
    after        jsonb,
    operation_id text NOT NULL DEFAULT '',
    request_id   text NOT NULL DEFAULT '',
    trace_id     bytea
);
CREATE INDEX audit_log_by_time ON audit_log (at, key);
CREATE INDEX audit_log_by_object ON audit_log (object, key);
CREATE TRIGGER audit_log_append_only_row BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_append_only_row;
ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_append_only;

-- +goose Down
DROP TABLE audit_log;
DROP TABLE operation_attempts;
DROP TABLE operations;
DROP FUNCTION operations_once;
