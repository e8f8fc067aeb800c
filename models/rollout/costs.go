package rollout

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/cost"
)

// KnownCosts is the CostsFunc of an installation: the unattributed records of the rollout's action, those of no known
// action since its start, and for how many delivered jobs of the candidate a cost is known.
func KnownCosts(ctx context.Context, g *gorm.DB, r Rollout) (Costs, error) {
	var out Costs
	if r.StartedAt == nil {
		return out, nil
	}
	// A record is dated by the provider: one of the rollout's period may lie a little ahead of now.
	var now time.Time
	if err := g.WithContext(ctx).Raw(`SELECT clock_timestamp()`).Row().Scan(&now); err != nil {
		return out, fmt.Errorf("rollout: clock: %w", err)
	}
	count, examples, err := cost.UnattributedFor(ctx, g, r.Action, *r.StartedAt, now.AddDate(1, 0, 0))
	if err != nil {
		return out, err
	}
	out.Unattributed = count
	for _, x := range examples {
		out.Names, out.Keys = append(out.Names, x.Source+"/"+x.ExternalID), append(out.Keys, x.Key)
	}
	// Through the charges of the rollout: the jobs of everybody are too many to look through each minute.
	err = g.WithContext(ctx).Raw(`SELECT count(*) AS delivered, count(*) FILTER (WHERE EXISTS (
			SELECT 1 FROM cost_states s WHERE s.account_key = j.account_key AND s.job_key = j.key)) AS known
		FROM entries e JOIN jobs j ON j.account_key = e.account_key AND j.key = e.job_key
		WHERE e.rollout_id = ? AND e.type = 'charge' AND e.cohort = 'candidate' AND j.delivered_at IS NOT NULL`, r.ID).Row().Scan(&out.Delivered, &out.Known)
	if err != nil {
		return out, fmt.Errorf("rollout: costs of jobs: %w", err)
	}
	return out, nil
}
