package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/hibiken/asynq"

	"recoup/models/bell"
)

// WebhookQueue is the asynq queue of visits to receivers outside, apart from all else. There is one visit to a receiver at
// a time, so that a slow one takes one place of the queue's and no more.
const WebhookQueue = "webhooks"

const (
	webhookDeliver = "webhook:deliver"
	webhookTimeout = 30 * time.Second
	// webhookConcurrency is how many receivers are visited at a time.
	webhookConcurrency = 8
)

// bellTask is the bell of a row. Its id names the ring, so a bell of the past cannot stand in the way of a new one.
// It is tried once: what happens after it is decided from the row.
func bellTask(name, queue string, b bell.Bell, limit time.Duration) (*asynq.Task, []asynq.Option, error) {
	payload, err := json.Marshal(b)
	if err != nil {
		return nil, nil, fmt.Errorf("tasks: payload: %w", err)
	}
	headers := map[string]string{}
	if b.Traceparent != "" {
		headers[headerTraceparent] = b.Traceparent
	}
	return asynq.NewTaskWithHeaders(name, payload, headers), []asynq.Option{
		asynq.TaskID(name + ":" + strconv.FormatInt(b.Key, 10) + ":" + strconv.Itoa(b.Rings)),
		asynq.Queue(queue), asynq.MaxRetry(0), asynq.Timeout(limit),
	}, nil
}

// readBell reads the payload of a bell. Its error lets go of the task: it can never be answered.
func readBell(t *asynq.Task) (bell.Bell, error) {
	var b bell.Bell
	if err := json.Unmarshal(t.Payload(), &b); err != nil || b.Key == 0 {
		return b, fmt.Errorf("%w: the payload names no row: %w", asynq.RevokeTask, errors.Join(err, errNotABell))
	}
	return b, nil
}

// webhookHandler answers the bells of WebhookQueue.
func (r *Runner) webhookHandler() asynq.Handler {
	mux := asynq.NewServeMux()
	mux.Use(neverArchived, traced(r.o.TracerProvider.Tracer("recoup")))
	mux.HandleFunc(webhookDeliver, func(ctx context.Context, t *asynq.Task) error {
		b, err := readBell(t)
		if err != nil {
			return err
		}
		return r.o.Webhooks.Visit(ctx, b.Key)
	})
	return mux
}
