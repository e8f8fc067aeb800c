-- What all entries came to at the end of each day, by type: the days before, added up. A total of all time, and where a month
-- begins, are looked up there instead of being added up from every day there ever was. Derived from rollup_days, with which they come and go.

-- +goose Up
CREATE TABLE rollup_through (
    ends   timestamptz NOT NULL,
    type   text COLLATE "C" NOT NULL,
    count  bigint NOT NULL CHECK (count > 0),
    amount numeric NOT NULL,
    PRIMARY KEY (ends, type)
);

INSERT INTO rollup_through (ends, type, count, amount)
SELECT * FROM (
    SELECT d.ends, t.type, sum(COALESCE(x.count, 0)) OVER upto AS count, sum(COALESCE(x.amount, 0)) OVER upto AS amount
    FROM (SELECT DISTINCT ends FROM rollup_days) d CROSS JOIN (SELECT DISTINCT type FROM rollup_days) t
        LEFT JOIN (SELECT ends, type, sum(count) AS count, sum(amount) AS amount FROM rollup_days GROUP BY 1, 2) x ON x.ends = d.ends AND x.type = t.type
    WINDOW upto AS (PARTITION BY t.type ORDER BY d.ends)) s
WHERE count > 0;

-- +goose Down
DROP TABLE rollup_through;
