-- Payloads that a person replaced when putting a dead letter back. A job's row has the one that workers get now; what
-- it had before stays here, so that the difference can be shown for ever.

-- +goose Up
CREATE TABLE job_payloads (
    account_key  bigint NOT NULL,
    job_key      bigint NOT NULL,
    -- The generation that died with this payload.
    generation   integer NOT NULL,
    payload      json,
    replaced_by  text NOT NULL CHECK (replaced_by <> ''),
    operation_id text COLLATE "C" NOT NULL,
    replaced_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (account_key, job_key, generation),
    FOREIGN KEY (account_key, job_key) REFERENCES jobs (account_key, key)
);
CREATE TRIGGER job_payloads_append_only_row BEFORE UPDATE OR DELETE ON job_payloads FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER job_payloads_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON job_payloads FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE job_payloads ENABLE ALWAYS TRIGGER job_payloads_append_only_row;
ALTER TABLE job_payloads ENABLE ALWAYS TRIGGER job_payloads_append_only;

-- +goose Down
DROP TABLE job_payloads;
