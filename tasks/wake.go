package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/hibiken/asynq"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"recoup/models/job"
)

var errNotABell = errors.New("no account key or job key")

// tooEarly tells the queue that a bell rang before its time. It is no failure: the same task is
// to ring again when the rest of the time is over.
type tooEarly struct{ left time.Duration }

func (e tooEarly) Error() string { return fmt.Sprintf("rang %s too early", e.left) }

// wakeHandler answers a bell. It returns nil once PostgreSQL holds the outcome, also when the bell was
// rung before or is of an attempt that has passed.
func wakeHandler(jobs *job.Service) asynq.HandlerFunc {
	return func(ctx context.Context, t *asynq.Task) error {
		span := trace.SpanFromContext(ctx)
		var b job.Bell
		if err := json.Unmarshal(t.Payload(), &b); err != nil || b.JobKey == 0 || b.AccountKey == 0 {
			return fmt.Errorf("%w: the payload is not a bell: %w", asynq.RevokeTask, errors.Join(err, errNotABell))
		}
		span.SetAttributes(attribute.Int("recoup.attempt", b.Attempt), attribute.Int("recoup.generation", b.Generation),
			attribute.Int64("recoup.job_key", b.JobKey))
		woken, err := jobs.Wake(ctx, b)
		var early job.Early
		switch {
		case errors.As(err, &early):
			span.SetAttributes(attribute.String("recoup.outcome", "early"))
			return tooEarly{early.Left}
		case err != nil:
			return err
		case woken:
			span.SetAttributes(attribute.String("recoup.outcome", "woken"))
		default:
			span.SetAttributes(attribute.String("recoup.outcome", "nothing_to_do"))
		}
		return nil
	}
}

// isFailure keeps a bell that rang too early from using up a retry.
func isFailure(err error) bool { return !errors.As(err, new(tooEarly)) }

// retryDelay is when a task that returned an error rings again.
func retryDelay(retried int, err error, _ *asynq.Task) time.Duration {
	var early tooEarly
	if errors.As(err, &early) {
		// The queue cuts the time to a whole second, and not_before is a whole second. Nearly a second
		// more makes that a rounding up; the 50 ms that it lacks are for the time from the database's
		// clock to here, which must not cost another second.
		return early.left + 950*time.Millisecond
	}
	return time.Second << (2 * min(retried, maxRetry))
}
