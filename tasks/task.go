// Package tasks is what rings bells: it carries the wake-up calls that are owed in PostgreSQL to Redis
// (relay), answers them when they ring (wake), and makes the transitions itself where a bell was lost
// (sweeper). PostgreSQL is the truth of every schedule: Redis may be stopped, flushed or lost at any
// moment, and costs no more than the sweeper's grace.
package tasks

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/hibiken/asynq"

	"recoup/models/job"
	"recoup/models/outbox"
)

// Queue is the asynq queue of all bells.
const Queue = "bells"

const (
	// maxRetry is how often a bell whose handler failed rings again. More is the sweeper's work.
	maxRetry = 3
	// timeout bounds one try. It is longer than the wait for a row, so that a busy row is told as such.
	timeout = 15 * time.Second
	// headerTraceparent carries the trace of the job's charge: asynq does not carry contexts.
	headerTraceparent = "traceparent"
)

// wakeTask is the bell of one attempt. Its id names attempt and generation, so a bell of the past,
// whatever became of it in the queue, cannot stand in the way of a new one.
func wakeTask(o outbox.Owed) (*asynq.Task, []asynq.Option, error) {
	payload, err := json.Marshal(job.Bell{AccountKey: o.AccountKey, JobKey: o.JobKey, Attempt: o.Attempt, Generation: o.Generation})
	if err != nil {
		return nil, nil, fmt.Errorf("tasks: payload: %w", err)
	}
	headers := map[string]string{}
	if o.Traceparent != "" {
		headers[headerTraceparent] = o.Traceparent
	}
	return asynq.NewTaskWithHeaders(outbox.Wake, payload, headers), []asynq.Option{
		asynq.TaskID(fmt.Sprintf("wake:%d:%d:%d", o.JobKey, o.Generation, o.Attempt)),
		asynq.Queue(Queue), asynq.ProcessAt(o.DueAt), asynq.MaxRetry(maxRetry), asynq.Timeout(timeout),
	}, nil
}
