-- What a bulk work assigned or snoozed can be taken back, by a bulk work of its own that names it. Once.

-- +goose Up
ALTER TABLE bulk_works
    ADD COLUMN undoes text COLLATE "C" REFERENCES bulk_works (id),
    DROP CONSTRAINT bulk_works_kind_check,
    ADD CONSTRAINT bulk_works_kind_check CHECK (kind IN ('requeue', 'discard', 'assign', 'snooze', 'undo')),
    ADD CONSTRAINT bulk_works_undo CHECK ((kind = 'undo') = (undoes IS NOT NULL));
CREATE UNIQUE INDEX bulk_works_undone_once ON bulk_works (undoes) WHERE undoes IS NOT NULL;

-- +goose Down
-- What was taken back stays so; only the record of how goes.
ALTER TABLE bulk_items DISABLE TRIGGER bulk_items_kept;
DELETE FROM bulk_items USING bulk_works w WHERE w.key = bulk_key AND w.kind = 'undo';
ALTER TABLE bulk_items ENABLE ALWAYS TRIGGER bulk_items_kept;
DELETE FROM bulk_works WHERE kind = 'undo';
ALTER TABLE bulk_works
    DROP CONSTRAINT bulk_works_undo,
    DROP COLUMN undoes,
    DROP CONSTRAINT bulk_works_kind_check,
    ADD CONSTRAINT bulk_works_kind_check CHECK (kind IN ('requeue', 'discard', 'assign', 'snooze'));
