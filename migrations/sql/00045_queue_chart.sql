-- The queue page draws how much was handed out lately. Attempts come in the order of their time, so a summary by blocks finds
-- the newest, and costs their writing next to nothing.

-- +goose Up
CREATE INDEX attempts_by_time ON attempts USING brin (claimed_at) WITH (autosummarize = on);

-- +goose Down
DROP INDEX attempts_by_time;
