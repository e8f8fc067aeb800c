package cmd

import (
	"context"
	"time"
)

const (
	// fireEvery is how often scheduled steps are looked for: by an index, of rows that are few.
	fireEvery = 2 * time.Second
	// capEvery is how often it is added up what rollouts with a cap have given away.
	capEvery = 10 * time.Second
)

// fireSchedule makes the scheduled steps of rollouts whose time has come. Every process looks by itself: a step is an
// operation, which is made once whoever sees it first. What fails is tried again at the next look.
func (a *app) fireSchedule(ctx context.Context) error {
	ticker := time.NewTicker(fireEvery)
	defer ticker.Stop()
	for {
		if _, err := a.rollouts.FireDue(ctx); err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "a scheduled step of a rollout could not be made", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// watchCaps pauses rollouts that have given away more than they may a day. Every process looks by itself: the pause is
// an operation, made once a day.
func (a *app) watchCaps(ctx context.Context) error {
	ticker := time.NewTicker(capEvery)
	defer ticker.Stop()
	for {
		if err := a.rollouts.WatchCaps(ctx); err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "what a rollout has given away today could not be added up", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}
