// Package task keeps long work that somebody asked for and that a worker process does in the
// background: an export, a check of the whole ledger, an import. The row in PostgreSQL is the truth of
// what is to be done, how far it is and what came of it; the queue only rings the bell, and may lose
// every bell it holds.
//
// A task is taken by one worker at a time, under a lease that its progress extends. When the worker
// dies, the lease ends and another takes the task from the start: what does a task must be able to
// begin again.
package task

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/operation"
)

// Kind names what a task does, e.g. "export".
type Kind string

// State is how far a task is.
type State string

// The states of a task. The last three are final.
const (
	Waiting  State = "waiting"
	Running  State = "running"
	Done     State = "done"
	Failed   State = "failed"
	Canceled State = "canceled"
)

// Over reports whether nothing more happens to a task in this state.
func (s State) Over() bool { return s == Done || s == Failed || s == Canceled }

// CodeNotFound is the fault of a task that does not exist.
const CodeNotFound = "task_not_found"

// Task is one piece of work.
type Task struct {
	Key  int64
	ID   string
	Kind Kind
	// Title says what it is about, for lists; in no language: an id, a file's name.
	Title string
	// Input is what it was asked to do, as NewTask.Input was marshalled.
	Input json.RawMessage
	State State
	// Done of Total units are finished; Total is 0 while nobody knows how many there are.
	Done, Total int64
	// Result is what came of it, nil unless done.
	Result json.RawMessage
	// Error is a stable code and Message says more, both empty unless failed.
	Error   string
	Message string
	// RequestedBy is the actor who asked, as actor.Actor writes itself.
	RequestedBy string
	RequestID   string
	// Tries is how often it was begun.
	Tries      int
	CreatedAt  time.Time
	StartedAt  *time.Time
	FinishedAt *time.Time
	// ExpiresAt is until when the result is kept; nil before it is done, and for results that stay.
	ExpiresAt *time.Time
}

// Decode reads what the task was asked to do into v.
func (t Task) Decode(v any) error {
	if err := json.Unmarshal(t.Input, v); err != nil {
		return fmt.Errorf("task: input of %s: %w", t.ID, err)
	}
	return nil
}

// Store keeps tasks.
type Store struct {
	g    *gorm.DB
	kick func()
}

// New makes a Store. kick, which may be nil, is called after a task was committed; it must not block.
func New(g *gorm.DB, kick func()) *Store {
	if kick == nil {
		kick = func() {}
	}
	return &Store{g: g, kick: kick}
}

// NewTask is what to do.
type NewTask struct {
	Kind Kind
	// Title says what it is about, see Task.
	Title string
	// Input is marshalled to JSON.
	Input any
	// Total is how many units there are to do, 0 when that shows only later.
	Total int64
	// Keep is how long the result is kept once the task is done; 0 for ever.
	Keep time.Duration
}

const columns = `key, id, kind, title, input, state, done, total, result, error, message, requested_by, request_id,
	tries, created_at, started_at, finished_at, expires_at`

// row is a task as it is stored: GORM scans JSON as text.
type row struct {
	Task   `gorm:"embedded"`
	Input  string
	Result *string
}

func (r row) task() Task {
	t := r.Task
	t.Input = json.RawMessage(r.Input)
	if r.Result != nil {
		t.Result = json.RawMessage(*r.Result)
	}
	return t
}

// Start adds a task to the transaction of the operation that asks for it: both are there, or neither.
func (s *Store) Start(ctx context.Context, tx *operation.Tx, n NewTask) (Task, error) {
	input, err := json.Marshal(n.Input)
	if err != nil {
		return Task{}, fmt.Errorf("task: input: %w", err)
	}
	var r row
	err = tx.DB.WithContext(ctx).Raw(`INSERT INTO tasks (id, kind, title, input, state, total, requested_by, request_id, traceparent, keep_ms, due_at, ring_at)
		VALUES (?, ?, ?, ?::json, 'waiting', ?, ?, ?, ?, ?, clock_timestamp(), clock_timestamp()) RETURNING `+columns,
		ids.New(), string(n.Kind), n.Title, string(input), n.Total, tx.Request.Actor.String(), tx.Request.RequestID,
		operation.Traceparent(ctx), n.Keep.Milliseconds()).Scan(&r).Error
	if err != nil {
		return Task{}, fmt.Errorf("task: start: %w", err)
	}
	tx.AfterCommit(s.kick)
	return r.task(), nil
}

// Find returns one task. Fault: task_not_found.
func (s *Store) Find(ctx context.Context, id string) (Task, error) {
	var r row
	res := s.g.WithContext(ctx).Raw(`SELECT `+columns+` FROM tasks WHERE id = ?`, id).Scan(&r)
	if res.Error != nil {
		return Task{}, fmt.Errorf("task: find: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return Task{}, notFound(id)
	}
	return r.task(), nil
}

func notFound(id string) *fault.Error {
	return fault.New(fault.NotFound, CodeNotFound, "There is no task %q.", id)
}

// List returns up to limit tasks of the kinds, newest first.
func (s *Store) List(ctx context.Context, kinds []Kind, limit int) ([]Task, error) {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
	}
	return s.list(ctx, `kind = ANY (?::text[]) ORDER BY key DESC LIMIT ?`, "{"+strings.Join(names, ",")+"}", limit)
}

// ListBy returns up to limit tasks of one kind that one actor asked for, newest first.
func (s *Store) ListBy(ctx context.Context, kind Kind, requestedBy string, limit int) ([]Task, error) {
	return s.list(ctx, `kind = ? AND requested_by = ? ORDER BY key DESC LIMIT ?`, string(kind), requestedBy, limit)
}

func (s *Store) list(ctx context.Context, which string, args ...any) ([]Task, error) {
	var rows []row
	if err := s.g.WithContext(ctx).Raw(`SELECT `+columns+` FROM tasks WHERE `+which, args...).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("task: list: %w", err)
	}
	out := make([]Task, len(rows))
	for i, r := range rows {
		out[i] = r.task()
	}
	return out, nil
}

// Cancel ends a task that waits or runs, in the transaction of the operation that asks for it. Whoever
// runs it is told at its next progress. Faults: task_not_found, state_conflict.
func (s *Store) Cancel(ctx context.Context, tx *operation.Tx, id string) error {
	res := tx.DB.WithContext(ctx).Exec(`UPDATE tasks SET state = 'canceled', finished_at = clock_timestamp()
		WHERE id = ? AND state IN ('waiting', 'running')`, id)
	if res.Error != nil {
		return fmt.Errorf("task: cancel: %w", res.Error)
	}
	if res.RowsAffected == 1 {
		return nil
	}
	var state string
	res = tx.DB.WithContext(ctx).Raw(`SELECT state FROM tasks WHERE id = ?`, id).Scan(&state)
	if res.Error != nil {
		return fmt.Errorf("task: cancel: %w", res.Error)
	}
	if res.RowsAffected == 0 {
		return notFound(id)
	}
	return fault.State(state, "The task is %s already. Nothing was changed.", state)
}
