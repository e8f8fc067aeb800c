-- Settlements: what the charges under a rollout's candidate cost more or less than the baseline would have, proposed,
-- approved by a second person and paid, once a job.

-- +goose Up
CREATE TABLE settlements (
    key           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id            text COLLATE "C" NOT NULL UNIQUE CHECK (id ~ '^stl_[a-z0-9]{16}$'),
    rollout_id    text COLLATE "C" NOT NULL REFERENCES rollouts (id),
    baseline      text COLLATE "C" NOT NULL REFERENCES rule_versions (id),
    candidate     text COLLATE "C" NOT NULL REFERENCES rule_versions (id),
    -- ledger: as adjustments of the accounts; outside: by a document of another system.
    way           text NOT NULL CHECK (way IN ('ledger', 'outside')),
    -- What the proposer restricted it to, in JSON.
    filter        text NOT NULL,
    -- What its items come to.
    jobs          integer NOT NULL CHECK (jobs >= 1),
    accounts      integer NOT NULL CHECK (accounts >= 1),
    credits       bigint NOT NULL CHECK (credits >= 0),
    debits        bigint NOT NULL CHECK (debits >= 0),
    -- SHA-256 over all items in order.
    digest        bytea NOT NULL CHECK (octet_length(digest) = 32),
    -- True when some jobs of the rollout had been paid before.
    supplement    boolean NOT NULL,
    reason        text NOT NULL CHECK (reason <> ''),
    proposed_by   text COLLATE "C" NOT NULL CHECK (proposed_by <> ''),
    proposed_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The operation that proposed it, in the scope settlements; its change request says who may approve until when.
    operation_id  text COLLATE "C" NOT NULL UNIQUE,
    approved_at   timestamptz,
    -- The task that pays; a new one where an earlier one was given up.
    task_id       text COLLATE "C",
    finished_at   timestamptz,
    -- The document outside that settles it.
    reference     text NOT NULL DEFAULT '',
    CHECK (task_id IS NULL OR approved_at IS NOT NULL AND way = 'ledger'),
    CHECK (finished_at IS NULL OR approved_at IS NOT NULL),
    CHECK ((reference <> '') = (way = 'outside' AND finished_at IS NOT NULL))
) WITH (fillfactor = 70);
CREATE INDEX settlements_of_rollout ON settlements (rollout_id, key);

-- +goose StatementBegin
CREATE FUNCTION settlements_forward() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (OLD.key, OLD.id, OLD.rollout_id, OLD.baseline, OLD.candidate, OLD.way, OLD.filter, OLD.jobs, OLD.accounts, OLD.credits, OLD.debits,
        OLD.digest, OLD.supplement, OLD.reason, OLD.proposed_by, OLD.proposed_at, OLD.operation_id)
          IS DISTINCT FROM
       (NEW.key, NEW.id, NEW.rollout_id, NEW.baseline, NEW.candidate, NEW.way, NEW.filter, NEW.jobs, NEW.accounts, NEW.credits, NEW.debits,
        NEW.digest, NEW.supplement, NEW.reason, NEW.proposed_by, NEW.proposed_at, NEW.operation_id)
       OR OLD.approved_at IS NOT NULL AND NEW.approved_at IS DISTINCT FROM OLD.approved_at
       OR OLD.finished_at IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'RC002', MESSAGE = format('settlement %s: what was proposed, approved or finished is never changed', OLD.id);
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER settlements_only_forward BEFORE UPDATE ON settlements FOR EACH ROW EXECUTE FUNCTION settlements_forward();
CREATE TRIGGER settlements_keep BEFORE DELETE OR TRUNCATE ON settlements FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE settlements ENABLE ALWAYS TRIGGER settlements_only_forward;
ALTER TABLE settlements ENABLE ALWAYS TRIGGER settlements_keep;

