-- +goose Up
-- Why a try failed as a code with the one value that it names, so that it is said in the language of whoever reads it; '' for
-- tries of before, which have their sentence in error. Who changed a receiver last is told to whoever comes too late.
ALTER TABLE webhook_attempts ADD COLUMN code text NOT NULL DEFAULT '', ADD COLUMN about text NOT NULL DEFAULT '';
ALTER TABLE webhook_endpoints ADD COLUMN updated_by text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE webhook_endpoints DROP COLUMN updated_by;
ALTER TABLE webhook_attempts DROP COLUMN about, DROP COLUMN code;
