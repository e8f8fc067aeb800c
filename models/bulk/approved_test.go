package bulk_test

import (
	"context"
	"testing"

	"recoup/models/approval"
	"recoup/models/bulk"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/modeltest"
)

// What a second person approved is resumed as carefully as they approved it, or more so.
func TestAResumeStaysWithinWhatWasApproved(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	limited := bulk.New(w.Ops, w.Letters, w.Jobs, bulk.Options{Limit: 3, Requests: w.Requests})
	desk := approval.NewDesk(w.Ops, limited.Executors())
	lena, fiona := w.person(1), w.person(2)
	modeltest.Dead(t, w.G, "a", "j", 6)
	set := w.prepare(bulk.Requeue, all())
	out, err := limited.Start(ctx, bulk.StartRequest{Envelope: envelope(lena), ID: set.ID, Count: set.Count, Reason: "fixed", Pace: bulk.Pace{Probe: 2, PerMinute: 100, StopPercent: 20}})
	required := decode[approval.Required](t, out, err)
	if p, err := limited.Approved(ctx, set.ID); p != nil || err != nil {
		t.Fatalf("approved before anybody did: %+v, %v", p, err)
	}
	cr, err := w.Requests.Find(ctx, required.ChangeRequest.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = desk.Approve(ctx, approval.Decision{OperationID: ids.New(), Actor: fiona, ID: cr.ID, Version: cr.Version, Digest: cr.Digest, Reason: "looked"}); err != nil {
		t.Fatal(err)
	}
	resume := func(p bulk.Pace) error {
		t.Helper()
		if _, err := limited.Pause(ctx, bulk.StepRequest{Envelope: envelope(lena), ID: set.ID}); err != nil && !fault.Is(err, fault.CodeStateConflict) {
			t.Fatal(err)
		}
		_, err := limited.Resume(ctx, bulk.StepRequest{Envelope: envelope(lena), ID: set.ID, Reason: "goes on", Pace: p})
		return err
	}
	for field, p := range map[string]bulk.Pace{
		"per_minute": {Probe: 2, PerMinute: 101, StopPercent: 20}, "probe": {Probe: 1, PerMinute: 100, StopPercent: 20}, "stop_percent": {Probe: 2, PerMinute: 100, StopPercent: 21},
	} {
		f := refusal(t, resume(p), fault.CodeInvalid)
		if len(f.Fields) != 1 || f.Fields[0].Name != field {
			t.Errorf("%+v: %+v", p, f.Fields)
		}
	}
	// Whoever prepares the same rows meanwhile is told that they are elsewhere, too.
	same := w.prepare(bulk.Assign, bulk.Selection{Rows: []bulk.Ticked{{AccountID: "a", JobID: "j1"}}})
	if n, err := w.bulk.Elsewhere(ctx, w.find(same.ID)); err != nil || n != 0 {
		t.Errorf("%d rows that are left out are elsewhere, %v", n, err)
	}
	// More careful, and then as approved again.
	for _, p := range []bulk.Pace{{Probe: 4, PerMinute: 10, StopPercent: 5}, {Probe: 2, PerMinute: 100, StopPercent: 20}} {
		if err := resume(p); err != nil {
			t.Errorf("%+v: %v", p, err)
		}
	}
	// What nobody had to approve goes on as whoever started it likes.
	modeltest.Dead(t, w.G, "b", "k", 2)
	free := w.prepare(bulk.Requeue, bulk.Selection{Rows: []bulk.Ticked{{AccountID: "b", JobID: "k1"}}})
	w.start(free, bulk.Pace{Probe: 1, PerMinute: 1, StopPercent: 0})
	for _, step := range []func(context.Context, bulk.StepRequest) error{
		func(ctx context.Context, r bulk.StepRequest) error { _, err := limited.Pause(ctx, r); return err },
		func(ctx context.Context, r bulk.StepRequest) error { _, err := limited.Resume(ctx, r); return err },
	} {
		if err := step(ctx, bulk.StepRequest{Envelope: envelope(lena), ID: free.ID, Reason: "faster", Pace: fast()}); err != nil {
			t.Error(err)
		}
	}
}
