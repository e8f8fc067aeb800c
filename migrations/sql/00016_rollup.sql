-- Sums of entries by quarter hour and by day of the book time zone, so that a month or a year is added up
-- without reading its entries. They are derived: the entries stay the truth, verify holds one against the
-- other, and everything here can be deleted and computed again.

-- +goose Up

-- Up to which moment nothing more can be written. The one row holds a moment that is waited for, the
-- transaction id taken after it, and the last moment whose wait is over.
CREATE TABLE horizon (
    one        boolean PRIMARY KEY DEFAULT true CHECK (one),
    marked_at  timestamptz,
    marked_xid xid8,
    final_at   timestamptz NOT NULL DEFAULT 'epoch',
    CHECK ((marked_at IS NULL) = (marked_xid IS NULL))
) WITH (fillfactor = 50);
INSERT INTO horizon DEFAULT VALUES;

-- An empty text stands for an entry without the value: no rule version, rollout, cohort or category is empty.
CREATE TABLE rollup_quarters (
    bucket       timestamptz NOT NULL CHECK (bucket = date_bin('15 minutes', bucket, 'epoch')),
    type         text COLLATE "C" NOT NULL,
    rule_version text COLLATE "C" NOT NULL,
    rollout_id   text COLLATE "C" NOT NULL,
    cohort       text COLLATE "C" NOT NULL,
    category     text COLLATE "C" NOT NULL,
    count        bigint NOT NULL CHECK (count > 0),
    amount       numeric NOT NULL,
    PRIMARY KEY (bucket, type, rule_version, rollout_id, cohort, category)
);

-- The same by whole days of the zone that rollup_state names, each derived from its quarters.
CREATE TABLE rollup_days (
    starts       timestamptz NOT NULL,
    ends         timestamptz NOT NULL CHECK (ends > starts),
    type         text COLLATE "C" NOT NULL,
    rule_version text COLLATE "C" NOT NULL,
    rollout_id   text COLLATE "C" NOT NULL,
    cohort       text COLLATE "C" NOT NULL,
    category     text COLLATE "C" NOT NULL,
    count        bigint NOT NULL CHECK (count > 0),
    amount       numeric NOT NULL,
    PRIMARY KEY (starts, type, rule_version, rollout_id, cohort, category)
);

-- Entries before through are in rollup_quarters, whole days before days_through in rollup_days. The tie is
-- the last time all entries were held against all balances, each sum taken for itself at one moment.
CREATE TABLE rollup_state (
    one           boolean PRIMARY KEY DEFAULT true CHECK (one),
    through       timestamptz NOT NULL DEFAULT 'epoch',
    days_through  timestamptz NOT NULL DEFAULT 'epoch',
    zone          text NOT NULL DEFAULT '',
    tied_at       timestamptz,
    tied_entries  numeric,
    tied_balances numeric,
    CHECK ((tied_at IS NULL) = (tied_entries IS NULL) AND (tied_at IS NULL) = (tied_balances IS NULL))
) WITH (fillfactor = 50);
INSERT INTO rollup_state DEFAULT VALUES;

-- +goose Down
DROP TABLE rollup_state;
DROP TABLE rollup_days;
DROP TABLE rollup_quarters;
DROP TABLE horizon;
