package reqctx

import (
	"context"
	"sync"
	"testing"
	"time"

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
