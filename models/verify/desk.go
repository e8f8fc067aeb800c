package verify

import (
	"context"
	"fmt"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/operation"
	"recoup/models/task"
)

// TaskKind is the kind of the background tasks that verify the whole ledger.
const TaskKind task.Kind = "verify"

// scope is the scope of the operations about runs, and the object of their audit rows.
const scope = "integrity"

// Scope is where the operations about runs of the verifier are unique.
func Scope() operation.Scope { return operation.Named(scope) }

// Desk takes requests for runs in the background.
type Desk struct {
	ops   *operation.Store
	tasks *task.Store
}

// NewDesk makes a Desk.
func NewDesk(ops *operation.Store, tasks *task.Store) *Desk { return &Desk{ops: ops, tasks: tasks} }

// RunRequest asks for a run, or for the end of one.
type RunRequest struct {
	OperationID string
	Actor       actor.Actor
	RequestID   string
	// TaskID names the run to cancel.
	TaskID string
}

// RunResult is the stored result of Start and Cancel.
type RunResult struct {
	Task string `json:"task"`
}

// Start asks for a run over the whole ledger. Faults: state_conflict (running) while another waits or runs, and
// those of operation.Apply. It leaves an audit row where a person asks.
func (d *Desk) Start(ctx context.Context, r RunRequest) (operation.Outcome, error) {
	req := operation.Request{Scope: Scope(), ID: r.OperationID, Kind: "verify_start", Actor: r.Actor, RequestID: r.RequestID, Input: operation.Input{}}
	return d.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		t, err := d.tasks.Start(ctx, tx, task.NewTask{Kind: TaskKind, Title: "verify", Input: struct{}{}})
		if db.Constraint(err) == "tasks_one_verify" {
			return nil, fault.State("running", "The ledger is being verified already. Nothing was started.")
		}
		if err != nil {
			return nil, err
		}
		return RunResult{Task: t.ID}, tell(ctx, tx, map[string]string{"task": t.ID})
	})
}

// Cancel ends a run that waits or is on. Faults: task_not_found, state_conflict and those of operation.Apply.
func (d *Desk) Cancel(ctx context.Context, r RunRequest) (operation.Outcome, error) {
	req := operation.Request{Scope: Scope(), ID: r.OperationID, Kind: "verify_cancel", Actor: r.Actor, RequestID: r.RequestID,
		Input: operation.Input{"task": r.TaskID}}
	return d.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		if t, err := d.tasks.Find(ctx, r.TaskID); err != nil {
			return nil, err
		} else if t.Kind != TaskKind {
			return nil, fault.New(fault.NotFound, task.CodeNotFound, "There is no run %q of the verifier.", r.TaskID)
		}
		if err := d.tasks.Cancel(ctx, tx, r.TaskID); err != nil {
			return nil, err
		}
		return RunResult{Task: r.TaskID}, tell(ctx, tx, map[string]string{"task": r.TaskID})
	})
}

// tell leaves an audit row of what a person did.
func tell(ctx context.Context, tx *operation.Tx, after map[string]string) error {
	r := tx.Request
	if r.Actor == actor.System() {
		return nil
	}
	return audit.Record(ctx, tx.DB, audit.Row{Actor: r.Actor, Action: r.Kind, Object: scope, After: after,
		OperationID: r.ID, RequestID: r.RequestID, TraceID: tx.TraceID})
}

// Asked returns the newest run that was asked for, nil when there was none.
func (d *Desk) Asked(ctx context.Context) (*task.Task, error) {
	all, err := d.tasks.List(ctx, []task.Kind{TaskKind}, 1)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

// Totals is how much a run has to read, as the account rows tell.
type Totals struct{ Accounts, Entries int64 }

// HowMuch adds up what the account rows tell. Its cost grows with the number of accounts.
func (v *Verifier) HowMuch(ctx context.Context) (Totals, error) {
	var t Totals
	err := v.g.WithContext(ctx).Raw(`SELECT count(*) AS accounts, COALESCE(sum(last_seq), 0)::bigint AS entries FROM accounts`).Scan(&t).Error
	if err != nil {
		return t, fmt.Errorf("verify: how much: %w", err)
	}
	return t, nil
}

// Watch writes how far the run of a task is.
func (v *Verifier) Watch(ctx context.Context, taskID string, p Progress, of Totals) error {
	err := v.g.WithContext(ctx).Exec(`INSERT INTO verify_progress (task_id, accounts, entries, jobs, problems, total_accounts, total_entries)
		VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (task_id) DO UPDATE SET accounts = EXCLUDED.accounts, entries = EXCLUDED.entries, jobs = EXCLUDED.jobs,
			problems = EXCLUDED.problems, total_accounts = EXCLUDED.total_accounts, total_entries = EXCLUDED.total_entries`,
		taskID, p.Accounts, p.Entries, p.Jobs, p.Problems, of.Accounts, of.Entries).Error
	if err != nil {
		return fmt.Errorf("verify: watch: %w", err)
	}
	return nil
}

// Watched returns how far the run of a task is; zeros before it told.
func (v *Verifier) Watched(ctx context.Context, taskID string) (Progress, Totals, error) {
	var row struct {
		Progress
		TotalAccounts, TotalEntries int64
	}
	err := v.g.WithContext(ctx).Raw(`SELECT accounts, entries, jobs, problems, total_accounts, total_entries FROM verify_progress WHERE task_id = ?`, taskID).Scan(&row).Error
	if err != nil {
		return Progress{}, Totals{}, fmt.Errorf("verify: watched: %w", err)
	}
	return row.Progress, Totals{Accounts: row.TotalAccounts, Entries: row.TotalEntries}, nil
}
