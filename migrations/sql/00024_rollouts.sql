-- Rule versions that exist without being in force, what is retired, when which price came into force; and rollouts
-- with their stages, their history and the accounts they have enrolled.

-- +goose Up
ALTER TABLE actions ADD COLUMN retired_at timestamptz;
CREATE TRIGGER actions_keep BEFORE DELETE OR TRUNCATE ON actions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE actions ENABLE ALWAYS TRIGGER actions_keep;

-- The worked example of a rule version: so many units, beside the version that was in force when it was made.
-- Both versions are immutable, so the two costs can be computed at any time and are the same for ever.
ALTER TABLE rule_versions
    ADD COLUMN example_units bigint NOT NULL DEFAULT 60 CHECK (example_units >= 1),
    ADD COLUMN compared_with text COLLATE "C" REFERENCES rule_versions (id);

-- Retiring is a row of its own, since the version itself never changes.
CREATE TABLE rule_retirements (
    rule_version text COLLATE "C" PRIMARY KEY REFERENCES rule_versions (id),
    actor        text NOT NULL CHECK (actor <> ''),
    reason       text NOT NULL CHECK (reason <> ''),
    operation_id text COLLATE "C" NOT NULL,
    at           timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TRIGGER rule_retirements_append_only_row BEFORE UPDATE OR DELETE ON rule_retirements FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER rule_retirements_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON rule_retirements FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE rule_retirements ENABLE ALWAYS TRIGGER rule_retirements_append_only_row;
ALTER TABLE rule_retirements ENABLE ALWAYS TRIGGER rule_retirements_append_only;

-- Each time a rule version came into force.
CREATE TABLE price_changes (
    key          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    action       text COLLATE "C" NOT NULL REFERENCES actions (id),
    rule_version text COLLATE "C" NOT NULL REFERENCES rule_versions (id),
    previous     text COLLATE "C" REFERENCES rule_versions (id),
    -- The rollout whose completion it was, or NULL.
    rollout_id   text COLLATE "C",
    actor        text NOT NULL CHECK (actor <> ''),
    reason       text NOT NULL,
    operation_id text COLLATE "C" NOT NULL,
    at           timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX price_changes_of_action ON price_changes (action, key);
-- Until now a rule version came into force by being made.
INSERT INTO price_changes (action, rule_version, previous, actor, reason, operation_id, at)
SELECT action, id, lag(id) OVER (PARTITION BY action ORDER BY version), author, reason, '', created_at
FROM rule_versions ORDER BY created_at, version;
CREATE TRIGGER price_changes_append_only_row BEFORE UPDATE OR DELETE ON price_changes FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER price_changes_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON price_changes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE price_changes ENABLE ALWAYS TRIGGER price_changes_append_only_row;
ALTER TABLE price_changes ENABLE ALWAYS TRIGGER price_changes_append_only;

-- A planned change from one rule version, the baseline, to another, the candidate.
CREATE TABLE rollouts (
    id            text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'),
    title         text NOT NULL DEFAULT '',
    action        text COLLATE "C" NOT NULL REFERENCES actions (id),
    baseline      text COLLATE "C" NOT NULL REFERENCES rule_versions (id),
    candidate     text COLLATE "C" NOT NULL REFERENCES rule_versions (id),
    salt          text NOT NULL CHECK (salt <> ''),
    state         text NOT NULL DEFAULT 'draft'
                  CHECK (state IN ('draft', 'running', 'paused', 'halted', 'rolled_back', 'completed', 'archived')),
    version       bigint NOT NULL DEFAULT 1 CHECK (version >= 1),
    -- The stage it stands at: 0 before the start.
    stage         integer NOT NULL DEFAULT 0 CHECK (stage >= 0),
    stage_since   timestamptz,
    -- What the checks need before they say anything: charges under the candidate, and the share of delivered
    -- jobs whose costs are known, in hundredths of a percent.
    min_charges   integer NOT NULL CHECK (min_charges >= 1),
    min_costs_bps integer NOT NULL CHECK (min_costs_bps BETWEEN 0 AND 10000),
    created_by    text NOT NULL CHECK (created_by <> ''),
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    started_at    timestamptz,
    ended_at      timestamptz,
    CHECK (baseline <> candidate),
    CHECK ((stage = 0) = (state IN ('draft', 'archived'))),
    CHECK ((started_at IS NULL) = (stage = 0) AND (stage_since IS NULL) = (stage = 0)),
    CHECK ((ended_at IS NOT NULL) = (state IN ('rolled_back', 'completed', 'archived')))
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX rollouts_one_live ON rollouts (action) WHERE state IN ('running', 'paused', 'halted');
CREATE INDEX rollouts_by_time ON rollouts (created_at, id);

-- What a rollout is stays as it was made; its state moves along the edges that there are, one version a step.
-- +goose StatementBegin
CREATE FUNCTION rollouts_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (OLD.id, OLD.action, OLD.baseline, OLD.candidate, OLD.salt, OLD.min_charges, OLD.min_costs_bps, OLD.created_by, OLD.created_at)
       IS DISTINCT FROM (NEW.id, NEW.action, NEW.baseline, NEW.candidate, NEW.salt, NEW.min_charges, NEW.min_costs_bps, NEW.created_by, NEW.created_at) THEN
        RAISE EXCEPTION USING ERRCODE = 'RC002', MESSAGE = format('rollout %s: what it is never changes', OLD.id);
    END IF;
    IF NEW.version <> OLD.version + 1 OR NEW.stage < OLD.stage
       OR NOT (OLD.state || ' ' || NEW.state) IN ('draft running', 'draft archived', 'running running', 'running paused', 'running halted',
           'running rolled_back', 'running completed', 'paused running', 'paused halted', 'paused rolled_back', 'halted running', 'halted rolled_back') THEN
        RAISE EXCEPTION USING ERRCODE = 'RC002', MESSAGE = format('rollout %s: no step leads from %s, version %s, to %s, version %s',
            OLD.id, OLD.state, OLD.version, NEW.state, NEW.version);
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER rollouts_step BEFORE UPDATE ON rollouts FOR EACH ROW EXECUTE FUNCTION rollouts_move();
CREATE TRIGGER rollouts_keep BEFORE DELETE OR TRUNCATE ON rollouts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE rollouts ENABLE ALWAYS TRIGGER rollouts_step;
ALTER TABLE rollouts ENABLE ALWAYS TRIGGER rollouts_keep;

-- Whom each stage admits, beside those that the stages before it admit.
CREATE TABLE rollout_stages (
    rollout_id  text COLLATE "C" NOT NULL REFERENCES rollouts (id),
    stage       integer NOT NULL CHECK (stage >= 1),
    -- Buckets below it are admitted, of 100000.
    threshold   integer NOT NULL CHECK (threshold BETWEEN 0 AND 100000),
    -- {"accounts": [...], "plans": [...], "regions": [...], "attributes": {"name": "value"}}
    segment     jsonb NOT NULL DEFAULT '{}',
    min_dwell_s bigint NOT NULL DEFAULT 0 CHECK (min_dwell_s >= 0),
    PRIMARY KEY (rollout_id, stage)
);
CREATE TRIGGER rollout_stages_append_only_row BEFORE UPDATE OR DELETE ON rollout_stages FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER rollout_stages_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON rollout_stages FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE rollout_stages ENABLE ALWAYS TRIGGER rollout_stages_append_only_row;
ALTER TABLE rollout_stages ENABLE ALWAYS TRIGGER rollout_stages_append_only;

-- Every step of a rollout: one row a version.
CREATE TABLE rollout_events (
    rollout_id   text COLLATE "C" NOT NULL REFERENCES rollouts (id),
    version      bigint NOT NULL CHECK (version >= 1),
    kind         text NOT NULL CHECK (kind IN ('created', 'started', 'advanced', 'paused', 'resumed', 'halted', 'rolled_back', 'completed', 'archived')),
    state_before text NOT NULL,
    state_after  text NOT NULL,
    stage_before integer NOT NULL,
    stage_after  integer NOT NULL,
    -- How many accounts were enrolled at the step.
    enrolled     bigint NOT NULL,
    -- What the checks said where they were asked, else NULL.
    checks       jsonb,
    actor        text NOT NULL CHECK (actor <> ''),
    reason       text NOT NULL,
    operation_id text COLLATE "C" NOT NULL,
    request_id   text NOT NULL DEFAULT '',
    trace_id     bytea,
    at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (rollout_id, version)
);
-- Each stage is reached once, whoever advances and however often.
CREATE UNIQUE INDEX rollout_events_one_step ON rollout_events (rollout_id, stage_after) WHERE kind IN ('started', 'advanced');
CREATE TRIGGER rollout_events_append_only_row BEFORE UPDATE OR DELETE ON rollout_events FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER rollout_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON rollout_events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE rollout_events ENABLE ALWAYS TRIGGER rollout_events_append_only_row;
ALTER TABLE rollout_events ENABLE ALWAYS TRIGGER rollout_events_append_only;

-- Accounts that had a decision for a rollout's candidate: they keep it while the rollout is live.
CREATE TABLE enrolments (
    account_key     bigint NOT NULL REFERENCES accounts (key),
    rollout_id      text COLLATE "C" NOT NULL REFERENCES rollouts (id),
    -- The first stage that admitted it, and the version of the rollout that was read.
    stage           integer NOT NULL CHECK (stage >= 1),
    rollout_version bigint NOT NULL,
    bucket          integer NOT NULL CHECK (bucket BETWEEN 0 AND 99999),
    reason          text NOT NULL,
    operation_id    text COLLATE "C" NOT NULL,
    enrolled_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (account_key, rollout_id)
);
CREATE INDEX enrolments_of_rollout ON enrolments (rollout_id, enrolled_at, account_key);
CREATE TRIGGER enrolments_append_only_row BEFORE UPDATE OR DELETE ON enrolments FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER enrolments_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON enrolments FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE enrolments ENABLE ALWAYS TRIGGER enrolments_append_only_row;
ALTER TABLE enrolments ENABLE ALWAYS TRIGGER enrolments_append_only;

-- +goose Down
DROP TABLE enrolments;
DROP TABLE rollout_events;
DROP TABLE rollout_stages;
DROP TABLE rollouts;
DROP FUNCTION rollouts_move;
DROP TABLE price_changes;
DROP TABLE rule_retirements;
ALTER TABLE rule_versions DROP COLUMN compared_with, DROP COLUMN example_units;
DROP TRIGGER actions_keep ON actions;
ALTER TABLE actions DROP COLUMN retired_at;
