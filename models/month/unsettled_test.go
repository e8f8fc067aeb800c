package month_test

import (
	"context"
	"testing"
	"time"

	"recoup/models/calendar"
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
	o, err := w.months.Read(ctx, calendar.MonthOf(time.Now().UTC()))
	if err != nil {
		t.Fatal(err)
	}
	if o.Unsettled == nil || o.Unsettled.Count != 1 || o.Unsettled.Amount.String() != "40" {
		t.Errorf("not over yet: %+v", o.Unsettled)
	}
	// Three of the four charges stand, one of them is of a job that waits.
	if net := o.NetOfJobs(); net.String() != "120" {
		t.Errorf("net of jobs: %s", net)
	}
	if net := o.NetDelivered(); net == nil || net.String() != "80" {
		t.Errorf("net delivered: %v", net)
	}
}
