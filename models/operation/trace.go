package operation

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// Attributes of spans. Operations, guards, entries, wake-ups and tasks use the same names.
const (
	AttrOperationID = "recoup.operation_id"
	AttrKind        = "recoup.operation_kind"
	AttrScope       = "recoup.scope"
	AttrOutcome     = "recoup.outcome"
	// AttrSend is which try to send the operation this was: 1 applied it, later ones were replays or conflicts.
	AttrSend        = "recoup.operation_attempt"
	AttrRuleVersion = "recoup.rule_version"
	AttrRolloutID   = "recoup.rollout_id"
	AttrCohort      = "recoup.cohort"
)

type ctxKey int

const (
	ownTraceKey ctxKey = iota // the trace in the context was begun by this process
	askedByKey                // the span that asked, where the operation belongs to another trace
	notesKey                  // what log lines say of the operation
)

// WithOwnTrace says that no caller brought the trace in ctx: this process began it for a request that
// came without one. Such a request may join the trace of the job it is about; see Join.
func WithOwnTrace(ctx context.Context) context.Context {
	return context.WithValue(ctx, ownTraceKey, true)
}

// Join returns a context in which an operation belongs to the trace of traceparent, a W3C header value
// stored with a job, so that one trace leads from the charge to its end. A trace that a caller brought is
// the caller's to choose and stays; so does ctx where traceparent names no trace. The operation's span
// links to the span that was in ctx.
func Join(ctx context.Context, traceparent string) context.Context {
	before := trace.SpanContextFromContext(ctx)
	own, _ := ctx.Value(ownTraceKey).(bool)
	if before.IsValid() && !own {
		return ctx
	}
	joined := propagation.TraceContext{}.Extract(trace.ContextWithSpanContext(ctx, trace.SpanContext{}),
		propagation.MapCarrier{"traceparent": traceparent})
	if !trace.SpanContextFromContext(joined).IsValid() {
		return ctx
	}
	if before.IsValid() {
		joined = context.WithValue(joined, askedByKey, before)
	}
	return joined
}

// links names the span that asked, where ctx has joined another trace.
func links(ctx context.Context) []trace.Link {
	if asked, ok := ctx.Value(askedByKey).(trace.SpanContext); ok {
		return []trace.Link{{SpanContext: asked}}
	}
	return nil
}

// Traceparent is the W3C header value of the span in ctx, or "".
func Traceparent(ctx context.Context) string {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier["traceparent"]
}

// TraceID returns the 16 bytes of the trace id in ctx, or nil when there is none.
func TraceID(ctx context.Context) []byte {
	sc := trace.SpanContextFromContext(ctx)
	if !sc.HasTraceID() {
		return nil
	}
	id := sc.TraceID()
	return id[:]
}

// Step starts a child of the span in ctx for one part of an operation. Where that span records nothing
// the child is a span without effect that costs next to nothing. The caller ends it.
func (s *Store) Step(ctx context.Context, name string) (context.Context, trace.Span) {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return ctx, noop.Span{}
	}
	return s.tracer.Start(ctx, name)
}

// describe puts what is known of a stored operation on the span of a replay or conflict.
func describe(ctx context.Context, o Stored) {
	if o.RuleVersion != nil && o.Cohort != nil {
		NoteDecision(ctx, *o.RuleVersion, o.RolloutID, *o.Cohort)
	}
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	for name, value := range map[string]*string{AttrRuleVersion: o.RuleVersion, AttrRolloutID: o.RolloutID, AttrCohort: o.Cohort,
		"recoup.job_id": o.JobID} {
		if value != nil && *value != "" {
			span.SetAttributes(attribute.String(name, *value))
		}
	}
}
