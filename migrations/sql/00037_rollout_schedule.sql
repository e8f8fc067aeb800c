-- Steps of rollouts that are made at a time.

-- +goose Up
CREATE TABLE rollout_schedule (
    key              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    rollout_id       text COLLATE "C" NOT NULL REFERENCES rollouts (id),
    step             text COLLATE "C" NOT NULL CHECK (step IN ('start', 'advance', 'complete')),
    -- The stage that the step leads to; of a completion the last one.
    stage            integer NOT NULL CHECK (stage >= 1),
    -- What was asked for, and the moment that it is. A time of the clock that comes twice is its first, one that is left out
    -- is as much later as the clock is set forward.
    local_time       timestamp NOT NULL,
    zone             text NOT NULL CHECK (zone <> ''),
    at               timestamptz NOT NULL,
    reading          text NOT NULL CHECK (reading IN ('once', 'twice', 'left_out')),
    reason           text NOT NULL CHECK (reason <> ''),
    created_by       text COLLATE "C" NOT NULL CHECK (created_by <> ''),
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    operation_id     text COLLATE "C" NOT NULL,
    -- The change request that a second person agreed to; NULL where none was needed.
    change_request   text COLLATE "C",
    state            text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'fired', 'refused', 'cancelled')),
    -- What ended it: who, why in one word with its figures, and under which operation.
    ended_at         timestamptz,
    ended_by         text COLLATE "C",
    end_code         text COLLATE "C",
    end_detail       jsonb,
    end_reason       text NOT NULL DEFAULT '',
    end_scope        text COLLATE "C",
    end_operation_id text COLLATE "C",
    CONSTRAINT rollout_schedule_ended CHECK (CASE WHEN state = 'waiting' THEN num_nonnulls(ended_at, ended_by, end_scope, end_operation_id) = 0
        ELSE num_nonnulls(ended_at, ended_by, end_scope, end_operation_id) = 4 END),
    CONSTRAINT rollout_schedule_in_time CHECK (state <> 'fired' OR ended_at >= at)
);
-- A step waits once, and once it has fired it never waits again.
CREATE UNIQUE INDEX rollout_schedule_once ON rollout_schedule (rollout_id, step, stage) WHERE state IN ('waiting', 'fired');
CREATE INDEX rollout_schedule_of_rollout ON rollout_schedule (rollout_id, at, key);
CREATE INDEX rollout_schedule_due ON rollout_schedule (at, key) WHERE state = 'waiting';

-- +goose StatementBegin
CREATE FUNCTION rollout_schedule_ends() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state <> 'waiting' OR NEW.state = 'waiting'
       OR (OLD.key, OLD.rollout_id, OLD.step, OLD.stage, OLD.local_time, OLD.zone, OLD.at, OLD.reading, OLD.reason, OLD.created_by, OLD.created_at, OLD.operation_id, OLD.change_request)
          IS DISTINCT FROM
          (NEW.key, NEW.rollout_id, NEW.step, NEW.stage, NEW.local_time, NEW.zone, NEW.at, NEW.reading, NEW.reason, NEW.created_by, NEW.created_at, NEW.operation_id, NEW.change_request) THEN
        RAISE EXCEPTION USING ERRCODE = 'RC002', MESSAGE = format('scheduled step %s: what was asked for never changes, and it ends once', OLD.key);
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER rollout_schedule_end BEFORE UPDATE ON rollout_schedule FOR EACH ROW EXECUTE FUNCTION rollout_schedule_ends();
CREATE TRIGGER rollout_schedule_keep BEFORE DELETE OR TRUNCATE ON rollout_schedule FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE rollout_schedule ENABLE ALWAYS TRIGGER rollout_schedule_end;
ALTER TABLE rollout_schedule ENABLE ALWAYS TRIGGER rollout_schedule_keep;

-- +goose Down
DROP TABLE rollout_schedule;
DROP FUNCTION rollout_schedule_ends;
