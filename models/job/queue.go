package job

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/fault"
	"recoup/models/operation"
	"recoup/models/page"
	"recoup/models/where"
)

// QueueFilter selects jobs of the line. Zero members do not restrict, but Phase, which is one of Queued, Retrying, Running.
type QueueFilter struct {
	Phase      State
	AccountID  string
	Action     string
	Dependency string
	// Worker is who runs it; for Running only.
	Worker string
	// Held leaves only queued jobs that a hold keeps from workers.
	Held bool
}

// InQueue is a job that waits or runs.
type InQueue struct {
	Listed
	// DueAt is when it may be claimed, wakes, or its lease or deadline ends, by its state.
	DueAt time.Time
	// HeldBy says what keeps a queued job from workers: "dependency", "action", or "" for nothing.
	HeldBy string
	// Delay is the backoff by policy after its last failure and Jittered what was left of it; 0 where it did not fail.
	Delay, Jittered time.Duration
	// Worker, WorkerVersion, ClaimedAt and HeartbeatAt are those of the attempt that runs; empty and nil for others.
	Worker, WorkerVersion  string
	ClaimedAt, HeartbeatAt *time.Time
}

// Queue returns a page of the line, what is due first, first.
func (s *Service) Queue(ctx context.Context, f QueueFilter, from *Position, dir page.Direction, limit int) (page.Page[InQueue, Position], error) {
	order, compare := "ASC", ">"
	if dir == page.Newer {
		order, compare = "DESC", "<"
	}
	by := fmt.Sprintf("due_at %s, account_key %s, job_key %s", order, order, order)
	tail := " ORDER BY " + by + where.Limit(limit+1)
	inner, args := f.line(from, compare, tail)
	var rows []struct {
		InQueue    `gorm:"embedded"`
		DelayMs    int64
		JitteredMs int64
	}
	// What a page shows beside the line is read for its rows alone.
	err := s.g.WithContext(ctx).Raw(`SELECT j.*, a.id AS account_id, l.due_at, l.held_by, t.worker, t.worker_version, t.claimed_at, t.heartbeat_at,
			COALESCE((e.data->>'delay_ms')::bigint, 0) AS delay_ms, COALESCE((e.data->>'jittered_ms')::bigint, 0) AS jittered_ms
		FROM (SELECT w.account_key, w.job_key, w.due_at, CASE WHEN w.phase <> 'queued' THEN ''
				WHEN EXISTS (SELECT 1 FROM holds WHERE kind = 'dependency' AND name = w.dependency) THEN 'dependency'
				WHEN EXISTS (SELECT 1 FROM holds WHERE kind = 'action' AND name = w.action) THEN 'action' ELSE '' END AS held_by
			FROM (`+inner+`) w`+tail+`) l
		JOIN (SELECT `+columnList+` FROM jobs) j ON j.account_key = l.account_key AND j.key = l.job_key
		JOIN accounts a ON a.key = l.account_key
		LEFT JOIN attempts t ON t.account_key = l.account_key AND t.job_key = l.job_key AND t.attempt = j.attempt AND j.state = 'running'
		LEFT JOIN LATERAL (SELECT data FROM job_events v WHERE v.account_key = l.account_key AND v.job_key = l.job_key AND v.kind IN ('failed', 'timed_out')
			AND j.state = 'retrying' AND v.attempt = j.attempt AND v.state_after = 'retrying' ORDER BY v.key DESC LIMIT 1) e ON true
		ORDER BY l.due_at `+order+`, l.account_key `+order+`, l.job_key `+order, args...).Scan(&rows).Error
	if err != nil {
		return page.Page[InQueue, Position]{}, fmt.Errorf("job: queue: %w", err)
	}
	all := make([]InQueue, len(rows))
	for i, r := range rows {
		all[i] = r.InQueue
		all[i].Delay, all[i].Jittered = time.Duration(r.DelayMs)*time.Millisecond, time.Duration(r.JitteredMs)*time.Millisecond
	}
	return page.Cut(all, limit, from, dir, func(j InQueue) Position {
		return Position{At: j.DueAt.UTC(), AccountKey: j.AccountKey, Key: j.Key}
	}), nil
}

