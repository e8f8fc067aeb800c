package operation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"recoup/models/fault"
	"recoup/models/where"
)

// Stored is an operation as it is kept.
type Stored struct {
	AccountKey int64
	AccountID  string
	Scope      string
	ID         string
	Kind       string
	Input      string
	Actor      string
	RequestID  string
	TraceID    []byte
	JobKey     *int64
	JobID      *string
	// RuleVersion, RolloutID and Cohort are those of the job's decision; nil where there is no job, and
	// RolloutID also where no rollout was live.
	RuleVersion *string
	RolloutID   *string
	Cohort      *string
	StartedAt   time.Time
	CompletedAt *time.Time
	// Result is the stored JSON, byte for byte; nil while the operation waits for a decision.
	Result *string
}

// ScopeName is the scope as the API writes it.
func (s Stored) ScopeName() string {
	return Scope{AccountID: s.AccountID, Name: s.Scope}.String()
}

// Attempt is one further try to send an operation.
type Attempt struct {
	Attempt     int
	Outcome     string
	Fields      string
	Price       *int64
	RuleVersion *string
	Actor       string
	RequestID   string
	TraceID     []byte
	At          time.Time
}

const selectStored = `SELECT o.account_key, COALESCE(a.id, '') AS account_id, o.scope, o.id, o.kind, o.input::text AS input,
	o.actor, o.request_id, o.trace_id, o.job_key, j.id AS job_id, j.rule_version, j.rollout_id, j.cohort, o.started_at, o.completed_at, o.result::text AS result
	FROM operations o LEFT JOIN accounts a ON a.key = o.account_key
	LEFT JOIN jobs j ON j.account_key = o.account_key AND j.key = o.job_key `

func find(ctx context.Context, g *gorm.DB, scope Scope, id string) (Stored, error) {
	var row Stored
	q := g.WithContext(ctx)
	if scope.AccountID != "" {
		q = q.Raw(selectStored+`WHERE o.account_key = (SELECT key FROM accounts WHERE id = ?) AND o.scope = ? AND o.id = ?`,
			scope.AccountID, scope.Name, id)
	} else {
		q = q.Raw(selectStored+`WHERE o.account_key = ? AND o.scope = ? AND o.id = ?`, scope.AccountKey, scope.Name, id)
	}
	res := q.Scan(&row)
	if res.Error != nil {
		return row, fmt.Errorf("operation: find: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return row, gorm.ErrRecordNotFound
	}
	return row, nil
}

// Find returns the stored operation and its further attempts in order, or fault
// operation_not_found.
func (s *Store) Find(ctx context.Context, scope Scope, id string) (Stored, []Attempt, error) {
	row, err := find(ctx, s.g, scope, id)
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return row, nil, fault.New(fault.NotFound, fault.CodeOperationNotFound, "There is no operation %q in scope %q.", id, scope)
	}
	if err != nil {
		return row, nil, err
	}
	var attempts []Attempt
	err = s.g.WithContext(ctx).Raw(`SELECT attempt, outcome, array_to_string(fields, ',') AS fields, price, rule_version, actor, request_id, trace_id, at
		FROM operation_attempts WHERE account_key = ? AND scope = ? AND operation_id = ? ORDER BY key LIMIT 1000`,
		row.AccountKey, row.Scope, row.ID).Scan(&attempts).Error
	if err != nil {
		return row, nil, fmt.Errorf("operation: attempts: %w", err)
	}
	return row, attempts, nil
}

// WithID lists the operations of any scope that have an id, at most limit of them, oldest first, without their
// further attempts. Those that wait for a second person, or whose request came to nothing, are among them; what still runs is not seen yet.
func (s *Store) WithID(ctx context.Context, id string, limit int) ([]Stored, error) {
	var rows []Stored
	err := s.g.WithContext(ctx).Raw(selectStored+`WHERE o.id = ? ORDER BY o.started_at`+where.Limit(limit), id).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("operation: with id: %w", err)
	}
	return rows, nil
}

// MostOfJob is how many operations of a job are listed at most.
const MostOfJob = 500

// OfJob lists the operations of the account's callers and timers that left an event in one job's timeline: the newest, at
// most MostOfJob, oldest first, without their further attempts.
func (s *Store) OfJob(ctx context.Context, accountKey, jobKey int64) ([]Stored, error) {
	var rows []Stored
	err := s.g.WithContext(ctx).Raw(selectStored+`WHERE o.account_key = ? AND o.job_key = ? AND o.scope IN ('', 'system') AND o.id IN (
			SELECT operation_id FROM job_events WHERE account_key = ? AND job_key = ?)
		ORDER BY o.started_at DESC`+where.Limit(MostOfJob), accountKey, jobKey, accountKey, jobKey).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("operation: of job: %w", err)
	}
	slices.Reverse(rows)
	return rows, nil
}

// DeleteAttempts removes rows that count replays and conflicts older than kept, in one batch of at most
// 10,000. Operations themselves are kept for ever.
func (s *Store) DeleteAttempts(ctx context.Context, kept time.Duration) (int64, error) {
	res := s.g.WithContext(ctx).Exec(`DELETE FROM operation_attempts WHERE key IN (SELECT key FROM operation_attempts
		WHERE at < clock_timestamp() - ?::bigint * interval '1 millisecond' ORDER BY at LIMIT 10000)`, kept.Milliseconds())
	if res.Error != nil {
		return 0, fmt.Errorf("operation: delete attempts: %w", res.Error)
	}
	return res.RowsAffected, nil
}
