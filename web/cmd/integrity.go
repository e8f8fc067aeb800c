package cmd

import (
	"context"
	"os"
	"time"

	"recoup/models/actor"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/verify"
)

// nightlyEvery is how often a process looks whether the nightly run is due.
const nightlyEvery = 5 * time.Minute

// nightly asks for one run of the verifier a day, at RECOUP_VERIFY_AT in the book time zone. Every process asks; the
// day's operation id lets one of them through, and a run that is on just now is waited for.
func (a *app) nightly(ctx context.Context) error {
	if a.cfg.VerifyAt < 0 {
		return nil
	}
	desk := verify.NewDesk(a.ops, a.tasks)
	ticker := time.NewTicker(nightlyEvery)
	defer ticker.Stop()
	for asked := ""; ; {
		if day := dueDay(time.Now(), a.cfg.BookTimeZone, a.cfg.VerifyAt); day != asked {
			ok, err := askNightly(ctx, desk, day)
			if err != nil && ctx.Err() == nil {
				a.log.WarnContext(ctx, "the nightly run of the verifier was not started", "error", err)
			}
			if ok {
				asked = day
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// dueDay names the newest day whose run is due.
func dueDay(now time.Time, zone *time.Location, at time.Duration) string {
	now = now.In(zone)
	due := time.Date(now.Year(), now.Month(), now.Day(), int(at/time.Hour), int(at%time.Hour/time.Minute), 0, 0, zone)
	if now.Before(due) {
		due = due.AddDate(0, 0, -1)
	}
	return due.Format(time.DateOnly)
}

// askNightly asks for the run of a day; false while another run is on.
func askNightly(ctx context.Context, desk *verify.Desk, day string) (bool, error) {
	live, err := desk.Asked(ctx)
	if err != nil || live != nil && !live.State.Over() {
		return false, err
	}
	_, err = desk.Start(ctx, verify.RunRequest{OperationID: "nightly-" + day, Actor: actor.System(), RequestID: ids.New()})
	if fault.Is(err, fault.CodeStateConflict) {
		return false, nil
	}
	return err == nil, err
}

// anchors are the digests that are kept: in the database, and in the anchor file where there is one.
func (a *app) anchors(v *verify.Verifier) func(context.Context) ([]verify.AnchorList, error) {
	return func(ctx context.Context) ([]verify.AnchorList, error) { return anchorLists(ctx, v, a.cfg.AnchorFile) }
}

// anchorLists reads the anchors of the database and of a file; "" for no file, and one that is not there yet has none.
func anchorLists(ctx context.Context, v *verify.Verifier, file string) ([]verify.AnchorList, error) {
	kept, err := v.Anchors(ctx)
	if err != nil {
		return nil, err
	}
	lists := []verify.AnchorList{{Check: verify.CheckAnchor, Anchors: kept}}
	if file == "" {
		return lists, nil
	}
	outside, err := readAnchors(file)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	return append(lists, verify.AnchorList{Check: verify.CheckAnchorFile, Anchors: outside}), nil
}
