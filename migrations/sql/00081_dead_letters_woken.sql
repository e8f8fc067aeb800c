-- Whoever wakes one dead letter of a group that is snoozed wants to see that one, and not the others.

-- +goose Up
-- When a person last brought it back. It is out of sight with its group only if the group was snoozed after that.
ALTER TABLE dead_letters ADD COLUMN woken_at timestamptz;
CREATE INDEX dead_letters_woken ON dead_letters (woken_at) WHERE closed_at IS NULL AND woken_at IS NOT NULL;

-- +goose Down
DROP INDEX dead_letters_woken;
ALTER TABLE dead_letters DROP COLUMN woken_at;
