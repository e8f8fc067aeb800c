-- A search finds an operation by its id alone, whatever its scope and whether or not it wrote an entry. The id of a row never
-- changes, so the one update that stores the result still stays within its page.

-- +goose Up
CREATE INDEX operations_by_id ON operations (id);

-- +goose Down
DROP INDEX operations_by_id;
