-- Sums of an account's entries up to every two hundredth, by type: what a long account's totals are computed
-- from, so that they cost the same whatever its length. Derived from the entries, checked by verify, written
-- by a loop behind the append: where one is missing, more entries are added up instead.

-- +goose Up
CREATE TABLE entry_checkpoints (
    account_key bigint NOT NULL REFERENCES accounts (key),
    seq         bigint NOT NULL CHECK (seq >= 1 AND seq % 200 = 0),
    type        text COLLATE "C" NOT NULL,
    count       bigint NOT NULL CHECK (count >= 1),
    -- May exceed 64 bits, unlike every balance.
    amount      numeric NOT NULL,
    PRIMARY KEY (account_key, seq, type)
);
-- The entries that a checkpoint belongs to: one in two hundred, so that charges do not notice.
CREATE INDEX entries_round ON entries (account_key, seq) WHERE seq % 200 = 0;

-- +goose Down
DROP INDEX entries_round;
DROP TABLE entry_checkpoints;
