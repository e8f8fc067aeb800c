package tasks

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recoup/models/actor"
	"recoup/models/modeltest"
	"recoup/models/operation"
	"recoup/models/webhook"
)

// A receiver that takes calls and does not answer them keeps no other receiver waiting, however much there is for it.
func TestSlowReceiverKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	m := modeltest.New(t, modeltest.DB(t), modeltest.Fast())
	w := build(t, m, modeltest.Fast(), lasting, false)
	over := make(chan struct{})
	var open, most atomic.Int64
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		n := open.Add(1)
		defer open.Add(-1)
		for seen := most.Load(); n > seen && !most.CompareAndSwap(seen, n); seen = most.Load() {
		}
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(slow.Close)
	t.Cleanup(func() { close(over) })
	var mu sync.Mutex
	taken := map[string]bool{}
	quick := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		taken[r.Header.Get("webhook-id")] = true
	}))
	t.Cleanup(quick.Close)
	hooks, err := webhook.New(m.Ops, []byte(modeltest.Secret), webhook.NewSender([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}), w.relay.Kick)
	if err != nil {
		t.Fatal(err)
	}
	w.run.o.Webhooks = hooks
	for i, url := range []string{slow.URL, quick.URL} {
		by := webhook.Envelope{OperationID: "make-" + strconv.Itoa(i), Actor: actor.Actor{Kind: "staff", ID: "st_1"}, Reason: "test"}
		if _, err := hooks.Create(context.Background(), by, webhook.EndpointInput{URL: url, Events: []string{"check.failed"}}); err != nil {
			t.Fatal(err)
		}
	}
	const events = 60
	for i := range events {
		req := operation.Request{Scope: operation.Named("settings"), ID: "event-" + strconv.Itoa(i), Kind: "test", Actor: actor.System()}
		_, err := m.Ops.Apply(context.Background(), req, func(_ context.Context, tx *operation.Tx) (any, error) {
			return 1, webhook.Emit(tx, webhook.CheckFailed, "", nil)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	w.start(t)
	eventually(t, time.Minute, "the quick receiver has everything while the slow one has not answered once", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(taken) == events
	})
	if n := most.Load(); n != 1 {
		t.Errorf("%d calls at a time to a receiver that does not answer", n)
	}
}
