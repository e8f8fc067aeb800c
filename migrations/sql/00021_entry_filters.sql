-- What finance filters the ledger by, each found at once however rare it is among millions. Three leave out what a
-- charge writes, so that charging does not pay for them; by rule version every charge pays one more index write,
-- about a microsecond of the processor and sixty bytes, and the entries of a price that is no longer in force are
-- found without walking through everything since.

-- +goose Up
CREATE INDEX entries_by_type ON entries (type, created_at, account_key, seq) WHERE type <> 'charge';
CREATE INDEX entries_of_account_by_type ON entries (account_key, type, seq) WHERE type <> 'charge';
CREATE INDEX entries_by_people ON entries (actor, created_at, account_key, seq) WHERE actor LIKE 'staff:%';
CREATE INDEX entries_by_rule ON entries (rule_version, created_at, account_key, seq) WHERE rule_version IS NOT NULL;

-- +goose Down
DROP INDEX entries_by_rule;
DROP INDEX entries_by_people;
DROP INDEX entries_of_account_by_type;
DROP INDEX entries_by_type;
