package task

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"
)

const (
	// Lease is how long a task stays with a worker that says nothing.
	Lease = time.Minute
	// mostTries is how often a task is begun before it counts as failed.
	mostTries = 5
	// progressEvery is how often progress is written at most.
	progressEvery = 300 * time.Millisecond
)

// CodeGaveUp is the error of a task that failed each time it was begun.
const CodeGaveUp = "gave_up"

// ErrStopped tells a run that the task is no longer its own: it was canceled, or another worker has it.
var ErrStopped = errors.New("task: stopped")

// Run is one try at a task by one worker.
type Run struct {
	Task
	g      *gorm.DB
	worker string
	wrote  time.Time
}

// Take hands a task to a worker when it waits and its time has come, or when its lease is over. It
// returns nil when there is nothing to do: the task is over, or somebody has it.
func (s *Store) Take(ctx context.Context, key int64, worker string) (*Run, error) {
	var r row
	res := s.g.WithContext(ctx).Raw(`UPDATE tasks SET
			state = CASE WHEN tries >= ? THEN 'failed' ELSE 'running' END,
			error = CASE WHEN tries >= ? THEN '`+CodeGaveUp+`' ELSE '' END,
			finished_at = CASE WHEN tries >= ? THEN clock_timestamp() END,
			tries = LEAST(tries + 1, ?), worker = ?, done = 0, started_at = clock_timestamp(),
			due_at = clock_timestamp() + ?::bigint * interval '1 millisecond',
			ring_at = clock_timestamp() + ?::bigint * interval '1 millisecond'
		WHERE key = ? AND state IN ('waiting', 'running') AND due_at <= clock_timestamp()
		RETURNING `+columns, mostTries, mostTries, mostTries, mostTries, worker, Lease.Milliseconds(), (Lease + time.Second).Milliseconds(), key).Scan(&r)
	if res.Error != nil {
		return nil, fmt.Errorf("task: take: %w", res.Error)
	}
	if res.RowsAffected == 0 || r.State != Running {
		return nil, nil
	}
	return &Run{Task: r.task(), g: s.g, worker: worker}, nil
}

// write updates the task while it is still this run's. Zero rows: ErrStopped.
func (r *Run) write(ctx context.Context, set string, args ...any) error {
	res := r.g.WithContext(ctx).Exec(`UPDATE tasks SET `+set+` WHERE key = ? AND tries = ? AND worker = ? AND state = 'running'`, append(args, r.Key, r.Tries, r.worker)...)
	if res.Error != nil {
		return fmt.Errorf("task: write: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return ErrStopped
	}
	return nil
}

const extend = `due_at = clock_timestamp() + ?::bigint * interval '1 millisecond', ring_at = clock_timestamp() + ?::bigint * interval '1 millisecond'`

// Progress says that done of total units are finished, and extends the lease. It may be called for
// every unit: what comes too soon after the last, and is not the end, is not written. It returns
// ErrStopped when the run is to end. One goroutine at a time.
func (r *Run) Progress(ctx context.Context, done, total int64) error {
	r.Done, r.Total = done, total
	if time.Since(r.wrote) < progressEvery && done != total {
		return nil
	}
	r.wrote = time.Now()
	return r.write(ctx, `done = ?, total = ?, `+extend, max(done, 0), max(total, 0), Lease.Milliseconds(), (Lease + time.Second).Milliseconds())
}

// Extend extends the lease alone. It returns ErrStopped when the run is to end, and may be called
// beside Progress.
func (r *Run) Extend(ctx context.Context) error {
	return r.write(ctx, extend, Lease.Milliseconds(), (Lease + time.Second).Milliseconds())
}

// Finish stores what came of the task, marshalled to JSON. ErrStopped: the result is not stored.
func (r *Run) Finish(ctx context.Context, result any) error {
	stored, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("task: result of %s: %w", r.Kind, err)
	}
	return r.write(ctx, `state = 'done', done = GREATEST(total, done), total = GREATEST(total, done), result = ?::json, finished_at = statement_timestamp(),
		expires_at = CASE WHEN keep_ms > 0 THEN statement_timestamp() + keep_ms * interval '1 millisecond' END`, string(stored))
}

// Fail ends the task for good with a stable code and a sentence for people.
func (r *Run) Fail(ctx context.Context, code, message string) error {
	return r.write(ctx, `state = 'failed', error = ?, message = ?, finished_at = clock_timestamp()`, code, message)
}

// Retry lets the task wait for another try: 2 s after the first failure, doubled after each. The last
// one ends it with CodeGaveUp and the message. over tells which.
func (r *Run) Retry(ctx context.Context, message string) (over bool, err error) {
	if r.Tries >= mostTries {
		return true, r.Fail(ctx, CodeGaveUp, message)
	}
	wait := (time.Second << r.Tries).Milliseconds()
	return false, r.write(ctx, `state = 'waiting', due_at = clock_timestamp() + ?::bigint * interval '1 millisecond',
		ring_at = clock_timestamp() + ?::bigint * interval '1 millisecond'`, wait, wait)
}

// Release gives the task back, as by a process that is told to end: another worker may take it after wait, and
// this try does not count.
func (r *Run) Release(ctx context.Context, wait time.Duration) error {
	return r.write(ctx, `state = 'waiting', tries = tries - 1, due_at = clock_timestamp() + ?::bigint * interval '1 millisecond',
		ring_at = clock_timestamp() + ?::bigint * interval '1 millisecond'`, wait.Milliseconds(), wait.Milliseconds())
}
