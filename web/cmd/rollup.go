package cmd

import (
	"context"
	"time"
)

const (
	// rollupEvery is how often entries are taken up into the rollup, tieEvery how often all entries are held
	// against all balances.
	rollupEvery = 5 * time.Second
	tieEvery    = time.Minute
	// rollupSteps is how many days of entries are taken up at a time, so that catching up after an absence
	// leaves room for others in between.
	rollupSteps = 20
)

// rollUp takes entries up into the rollup, and now and then holds all entries against all balances. Sums are right
// without it, only slower, so a failure is logged and tried again.
func (a *app) rollUp(ctx context.Context) error {
	ticker := time.NewTicker(rollupEvery)
	defer ticker.Stop()
	var tied time.Time
	for {
		p, err := a.rollup.Advance(ctx, rollupSteps)
		switch {
		case err != nil && ctx.Err() == nil:
			a.log.WarnContext(ctx, "the rollup could not be advanced", "error", err)
		case err == nil && p.More && !p.Busy:
			continue
		case err == nil && time.Since(tied) >= tieEvery:
			tied = time.Now()
			a.tie(ctx)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

func (a *app) tie(ctx context.Context) {
	t, err := a.rollup.Tie(ctx)
	switch {
	case err != nil && ctx.Err() == nil:
		a.log.WarnContext(ctx, "entries could not be held against balances", "error", err)
	case err == nil && !t.Holds():
		a.log.ErrorContext(ctx, "the sum of all entries is not the sum of all balances: run recoup verify",
			"entries", t.Entries.String(), "balances", t.Balances.String())
	}
}
