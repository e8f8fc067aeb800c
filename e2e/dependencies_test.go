package e2e

import (
	"context"

	"recoup/models/dependency"
	"recoup/models/job"
	"recoup/models/modeltest"
)

// holds lets a dependency be held with a job behind it.
func (w *world) holds() {
	w.t.Helper()
	ctx := context.Background()
	_, err := w.Jobs.Charge(ctx, job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "aurora-films", JobID: "held-1", Action: modeltest.Action, Units: 12, Dependency: "render-farm"})
	if err != nil {
		w.t.Fatal(err)
	}
	_, err = w.Dependencies.Hold(ctx, dependency.Request{Envelope: modeltest.Envelope(), Name: "render-farm", Reason: "The vendor called: their storage is down until the evening"})
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.Dependencies.Round(ctx); err != nil {
		w.t.Fatal(err)
	}
}
