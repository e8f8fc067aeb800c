package job

import (
	"context"
	"fmt"
	"strings"
	"time"

	"recoup/models/credit"
	"recoup/models/page"
	"recoup/models/where"
)

// Listed is a job with the id of its account.
type Listed struct {
	Job
	AccountID string
}

// Find returns one job by the caller's ids. Faults: account_not_found is not told apart from
// job_not_found.
func (s *Service) Find(ctx context.Context, accountID, jobID string) (Listed, error) {
	var key int64
	if err := s.g.WithContext(ctx).Raw(`SELECT key FROM accounts WHERE id = ?`, accountID).Scan(&key).Error; err != nil {
		return Listed{}, fmt.Errorf("job: find: %w", err)
	}
	j, err := read(ctx, s.g, ref{accountKey: key, id: jobID})
	if err != nil {
		return Listed{}, err
	}
	return Listed{Job: j, AccountID: accountID}, nil
}

// Attempt is one try to run a job.
type Attempt struct {
	Attempt       int
	Generation    int
	Worker        string
	WorkerVersion string
	ClaimedAt     time.Time
	// QueuedAt is when the attempt could first be claimed; nil for external jobs.
	QueuedAt     *time.Time
	HeartbeatAt  *time.Time
	EndedAt      *time.Time
	Outcome      string
	ErrorClass   string
	ErrorCode    string
	ErrorMessage string
}

// By is the worker of the attempt with its version; empty where neither is known.
func (a Attempt) By() string { return strings.TrimSpace(a.Worker + " " + a.WorkerVersion) }

// MostAttempts is how many attempts of a job are read at most.
const MostAttempts = 1000

// Attempts returns a job's attempts in order: the newest, at most MostAttempts.
func (s *Service) Attempts(ctx context.Context, accountKey, jobKey int64) ([]Attempt, error) {
	var rows []Attempt
	err := s.g.WithContext(ctx).Raw(`SELECT attempt, generation, worker, worker_version, claimed_at, queued_at, heartbeat_at, ended_at,
		outcome, error_class, error_code, error_message FROM (SELECT * FROM attempts WHERE account_key = ? AND job_key = ?
			ORDER BY attempt DESC`+where.Limit(MostAttempts)+`) t ORDER BY attempt`,
		accountKey, jobKey).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("job: attempts: %w", err)
	}
	return rows, nil
}

// Evidence counts what the guards saw: signals that asked for a movement and movements made.
type Evidence struct {
	RefundSignals    int64 `json:"refund_signals"`
	RefundsApplied   int64 `json:"refunds_applied"`
	ReclaimSignals   int64 `json:"reclaim_signals"`
	ReclaimsApplied  int64 `json:"reclaims_applied"`
	OperationReplays int64 `json:"replays"`
	Conflicts        int64 `json:"conflicts"`
}

// Evidence counts over a job's whole timeline and the further attempts of its operations. They are found
// through the timeline: no index leads from a job to its operations, and an account has any number.
func (s *Service) Evidence(ctx context.Context, accountKey, jobKey int64) (Evidence, error) {
	var e Evidence
	err := s.g.WithContext(ctx).Raw(`SELECT
			count(*) FILTER (WHERE kind IN ('failed', 'timed_out', 'expired', 'canceled')) AS refund_signals,
			count(*) FILTER (WHERE outcome = 'refunded') AS refunds_applied,
			count(*) FILTER (WHERE kind IN ('succeeded', 'recovered')) AS reclaim_signals,
			count(*) FILTER (WHERE outcome = 'reclaimed') AS reclaims_applied
		FROM job_events WHERE account_key = ? AND job_key = ?`, accountKey, jobKey).Scan(&e).Error
	if err != nil {
		return e, fmt.Errorf("job: evidence: %w", err)
	}
	var more struct{ Replays, Conflicts int64 }
	err = s.g.WithContext(ctx).Raw(`SELECT count(*) FILTER (WHERE p.outcome = 'replayed') AS replays,
			count(*) FILTER (WHERE p.outcome = 'conflict') AS conflicts
		FROM operations o JOIN operation_attempts p ON (p.account_key, p.scope, p.operation_id) = (o.account_key, o.scope, o.id)
		WHERE o.account_key = ? AND o.job_key = ? AND o.scope IN ('', 'system') AND o.id IN (
			SELECT operation_id FROM job_events WHERE account_key = ? AND job_key = ?)`,
		accountKey, jobKey, accountKey, jobKey).Scan(&more).Error
	if err != nil {
		return e, fmt.Errorf("job: evidence: %w", err)
	}
	e.OperationReplays, e.Conflicts = more.Replays, more.Conflicts
	return e, nil
}