// line is the statement that finds the rows, by an index whatever the filter: each part of it is walked in its order and
// ends after a page.
func (f QueueFilter) line(from *Position, compare, tail string) (sql string, args []any) {
	var w where.Clause
	if from != nil {
		w.And("(due_at, account_key, job_key) "+compare+" (?, ?, ?)", from.At, from.AccountKey, from.Key)
	}
	if f.AccountID != "" {
		w.And("account_key = (SELECT key FROM accounts WHERE id = ?)", f.AccountID)
	}
	const columns = "SELECT account_key, job_key, phase, action, dependency, due_at FROM waiting_line l "
	if f.Phase != Queued {
		if f.Phase == Running {
			w.And("phase = 'running'")
		} else {
			w.And("phase = 'retrying'")
		}
		if f.Action != "" {
			w.And("action = ?", f.Action)
		}
		if f.Dependency != "" {
			w.And("dependency = ?", f.Dependency)
		}
		if f.Worker != "" {
			w.And(`EXISTS (SELECT 1 FROM attempts t WHERE t.account_key = l.account_key AND t.job_key = l.job_key AND t.attempt = l.attempt AND t.worker = ?)`, f.Worker)
		}
		return columns + w.SQL() + tail, w.Args()
	}
	w.And("phase = 'queued'")
	var actions where.Clause
	if f.Action != "" {
		actions.And("id = ?", f.Action)
	}
	each := "(SELECT id FROM actions " + actions.SQL() + ") a"
	part := func(sources string, sourceArgs []any, conditions string, conditionArgs ...any) {
		p := w.Clone()
		p.And(conditions, conditionArgs...)
		if sql != "" {
			sql += " UNION ALL "
		}
		sql += "SELECT q.* FROM " + sources + " CROSS JOIN LATERAL (" + columns + p.SQL() + tail + ") q"
		args = append(append(args, sourceArgs...), p.Args()...)
	}
	byAction := each
	if f.Held {
		byAction = "(SELECT id FROM actions WHERE id IN (SELECT name FROM holds WHERE kind = 'action')) a"
		if f.Action != "" {
			byAction = "(SELECT id FROM actions WHERE id = ? AND id IN (SELECT name FROM holds WHERE kind = 'action')) a"
		}
	}
	marks := "(VALUES (true), (false)) m (held) CROSS JOIN "
	switch {
	case f.Dependency != "":
		part(marks+each, actions.Args(), "dependency <> '' AND dependency = ? AND l.held = m.held AND action = a.id", f.Dependency)
		if f.Held {
			w.And("EXISTS (SELECT 1 FROM holds WHERE kind = 'dependency' AND name = l.dependency OR kind = 'action' AND name = l.action)")
			sql, args = "", nil
			part(marks+each, actions.Args(), "dependency <> '' AND dependency = ? AND l.held = m.held AND action = a.id", f.Dependency)
		}
	case f.Held:
		part("(SELECT name FROM holds WHERE kind = 'dependency') h CROSS JOIN "+marks+each, actions.Args(),
			"dependency <> '' AND dependency = h.name AND l.held = m.held AND action = a.id")
		part(byAction, actions.Args(), "NOT held AND action = a.id AND dependency NOT IN (SELECT name FROM holds WHERE kind = 'dependency')")
	default:
		part("(SELECT name FROM holds WHERE kind = 'dependency') h CROSS JOIN "+each, actions.Args(), "dependency <> '' AND dependency = h.name AND held AND action = a.id")
		part(byAction, actions.Args(), "NOT held AND action = a.id")
	}
	return sql, args
}

// QueueCap is where the counts of the line stop.
const QueueCap = 10_000

// QueueCounts counts the line by state. It stops a little beyond QueueCap: what is more than that is no number.
func (s *Service) QueueCounts(ctx context.Context) (map[State]int64, error) {
	var row struct{ Queued, Retrying, Running int64 }
	most := where.Limit(QueueCap + 1)
	count := func(condition string) string {
		return `(SELECT count(*) FROM (SELECT 1 FROM waiting_line WHERE ` + condition + most + `) x)`
	}
	// What waits for a worker is in two indexes: a job is only held back by its row where it has a dependency.
	queued := count("phase = 'queued' AND NOT held") + " + " + count("phase = 'queued' AND dependency <> '' AND held")
	err := s.g.WithContext(ctx).Raw(`SELECT ` + queued + ` AS queued, ` + count("phase = 'retrying'") + ` AS retrying, ` + count("phase = 'running'") + ` AS running`).Scan(&row).Error
	if err != nil {
		return nil, fmt.Errorf("job: queue: %w", err)
	}
	return map[State]int64{Queued: row.Queued, Retrying: row.Retrying, Running: row.Running}, nil
}

