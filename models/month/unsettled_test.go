package month_test

import (
	"context"
	"testing"
	"time"

	"recoup/models/job"
	"recoup/models/modeltest"
)

// What jobs came to in a month holds the charges of those that are not over yet; how much of it that is is known exactly.
func TestChargesOfJobsThatAreNotOver(t *testing.T) {
	w := newWorld(t, "UTC")
	ctx := context.Background()
	w.Price(t, modeltest.Action, 1000)
	w.Account(t, "a", 1000)
	for id, signals := range map[string][]job.Signal{
		"waits": nil, "delivered": {{Type: job.SignalSucceeded}}, "failed": {{Type: job.SignalFailed, Class: job.Transient, Code: "x"}},
		"late": {{Type: job.SignalFailed, Class: job.Transient, Code: "x"}, {Type: job.SignalSucceeded}},
	} {
		w.Charge(t, "a", id, 40)
		for _, s := range signals {
			if _, err := w.Jobs.Signal(ctx, job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: id, Signal: s}); err != nil {
				t.Fatal(err)
			}
		}
	}
	hour := time.Hour
	for _, x := range []struct {
		from, to time.Time
		count    int64
		amount   string
	}{{time.Now().Add(-hour), time.Now().Add(hour), 1, "40"}, {time.Now().Add(-2 * hour), time.Now().Add(-hour), 0, "0"}} {
		got, err := w.months.Unsettled(ctx, x.from, x.to)
		if err != nil || got == nil || got.Count != x.count || got.Amount.String() != x.amount {
			t.Errorf("from %s: %+v %v", x.from, got, err)
		}
	}
}
