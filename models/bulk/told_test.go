package bulk_test

import (
	"context"
	"encoding/json"
	"testing"

	"recoup/models/bulk"
	"recoup/models/inbox"
	"recoup/models/modeltest"
	"recoup/models/page"
)

// TestTheStarterIsToldOfAStop: whoever started a work finds in the inbox that it stopped by itself, once.
func TestTheStarterIsToldOfAStop(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	lena, mika := w.person(1), w.person(2)
	modeltest.Dead(t, w.G, "a", "j", 6)
	set := w.prepare(bulk.Requeue, all())
	_, err := w.bulk.Start(ctx, bulk.StartRequest{Envelope: envelope(lena), ID: set.ID, Count: set.Count, Reason: "x", Pace: bulk.Pace{Probe: 2, PerMinute: 6000, StopPercent: 20}})
	if err != nil {
		t.Fatal(err)
	}
	for w.progress(set.ID).Done < 2 {
		w.turn()
	}
	w.again(2, true)
	if b := w.until(set.ID); b.State != bulk.Stopped {
		t.Fatalf("%s", b.State)
	}
	w.turn()
	told, err := inbox.New(w.G).List(ctx, lena, true, nil, page.Older, 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(told.Rows) != 1 || told.Rows[0].Code != bulk.ToldStopped || told.Rows[0].Topic != bulk.Object(set.ID) {
		t.Fatalf("%+v", told.Rows)
	}
	var d bulk.ToldOfStop
	if err := json.Unmarshal([]byte(told.Rows[0].Detail), &d); err != nil {
		t.Fatal(err)
	}
	if want := (bulk.ToldOfStop{BulkWork: set.ID, Kind: bulk.Requeue, Count: 6, Failed: 2, Back: 2, StopPercent: 20}); d != want {
		t.Errorf("%+v, want %+v", d, want)
	}
	if n, err := inbox.New(w.G).Unread(ctx, mika, 10); err != nil || n != 0 {
		t.Errorf("somebody else has %d messages, %v", n, err)
	}
}
