-- Steps that Recoup makes by itself: a scope of their own, which callers cannot reach, and a code for why.

-- +goose Up
ALTER TABLE rollout_events
    -- The scope of the operation. NULL in rows of before: `rollouts` for the creation, `rollout:<id>` for all others.
    ADD COLUMN scope text COLLATE "C" CHECK (scope <> ''),
    -- Why Recoup made the step, and the figures of it, for screens to word; NULL where a person gave a reason.
    ADD COLUMN code text COLLATE "C" CHECK (code <> ''),
    ADD COLUMN detail jsonb;

-- +goose Down
ALTER TABLE rollout_events DROP COLUMN scope, DROP COLUMN code, DROP COLUMN detail;
