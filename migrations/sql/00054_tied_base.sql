-- The sum of all balances is taken once a minute, and carried on to the moment at which a month is read: what is kept is
-- what the balances came to at a moment that is final, so that nothing that commits later lies before it.

-- +goose Up
ALTER TABLE rollup_state
    DROP COLUMN tied_entries,
    DROP COLUMN tied_balances,
    ADD COLUMN tied_through timestamptz,
    ADD COLUMN tied_base    numeric;
UPDATE rollup_state SET tied_at = NULL;
ALTER TABLE rollup_state ADD CONSTRAINT rollup_state_tied
    CHECK ((tied_at IS NULL) = (tied_through IS NULL) AND (tied_at IS NULL) = (tied_base IS NULL));

-- +goose Down
ALTER TABLE rollup_state
    DROP COLUMN tied_through,
    DROP COLUMN tied_base,
    ADD COLUMN tied_entries  numeric,
    ADD COLUMN tied_balances numeric;
UPDATE rollup_state SET tied_at = NULL;
ALTER TABLE rollup_state ADD CONSTRAINT rollup_state_check
    CHECK ((tied_at IS NULL) = (tied_entries IS NULL) AND (tied_at IS NULL) = (tied_balances IS NULL));
