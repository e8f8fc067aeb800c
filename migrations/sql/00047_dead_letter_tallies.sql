-- How many dead letters are open and over how many credits, a few rows a group, so that a morning with fifty thousand of
-- them opens as fast as any other. A tally moves in the transaction that moves the dead letter, but at its very end: its
-- row is the last to be locked, so that nobody who holds it waits for an account.

-- +goose Up
CREATE TABLE dead_letter_tallies (
    fingerprint text COLLATE "C" NOT NULL CHECK (fingerprint <> ''),
    -- The last bits of the account's key, so that deaths of one group do not all wait for one row.
    shard       smallint NOT NULL CHECK (shard BETWEEN 0 AND 15),
    open        bigint NOT NULL CHECK (open >= 0),
    refunded    numeric NOT NULL CHECK (refunded >= 0),
    charged     numeric NOT NULL CHECK (charged >= 0),
    PRIMARY KEY (fingerprint, shard)
) WITH (fillfactor = 50);

-- Dead letters that have no fingerprint yet are in no tally; they are few, and counted one by one.
-- +goose StatementBegin
CREATE FUNCTION dead_letters_tally() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE CONSTRAINT TRIGGER dead_letters_opened AFTER INSERT ON dead_letters DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NEW.fingerprint <> '' AND NEW.closed_at IS NULL) EXECUTE FUNCTION dead_letters_tally();
CREATE CONSTRAINT TRIGGER dead_letters_moved AFTER UPDATE ON dead_letters DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN ((OLD.fingerprint, OLD.closed_at IS NULL, OLD.refunded, OLD.cost) IS DISTINCT FROM (NEW.fingerprint, NEW.closed_at IS NULL, NEW.refunded, NEW.cost))
    EXECUTE FUNCTION dead_letters_tally();
ALTER TABLE dead_letters ENABLE ALWAYS TRIGGER dead_letters_opened;
ALTER TABLE dead_letters ENABLE ALWAYS TRIGGER dead_letters_moved;

INSERT INTO dead_letter_tallies (fingerprint, shard, open, refunded, charged)
SELECT fingerprint, account_key % 16, count(*), COALESCE(sum(cost) FILTER (WHERE refunded), 0), COALESCE(sum(cost) FILTER (WHERE NOT refunded), 0)
FROM dead_letters WHERE closed_at IS NULL AND fingerprint <> '' GROUP BY 1, 2;

-- The list of one group, and its oldest.
CREATE INDEX dead_letters_of_group ON dead_letters (fingerprint, refunded, dead_at, account_key, job_key, generation) WHERE closed_at IS NULL;

-- +goose Down
DROP INDEX dead_letters_of_group;
DROP TRIGGER dead_letters_moved ON dead_letters;
DROP TRIGGER dead_letters_opened ON dead_letters;
DROP FUNCTION dead_letters_tally;
DROP TABLE dead_letter_tallies;
