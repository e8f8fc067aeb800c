package cmd

import (
	"context"
	"errors"
	"time"

	"recoup/models/inbox"
	"recoup/models/verify"
)

var errRedisAway = errors.New("Redis does not answer") //nolint:staticcheck // a name begins the sentence

const (
	// webhookRetention is how long deliveries that ended are kept.
	webhookRetention = 30 * 24 * time.Hour
	// inboxRetention is how long people find in their inbox what they were told.
	inboxRetention = 180 * 24 * time.Hour
	// keptRuns is how many runs of the verifier are kept however old they are: more than a year of nights.
	keptRuns = 400
)

// caretakeEvery is how often rows that have served their time are removed.
const caretakeEvery = time.Hour

// caretake removes sessions and links that ended, rows that count replays past their retention, old deliveries
// of webhooks, sets of bulk works that nobody started, old runs of the verifier and files that expired, and computes fingerprints that are missing.
// Nothing depends on it but the size of the tables, so a failure is only logged.
func (a *app) caretake(ctx context.Context) error {
	ticker := time.NewTicker(caretakeEvery)
	defer ticker.Stop()
	for {
		a.fillFingerprints(ctx)
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
		if n, err := a.bulkWorks.DeletePrepared(ctx); err != nil {
			a.log.WarnContext(ctx, "sets that nobody started stay", "error", err)
		} else if n > 0 {
			a.log.InfoContext(ctx, "sets that nobody started removed", "bulk_works", n)
		}
		if n, err := inbox.New(a.g).DeleteOld(ctx, inboxRetention); err != nil {
			a.log.WarnContext(ctx, "old messages stay", "error", err)
		} else if n > 0 {
			a.log.InfoContext(ctx, "old messages removed", "rows", n)
		}
		if n, err := verify.New(a.g).DeleteOld(ctx, keptRuns); err != nil {
			a.log.WarnContext(ctx, "old runs of the verifier stay", "error", err)
		} else if n > 0 {
			a.log.InfoContext(ctx, "old runs of the verifier removed", "runs", n)
		}
		if n, err := a.exports.DeleteExpired(ctx); err != nil {
			a.log.WarnContext(ctx, "expired exports stay", "error", err)
		} else if n > 0 {
			a.log.InfoContext(ctx, "expired exports removed", "pieces", n)
		}
	}
}

// fillFingerprints puts dead letters into groups that no program put there: those from before there were groups, or
// from before a rule of the fingerprint changed.
func (a *app) fillFingerprints(ctx context.Context) {
	const batch = 1000
	total := 0
	for {
		n, err := a.letters.FillFingerprints(ctx, batch)
		if err != nil {
			if ctx.Err() == nil {
				a.log.WarnContext(ctx, "dead letters stay without a group", "error", err)
			}
			return
		}
		total += n
		if n == 0 {
			break
		}
	}
	if total > 0 {
		a.log.InfoContext(ctx, "dead letters put into groups", "rows", total)
	}
}
