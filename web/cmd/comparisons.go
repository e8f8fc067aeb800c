package cmd

import (
	"context"
	"time"

	"recoup/models/process"
)

// compareEvery is how often it is looked whether a comparison of a live rollout is due.
const compareEvery = time.Minute

// compareRollouts keeps the comparisons of live rollouts young and counts what candidates give away, in one process at
// a time. It runs apart from the checks, which must not wait for it.
func (a *app) compareRollouts(ctx context.Context) error {
	alone := process.New(a.g)
	ticker := time.NewTicker(compareEvery)
	defer ticker.Stop()
	for {
		_, err := alone.Alone(ctx, "rollout comparisons", func(ctx context.Context) error {
			live, err := a.rollouts.Live(ctx)
			if err != nil {
				return err
			}
			return a.comparisons.Refresh(ctx, live)
		})
		if err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "a rollout could not be compared", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}
