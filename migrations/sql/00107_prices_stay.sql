-- What an action is, that it is retired, its price while a rollout is live, and the stages of a rollout stay as they are, also
-- for whoever owns the tables.

-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION actions_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (OLD.id, OLD.unit, OLD.created_at) IS DISTINCT FROM (NEW.id, NEW.unit, NEW.created_at) THEN
        RAISE EXCEPTION USING ERRCODE = 'RC002', MESSAGE = format('action %s: what it is and what it counts never change', OLD.id);
    END IF;
    IF OLD.retired_at IS NOT NULL AND (OLD.retired_at, OLD.baseline) IS DISTINCT FROM (NEW.retired_at, NEW.baseline) THEN
        RAISE EXCEPTION USING ERRCODE = 'RC002', MESSAGE = format('action %s: it is retired, and stays so with the price that it had', OLD.id);
    END IF;
    IF OLD.baseline IS DISTINCT FROM NEW.baseline
       AND EXISTS (SELECT 1 FROM rollouts WHERE action = OLD.id AND state IN ('running', 'paused', 'halted')) THEN
        RAISE EXCEPTION USING ERRCODE = 'RC002', MESSAGE = format('action %s: its price does not change while a rollout of it is live', OLD.id);
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER actions_stay BEFORE UPDATE ON actions FOR EACH ROW EXECUTE FUNCTION actions_stay();
ALTER TABLE actions ENABLE ALWAYS TRIGGER actions_stay;

-- A rollout comes with its stages; the first row of its history ends the making of it. Whoever approved a step approved these.
-- +goose StatementBegin
CREATE FUNCTION rollout_stages_come_first() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM rollout_events WHERE rollout_id = NEW.rollout_id)
       OR EXISTS (SELECT 1 FROM rollouts WHERE id = NEW.rollout_id AND state <> 'draft') THEN
        RAISE EXCEPTION USING ERRCODE = 'RC002', MESSAGE = format('rollout %s: it has the stages that it was made with', NEW.rollout_id);
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER rollout_stages_come_first BEFORE INSERT ON rollout_stages FOR EACH ROW EXECUTE FUNCTION rollout_stages_come_first();
ALTER TABLE rollout_stages ENABLE ALWAYS TRIGGER rollout_stages_come_first;

-- +goose Down
DROP TRIGGER rollout_stages_come_first ON rollout_stages;
DROP FUNCTION rollout_stages_come_first;
DROP TRIGGER actions_stay ON actions;
DROP FUNCTION actions_stay;
