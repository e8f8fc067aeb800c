package tasks

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/hibiken/asynq"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"recoup/models/operation"
)

// traced runs every task in a span that continues the trace of the job's charge, and makes an error of
// a panic.
func traced(tracer trace.Tracer) asynq.MiddlewareFunc {
	return func(next asynq.Handler) asynq.Handler {
		return asynq.HandlerFunc(func(ctx context.Context, t *asynq.Task) (err error) {
			ctx, span := tracer.Start(continued(ctx, t.Headers()[headerTraceparent]), "task "+t.Type(), trace.WithSpanKind(trace.SpanKindConsumer))
			defer func() { endSpan(span, err) }()
			if retried, ok := asynq.GetRetryCount(ctx); ok {
				span.SetAttributes(attribute.Int("recoup.task_retries", retried))
			}
			defer func() {
				if p := recover(); p != nil {
					err = fmt.Errorf("tasks: panic in %s: %v\n%s", t.Type(), p, debug.Stack())
				}
			}()
			return next.ProcessTask(ctx, t)
		})
	}
}

// continued puts the trace of a stored traceparent into ctx.
func continued(ctx context.Context, traceparent string) context.Context {
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{headerTraceparent: traceparent})
}

// endSpan ends a span, as failed when err is a failure.
func endSpan(span trace.Span, err error) {
	if err != nil && isFailure(err) {
		span.SetAttributes(attribute.String(operation.AttrOutcome, "failed"))
		span.RecordError(err)
		span.SetStatus(codes.Error, "")
	}
	span.End()
}

// neverArchived lets go of a task whose retries are used up: the sweeper does from the job's row what
// the bell was for, and an archive that nobody needs would only grow.
func neverArchived(next asynq.Handler) asynq.Handler {
	return asynq.HandlerFunc(func(ctx context.Context, t *asynq.Task) error {
		err := next.ProcessTask(ctx, t)
		if err == nil {
			return nil
		}
		retried, ok := asynq.GetRetryCount(ctx)
		most, ok2 := asynq.GetMaxRetry(ctx)
		if ok && ok2 && retried >= most && !errors.Is(err, asynq.RevokeTask) {
			return fmt.Errorf("%w: %w", asynq.RevokeTask, err)
		}
		return err
	})
}
