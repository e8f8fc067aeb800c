// Package telemetry is how an operator sees inside: structured logs, W3C traces, Prometheus metrics.
package telemetry

import (
	"context"
	"io"
	"log/slog"

	"go.opentelemetry.io/otel/trace"

	"recoup/handlers/reqctx"
	"recoup/models/operation"
)

// NewLogger returns a logger that adds to every line what its context knows: request_id, trace_id,
// operation_id and actor, and of the operation its outcome and the decision that priced its job (rule_version,
// rollout_id, cohort), each where there is one. Values under names that mean a secret are
// replaced, as a last line of defence.
func NewLogger(w io.Writer, asJSON bool, level slog.Leveler) *slog.Logger {
	o := &slog.HandlerOptions{Level: level, ReplaceAttr: redact}
	var h slog.Handler = slog.NewTextHandler(w, o)
	if asJSON {
		h = slog.NewJSONHandler(w, o)
	}
	return slog.New(contextHandler{h})
}

func redact(_ []string, a slog.Attr) slog.Attr {
	switch a.Key {
	case "password", "secret", "token", "lease_token", "authorization", "cookie", "api_key", "database_url", "redis_url":
		return slog.String(a.Key, "[redacted]")
	}
	return a
}

type contextHandler struct{ slog.Handler }

func (h contextHandler) Handle(ctx context.Context, r slog.Record) error {
	facts := reqctx.Of(ctx)
	attrs := make([]slog.Attr, 0, 8)
	if facts.RequestID != "" {
		attrs = append(attrs, slog.String("request_id", facts.RequestID))
	}
	if sc := trace.SpanContextFromContext(ctx); sc.HasTraceID() {
		attrs = append(attrs, slog.String("trace_id", sc.TraceID().String()))
	}
	if facts.OperationID != "" {
		attrs = append(attrs, slog.String("operation_id", facts.OperationID))
	}
	if facts.Actor.Kind != "" {
		attrs = append(attrs, slog.String("actor", facts.Actor.String()))
	}
	noted := operation.Notes(ctx)
	for _, a := range []struct{ name, value string }{{"outcome", noted.Outcome}, {"rule_version", noted.RuleVersion}, {"rollout_id", noted.RolloutID}, {"cohort", noted.Cohort}} {
		if a.value != "" {
			attrs = append(attrs, slog.String(a.name, a.value))
		}
	}
	if len(attrs) > 0 {
		r = r.Clone()
		r.AddAttrs(attrs...)
	}
	return h.Handler.Handle(ctx, r)
}

func (h contextHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return contextHandler{h.Handler.WithAttrs(attrs)}
}

func (h contextHandler) WithGroup(name string) slog.Handler {
	return contextHandler{h.Handler.WithGroup(name)}
}