-- One delivered charge of a settlement, as it was proposed.
CREATE TABLE settlement_items (
    settlement_key bigint NOT NULL REFERENCES settlements (key),
    account_key    bigint NOT NULL,
    job_key        bigint NOT NULL,
    -- The operation that charged the job, and when.
    operation_id   text COLLATE "C" NOT NULL,
    charged_at     timestamptz NOT NULL,
    units          bigint NOT NULL CHECK (units >= 1),
    charged        bigint NOT NULL CHECK (charged >= 0),
    baseline       bigint NOT NULL CHECK (baseline >= 0),
    -- Above 0 the account is to get it, below 0 it is to pay it.
    amount         bigint NOT NULL CHECK (amount <> 0 AND amount = charged - baseline),
    PRIMARY KEY (settlement_key, account_key, job_key),
    FOREIGN KEY (account_key, job_key) REFERENCES jobs (account_key, key)
);
CREATE INDEX settlement_items_by_job ON settlement_items (account_key, job_key);
CREATE TRIGGER settlement_items_append_only_row BEFORE UPDATE OR DELETE ON settlement_items FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER settlement_items_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON settlement_items FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE settlement_items ENABLE ALWAYS TRIGGER settlement_items_append_only_row;
ALTER TABLE settlement_items ENABLE ALWAYS TRIGGER settlement_items_append_only;

-- What was paid. The primary key is the rule: one payment a rollout and job, whatever the number of settlements.
CREATE TABLE settlement_payments (
    rollout_id     text COLLATE "C" NOT NULL REFERENCES rollouts (id),
    account_key    bigint NOT NULL,
    job_key        bigint NOT NULL,
    settlement_key bigint NOT NULL,
    amount         bigint NOT NULL CHECK (amount <> 0),
    -- The adjustment that it is in the ledger; NULL for what was settled outside.
    entry_seq      bigint,
    -- The document outside; empty for what is in the ledger.
    reference      text NOT NULL DEFAULT '',
    operation_id   text COLLATE "C" NOT NULL,
    at             timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (rollout_id, account_key, job_key),
    FOREIGN KEY (settlement_key, account_key, job_key) REFERENCES settlement_items (settlement_key, account_key, job_key),
    FOREIGN KEY (account_key, entry_seq) REFERENCES entries (account_key, seq),
    CHECK ((entry_seq IS NULL) = (reference <> ''))
);
CREATE INDEX settlement_payments_of ON settlement_payments (settlement_key, account_key, job_key);
-- An entry pays one job.
CREATE UNIQUE INDEX settlement_payments_one_entry ON settlement_payments (account_key, entry_seq) WHERE entry_seq IS NOT NULL;
CREATE TRIGGER settlement_payments_append_only_row BEFORE UPDATE OR DELETE ON settlement_payments FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER settlement_payments_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON settlement_payments FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE settlement_payments ENABLE ALWAYS TRIGGER settlement_payments_append_only_row;
ALTER TABLE settlement_payments ENABLE ALWAYS TRIGGER settlement_payments_append_only;

-- What was not paid though it was approved, and why, as the code of the fault that stood against it.
CREATE TABLE settlement_exclusions (
    settlement_key bigint NOT NULL,
    account_key    bigint NOT NULL,
    job_key        bigint NOT NULL,
    why            text NOT NULL CHECK (why <> ''),
    at             timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (settlement_key, account_key, job_key),
    FOREIGN KEY (settlement_key, account_key, job_key) REFERENCES settlement_items (settlement_key, account_key, job_key)
);
CREATE TRIGGER settlement_exclusions_append_only_row BEFORE UPDATE OR DELETE ON settlement_exclusions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER settlement_exclusions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON settlement_exclusions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE settlement_exclusions ENABLE ALWAYS TRIGGER settlement_exclusions_append_only_row;
ALTER TABLE settlement_exclusions ENABLE ALWAYS TRIGGER settlement_exclusions_append_only;

-- +goose Down
DROP TABLE settlement_exclusions;
DROP TABLE settlement_payments;
DROP TABLE settlement_items;
DROP TABLE settlements;
DROP FUNCTION settlements_forward;
