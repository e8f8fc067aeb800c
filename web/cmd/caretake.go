package cmd

import (
	"context"
	"errors"
	"time"
)

var errRedisAway = errors.New("Redis does not answer") //nolint:staticcheck // a name begins the sentence

// webhookRetention is how long deliveries that ended are kept.
const webhookRetention = 30 * 24 * time.Hour

// caretakeEvery is how often rows that have served their time are removed.
const caretakeEvery = time.Hour

// caretake removes sessions and links that ended, rows that count replays past their retention, and old deliveries
// of webhooks.
// Nothing depends on it but the size of the tables, so a failure is only logged.
func (a *app) caretake(ctx context.Context) error {
	ticker := time.NewTicker(caretakeEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if n, err := a.staff.DeleteExpired(ctx); err != nil {
			a.log.WarnContext(ctx, "old sessions stay", "error", err)
		} else if n > 0 {
			a.log.InfoContext(ctx, "old sessions removed", "rows", n)
		}
		if n, err := a.ops.DeleteAttempts(ctx, a.cfg.ReplayRetention); err != nil {
			a.log.WarnContext(ctx, "old replay rows stay", "error", err)
		} else if n > 0 {
			a.log.InfoContext(ctx, "old replay rows removed", "rows", n)
		}
		if n, err := a.webhooks.DeleteOld(ctx, webhookRetention); err != nil {
			a.log.WarnContext(ctx, "old webhook deliveries stay", "error", err)
		} else if n > 0 {
			a.log.InfoContext(ctx, "old webhook deliveries removed", "rows", n)
		}
	}
}
