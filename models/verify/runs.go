package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Record keeps the report of a finished run, so that screens can say when the ledger was last verified
// and what came of it.
func (v *Verifier) Record(ctx context.Context, r Report) error {
	byCheck, err := json.Marshal(r.ByCheck)
	if err != nil {
		return fmt.Errorf("verify: record: %w", err)
	}
	var headsAt *time.Time
	if r.HeadsDigest != "" {
		headsAt = &r.HeadsAt
	}
	err = v.g.WithContext(ctx).Exec(`INSERT INTO verify_runs
		(started_at, finished_at, partial, accounts, entries, jobs, problems, by_check, heads_digest, heads_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?::jsonb, NULLIF(?, ''), ?)`, r.Started, r.Finished, r.Partial,
		r.Accounts, r.Entries, r.Jobs, r.Problems, string(byCheck), r.HeadsDigest, headsAt).Error
	if err != nil {
		return fmt.Errorf("verify: record: %w", err)
	}
	return nil
}

// Last returns the report of the newest recorded run over all accounts, or nil when there was none.
func (v *Verifier) Last(ctx context.Context) (*Report, error) {
	var row struct {
		StartedAt, FinishedAt             time.Time
		Accounts, Entries, Jobs, Problems int64
		ByCheck                           string
		HeadsDigest                       *string
		HeadsAt                           *time.Time
	}
	res := v.g.WithContext(ctx).Raw(`SELECT started_at, finished_at, accounts, entries, jobs, problems, by_check::text AS by_check,
		heads_digest, heads_at FROM verify_runs WHERE NOT partial ORDER BY id DESC LIMIT 1`).Scan(&row)
	if res.Error != nil {
		return nil, fmt.Errorf("verify: last run: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return nil, nil
	}
	r := &Report{Progress: Progress{Accounts: row.Accounts, Entries: row.Entries, Jobs: row.Jobs, Problems: row.Problems},
		Started: row.StartedAt.UTC(), Finished: row.FinishedAt.UTC()}
	if err := json.Unmarshal([]byte(row.ByCheck), &r.ByCheck); err != nil {
		return nil, fmt.Errorf("verify: last run: %w", err)
	}
	if row.HeadsDigest != nil && row.HeadsAt != nil {
		r.HeadsDigest, r.HeadsAt = *row.HeadsDigest, row.HeadsAt.UTC()
	}
	return r, nil
}
