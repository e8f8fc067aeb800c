package cmd

import (
	"context"
	"fmt"
	"os"
	"time"

	"recoup/models/month"
	"recoup/models/verify"
)

const (
	// anchorAfter is how long after the book's midnight its anchor is taken: nothing that began before
	// midnight is still open then.
	anchorAfter = 5 * time.Minute
	anchorEvery = 10 * time.Minute
)

// anchor takes the nightly anchor of the ledger: the digest of every account's newest entry at the book
// time zone's midnight goes to the log, to the anchor file, and into the database. One that could not be
// taken is tried again.
func (a *app) anchor(ctx context.Context) error {
	v := verify.New(a.g)
	ticker := time.NewTicker(anchorEvery)
	defer ticker.Stop()
	for {
		now := time.Now().In(a.cfg.BookTimeZone)
		midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, a.cfg.BookTimeZone)
		if now.Sub(midnight) >= anchorAfter {
			if err := a.anchorOnce(ctx, v, midnight); err != nil && ctx.Err() == nil {
				a.log.WarnContext(ctx, "the ledger's anchor could not be taken", "moment", midnight, "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

func (a *app) anchorOnce(ctx context.Context, v *verify.Verifier, moment time.Time) error {
	if done, err := v.Anchored(ctx, moment); err != nil || done {
		return err
	}
	taken, err := v.Anchor(ctx, moment, func(x verify.Anchor) error { return keepAnchor(a.cfg.AnchorFile, x) })
	if err != nil {
		return err
	}
	a.log.InfoContext(ctx, "ledger anchored", "moment", taken.Moment.UTC(), "digest", taken.Digest)
	return nil
}

// months closes months of the book time zone; their anchors are kept where the nightly ones are.
func (a *app) months() *month.Service {
	return verify.New(a.g).Months(a.ops, a.rollup, func(x verify.Anchor) error {
		if err := keepAnchor(a.cfg.AnchorFile, x); err != nil {
			return err
		}
		a.log.Info("ledger anchored", "moment", x.Moment.UTC(), "digest", x.Digest)
		return nil
	})
}

// keepAnchor appends a line and makes sure that it is on the disk.
func keepAnchor(path string, x verify.Anchor) error {
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(f, x); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// readAnchors reads the anchor file; no file is no anchors.
func readAnchors(path string) ([]verify.Anchor, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return verify.ReadAnchors(f)
}
