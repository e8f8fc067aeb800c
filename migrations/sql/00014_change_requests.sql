-- Change requests: operations that wait for a second person. The operation's own row is there without a
-- result from the moment it is proposed, so its id is taken; approving gives it its result.

-- +goose Up

-- What exactly was proposed, in one digest: a version byte and length-prefixed fields, as for entries.
-- +goose StatementBegin
CREATE FUNCTION change_request_digest(kind text, object text, account_key bigint, scope text, operation_id text,
    proposal text, requested_by text) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN sha256('\x01'::bytea
    || entry_field(convert_to(kind, 'UTF8')) || entry_field(convert_to(object, 'UTF8'))
    || entry_field(int8send(account_key)) || entry_field(convert_to(scope, 'UTF8'))
    || entry_field(convert_to(operation_id, 'UTF8')) || entry_field(convert_to(proposal, 'UTF8'))
    || entry_field(convert_to(requested_by, 'UTF8')));
-- +goose StatementEnd

CREATE TABLE change_requests (
    key             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id              text COLLATE "C" NOT NULL UNIQUE CHECK (id ~ '^cr_[a-z0-9]{16}$'),
    kind            text COLLATE "C" NOT NULL CHECK (kind <> ''),
    object          text COLLATE "C" NOT NULL CHECK (object <> ''),
    account_key     bigint NOT NULL,
    scope           text COLLATE "C" NOT NULL,
    operation_id    text COLLATE "C" NOT NULL,
    -- JSON as it was written: the digest is over these bytes.
    proposal        text NOT NULL CHECK (proposal::json IS NOT NULL),
    digest          bytea NOT NULL GENERATED ALWAYS AS
                    (change_request_digest(kind, object, account_key, scope, operation_id, proposal, requested_by)) STORED,
    reason          text NOT NULL DEFAULT '',
    requested_by    text COLLATE "C" NOT NULL CHECK (requested_by <> ''),
    requested_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at      timestamptz NOT NULL,
    -- An open one past expires_at is expired: nobody can decide it any more.
    state           text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'approved', 'rejected', 'withdrawn')),
    version         integer NOT NULL DEFAULT 1 CHECK (version >= 1),
    decided_by      text COLLATE "C",
    decided_at      timestamptz,
    decision_reason text NOT NULL DEFAULT '',
    -- The operation, in the same scope, that an edit proposed in place of this one.
    replaced_by     text COLLATE "C",
    UNIQUE (account_key, scope, operation_id),
    FOREIGN KEY (account_key, scope, operation_id) REFERENCES operations (account_key, scope, id),
    CONSTRAINT change_requests_expiry CHECK (expires_at > requested_at),
    CONSTRAINT change_requests_decided CHECK ((state = 'open') = (decided_by IS NULL) AND (state = 'open') = (decided_at IS NULL)),
    CONSTRAINT change_requests_in_time CHECK (decided_at < expires_at),
    -- Whoever asks does not decide, and only people decide.
    CONSTRAINT change_requests_second_person CHECK (state NOT IN ('approved', 'rejected')
        OR (decided_by <> requested_by AND starts_with(decided_by, 'staff:'))),
    CONSTRAINT change_requests_own CHECK (state <> 'withdrawn' OR decided_by = requested_by),
    CONSTRAINT change_requests_replaced CHECK (replaced_by IS NULL OR state = 'withdrawn')
);
CREATE INDEX change_requests_open ON change_requests (expires_at, key) WHERE state = 'open';
CREATE INDEX change_requests_by_object ON change_requests (object, key);
CREATE INDEX change_requests_by_requester ON change_requests (requested_by, key);

-- The one update allowed decides an open request and leaves what was proposed as it is.
-- +goose StatementBegin
CREATE FUNCTION change_requests_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state <> 'open' OR NEW.state = 'open' OR NEW.version <> OLD.version + 1
       OR (OLD.key, OLD.id, OLD.kind, OLD.object, OLD.account_key, OLD.scope, OLD.operation_id, OLD.proposal, OLD.reason,
           OLD.requested_by, OLD.requested_at, OLD.expires_at)
          IS DISTINCT FROM
          (NEW.key, NEW.id, NEW.kind, NEW.object, NEW.account_key, NEW.scope, NEW.operation_id, NEW.proposal, NEW.reason,
           NEW.requested_by, NEW.requested_at, NEW.expires_at) THEN
        RAISE EXCEPTION USING ERRCODE = 'RC002', MESSAGE = format('change request %s: what was proposed and what was decided is never changed', OLD.id);
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER change_requests_one_decision BEFORE UPDATE ON change_requests FOR EACH ROW EXECUTE FUNCTION change_requests_once();
CREATE TRIGGER change_requests_keep_row BEFORE DELETE ON change_requests FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER change_requests_keep BEFORE DELETE OR TRUNCATE ON change_requests FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE change_requests ENABLE ALWAYS TRIGGER change_requests_one_decision;
ALTER TABLE change_requests ENABLE ALWAYS TRIGGER change_requests_keep_row;
ALTER TABLE change_requests ENABLE ALWAYS TRIGGER change_requests_keep;

-- +goose Down
DROP TABLE change_requests;
DROP FUNCTION change_requests_once, change_request_digest;
