-- What a refusal told beside its code: which state, which rollout, which rule version. Null where there was nothing to tell.

-- +goose Up
ALTER TABLE audit_log ADD COLUMN detail jsonb;

-- +goose Down
ALTER TABLE audit_log DROP COLUMN detail;
