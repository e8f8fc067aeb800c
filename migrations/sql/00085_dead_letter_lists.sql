-- Dead letters of one action are found in the order of their list, as those of one code are: an action that has died rarely of
-- late may begin ten thousand rows down. What a group's page counts by account and by the version of workers is read from an index
-- alone, or is the beginning of one.

-- +goose Up
CREATE INDEX dead_letters_by_action ON dead_letters (action, refunded, dead_at, account_key, job_key, generation) WHERE closed_at IS NULL;
CREATE INDEX dead_letters_versions_of_group ON dead_letters (fingerprint, worker_version) WHERE closed_at IS NULL;
CREATE INDEX dead_letter_accounts_most ON dead_letter_accounts (fingerprint, open DESC, account_key);
-- Its figures are in tallies now.
DROP INDEX dead_letters_in_group;

-- +goose Down
CREATE INDEX dead_letters_in_group ON dead_letters (fingerprint, account_key) INCLUDE (cost, refunded, dead_at) WHERE closed_at IS NULL;
DROP INDEX dead_letter_accounts_most;
DROP INDEX dead_letters_versions_of_group;
DROP INDEX dead_letters_by_action;
