package reqctx

import (
	"context"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/trace"

	"recoup/models/actor"
)

// What an inner layer learns is seen through the outer layer's context.
func TestOuterLayerSeesInnerFacts(t *testing.T) {
	outer := New(context.Background(), "r-1")
	inner, cancel := context.WithCancel(outer)
	defer cancel()
	SetActor(inner, actor.Key("k7"))
	SetOperationID(inner, "op-9")
	SetLocale(inner, Locale{Lang: "ja", Zone: time.UTC})
	got := Of(outer)
	want := Facts{RequestID: "r-1", OperationID: "op-9", Actor: actor.Key("k7"), Locale: Locale{Lang: "ja", Zone: time.UTC}}
	if got != want || Actor(outer) != want.Actor || RequestID(outer) != "r-1" {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestWithoutRecord(t *testing.T) {
	ctx := context.Background()
	SetActor(ctx, actor.System())
	if Of(ctx) != (Facts{}) {
		t.Errorf("got %+v", Of(ctx))
	}
}

func TestConcurrentUse(t *testing.T) {
	ctx := New(context.Background(), "r")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				SetOperationID(ctx, "a")
				_ = Of(ctx)
			}
		})
	}
	wg.Wait()
	if Of(ctx).OperationID != "a" {
		t.Error("lost")
	}
}

func TestTraceID(t *testing.T) {
	if TraceID(context.Background()) != nil {
		t.Error("a trace id out of nowhere")
	}
	want := trace.TraceID{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	ctx := trace.ContextWithSpanContext(context.Background(), trace.NewSpanContext(trace.SpanContextConfig{TraceID: want, SpanID: trace.SpanID{1}}))
	if got := TraceID(ctx); string(got) != string(want[:]) {
		t.Errorf("got %x", got)
	}
}
