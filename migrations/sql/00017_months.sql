-- Months that are closed: their figures as they were then, and the digest over them. A closed month never
-- reopens; what is put right later stands in the month that is open then.

-- +goose Up
CREATE TABLE closed_months (
    month        text COLLATE "C" PRIMARY KEY CHECK (month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
    -- The book time zone when it was closed, and the moments it begins and ends.
    zone         text NOT NULL,
    starts       timestamptz NOT NULL,
    ends         timestamptz NOT NULL CHECK (ends > starts),
    opening      numeric NOT NULL,
    closing      numeric NOT NULL,
    -- Each account's balance at the end, added up from the entries that hold it and not from the amounts.
    balances     numeric NOT NULL,
    entries      bigint NOT NULL CHECK (entries >= 0),
    -- The canonical form of the figures, and its SHA-256.
    figures      text NOT NULL,
    digest       text NOT NULL CHECK (digest = encode(sha256(convert_to(figures, 'UTF8')), 'hex')),
    -- The anchor of the last moment of the month.
    heads_digest text NOT NULL CHECK (heads_digest ~ '^[0-9a-f]{64}$'),
    closed_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    actor        text NOT NULL CHECK (actor <> ''),
    reason       text NOT NULL,
    operation_id text COLLATE "C" NOT NULL,
    CONSTRAINT closed_months_tie CHECK (balances = closing),
    CONSTRAINT closed_months_apart EXCLUDE USING gist (tstzrange(starts, ends) WITH &&)
);
CREATE TRIGGER closed_months_append_only_row BEFORE UPDATE OR DELETE ON closed_months FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER closed_months_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON closed_months FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE closed_months ENABLE ALWAYS TRIGGER closed_months_append_only_row;
ALTER TABLE closed_months ENABLE ALWAYS TRIGGER closed_months_append_only;

-- +goose Down
DROP TABLE closed_months;
