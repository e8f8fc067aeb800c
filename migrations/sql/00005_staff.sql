-- People, their sessions and one-time links, and the API keys of programs. Tokens and secrets are
-- stored as SHA-256 only: whoever reads these tables can sign in as nobody.

-- +goose Up
CREATE TABLE staff (
    id            text COLLATE "C" PRIMARY KEY CHECK (id ~ '^st_[a-z0-9]{16}$'),
    -- ASCII and COLLATE "C": lower() then means the same in every locale.
    email         text COLLATE "C" NOT NULL CHECK (email ~ '^[!-~]+@[!-~]+$' AND octet_length(email) <= 254),
    name          text NOT NULL CHECK (name <> ''),
    role          text NOT NULL CHECK (role IN ('viewer', 'finance', 'product', 'support', 'lead', 'admin')),
    -- PHC string of argon2id, '' while none is set: such a person signs in by link only.
    password_hash text NOT NULL DEFAULT '',
    language      text NOT NULL DEFAULT 'en' CHECK (language IN ('en', 'ja')),
    time_zone     text NOT NULL DEFAULT 'UTC' CHECK (time_zone <> ''),
    -- '' follows the system.
    theme         text NOT NULL DEFAULT '' CHECK (theme IN ('', 'light', 'dark')),
    disabled_at   timestamptz,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX staff_email ON staff (lower(email));
-- Entries and audit rows name people for ever, so nobody is deleted: they are disabled.
CREATE TRIGGER staff_keep BEFORE DELETE OR TRUNCATE ON staff FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE staff ENABLE ALWAYS TRIGGER staff_keep;

CREATE TABLE sessions (
    token_hash   bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    staff_id     text COLLATE "C" NOT NULL REFERENCES staff (id),
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at   timestamptz NOT NULL,
    ip           text NOT NULL DEFAULT '',
    user_agent   text NOT NULL DEFAULT ''
) WITH (fillfactor = 70);
CREATE INDEX sessions_by_staff ON sessions (staff_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE sign_in_links (
    token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    staff_id   text COLLATE "C" NOT NULL REFERENCES staff (id),
    created_by text NOT NULL CHECK (created_by <> ''),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz NOT NULL,
    used_at    timestamptz
);
CREATE INDEX sign_in_links_by_staff ON sign_in_links (staff_id);
CREATE INDEX sign_in_links_by_expiry ON sign_in_links (expires_at);

-- One row a try to sign in that did not (yet) succeed: what the limit counts. The email is hashed
-- because people type passwords into the wrong field.
CREATE TABLE sign_in_failures (
    key        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email_hash bytea NOT NULL CHECK (octet_length(email_hash) = 32),
    -- The address, of IPv6 its /64; '' when unknown.
    network    text NOT NULL,
    -- Marks that the limit refused and that the audit log was told; not counted as a failure.
    throttled  boolean NOT NULL DEFAULT false,
    at         timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX sign_in_failures_by_email ON sign_in_failures (email_hash, at);
CREATE INDEX sign_in_failures_by_network ON sign_in_failures (network, at);
CREATE INDEX sign_in_failures_by_time ON sign_in_failures (at);

CREATE TABLE api_keys (
    -- Part of the token, and the name under which entries and audit rows know the key.
    id           text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[a-z0-9]{16}$'),
    name         text NOT NULL CHECK (name <> ''),
    secret_hash  bytea NOT NULL CHECK (octet_length(secret_hash) = 32),
    scopes       text[] NOT NULL CHECK (cardinality(scopes) >= 1),
    -- The secret is shown once, so a repeated creation cannot be replayed: it is refused by this.
    operation_id text COLLATE "C" UNIQUE,
    created_by   text NOT NULL CHECK (created_by <> ''),
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at   timestamptz,
    revoked_at   timestamptz,
    last_used_at timestamptz,
    CONSTRAINT api_keys_expiry CHECK (expires_at > created_at)
) WITH (fillfactor = 70);
CREATE TRIGGER api_keys_keep BEFORE DELETE OR TRUNCATE ON api_keys FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE api_keys ENABLE ALWAYS TRIGGER api_keys_keep;

-- +goose Down
DROP TABLE api_keys;
DROP TABLE sign_in_failures;
DROP TABLE sign_in_links;
DROP TABLE sessions;
DROP TABLE staff;
