-- Files of entries that were made in the background. They are kept in the database because any process that serves people
-- must be able to read what any worker wrote, and because they are to end with their row, backups included.

-- +goose Up
CREATE TABLE export_chunks (
    task_key bigint NOT NULL REFERENCES tasks (key) ON DELETE CASCADE,
    -- The try of the task that wrote it: a worker that was taken for dead cannot mix its pieces with its successor's.
    try      integer NOT NULL,
    number   integer NOT NULL CHECK (number >= 0),
    -- A piece of the file, which as a whole is packed with gzip.
    data     bytea NOT NULL,
    PRIMARY KEY (task_key, try, number)
);
-- It is packed already.
ALTER TABLE export_chunks ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE INDEX tasks_by_requester ON tasks (kind, requested_by, key);

-- +goose Down
DROP INDEX tasks_by_requester;
DROP TABLE export_chunks;
