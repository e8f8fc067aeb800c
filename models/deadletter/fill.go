package deadletter

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"gorm.io/gorm"

	"recoup/models/db"
	"recoup/models/fingerprint"
	"recoup/models/where"
)

// FillFingerprints computes the fingerprints of up to limit dead letters that have none or one of an older version:
// those from before there were any, and those that no program wrote. It returns how many it computed; 0 means that
// nothing is left. Several processes may do it at once.
func (s *Service) FillFingerprints(ctx context.Context, limit int) (int, error) {
	n := 0
	err := db.InTx(ctx, s.g, func(tx *gorm.DB) error {
		var rows []Letter
		err := tx.WithContext(ctx).Raw(`SELECT account_key, job_key, generation, action, dependency, error_code, error_message FROM dead_letters
			WHERE fingerprint_version < ? ORDER BY account_key, job_key, generation LIMIT ? FOR NO KEY UPDATE SKIP LOCKED`, fingerprint.Version, limit).Scan(&rows).Error
		if err != nil {
			return fmt.Errorf("deadletter: fingerprints: %w", err)
		}
		n = len(rows)
		if n == 0 {
			return nil
		}
		ids := make([]string, n)
		accounts, jobs, generations := make([]int64, n), make([]int64, n), make([]int64, n)
		groups := map[string]fingerprint.Failure{}
		for i, r := range rows {
			f := fingerprint.Failure{Action: r.Action, Dependency: r.Dependency, Code: r.ErrorCode, Message: r.ErrorMessage}
			ids[i], accounts[i], jobs[i], generations[i] = f.ID(), r.AccountKey, r.JobKey, int64(r.Generation)
			groups[ids[i]] = f
		}
		// In one order, so that two processes do not wait for each other.
		for _, id := range slices.Sorted(maps.Keys(groups)) {
			f := groups[id]
			err := tx.WithContext(ctx).Exec(`INSERT INTO dead_letter_groups (fingerprint, version, action, dependency, error_code, pattern)
				VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (fingerprint) DO NOTHING`, id, fingerprint.Version, f.Action, f.Dependency, f.Code, fingerprint.Normalise(f.Message)).Error
			if err != nil {
				return fmt.Errorf("deadletter: group: %w", err)
			}
		}
		err = tx.WithContext(ctx).Exec(`UPDATE dead_letters d SET fingerprint = x.id, fingerprint_version = ?
			FROM unnest(?::text[], ?::bigint[], ?::bigint[], ?::bigint[]) AS x (id, account_key, job_key, generation)
			WHERE d.account_key = x.account_key AND d.job_key = x.job_key AND d.generation = x.generation`,
			fingerprint.Version, where.ListOf(ids), where.ListOf(accounts), where.ListOf(jobs), where.ListOf(generations)).Error
		if err != nil {
			return fmt.Errorf("deadletter: fingerprints: %w", err)
		}
		return nil
	})
	return n, err
}
