package cmd

import (
	"context"
	"time"

	"recoup/models/process"
)

// checkEvery is how often the checks of live rollouts are made: often enough that what one finds is found within a minute
// of when it came to be, the checks' own time included.
const checkEvery = 40 * time.Second

// checkRollouts makes the checks of live rollouts, in one process at a time. A check that cannot be made is logged: its
// age shows on the rollout's page, and nothing advances over it.
func (a *app) checkRollouts(ctx context.Context) error {
	alone := process.New(a.g)
	ticker := time.NewTicker(a.roundsEvery)
	defer ticker.Stop()
	for {
		// First, what a check would find of costs that only came before their charge.
		if _, err := alone.Alone(ctx, "late costs", a.attributeLate); err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "costs that came before their charge could not be attributed", "error", err)
		}
		if _, err := alone.Alone(ctx, "rollout checks", a.rollouts.CheckLive); err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "the checks of a rollout could not be made", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

func (a *app) attributeLate(ctx context.Context) error {
	put, err := a.costs.AttributeLate(ctx)
	if err == nil && put > 0 {
		a.log.InfoContext(ctx, "costs that came before their charge are attributed", "records", put)
	}
	return err
}
