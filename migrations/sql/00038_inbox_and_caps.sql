-- Who asked to be told of what, what they were told, and what rollouts have given away on a day.

-- +goose Up
CREATE TABLE inbox_follows (
    -- What is followed, e.g. "rollout:ro_2026".
    topic       text COLLATE "C" NOT NULL CHECK (topic <> ''),
    staff_id    text COLLATE "C" NOT NULL REFERENCES staff (id),
    followed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (topic, staff_id)
);

-- One message to one person. What it says is a code with its figures; screens word it.
CREATE TABLE inbox_messages (
    key          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    staff_id     text COLLATE "C" NOT NULL REFERENCES staff (id),
    topic        text COLLATE "C" NOT NULL CHECK (topic <> ''),
    code         text COLLATE "C" NOT NULL CHECK (code <> ''),
    detail       jsonb NOT NULL DEFAULT '{}',
    -- The operation in whose transaction it was written.
    scope        text COLLATE "C" NOT NULL,
    operation_id text COLLATE "C" NOT NULL,
    posted_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    read_at      timestamptz
);
CREATE INDEX inbox_messages_of_person ON inbox_messages (staff_id, key);
CREATE INDEX inbox_messages_unread ON inbox_messages (staff_id, key) WHERE read_at IS NULL;
CREATE INDEX inbox_messages_by_time ON inbox_messages (posted_at);

-- What a rollout's candidate has given away on one day of the book time zone: the baseline's price less the candidate's,
-- over the charges of the day up to a moment that is final.
CREATE TABLE rollout_days (
    rollout_id text COLLATE "C" NOT NULL REFERENCES rollouts (id),
    zone       text NOT NULL,
    day        date NOT NULL,
    through    timestamptz NOT NULL,
    given      numeric NOT NULL DEFAULT 0,
    PRIMARY KEY (rollout_id, zone, day)
) WITH (fillfactor = 50);

-- +goose Down
DROP TABLE rollout_days;
DROP TABLE inbox_messages;
DROP TABLE inbox_follows;
