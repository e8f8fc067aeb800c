-- Accounts and their entries. The database itself keeps the ledger append-only and chained; the
-- program's guards come on top.

-- +goose Up
CREATE TABLE accounts (
    key            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id             text COLLATE "C" NOT NULL UNIQUE
                   CHECK (id ~ '^[A-Za-z0-9._:@-]{1,64}$' AND id NOT IN ('.', '..')),
    name           text NOT NULL DEFAULT '',
    plan           text NOT NULL DEFAULT '',
    region         text NOT NULL DEFAULT '',
    attributes     jsonb NOT NULL DEFAULT '{}',
    frozen_at      timestamptz,
    -- A copy of the newest entry: the lock and the head of the chain. The entries stay the truth.
    balance        bigint NOT NULL DEFAULT 0,
    last_seq       bigint NOT NULL DEFAULT 0 CHECK (last_seq >= 0),
    last_hash      bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex') CHECK (octet_length(last_hash) = 32),
    last_at        timestamptz,
    negative_since timestamptz CHECK ((negative_since IS NOT NULL) = (balance < 0)),
    created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at     timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 60);
CREATE INDEX accounts_negative ON accounts (negative_since, key) WHERE negative_since IS NOT NULL;
CREATE INDEX accounts_name ON accounts (lower(name) text_pattern_ops);

CREATE TABLE entries (
    account_key   bigint NOT NULL REFERENCES accounts (key),
    seq           bigint NOT NULL CHECK (seq >= 1),
    type          text COLLATE "C" NOT NULL CHECK (type IN ('grant', 'charge', 'refund', 'reclaim', 'adjustment')),
    amount        bigint NOT NULL,
    balance_after bigint NOT NULL,
    job_key       bigint,
    operation_id  text COLLATE "C" NOT NULL,
    rollout_id    text,
    cohort        text,
    rule_version  text COLLATE "C",
    actor         text NOT NULL CHECK (actor <> ''),
    trace_id      bytea,
    category      text,
    reference     text,
    reason        text,
    created_at    timestamptz NOT NULL,
    hash          bytea NOT NULL CHECK (octet_length(hash) = 32),
    PRIMARY KEY (account_key, seq),
    CONSTRAINT entries_sign CHECK (CASE type
        WHEN 'grant' THEN amount > 0
        WHEN 'adjustment' THEN amount <> 0
        WHEN 'refund' THEN amount >= 0
        ELSE amount <= 0 END),
    CONSTRAINT entries_job CHECK ((job_key IS NOT NULL) = (type IN ('charge', 'refund', 'reclaim'))),
    CONSTRAINT entries_charge_covered CHECK (type <> 'charge' OR balance_after >= 0)
);
-- At most one charge, one refund and one reclaim a job, whatever the code does.
CREATE UNIQUE INDEX entries_once_a_job ON entries (account_key, job_key, type) WHERE job_key IS NOT NULL;
CREATE INDEX entries_by_time ON entries (created_at, account_key, seq);
CREATE INDEX entries_by_operation ON entries (operation_id);

-- One hash: SHA-256 of the previous hash, a version byte and eleven length-prefixed fields. NULL has
-- the length 0xFFFFFFFF, so that it differs from an empty text. Numbers are 8 bytes, big endian.
-- +goose StatementBegin
CREATE FUNCTION entry_field(value bytea) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN value IS NULL THEN '\xffffffff'::bytea
            ELSE int4send(octet_length(value)) || value END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION entry_hash(previous bytea, account_key bigint, seq bigint, type text, amount bigint,
    balance_after bigint, job_key bigint, operation_id text, rollout_id text, cohort text,
    rule_version text, created_at timestamptz) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN sha256(previous || '\x01'::bytea
    || entry_field(int8send(account_key)) || entry_field(int8send(seq))
    || entry_field(convert_to(type, 'UTF8')) || entry_field(int8send(amount))
    || entry_field(int8send(balance_after)) || entry_field(int8send(job_key))
    || entry_field(convert_to(operation_id, 'UTF8')) || entry_field(convert_to(rollout_id, 'UTF8'))
    || entry_field(convert_to(cohort, 'UTF8')) || entry_field(convert_to(rule_version, 'UTF8'))
    || entry_field(int8send((extract(epoch FROM created_at) * 1000000)::bigint)));
-- +goose StatementEnd

-- Every insert, from the program or from psql, continues the chain or is refused with RC001. The
-- inserter passes as hash the hash of the entry it believes to be the newest; the trigger
-- replaces it by the new entry's own.
-- +goose StatementBegin
CREATE FUNCTION entries_continue_chain() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    prev_balance bigint := 0;
    prev_hash    bytea := decode(repeat('00', 32), 'hex');
    prev_at      timestamptz := '-infinity';
BEGIN
    IF NEW.seq > 1 THEN
        SELECT balance_after, hash, created_at INTO prev_balance, prev_hash, prev_at
        FROM entries WHERE account_key = NEW.account_key AND seq = NEW.seq - 1;
        IF NOT FOUND THEN
            RAISE EXCEPTION USING ERRCODE = 'RC001', MESSAGE = format('account %s has no entry %s to continue from', NEW.account_key, NEW.seq - 1);
        END IF;
    END IF;
    IF NEW.balance_after <> prev_balance + NEW.amount THEN
        RAISE EXCEPTION USING ERRCODE = 'RC001', MESSAGE = format('entry %s of account %s does not add up: %s + %s is not %s', NEW.seq, NEW.account_key, prev_balance, NEW.amount, NEW.balance_after);
    END IF;
    IF NEW.created_at <= prev_at THEN
        RAISE EXCEPTION USING ERRCODE = 'RC001', MESSAGE = format('entry %s of account %s is not later than the one before', NEW.seq, NEW.account_key);
    END IF;
    IF NEW.hash <> prev_hash THEN
        RAISE EXCEPTION USING ERRCODE = 'RC001', MESSAGE = format('entry %s of account %s does not continue the hash chain', NEW.seq, NEW.account_key);
    END IF;
    NEW.hash := entry_hash(prev_hash, NEW.account_key, NEW.seq, NEW.type, NEW.amount, NEW.balance_after,
        NEW.job_key, NEW.operation_id, NEW.rollout_id, NEW.cohort, NEW.rule_version, NEW.created_at);
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER entries_chain BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION entries_continue_chain();
ALTER TABLE entries ENABLE ALWAYS TRIGGER entries_chain;

-- +goose StatementBegin
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'RC002', MESSAGE = format('%s is append-only: %s is refused', TG_TABLE_NAME, TG_OP);
END $$;
-- +goose StatementEnd
CREATE TRIGGER entries_append_only_row BEFORE UPDATE OR DELETE ON entries FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE entries ENABLE ALWAYS TRIGGER entries_append_only_row;
ALTER TABLE entries ENABLE ALWAYS TRIGGER entries_append_only;
CREATE TRIGGER accounts_keep BEFORE DELETE OR TRUNCATE ON accounts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE accounts ENABLE ALWAYS TRIGGER accounts_keep;

-- +goose Down
DROP TABLE entries;
DROP TABLE accounts;
DROP FUNCTION entries_continue_chain, refuse_change, entry_hash, entry_field;