// Filter selects jobs. Zero members do not restrict.
type Filter struct {
	States    []State `json:"states,omitempty"`
	AccountID string  `json:"account,omitempty"`
	// AccountKeys selects by the accounts' own keys; nil does not restrict, none selects nothing.
	AccountKeys *[]int64 `json:"account_keys,omitempty"`
	JobID       string   `json:"job,omitempty"`
	Action      string   `json:"action,omitempty"`
	ErrorCode   string   `json:"code,omitempty"`
	ErrorClass  string   `json:"class,omitempty"`
	// ErrorText matches a part of the error message, not case-sensitive.
	ErrorText string `json:"text,omitempty"`
	// Before restricts to jobs dead (for dead letters), discarded (ByResolution), delivered (for late
	// successes) or charged before a moment.
	Before *time.Time `json:"before,omitempty"`
	// Reclaimable selects jobs that are refunded and not reclaimed: a success would still be charged.
	Reclaimable bool `json:"reclaimable,omitempty"`
}

// Order is a list of jobs and its order.
type Order string

const (
	// ByCharge lists jobs, newest charge first.
	ByCharge Order = "charge"
	// ByDeath lists dead and discarded jobs, oldest death first.
	ByDeath Order = "death"
	// ByResolution lists discarded jobs, latest discard first.
	ByResolution Order = "resolution"
	// ByLateSuccess lists jobs delivered after a refund, cancel or discard, newest first.
	ByLateSuccess Order = "late_success"
)

// Position is a job's place in a list.
type Position struct {
	At         time.Time `json:"t"`
	AccountKey int64     `json:"a"`
	Key        int64     `json:"k"`
}

// List returns a page of jobs in the given order. from is nil for the first page. An unknown account
// selects nothing.
func (s *Service) List(ctx context.Context, f Filter, o Order, from *Position, dir page.Direction, limit int) (page.Page[Listed, Position], error) {
	column, descending := "created_at", true
	w := where.Clause{}
	switch o {
	case ByDeath:
		column, descending = "dead_at", false
		w.And("j.dead_at IS NOT NULL")
	case ByResolution:
		column = "resolved_at"
		w.And("j.resolved_at IS NOT NULL")
	case ByLateSuccess:
		column = "delivered_at"
		w.And("j.late_success_of IS NOT NULL")
	}
	f.where(&w, column)
	compare, order := ">", "ASC"
	if descending == (dir != page.Newer) {
		compare, order = "<", "DESC"
	}
	if from != nil {
		w.And("(j."+column+", j.account_key, j.key) "+compare+" (?, ?, ?)", from.At, from.AccountKey, from.Key)
	}
	by := fmt.Sprintf("j.%s %s, j.account_key %s, j.key %s", column, order, order, order)
	var rows []Listed
	err := s.g.WithContext(ctx).Raw(`SELECT j.*, a.id AS account_id FROM (SELECT `+columnList+` FROM jobs j `+w.SQL()+` ORDER BY `+by+where.Limit(limit+1)+`) j
		JOIN accounts a ON a.key = j.account_key ORDER BY `+by, w.Args()...).Scan(&rows).Error
	if err != nil {
		return page.Page[Listed, Position]{}, fmt.Errorf("job: list: %w", err)
	}
	return page.Cut(rows, limit, from, dir, func(j Listed) Position {
		at := j.CreatedAt
		switch {
		case o == ByDeath && j.DeadAt != nil:
			at = *j.DeadAt
		case o == ByResolution && j.ResolvedAt != nil:
			at = *j.ResolvedAt
		case o == ByLateSuccess && j.DeliveredAt != nil:
			at = *j.DeliveredAt
		}
		return Position{At: at.UTC(), AccountKey: j.AccountKey, Key: j.Key}
	}), nil
}

