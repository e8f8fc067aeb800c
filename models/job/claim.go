package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/where"
)

// ClaimRequest is a worker asking for work.
type ClaimRequest struct {
	ledger.Envelope
	// Actions the worker can run, 1–50.
	Actions []string
	// Max is how many jobs to hand out, 1–100.
	Max int64
	// Worker and WorkerVersion name the worker to people; may be empty.
	Worker, WorkerVersion string
}

// Claimed is one job handed out.
type Claimed struct {
	AccountID   string          `json:"account_id"`
	JobID       string          `json:"job_id"`
	Action      string          `json:"action"`
	Units       int64           `json:"units"`
	Attempt     int             `json:"attempt"`
	Generation  int             `json:"generation"`
	Dependency  string          `json:"dependency,omitempty"`
	LeaseToken  string          `json:"lease_token"`
	LeaseUntil  time.Time       `json:"lease_until"`
	DeadlineAt  *time.Time      `json:"deadline_at"`
	Payload     json.RawMessage `json:"payload"`
	Traceparent string          `json:"traceparent,omitempty"`
}

// claimStored is a claim's stored result: enough to hand out the same leases again, without the
// tokens and without the payloads, which the job rows hold.
type claimStored struct {
	Nonce string        `json:"nonce"`
	Jobs  []claimedItem `json:"jobs"`
}

type claimedItem struct {
	AccountKey  int64      `json:"account_key"`
	JobKey      int64      `json:"job_key"`
	AccountID   string     `json:"account_id"`
	JobID       string     `json:"job_id"`
	Action      string     `json:"action"`
	Units       int64      `json:"units"`
	Attempt     int        `json:"attempt"`
	Generation  int        `json:"generation"`
	Dependency  string     `json:"dependency,omitempty"`
	LeaseUntil  time.Time  `json:"lease_until"`
	DeadlineAt  *time.Time `json:"deadline_at"`
	Traceparent string     `json:"traceparent,omitempty"`
}

// errNothing rolls a claim back that found no work: it changed nothing, so nothing is stored.
var errNothing = fmt.Errorf("job: nothing to claim: %w", operation.ErrNothing)

// Claim hands out queued jobs that are not held, oldest not_before first, each with a lease; of work whose hold is being
// released, no more than its pace allows. An answer that was lost is
// repeated under the same operation id: same jobs, same tokens. No work: no jobs, no operation.
// Faults: invalid_request and those of operation.Apply.
func (s *Service) Claim(ctx context.Context, r ClaimRequest) (jobs []Claimed, replayed bool, err error) {
	req := operation.Request{
		Scope: operation.Named("worker:" + r.Actor.ID), ID: r.OperationID, Kind: "claim", Actor: r.Actor, RequestID: r.RequestID, Invalid: r.check(),
		Input: operation.Input{"actions": r.Actions, "max": r.Max, "worker": r.Worker, "worker_version": r.WorkerVersion},
	}
	out, err := s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) { return s.claim(ctx, tx, r) })
	if errors.Is(err, errNothing) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	var stored claimStored
	if err := out.Decode(&stored); err != nil {
		return nil, false, fmt.Errorf("job: stored claim: %w", err)
	}
	jobs, err = s.handOut(ctx, stored)
	return jobs, out.Replayed, err
}

func (r ClaimRequest) check() []fault.Field {
	var bad []fault.Field
	if len(r.Actions) < 1 || len(r.Actions) > 50 {
		bad = append(bad, fault.Field{Name: "actions", Message: "must name 1 to 50 actions"})
	}
	for i, a := range r.Actions {
		if err := ids.CheckCallerID(a); err != nil {
			bad = append(bad, fault.Field{Name: fmt.Sprintf("actions[%d]", i), Message: err.Error()})
		} else if slices.Contains(r.Actions[:i], a) {
			bad = append(bad, fault.Field{Name: fmt.Sprintf("actions[%d]", i), Message: "is given twice"})
		}
	}
	if r.Max < 1 || r.Max > 100 {
		bad = append(bad, fault.Field{Name: "max", Message: "must be 1 to 100"})
	}
	for name, v := range map[string]string{"worker": r.Worker, "worker_version": r.WorkerVersion} {
		if v == "" {
			continue
		}
		if err := ids.CheckCallerID(v); err != nil {
			bad = append(bad, fault.Field{Name: name, Message: err.Error()})
		}
	}
	return bad
}

