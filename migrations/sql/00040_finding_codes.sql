-- What a check found is kept as codes with their values, which pages word in the reader's language. Findings of before
-- are told by their sentence: each is marked as gone, and found again under its code by the next run where it is still so.

-- +goose Up
UPDATE rollout_findings SET gone_at = clock_timestamp() WHERE gone_at IS NULL;
-- The next run of each rollout looks at everything anew.
UPDATE rollout_checks SET horizon = '0', again_tx = '0', again_account = 0, again_id = '', examined = 0;

-- +goose Down
UPDATE rollout_findings SET gone_at = clock_timestamp() WHERE gone_at IS NULL;
UPDATE rollout_checks SET horizon = '0', again_tx = '0', again_account = 0, again_id = '', examined = 0;
