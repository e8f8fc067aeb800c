-- +goose Up
-- A line of a bill may be for a period: occurred_at begins it, occurred_until ends it and lies outside. NULL: the record is of the
-- moment alone, as all are that were recorded before.
ALTER TABLE cost_records ADD COLUMN occurred_until timestamptz;
ALTER TABLE cost_records ADD CONSTRAINT cost_records_period CHECK (occurred_until > occurred_at);
ALTER TABLE cost_states ADD COLUMN occurred_until timestamptz;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION cost_states_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.seq = 1 THEN
        INSERT INTO cost_states (record_key, seq, state, account_key, job_key, job_operation_id, rule_key, action, occurred_at, occurred_until)
        SELECT r.key, 1, NEW.state, NEW.account_key, NEW.job_key, NEW.job_operation_id, NEW.rule_key, NEW.action, r.occurred_at, r.occurred_until
        FROM cost_records r WHERE r.key = NEW.record_key;
    ELSE
        UPDATE cost_states SET seq = NEW.seq, state = NEW.state, account_key = NEW.account_key, job_key = NEW.job_key,
            job_operation_id = NEW.job_operation_id, rule_key = NEW.rule_key, action = NEW.action
        WHERE record_key = NEW.record_key AND seq = NEW.seq - 1;
    END IF;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'RC003', MESSAGE = format('attribution %s of cost record %s does not follow the newest one', NEW.seq, NEW.record_key);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION cost_states_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.seq = 1 THEN
        INSERT INTO cost_states (record_key, seq, state, account_key, job_key, job_operation_id, rule_key, action, occurred_at)
        SELECT r.key, 1, NEW.state, NEW.account_key, NEW.job_key, NEW.job_operation_id, NEW.rule_key, NEW.action, r.occurred_at
        FROM cost_records r WHERE r.key = NEW.record_key;
    ELSE
        UPDATE cost_states SET seq = NEW.seq, state = NEW.state, account_key = NEW.account_key, job_key = NEW.job_key,
            job_operation_id = NEW.job_operation_id, rule_key = NEW.rule_key, action = NEW.action
        WHERE record_key = NEW.record_key AND seq = NEW.seq - 1;
    END IF;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'RC003', MESSAGE = format('attribution %s of cost record %s does not follow the newest one', NEW.seq, NEW.record_key);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
ALTER TABLE cost_states DROP COLUMN occurred_until;
ALTER TABLE cost_records DROP COLUMN occurred_until;
