-- Of how many accounts the open dead letters of a group are, exact and at once: one row a group and account while any is
-- open, and their number in the tally. An account always counts in the same tally.

-- +goose Up
CREATE TABLE dead_letter_accounts (
    fingerprint text COLLATE "C" NOT NULL CHECK (fingerprint <> ''),
    account_key bigint NOT NULL,
    open        bigint NOT NULL CHECK (open >= 0),
    PRIMARY KEY (fingerprint, account_key)
) WITH (fillfactor = 80);
INSERT INTO dead_letter_accounts (fingerprint, account_key, open)
SELECT fingerprint, account_key, count(*) FROM dead_letters WHERE closed_at IS NULL AND fingerprint <> '' GROUP BY 1, 2;

ALTER TABLE dead_letter_tallies ADD COLUMN accounts bigint NOT NULL DEFAULT 0 CHECK (accounts >= 0);
UPDATE dead_letter_tallies t SET accounts = (SELECT count(*) FROM dead_letter_accounts a WHERE a.fingerprint = t.fingerprint AND a.account_key % 16 = t.shard);

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION dead_letters_tally() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    left_open bigint;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF OLD.closed_at IS NULL AND OLD.fingerprint <> '' THEN
            UPDATE dead_letter_accounts SET open = open - 1 WHERE fingerprint = OLD.fingerprint AND account_key = OLD.account_key RETURNING open INTO left_open;
            DELETE FROM dead_letter_accounts WHERE fingerprint = OLD.fingerprint AND account_key = OLD.account_key AND open = 0;
            UPDATE dead_letter_tallies SET open = open - 1, accounts = accounts - CASE WHEN left_open = 0 THEN 1 ELSE 0 END,
                refunded = refunded - CASE WHEN OLD.refunded THEN OLD.cost ELSE 0 END,
                charged = charged - CASE WHEN OLD.refunded THEN 0 ELSE OLD.cost END
            WHERE fingerprint = OLD.fingerprint AND shard = OLD.account_key % 16;
        END IF;
    END IF;
    IF NEW.closed_at IS NULL AND NEW.fingerprint <> '' THEN
        INSERT INTO dead_letter_accounts AS a (fingerprint, account_key, open) VALUES (NEW.fingerprint, NEW.account_key, 1)
        ON CONFLICT (fingerprint, account_key) DO UPDATE SET open = a.open + 1 RETURNING open INTO left_open;
        INSERT INTO dead_letter_tallies AS t (fingerprint, shard, open, accounts, refunded, charged)
        VALUES (NEW.fingerprint, NEW.account_key % 16, 1, 1, CASE WHEN NEW.refunded THEN NEW.cost ELSE 0 END, CASE WHEN NEW.refunded THEN 0 ELSE NEW.cost END)
        ON CONFLICT (fingerprint, shard) DO UPDATE SET open = t.open + 1, accounts = t.accounts + CASE WHEN left_open = 1 THEN 1 ELSE 0 END,
            refunded = t.refunded + EXCLUDED.refunded, charged = t.charged + EXCLUDED.charged;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION dead_letters_tally() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF OLD.closed_at IS NULL AND OLD.fingerprint <> '' THEN
            UPDATE dead_letter_tallies SET open = open - 1,
                refunded = refunded - CASE WHEN OLD.refunded THEN OLD.cost ELSE 0 END,
                charged = charged - CASE WHEN OLD.refunded THEN 0 ELSE OLD.cost END
            WHERE fingerprint = OLD.fingerprint AND shard = OLD.account_key % 16;
        END IF;
    END IF;
    IF NEW.closed_at IS NULL AND NEW.fingerprint <> '' THEN
        INSERT INTO dead_letter_tallies AS t (fingerprint, shard, open, refunded, charged)
        VALUES (NEW.fingerprint, NEW.account_key % 16, 1, CASE WHEN NEW.refunded THEN NEW.cost ELSE 0 END, CASE WHEN NEW.refunded THEN 0 ELSE NEW.cost END)
        ON CONFLICT (fingerprint, shard) DO UPDATE SET open = t.open + 1, refunded = t.refunded + EXCLUDED.refunded, charged = t.charged + EXCLUDED.charged;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
ALTER TABLE dead_letter_tallies DROP COLUMN accounts;
DROP TABLE dead_letter_accounts;
