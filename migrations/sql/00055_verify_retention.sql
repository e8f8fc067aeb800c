-- Runs of the verifier that are old may be removed; nothing of a run is ever changed, and a young one stays.

-- +goose Up
-- +goose StatementBegin
CREATE FUNCTION verify_runs_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'DELETE' OR OLD.finished_at > clock_timestamp() - interval '90 days' THEN
        RAISE EXCEPTION USING ERRCODE = 'RC002', MESSAGE = format('%s keeps its rows for 90 days: %s is refused', TG_TABLE_NAME, TG_OP);
    END IF;
    RETURN OLD;
END $$;
CREATE FUNCTION verify_problems_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'DELETE' OR EXISTS (SELECT 1 FROM verify_runs WHERE id = OLD.run_id AND finished_at > clock_timestamp() - interval '90 days') THEN
        RAISE EXCEPTION USING ERRCODE = 'RC002', MESSAGE = format('%s keeps its rows for 90 days: %s is refused', TG_TABLE_NAME, TG_OP);
    END IF;
    RETURN OLD;
END $$;
-- +goose StatementEnd
DROP TRIGGER verify_runs_append_only_row ON verify_runs;
DROP TRIGGER verify_runs_append_only ON verify_runs;
DROP TRIGGER verify_problems_append_only_row ON verify_problems;
DROP TRIGGER verify_problems_append_only ON verify_problems;
CREATE TRIGGER verify_runs_stay BEFORE UPDATE OR DELETE ON verify_runs FOR EACH ROW EXECUTE FUNCTION verify_runs_stay();
CREATE TRIGGER verify_runs_unchanged BEFORE UPDATE OR TRUNCATE ON verify_runs FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER verify_problems_stay BEFORE UPDATE OR DELETE ON verify_problems FOR EACH ROW EXECUTE FUNCTION verify_problems_stay();
CREATE TRIGGER verify_problems_unchanged BEFORE UPDATE OR TRUNCATE ON verify_problems FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE verify_runs ENABLE ALWAYS TRIGGER verify_runs_stay;
ALTER TABLE verify_runs ENABLE ALWAYS TRIGGER verify_runs_unchanged;
ALTER TABLE verify_problems ENABLE ALWAYS TRIGGER verify_problems_stay;
ALTER TABLE verify_problems ENABLE ALWAYS TRIGGER verify_problems_unchanged;

-- +goose Down
DROP TRIGGER verify_runs_stay ON verify_runs;
DROP TRIGGER verify_runs_unchanged ON verify_runs;
DROP TRIGGER verify_problems_stay ON verify_problems;
DROP TRIGGER verify_problems_unchanged ON verify_problems;
DROP FUNCTION verify_runs_stay, verify_problems_stay;
CREATE TRIGGER verify_runs_append_only_row BEFORE UPDATE OR DELETE ON verify_runs FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER verify_runs_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON verify_runs FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER verify_problems_append_only_row BEFORE UPDATE OR DELETE ON verify_problems FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER verify_problems_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON verify_problems FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE verify_runs ENABLE ALWAYS TRIGGER verify_runs_append_only_row;
ALTER TABLE verify_runs ENABLE ALWAYS TRIGGER verify_runs_append_only;
ALTER TABLE verify_problems ENABLE ALWAYS TRIGGER verify_problems_append_only_row;
ALTER TABLE verify_problems ENABLE ALWAYS TRIGGER verify_problems_append_only;
