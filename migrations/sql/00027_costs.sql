-- What providers billed, whom it is put down to, and what a credit is worth. Records, attributions and values are
-- append-only; a rule can be retired, once.

-- +goose Up
-- Overhead rules: what a named person decided to belong to no job. Empty members do not restrict.
CREATE TABLE cost_rules (
    key             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id              text COLLATE "C" NOT NULL UNIQUE,
    source          text COLLATE "C" NOT NULL DEFAULT '',
    -- A part of the description, compared without case.
    description     text NOT NULL DEFAULT '',
    dimension       text NOT NULL DEFAULT '',
    dimension_value text NOT NULL DEFAULT '',
    author          text NOT NULL CHECK (author <> ''),
    reason          text NOT NULL CHECK (reason <> ''),
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    retired_at      timestamptz,
    retired_by      text NOT NULL DEFAULT '',
    retire_reason   text NOT NULL DEFAULT '',
    CHECK (source <> '' OR description <> '' OR dimension <> ''),
    CHECK ((dimension <> '') = (dimension_value <> '')),
    CHECK ((retired_at IS NOT NULL) = (retired_by <> '')),
    CHECK ((retired_at IS NOT NULL) = (retire_reason <> ''))
);
-- +goose StatementBegin
CREATE FUNCTION cost_rules_retire() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.retired_at IS NOT NULL OR NEW.retired_at IS NULL
       OR (OLD.key, OLD.id, OLD.source, OLD.description, OLD.dimension, OLD.dimension_value, OLD.author, OLD.reason, OLD.created_at)
          IS DISTINCT FROM
          (NEW.key, NEW.id, NEW.source, NEW.description, NEW.dimension, NEW.dimension_value, NEW.author, NEW.reason, NEW.created_at) THEN
        RAISE EXCEPTION USING ERRCODE = 'RC002', MESSAGE = format('overhead rule %s can only be retired, once', OLD.id);
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER cost_rules_once BEFORE UPDATE ON cost_rules FOR EACH ROW EXECUTE FUNCTION cost_rules_retire();
CREATE TRIGGER cost_rules_keep BEFORE DELETE OR TRUNCATE ON cost_rules FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE cost_rules ENABLE ALWAYS TRIGGER cost_rules_once;
ALTER TABLE cost_rules ENABLE ALWAYS TRIGGER cost_rules_keep;

CREATE TABLE cost_records (
    key          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source       text COLLATE "C" NOT NULL CHECK (source ~ '^[A-Za-z0-9._:@-]{1,64}$' AND source NOT IN ('.', '..')),
    external_id  text COLLATE "C" NOT NULL CHECK (external_id <> '' AND char_length(external_id) <= 200),
    -- Exact; NaN and Infinity are beyond the bound.
    amount       numeric NOT NULL CHECK (abs(amount) < 100000000000000000000 AND scale(trim_scale(amount)) <= 60),
    currency     text COLLATE "C" NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    occurred_at  timestamptz NOT NULL,
    -- What the record names, as it was given; nothing of it need exist.
    account_id   text COLLATE "C" NOT NULL DEFAULT '',
    job_id       text COLLATE "C" NOT NULL DEFAULT '',
    job_operation_id text COLLATE "C" NOT NULL DEFAULT '',
    -- An unknown action would concern no rollout, so it must be one of ours.
    action       text COLLATE "C" REFERENCES actions (id),
    description  text NOT NULL DEFAULT '' CHECK (char_length(description) <= 500),
    dimensions   jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(dimensions) = 'object' AND octet_length(dimensions::text) <= 16384),
    -- SHA-256 of all that was given, to tell a repeat from another record under the same id.
    digest       bytea NOT NULL CHECK (octet_length(digest) = 32),
    import_id    text COLLATE "C",
    actor        text NOT NULL CHECK (actor <> ''),
    operation_id text COLLATE "C" NOT NULL,
    recorded_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (source, external_id),
    CHECK (job_id = '' OR job_operation_id = ''),
    CHECK ((account_id <> '') = (job_id <> '' OR job_operation_id <> ''))
);
CREATE INDEX cost_records_by_time ON cost_records (occurred_at, key);
CREATE TRIGGER cost_records_append_only_row BEFORE UPDATE OR DELETE ON cost_records FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER cost_records_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON cost_records FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE cost_records ENABLE ALWAYS TRIGGER cost_records_append_only_row;
ALTER TABLE cost_records ENABLE ALWAYS TRIGGER cost_records_append_only;

