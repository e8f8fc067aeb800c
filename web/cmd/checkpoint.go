package cmd

import (
	"context"
	"time"
)

// checkpointEvery is how often missing checkpoints of accounts are looked for. An account's totals add up what has come
// since its last one, so lateness costs a little time and nothing else.
const checkpointEvery = time.Minute

// checkpoint writes the checkpoints that long accounts' totals are computed from.
func (a *app) checkpoint(ctx context.Context) error {
	ticker := time.NewTicker(checkpointEvery)
	defer ticker.Stop()
	for {
		for {
			n, err := a.ledger.WriteCheckpoints(ctx)
			if err != nil && ctx.Err() == nil {
				a.log.WarnContext(ctx, "checkpoints of entries could not be written", "error", err)
			}
			if err != nil || n == 0 {
				break
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}