// Waiting reports whether a claim for these actions would find work now. It is a cheap look for
// claims that wait, and promises nothing.
func (s *Service) Waiting(ctx context.Context, actions []string) (bool, error) {
	var found bool
	// Of what stands behind a hold, none is found before the hold has room for it.
	err := s.g.WithContext(ctx).Raw(`SELECT EXISTS (SELECT 1 FROM waiting_line
			WHERE phase = 'queued' AND NOT held AND action = ANY (?::text[]) AND due_at <= clock_timestamp() AND expires_at > clock_timestamp()
				AND action <> ALL (ARRAY(SELECT name FROM holds WHERE kind = 'action'))
				AND CASE WHEN dependency = ANY (ARRAY(SELECT name FROM holds WHERE kind = 'dependency')) THEN false ELSE true END)
		OR EXISTS (SELECT 1 FROM holds h WHERE `+freeOf+` > 0 AND CASE kind
			WHEN 'action' THEN name = ANY (?::text[]) AND EXISTS (SELECT 1 FROM waiting_line WHERE phase = 'queued' AND NOT held AND action = h.name
				AND due_at <= clock_timestamp() AND expires_at > clock_timestamp())
			ELSE EXISTS (SELECT 1 FROM waiting_line WHERE phase = 'queued' AND dependency <> '' AND dependency = h.name AND held AND action = ANY (?::text[])
				AND due_at <= clock_timestamp() AND expires_at > clock_timestamp()) END)`,
		where.ListOf(actions), where.ListOf(actions), where.ListOf(actions)).Scan(&found).Error
	if err != nil {
		return false, fmt.Errorf("job: waiting: %w", err)
	}
	return found, nil
}

func (s *Service) claim(ctx context.Context, tx *operation.Tx, r ClaimRequest) (any, error) {
	g := tx.DB.WithContext(ctx)
	// The line's rows are locked before the jobs', against the common order, but nothing waits here:
	// both locks skip what others hold.
	line, open, err := s.line(ctx, tx, r)
	if err != nil {
		return nil, err
	}
	if len(line) == 0 {
		return nil, errNothing
	}
	accounts, keys := make([]int64, len(line)), make([]int64, len(line))
	for i, l := range line {
		accounts[i], keys[i] = l.AccountKey, l.JobKey
	}
	var jobs []struct {
		Job
		AccountID string
		QueuedAt  time.Time
	}
	err = g.Raw(`SELECT a.id AS account_id, j.not_before AS queued_at, j.* FROM (
			SELECT account_key, key, id, action, units, mode, dependency, attempt, generation, not_before, expires_at, lease_ms, deadline_ms, traceparent,
				cost, rule_version, rollout_id, cohort
			FROM jobs WHERE (account_key, key) IN (SELECT * FROM unnest(?::bigint[], ?::bigint[])) AND state = 'queued'
			ORDER BY account_key, key FOR NO KEY UPDATE SKIP LOCKED) j
		JOIN accounts a ON a.key = j.account_key ORDER BY j.not_before, j.account_key, j.key`, where.ListOf(accounts), where.ListOf(keys)).Scan(&jobs).Error
	if err != nil {
		return nil, fmt.Errorf("job: claim jobs: %w", err)
	}
	if len(jobs) == 0 {
		return nil, errNothing
	}
	stored := claimStored{Nonce: ids.Secret(16)}
	hashes := make([][]byte, len(jobs))
	accounts, keys = accounts[:0], keys[:0]
	for i, j := range jobs {
		hashes[i] = s.newLease(stored.Nonce, j.AccountKey, j.Key, j.Attempt+1).hash()
		accounts, keys = append(accounts, j.AccountKey), append(keys, j.Key)
	}
	var leases []struct {
		AccountKey, Key int64
		LeaseUntil      time.Time
		DeadlineAt      *time.Time
	}
	err = g.Raw(`UPDATE jobs SET state = 'running', attempt = attempt + 1,
			lease_until = clock_timestamp() + lease_ms * interval '1 millisecond',
			deadline_at = clock_timestamp() + deadline_ms * interval '1 millisecond', updated_at = clock_timestamp()
		WHERE (account_key, key) IN (SELECT * FROM unnest(?::bigint[], ?::bigint[])) AND state = 'queued'
		RETURNING account_key, key, lease_until, deadline_at`, where.ListOf(accounts), where.ListOf(keys)).Scan(&leases).Error
	if err != nil {
		return nil, fmt.Errorf("job: claim: %w", err)
	}
	if len(leases) != len(jobs) {
		return nil, fmt.Errorf("job: claim: %d of %d locked jobs moved", len(leases), len(jobs))
	}
	until := make(map[int64]int, len(leases))
	for i, l := range leases {
		until[l.Key] = i
	}
	for i, j := range jobs {
		l := leases[until[j.Key]]
		item := claimedItem{AccountKey: j.AccountKey, JobKey: j.Key, AccountID: j.AccountID, JobID: j.ID, Action: j.Action, Units: j.Units,
			Attempt: j.Attempt + 1, Generation: j.Generation, Dependency: j.Dependency, LeaseUntil: l.LeaseUntil.UTC(),
			DeadlineAt: utc(l.DeadlineAt), Traceparent: j.Traceparent}
		stored.Jobs = append(stored.Jobs, item)
		if err := s.traceClaim(ctx, tx, r, j.Job, item, hashes[i]); err != nil {
			return nil, err
		}
	}
	open.passed(tx, stored.Jobs)
	return stored, nil
}

