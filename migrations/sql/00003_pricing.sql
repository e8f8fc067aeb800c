-- Actions and their immutable rule versions.

-- +goose Up
CREATE TABLE actions (
    id         text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[a-z][a-z0-9_]{0,47}$'),
    unit       text NOT NULL,
    baseline   text COLLATE "C",
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE rule_versions (
    id           text COLLATE "C" PRIMARY KEY,
    action       text COLLATE "C" NOT NULL REFERENCES actions (id),
    version      integer NOT NULL CHECK (version >= 1),
    -- Thousandths of a credit a unit.
    unit_price   bigint NOT NULL CHECK (unit_price >= 0),
    minimum      bigint NOT NULL DEFAULT 0 CHECK (minimum >= 0),
    discount_bps integer NOT NULL DEFAULT 0 CHECK (discount_bps BETWEEN 0 AND 10000),
    rounding     text NOT NULL CHECK (rounding IN ('up', 'down', 'half_even')),
    author       text NOT NULL CHECK (author <> ''),
    reason       text NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (action, version),
    CHECK (id = action || '@v' || version)
);
ALTER TABLE actions ADD FOREIGN KEY (baseline) REFERENCES rule_versions (id);
CREATE TRIGGER rule_versions_append_only_row BEFORE UPDATE OR DELETE ON rule_versions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER rule_versions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON rule_versions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE rule_versions ENABLE ALWAYS TRIGGER rule_versions_append_only_row;
ALTER TABLE rule_versions ENABLE ALWAYS TRIGGER rule_versions_append_only;

-- +goose Down
ALTER TABLE actions DROP COLUMN baseline;
DROP TABLE rule_versions;
DROP TABLE actions;
