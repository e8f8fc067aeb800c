package e2e

import (
	"context"
	"net/http"
	"net/http/httptest"

	"recoup/models/actor"
	"recoup/models/bell"
	"recoup/models/modeltest"
	"recoup/models/webhook"
)

// receiver furnishes a world with a receiver outside that took one message and refused another.
func (w *world) receiver() {
	w.t.Helper()
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		if calls++; calls > 1 {
			http.Error(rw, "the queue behind this receiver is full", http.StatusServiceUnavailable)
		}
	}))
	w.t.Cleanup(server.Close)
	ctx := context.Background()
	by := func() webhook.Envelope {
		e := modeltest.Envelope()
		return webhook.Envelope{OperationID: e.OperationID, Actor: actor.Actor{Kind: "staff", ID: "st_1"}, Reason: "told by support"}
	}
	out, err := w.hooks.Create(ctx, by(), webhook.EndpointInput{URL: server.URL + "/recoup/dead-letters-of-the-render-farm", Description: "On-call of the render farm",
		Events: []string{"job.dead_lettered", "job.recovered", "rollout.halted", "check.failed"}})
	if err != nil {
		w.t.Fatal(err)
	}
	var made webhook.EndpointResult
	if err := out.Decode(&made); err != nil {
		w.t.Fatal(err)
	}
	w.hook = made.EndpointID
	for range 2 {
		if _, err := w.hooks.Test(ctx, by(), w.hook); err != nil {
			w.t.Fatal(err)
		}
		var due []int64
		_, err := w.hooks.Ring(ctx, 10, func(_ context.Context, b bell.Bell) error { due = append(due, b.Key); return nil })
		if err != nil {
			w.t.Fatal(err)
		}
		for _, key := range due {
			if err := w.hooks.Visit(ctx, key); err != nil {
				w.t.Fatal(err)
			}
		}
	}
}

// webhookPages are the pages about the furnished world's receiver.
func (w *world) webhookPages() []string {
	at := "/webhooks/" + w.hook
	return []string{"/webhooks", "/webhooks/new", at, at + "/edit", at + "/rotate", at + "/deliveries/2"}
}
