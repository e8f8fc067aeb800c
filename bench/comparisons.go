package main

import (
	"context"
	"time"

	"recoup/models/comparison"
	"recoup/models/rollout"
)

// comparisonQueries are the reads behind a rollout's comparison. What its dialog reads is not among them: it goes through
// the accounts, up to a bound. Attempts, repeats and costs are read by their keys; the generated ledger has none, so that
// their plans say nothing.
func comparisonQueries() []hotQuery {
	since := time.Now().AddDate(0, 0, -14)
	r := rollout.Rollout{ID: "ro_generated", Action: "video_render", Baseline: "video_render@v1", Candidate: "video_render@v2", Stage: 1, StageSince: &since, StartedAt: &since}
	return []hotQuery{{"A rollout's stage beside the baseline and history", func(ctx context.Context, x reads) error {
		_, err := comparison.New(x.ops.DB(), 0).Compare(ctx, r)
		return err
	}, []string{"Index Only Scan using entries_by_rule", "entries_pkey", "jobs_pkey"}}}
}
