package tasks

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/hibiken/asynq"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"recoup/models/fault"
	"recoup/models/task"
)

// BackgroundQueue is the asynq queue of the tasks of the background.
const BackgroundQueue = "background"

const (
	taskRun = "task:run"
	// longest bounds one try at a task.
	longest = 12 * time.Hour
	// extendEvery is how often a running task's lease is extended, whatever its progress.
	extendEvery = task.Lease / 4
)

// BackgroundFunc does one task of the background and returns its result. It is called again when a worker
// died over the task or it failed, so it must be able to begin anew, or go on from rows of its own. Its
// context ends when the task is canceled and when the process is told to end.
//
// A fault that it returns ends the task as failed, with the fault's code and message; after any other error
// the task is tried again a few times.
type BackgroundFunc func(ctx context.Context, run *task.Run) (result any, err error)

// backgroundHandler answers the bells of BackgroundQueue.
func (r *Runner) backgroundHandler() asynq.Handler {
	mux := asynq.NewServeMux()
	mux.Use(neverArchived, traced(r.o.TracerProvider.Tracer("recoup")))
	mux.HandleFunc(taskRun, r.runTask)
	return mux
}

// runTask takes the task that a bell names and does it. Whatever comes of it is in the task's row, so the
// bell itself fails only when that row could not be read or written; then it rings again by itself.
func (r *Runner) runTask(ctx context.Context, t *asynq.Task) error {
	b, err := readBell(t)
	if err != nil {
		return err
	}
	run, err := r.tasks.Take(ctx, b.Key, r.id)
	if err != nil || run == nil {
		return err
	}
	do := r.o.Background[run.Kind]
	if do == nil {
		// A process of another version asked. It does not count as a try.
		return run.Release(ctx, 30*time.Second)
	}
	trace.SpanFromContext(ctx).SetAttributes(attribute.String("recoup.task_id", run.ID), attribute.String("recoup.task_kind", string(run.Kind)))
	log := r.o.Log.With("task_kind", run.Kind, "task_id", run.ID, "try", run.Tries)
	log.InfoContext(ctx, "task begun")
	result, err := r.do(ctx, run, do)

	// The outcome is written even when the process is told to end just now.
	write, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	if f := fault.As(err); f != nil && f.Kind != fault.Busy {
		log.WarnContext(ctx, "task failed", "error", err)
		return settled(run.Fail(write, f.Code, f.Error()))
	}
	switch {
	case err == nil:
		if err := run.Finish(write, result); err != nil {
			return settled(err)
		}
		log.InfoContext(ctx, "task done")
		return nil
	case errors.Is(err, task.ErrStopped):
		log.InfoContext(ctx, "task stopped")
		return nil
	case ctx.Err() != nil:
		log.InfoContext(ctx, "task given back")
		return settled(run.Release(write, 0))
	}
	over, again := run.Retry(write, "It failed again and again; the log names the cause at task "+run.ID+".")
	if over {
		log.ErrorContext(ctx, "task failed and is given up", "error", err)
	} else {
		log.WarnContext(ctx, "task failed and is tried again", "error", err)
	}
	return settled(again)
}

// settled passes over the news that a task was canceled or taken over: there is nothing left to do.
func settled(err error) error {
	if errors.Is(err, task.ErrStopped) {
		return nil
	}
	return err
}

// do runs do while extending the lease, and ends its context when the task is no longer its own.
func (r *Runner) do(ctx context.Context, run *task.Run, do BackgroundFunc) (result any, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	extended := make(chan struct{})
	go func() {
		defer close(extended)
		ticker := time.NewTicker(r.extendEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ended:
				return
			case <-ctx.Done():
				return
			case <-ticker.C:
				if err := run.Extend(ctx); errors.Is(err, task.ErrStopped) {
					stop(err)
					return
				}
			}
		}
	}()
	defer func() {
		close(ended)
		<-extended
		if p := recover(); p != nil {
			err = fmt.Errorf("tasks: panic in a task of kind %s: %v\n%s", run.Kind, p, debug.Stack())
		}
		if errors.Is(context.Cause(ctx), task.ErrStopped) {
			err = task.ErrStopped
		}
		stop(nil)
	}()
	return do(ctx, run)
}
