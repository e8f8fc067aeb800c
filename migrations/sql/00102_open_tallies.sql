-- A tally of which nothing is open goes: the table then is what is open, and whoever counts no further than a thousand need not read past what was
-- closed long ago.

-- +goose Up
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
    -- After what was added: a dead letter that only moved must not take the row away and bring it back.
    IF TG_OP = 'UPDATE' THEN
        IF OLD.closed_at IS NULL AND OLD.fingerprint <> '' THEN
            DELETE FROM dead_letter_tallies WHERE fingerprint = OLD.fingerprint AND shard = OLD.account_key % 16 AND open = 0;
        END IF;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

DELETE FROM dead_letter_tallies WHERE open = 0;

-- +goose Down
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
