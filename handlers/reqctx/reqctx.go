// Package reqctx carries what is known of one request through its context: the request id, who asks,
// which operation it names, in which language and zone to answer.
//
// The facts live in one record that the outermost middleware makes. Inner layers add to it, so that
// a log line written by the outermost layer still has what only the innermost learned. Every
// function is safe for concurrent use; on a context without a record, setters do nothing and getters
// return the zero value.
package reqctx

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"recoup/models/actor"
)

// Locale is how a person reads: a language code ("en", "ja"; empty means English) and a time zone
// (nil means UTC).
type Locale struct {
	Lang string
	Zone *time.Location
}

// Facts is a copy of everything known at one moment.
type Facts struct {
	RequestID string
	// OperationID is empty until the request has named an operation.
	OperationID string
	// Actor is the zero Actor until somebody is authenticated.
	Actor  actor.Actor
	Locale Locale
}

type record struct {
	mu    sync.RWMutex
	facts Facts
}

type key struct{}

// New returns a context with a fresh record for this request id.
func New(ctx context.Context, requestID string) context.Context {
	return context.WithValue(ctx, key{}, &record{facts: Facts{RequestID: requestID}})
}

// Of returns what is known.
func Of(ctx context.Context) Facts {
	r, ok := ctx.Value(key{}).(*record)
	if !ok {
		return Facts{}
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.facts
}

func change(ctx context.Context, set func(*Facts)) {
	r, ok := ctx.Value(key{}).(*record)
	if !ok {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	set(&r.facts)
}

// RequestID returns the id of the request, or "" outside of one.
func RequestID(ctx context.Context) string { return Of(ctx).RequestID }

// Actor returns who asks, or the zero Actor when nobody is authenticated.
func Actor(ctx context.Context) actor.Actor { return Of(ctx).Actor }

// SetActor notes who asks.
func SetActor(ctx context.Context, a actor.Actor) { change(ctx, func(f *Facts) { f.Actor = a }) }

// SetOperationID notes which operation the request names.
func SetOperationID(ctx context.Context, id string) {
	change(ctx, func(f *Facts) { f.OperationID = id })
}

// SetLocale notes how the person reads.
func SetLocale(ctx context.Context, l Locale) { change(ctx, func(f *Facts) { f.Locale = l }) }

// TraceID returns the 16 bytes of the W3C trace id of the request, nil outside of a trace. It is what
// operations and audit rows keep.
func TraceID(ctx context.Context) []byte {
	sc := trace.SpanContextFromContext(ctx)
	if !sc.HasTraceID() {
		return nil
	}
	id := sc.TraceID()
	return id[:]
}
