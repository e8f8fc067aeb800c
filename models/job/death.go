package job

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"recoup/models/fingerprint"
	"recoup/models/operation"
)

// died puts a dead letter into the group of those that died of the same. The database has opened the letter with the
// job's own update; this rides on the statement that stores the result.
func (s *Service) died(ctx context.Context, tx *operation.Tx, j Job) {
	f := fingerprint.Failure{Action: j.Action, Dependency: j.Dependency, Code: j.ErrorCode, Message: j.ErrorMessage}
	id := f.ID()
	tx.Finally(`INSERT INTO dead_letter_groups (fingerprint, version, action, dependency, error_code, pattern)
		VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (fingerprint) DO NOTHING`, id, fingerprint.Version, f.Action, f.Dependency, f.Code, fingerprint.Normalise(f.Message))
	tx.Finally(`UPDATE dead_letters SET fingerprint = ?, fingerprint_version = ? WHERE account_key = ? AND job_key = ? AND generation = ?`,
		id, fingerprint.Version, j.AccountKey, j.Key, j.Generation)
	tx.AfterCommit(func() {
		s.dead.Add(ctx, 1, metric.WithAttributes(attribute.String("reason", j.DeadReason)))
	})
}
