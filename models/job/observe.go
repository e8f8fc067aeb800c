package job

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"recoup/models/operation"
)

// Guards, as spans and metrics name them. Guards of the work are named by their change: wake, cancel,
// requeue, discard, reopen.
const (
	guardCharge  = "charge"
	guardRefund  = "refund"
	guardDeliver = "deliver"
	guardReclaim = "reclaim"
	guardWake    = "wake"
)

// guardSpan starts the span of one guard. noteGuard or a plain End ends it.
func (s *Service) guardSpan(ctx context.Context, guard string) (context.Context, trace.Span) {
	return s.ops.Step(ctx, "guard "+guard)
}

// noteGuard ends a guard's span, counts its outcome and returns won. A guard that won counts when its
// transaction is committed, or a rollback would leave a win without its entry; tx is nil where the caller
// counts wins itself.
func (s *Service) noteGuard(ctx context.Context, tx *operation.Tx, span trace.Span, guard string, won bool) bool {
	outcome := "lost"
	if won {
		outcome = "won"
	}
	if span.IsRecording() {
		span.SetAttributes(attribute.String("recoup.guard", guard), attribute.String(operation.AttrOutcome, outcome))
	}
	span.End()
	switch {
	case !won:
		s.countGuard(ctx, guard, outcome)
	case tx != nil:
		tx.AfterCommit(func() { s.countGuard(ctx, guard, outcome) })
	}
	return won
}

func (s *Service) countGuard(ctx context.Context, guard, outcome string) {
	s.guards.Add(ctx, 1, metric.WithAttributes(attribute.String("guard", guard), attribute.String("outcome", outcome)))
}

// describe puts what a job is on the span in ctx, and its decision in the notes. attempt is the one that the change is about, 0 for none.
func (j Job) describe(ctx context.Context, attempt int) {
	operation.NoteDecision(ctx, j.RuleVersion, j.RolloutID, j.Cohort)
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(j.attributes(attempt)...)
	// A caller with a trace of its own: from either trace one finds the other.
	if charge := trace.SpanContextFromContext(operation.Join(context.Background(), j.Traceparent)); charge.IsValid() &&
		charge.TraceID() != span.SpanContext().TraceID() {
		span.AddLink(trace.Link{SpanContext: charge})
	}
}

func (j Job) attributes(attempt int) []attribute.KeyValue {
	all := []attribute.KeyValue{attribute.String("recoup.job_id", j.ID), attribute.String("recoup.action", j.Action),
		attribute.Int("recoup.generation", j.Generation), attribute.Int64("recoup.cost", j.Cost),
		attribute.String(operation.AttrRuleVersion, j.RuleVersion), attribute.String(operation.AttrCohort, j.Cohort)}
	if j.RolloutID != nil {
		all = append(all, attribute.String(operation.AttrRolloutID, *j.RolloutID))
	}
	if attempt > 0 {
		all = append(all, attribute.Int("recoup.attempt", attempt))
	}
	return all
}

// traceOf is the trace id that an event keeps which nobody outside asked for: that of the job's charge, or
// the one in ctx where the charge had none.
func (j Job) traceOf(ctx context.Context) []byte {
	if id := operation.TraceID(operation.Join(context.Background(), j.Traceparent)); id != nil {
		return id
	}
	return operation.TraceID(ctx)
}

// mark leaves a span without length in the job's trace for something that happened to the job in another
// trace, or outside of any, and links it there.
func (s *Service) mark(ctx context.Context, name string, j Job, attempt int, more ...attribute.KeyValue) {
	here := trace.SpanContextFromContext(ctx)
	joined := operation.Join(context.Background(), j.Traceparent)
	if sc := trace.SpanContextFromContext(joined); !sc.IsSampled() || sc.TraceID() == here.TraceID() {
		return
	}
	var options []trace.SpanStartOption
	if here.IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: here}))
	}
	_, span := s.ops.Tracer().Start(joined, name, options...)
	if span.IsRecording() {
		span.SetAttributes(j.attributes(attempt)...)
		span.SetAttributes(more...)
	}
	span.End()
}
