package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/trace"

	"recoup/handlers/reqctx"
	"recoup/models/actor"
	"recoup/models/operation"
)

func TestLineCarriesItsContext(t *testing.T) {
	var out bytes.Buffer
	log := NewLogger(&out, true, slog.LevelInfo).With("component", "test")
	ctx := operation.WithNotes(reqctx.New(context.Background(), "req-1"))
	ctx = trace.ContextWithSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{0xab, 15: 1}, SpanID: trace.SpanID{1}}))
	reqctx.SetOperationID(ctx, "op-1")
	reqctx.SetActor(ctx, actor.Staff("st_1"))
	id := "ro_1"
	operation.NoteDecision(ctx, "video_render@v2", &id, "candidate")
	operation.NoteOutcome(ctx, "applied")
	log.InfoContext(ctx, "done", "n", 7, "password", "hunter2")
	log.DebugContext(ctx, "hidden")

	var line map[string]any
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	for name, want := range map[string]any{
		"msg": "done", "request_id": "req-1", "trace_id": "ab000000000000000000000000000001", "operation_id": "op-1",
		"actor": "staff:st_1", "component": "test", "n": float64(7), "outcome": "applied",
		"rule_version": "video_render@v2", "rollout_id": "ro_1", "cohort": "candidate", "password": "[redacted]",
	} {
		if line[name] != want {
			t.Errorf("%s: got %v, want %v", name, line[name], want)
		}
	}
}

func TestLineWithoutContext(t *testing.T) {
	var out bytes.Buffer
	NewLogger(&out, false, slog.LevelInfo).Info("started")
	if s := out.String(); !strings.Contains(s, "msg=started") || strings.Contains(s, "request_id") || strings.Contains(s, "trace_id") || strings.Contains(s, "actor") {
		t.Errorf("got %s", s)
	}
}