func (f Filter) where(w *where.Clause, timeColumn string) {
	if len(f.States) > 0 {
		names := make([]string, len(f.States))
		for i, st := range f.States {
			names[i] = string(st)
		}
		w.And("j.state = ANY (?::text[])", where.ListOf(names))
	}
	if f.AccountID != "" {
		w.And("j.account_key = (SELECT key FROM accounts WHERE id = ?)", f.AccountID)
	}
	if f.AccountKeys != nil {
		w.And("j.account_key = ANY (?::bigint[])", where.ListOf(*f.AccountKeys))
	}
	equal := func(column, value string) {
		if value != "" {
			w.And("j."+column+" = ?", value)
		}
	}
	equal("id", f.JobID)
	equal("action", f.Action)
	equal("error_code", f.ErrorCode)
	equal("error_class", f.ErrorClass)
	if f.ErrorText != "" {
		w.And("strpos(fold(j.error_message), (SELECT fold(?))) > 0", f.ErrorText)
	}
	if f.Before != nil {
		w.And("j."+timeColumn+" < ?", *f.Before)
	}
	if f.Reclaimable {
		w.And("j.is_refunded AND NOT j.is_reclaimed")
	}
}

// columnList is jobColumns as SQL: everything but the payload.
const columnList = `account_key, key, id, action, units, mode, dependency, cost, rule_version, rollout_id, cohort, operation_id,
	is_refunded, refunded_at, is_reclaimed, reclaimed_at, delivered_at, deliveries, result, state, attempt, generation, generation_base,
	not_before, expires_at, lease_until, deadline_at, late_success_of, error_class, error_code, error_message, dead_reason, dead_at, resolution, resolved_at,
	max_attempts, lease_ms, deadline_ms, expires_ms, backoff_base_ms, backoff_max_ms, jitter, trace_id, traceparent, created_at, updated_at`

// Line counts the jobs that wait, by phase. Its cost grows with their number.
func (s *Service) Line(ctx context.Context) (map[State]int64, error) {
	var rows []struct {
		Phase State
		Count int64
	}
	if err := s.g.WithContext(ctx).Raw(`SELECT phase, count(*) AS count FROM waiting_line GROUP BY phase`).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("job: line: %w", err)
	}
	out := make(map[State]int64, len(rows))
	for _, r := range rows {
		out[r.Phase] = r.Count
	}
	return out, nil
}

// HeadOf is a job id with its account, as search finds it.
type HeadOf struct{ AccountID, JobID string }

// WithID returns the jobs of this exact id in all accounts, at most limit.
func (s *Service) WithID(ctx context.Context, id string, limit int) ([]HeadOf, error) {
	var rows []HeadOf
	err := s.g.WithContext(ctx).Raw(`SELECT a.id AS account_id, j.id AS job_id FROM jobs j JOIN accounts a ON a.key = j.account_key
		WHERE j.id = ? ORDER BY j.created_at DESC`+where.Limit(limit), id).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("job: search: %w", err)
	}
	return rows, nil
}

// Reclaimable counts jobs that are refunded and not reclaimed and adds up what late successes of them would take
// back.
type Reclaimable struct {
	Jobs    int64
	Credits credit.Sum
	// More is true when there are more jobs than were to be added up; the other members then say nothing.
	More bool
}

// Reclaimable sums up an account's jobs that are refunded and not reclaimed, as long as there are no more than most; all
// of them where most is 0. Its cost grows with their number.
func (s *Service) Reclaimable(ctx context.Context, accountID string, most int) (Reclaimable, error) {
	limit := ""
	if most > 0 {
		limit = where.Limit(most + 1)
	}
	var out Reclaimable
	err := s.g.WithContext(ctx).Raw(`SELECT count(*) AS jobs, COALESCE(sum(cost), 0) AS credits FROM (SELECT cost FROM jobs
		WHERE account_key = (SELECT key FROM accounts WHERE id = ?) AND is_refunded AND NOT is_reclaimed`+limit+`) j`, accountID).Scan(&out).Error
	if err != nil {
		return out, fmt.Errorf("job: reclaimable: %w", err)
	}
	if most > 0 && out.Jobs > int64(most) {
		return Reclaimable{More: true}, nil
	}
	return out, nil
}