// HandedOut is what workers got within a span of time.
type HandedOut struct {
	From time.Time
	// Claimed is how many attempts began, Failed how many of those have failed or timed out.
	Claimed, Failed int64
	// Lag is how long half of them had waited in the line at most since they could be claimed; 0 where there were none.
	LagMs int64
}

// Throughput returns what was handed out in the last count spans, oldest first, spans without anything included.
func (s *Service) Throughput(ctx context.Context, span time.Duration, count int) ([]HandedOut, error) {
	var rows []HandedOut
	seconds := int64(span / time.Second)
	err := s.g.WithContext(ctx).Raw(`SELECT to_timestamp(b.slot * ?::bigint) AS "from", COALESCE(n.claimed, 0) AS claimed, COALESCE(n.failed, 0) AS failed,
			COALESCE(n.lag_ms, 0) AS lag_ms
		FROM (SELECT floor(extract(epoch FROM now()) / ?::bigint)::bigint - g AS slot FROM generate_series(?::int - 1, 0, -1) g) b
		LEFT JOIN (SELECT floor(extract(epoch FROM claimed_at) / ?::bigint)::bigint AS slot, count(*) AS claimed,
				count(*) FILTER (WHERE outcome IN ('failed', 'timed_out')) AS failed,
				(percentile_cont(0.5) WITHIN GROUP (ORDER BY GREATEST(extract(epoch FROM claimed_at - queued_at), 0)) * 1000)::bigint AS lag_ms
			FROM attempts WHERE claimed_at >= now() - ?::bigint * interval '1 second' AND lease_hash IS NOT NULL GROUP BY 1) n ON n.slot = b.slot
		ORDER BY b.slot`, seconds, seconds, count, seconds, seconds*int64(count)).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("job: throughput: %w", err)
	}
	return rows, nil
}

// RunNow lets a job that awaits its next try be tried now. It uses up nothing: the try is the one that was to come. Faults:
// invalid_request, job_not_found, state_conflict (it does not wait for a time to come; with the state TriedNow where somebody
// brought the same try forward before), and those of operation.Apply.
func (s *Service) RunNow(ctx context.Context, r PersonRequest) (operation.Outcome, error) {
	return s.person(ctx, r, "run_now", required(nil, r.Reason), func(ctx context.Context, tx *operation.Tx, at ref) (any, error) {
		j, was, err := s.move(ctx, tx, at, "tried now", "state = 'retrying' AND mode = 'managed' AND not_before > clock_timestamp()",
			map[string]any{"not_before": gorm.Expr("clock_timestamp()")})
		if err != nil {
			return nil, s.triedNow(ctx, tx, at, err)
		}
		// The bell that the queue has rings at the old time and finds nothing to do; the sweeper makes this move.
		s.awaitRetry(ctx, tx, j)
		return s.noted(ctx, tx, r, j, EventRunNow, was)
	})
}

// TriedNow is the state by which RunNow is refused where somebody brought the same try forward before.
const TriedNow = "tried_now"

// triedNow says of a try that cannot be brought forward by whom and when it was before; err where nobody did.
func (s *Service) triedNow(ctx context.Context, tx *operation.Tx, at ref, err error) error {
	f := fault.As(err)
	if f == nil || f.Code != fault.CodeStateConflict {
		return err
	}
	now, unread := read(ctx, tx.DB, at)
	if unread != nil {
		return unread
	}
	if _, other := f.Detail["generation"]; other || now.State != Retrying && now.State != Queued {
		return err
	}
	// Whoever brought this try forward made it due at that moment; of an earlier try the event is older.
	var by []Change
	if unread := tx.DB.WithContext(ctx).Raw(`SELECT kind, actor, at FROM job_events WHERE account_key = ? AND job_key = ? AND kind = ? AND generation = ? AND at >= ?
		ORDER BY key DESC LIMIT 1`, now.AccountKey, now.Key, EventRunNow, now.Generation, now.NotBefore).Scan(&by).Error; unread != nil {
		return fmt.Errorf("job: tried now: %w", unread)
	}
	if len(by) == 0 {
		return err
	}
	return fault.State(TriedNow, "The next try of job %s was brought forward before. Nothing was changed.", now.ID).With("by", by[0].Actor).With("at", by[0].At.UTC())
}