func (s *Service) traceClaim(ctx context.Context, tx *operation.Tx, r ClaimRequest, j Job, item claimedItem, hash []byte) error {
	due := item.LeaseUntil
	if item.DeadlineAt != nil && item.DeadlineAt.Before(due) {
		due = *item.DeadlineAt
	}
	tx.Finally(`INSERT INTO attempts (account_key, job_key, attempt, generation, dependency, worker, worker_version, lease_hash, queued_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?::bytea, ?)`, j.AccountKey, j.Key, item.Attempt, j.Generation, j.Dependency, workerName(r), r.WorkerVersion, hash, j.NotBefore)
	tx.Finally(`UPDATE waiting_line SET phase = 'running', held = false, attempt = ?, due_at = ? WHERE account_key = ? AND job_key = ?`,
		item.Attempt, due, j.AccountKey, j.Key)
	j.Attempt = item.Attempt
	rec := record{job: j, kind: EventClaimed, attempt: item.Attempt, before: Queued, after: Running,
		details: Details{Worker: workerName(r), LeaseUntil: &item.LeaseUntil}}
	// A worker asks for any job: its request begins before the job's trace is known.
	rec.trace = j.traceOf(ctx)
	tx.AfterCommit(func() { s.mark(ctx, "claimed", j, item.Attempt, attribute.String("recoup.worker", workerName(r))) })
	return rec.write(tx)
}

func workerName(r ClaimRequest) string {
	if r.Worker != "" {
		return r.Worker
	}
	return r.Actor.ID
}

// handOut turns a stored claim into what the worker gets.
func (s *Service) handOut(ctx context.Context, c claimStored) ([]Claimed, error) {
	accounts, keys := make([]int64, len(c.Jobs)), make([]int64, len(c.Jobs))
	for i, j := range c.Jobs {
		accounts[i], keys[i] = j.AccountKey, j.JobKey
	}
	var rows []struct {
		Key     int64
		Payload *string
	}
	err := s.g.WithContext(ctx).Raw(`SELECT key, payload::text AS payload FROM jobs
		WHERE (account_key, key) IN (SELECT * FROM unnest(?::bigint[], ?::bigint[])) AND payload IS NOT NULL`, where.ListOf(accounts), where.ListOf(keys)).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("job: payloads: %w", err)
	}
	payloads := make(map[int64]json.RawMessage, len(rows))
	for _, p := range rows {
		payloads[p.Key] = json.RawMessage(*p.Payload)
	}
	out := make([]Claimed, len(c.Jobs))
	for i, j := range c.Jobs {
		out[i] = Claimed{AccountID: j.AccountID, JobID: j.JobID, Action: j.Action, Units: j.Units, Attempt: j.Attempt,
			Generation: j.Generation, Dependency: j.Dependency, LeaseUntil: j.LeaseUntil, DeadlineAt: j.DeadlineAt,
			Traceparent: j.Traceparent, Payload: payloads[j.JobKey],
			LeaseToken: s.newLease(c.Nonce, j.AccountKey, j.JobKey, j.Attempt).token()}
	}
	return out, nil
}
