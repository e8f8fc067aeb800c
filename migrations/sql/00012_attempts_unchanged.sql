-- Rows that count replays and conflicts are removed when they are old, and never changed: the database
-- holds the second half of that, too.

-- +goose Up
CREATE TRIGGER operation_attempts_unchanged_row BEFORE UPDATE ON operation_attempts FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER operation_attempts_unchanged BEFORE UPDATE OR TRUNCATE ON operation_attempts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE operation_attempts ENABLE ALWAYS TRIGGER operation_attempts_unchanged_row;
ALTER TABLE operation_attempts ENABLE ALWAYS TRIGGER operation_attempts_unchanged;

-- +goose Down
DROP TRIGGER operation_attempts_unchanged ON operation_attempts;
DROP TRIGGER operation_attempts_unchanged_row ON operation_attempts;