-- Whom a record is put down to: the newest row holds, the others are its history.
CREATE TABLE cost_attributions (
    record_key   bigint NOT NULL REFERENCES cost_records (key),
    seq          integer NOT NULL CHECK (seq >= 1),
    state        text NOT NULL CHECK (state IN ('attributed', 'overhead', 'unattributed')),
    account_key  bigint,
    job_key      bigint,
    job_operation_id text COLLATE "C",
    rule_key     bigint REFERENCES cost_rules (key),
    -- The job's action where there is a job, else the record's own.
    action       text COLLATE "C" REFERENCES actions (id),
    cause        text NOT NULL CHECK (cause IN ('recorded', 'rule', 'person')),
    reason       text NOT NULL DEFAULT '',
    actor        text NOT NULL CHECK (actor <> ''),
    operation_id text COLLATE "C" NOT NULL,
    at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (record_key, seq),
    FOREIGN KEY (account_key, job_key) REFERENCES jobs (account_key, key),
    CHECK ((state = 'attributed') = (account_key IS NOT NULL)),
    CHECK (state <> 'attributed' OR job_key IS NOT NULL OR job_operation_id IS NOT NULL),
    CHECK ((state = 'overhead') = (rule_key IS NOT NULL)),
    CHECK (cause <> 'person' OR reason <> '')
);
CREATE TRIGGER cost_attributions_append_only_row BEFORE UPDATE OR DELETE ON cost_attributions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER cost_attributions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON cost_attributions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE cost_attributions ENABLE ALWAYS TRIGGER cost_attributions_append_only_row;
ALTER TABLE cost_attributions ENABLE ALWAYS TRIGGER cost_attributions_append_only;

-- A copy of each record's newest attribution, for lists and sums. A trigger keeps it; nobody else may.
CREATE TABLE cost_states (
    record_key   bigint PRIMARY KEY REFERENCES cost_records (key),
    seq          integer NOT NULL,
    state        text NOT NULL,
    account_key  bigint,
    job_key      bigint,
    job_operation_id text COLLATE "C",
    rule_key     bigint,
    action       text COLLATE "C",
    occurred_at  timestamptz NOT NULL
) WITH (fillfactor = 90);
CREATE INDEX cost_states_unattributed ON cost_states (occurred_at, record_key) WHERE state = 'unattributed';
CREATE INDEX cost_states_by_job ON cost_states (account_key, job_key) WHERE job_key IS NOT NULL;
-- +goose StatementBegin
CREATE FUNCTION cost_states_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.seq = 1 THEN
        INSERT INTO cost_states (record_key, seq, state, account_key, job_key, job_operation_id, rule_key, action, occurred_at)
        SELECT r.key, 1, NEW.state, NEW.account_key, NEW.job_key, NEW.job_operation_id, NEW.rule_key, NEW.action, r.occurred_at
        FROM cost_records r WHERE r.key = NEW.record_key;
    ELSE
        UPDATE cost_states SET seq = NEW.seq, state = NEW.state, account_key = NEW.account_key, job_key = NEW.job_key,
            job_operation_id = NEW.job_operation_id, rule_key = NEW.rule_key, action = NEW.action
        WHERE record_key = NEW.record_key AND seq = NEW.seq - 1;
    END IF;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'RC003', MESSAGE = format('attribution %s of cost record %s does not follow the newest one', NEW.seq, NEW.record_key);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER cost_attributions_follow AFTER INSERT ON cost_attributions FOR EACH ROW EXECUTE FUNCTION cost_states_follow();
ALTER TABLE cost_attributions ENABLE ALWAYS TRIGGER cost_attributions_follow;
-- +goose StatementBegin
CREATE FUNCTION cost_states_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF pg_trigger_depth() < 2 THEN
        RAISE EXCEPTION USING ERRCODE = 'RC002', MESSAGE = 'cost_states follows cost_attributions: write there';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER cost_states_guarded BEFORE INSERT OR UPDATE ON cost_states FOR EACH ROW EXECUTE FUNCTION cost_states_guard();
CREATE TRIGGER cost_states_keep BEFORE DELETE OR TRUNCATE ON cost_states FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE cost_states ENABLE ALWAYS TRIGGER cost_states_guarded;
ALTER TABLE cost_states ENABLE ALWAYS TRIGGER cost_states_keep;

-- What one credit is worth from a moment on. Of several for the same moment the newest row holds.
CREATE TABLE credit_values (
    key          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    currency     text COLLATE "C" NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    value        numeric NOT NULL CHECK (value > 0 AND value < 100000000000000000000 AND scale(trim_scale(value)) <= 60),
    valid_from   timestamptz NOT NULL,
    actor        text NOT NULL CHECK (actor <> ''),
    reason       text NOT NULL CHECK (reason <> ''),
    operation_id text COLLATE "C" NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX credit_values_by_currency ON credit_values (currency, valid_from, key);
CREATE TRIGGER credit_values_append_only_row BEFORE UPDATE OR DELETE ON credit_values FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER credit_values_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON credit_values FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE credit_values ENABLE ALWAYS TRIGGER credit_values_append_only_row;
ALTER TABLE credit_values ENABLE ALWAYS TRIGGER credit_values_append_only;

-- Delivered jobs of a period, to say for how many of them a cost is known.
CREATE INDEX jobs_delivered ON jobs (delivered_at) WHERE delivered_at IS NOT NULL;

-- +goose Down
DROP INDEX jobs_delivered;
DROP TABLE credit_values;
DROP TABLE cost_states;
DROP TABLE cost_attributions;
DROP TABLE cost_records;
DROP TABLE cost_rules;
DROP FUNCTION cost_states_guard, cost_states_follow, cost_rules_retire;
