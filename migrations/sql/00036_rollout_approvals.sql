-- Which steps of a rollout need a second person, what it may give away a day, and change requests that are void because
-- what they are about has moved on.

-- +goose Up
ALTER TABLE rollouts
    ADD COLUMN approve_start boolean NOT NULL DEFAULT false,
    -- Start and advance need a second person where the stage's threshold is above it; NULL: none does.
    ADD COLUMN approve_above integer CHECK (approve_above BETWEEN 0 AND 100000),
    ADD COLUMN approve_complete boolean NOT NULL DEFAULT false,
    -- Credits that may be given away a day of the book time zone before the rollout pauses; NULL: any number.
    ADD COLUMN cap_per_day bigint CHECK (cap_per_day >= 1);

-- +goose StatementBegin
CREATE FUNCTION rollouts_terms_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (OLD.approve_start, OLD.approve_above, OLD.approve_complete, OLD.cap_per_day)
       IS DISTINCT FROM (NEW.approve_start, NEW.approve_above, NEW.approve_complete, NEW.cap_per_day) THEN
        RAISE EXCEPTION USING ERRCODE = 'RC002', MESSAGE = format('rollout %s: who has to agree and what it may give away never changes', OLD.id);
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER rollouts_terms BEFORE UPDATE ON rollouts FOR EACH ROW EXECUTE FUNCTION rollouts_terms_stay();
ALTER TABLE rollouts ENABLE ALWAYS TRIGGER rollouts_terms;

ALTER TABLE change_requests DROP CONSTRAINT change_requests_state_check;
ALTER TABLE change_requests ADD CONSTRAINT change_requests_state_check CHECK (state IN ('open', 'approved', 'rejected', 'withdrawn', 'voided'));

-- +goose Down
-- The schema of before knows only one way to take back: by whoever asked.
ALTER TABLE change_requests DROP CONSTRAINT change_requests_state_check;
ALTER TABLE change_requests DISABLE TRIGGER change_requests_one_decision;
UPDATE change_requests SET state = 'withdrawn', decided_by = requested_by WHERE state = 'voided';
ALTER TABLE change_requests ENABLE ALWAYS TRIGGER change_requests_one_decision;
ALTER TABLE change_requests ADD CONSTRAINT change_requests_state_check CHECK (state IN ('open', 'approved', 'rejected', 'withdrawn'));
DROP TRIGGER rollouts_terms ON rollouts;
DROP FUNCTION rollouts_terms_stay;
ALTER TABLE rollouts DROP COLUMN approve_start, DROP COLUMN approve_above, DROP COLUMN approve_complete, DROP COLUMN cap_per_day;
