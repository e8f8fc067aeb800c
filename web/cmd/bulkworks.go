package cmd

import (
	"context"
	"time"
)

// bulkEvery is how often a process looks for rows of bulk works that are due.
const bulkEvery = 500 * time.Millisecond

// doBulkWorks does what is due of the bulk works that run. Every worker process does so at the same time: their rows
// decide who has which, and how fast all of them are together. A turn that fails is logged and tried again.
func (a *app) doBulkWorks(ctx context.Context) error {
	ticker := time.NewTicker(bulkEvery)
	defer ticker.Stop()
	for {
		if _, err := a.bulkWorks.Turn(ctx); err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "a bulk work could not go on", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}
