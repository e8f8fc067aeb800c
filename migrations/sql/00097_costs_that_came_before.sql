-- +goose Up
-- A cost may be recorded before the job that it names is charged: the system puts it down once the job is there.
ALTER TABLE cost_attributions DROP CONSTRAINT cost_attributions_cause_check;
ALTER TABLE cost_attributions ADD CONSTRAINT cost_attributions_cause_check CHECK (cause IN ('recorded', 'rule', 'person', 'came_later'));

-- +goose Down
-- What the system put down stays.
ALTER TABLE cost_attributions DROP CONSTRAINT cost_attributions_cause_check;
ALTER TABLE cost_attributions ADD CONSTRAINT cost_attributions_cause_check CHECK (cause IN ('recorded', 'rule', 'person')) NOT VALID;
