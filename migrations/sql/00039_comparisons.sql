-- What a rollout does, as it was worked out last: its stage beside the baseline and beside history, and what its
-- candidate has given away. Both are derived: they can be removed and come again from entries and jobs.

-- +goose Up
CREATE TABLE rollout_comparisons (
    rollout_id text COLLATE "C" PRIMARY KEY REFERENCES rollouts (id),
    -- The stage that was compared.
    stage      integer NOT NULL CHECK (stage >= 1),
    results    jsonb NOT NULL,
    made_at    timestamptz NOT NULL
);

CREATE TABLE rollout_given (
    rollout_id         text COLLATE "C" PRIMARY KEY REFERENCES rollouts (id),
    -- Charges and deliveries up to and including this moment are in the sums. It never passes the horizon.
    through            timestamptz NOT NULL,
    -- Charges under the candidate: how many, what they cost, and what they would have cost under the baseline.
    charges            bigint NOT NULL DEFAULT 0 CHECK (charges >= 0),
    charged            numeric NOT NULL DEFAULT 0,
    charged_baseline   numeric NOT NULL DEFAULT 0,
    -- The same of the jobs that were delivered.
    deliveries         bigint NOT NULL DEFAULT 0 CHECK (deliveries >= 0),
    delivered          numeric NOT NULL DEFAULT 0,
    delivered_baseline numeric NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- +goose Down
DROP TABLE rollout_given;
DROP TABLE rollout_comparisons;
