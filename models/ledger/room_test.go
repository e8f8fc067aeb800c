package ledger_test

import (
	"context"
	"testing"

	"recoup/models/actor"
	"recoup/models/ledger"
)

// What a form says is left of the limit is what the server lets through without a second person, and not one credit more.
func TestRoomIsWhatIsLetThrough(t *testing.T) {
	ctx := context.Background()
	m := limited(t, 100)
	kim := actor.Staff("kim")
	room := func() ledger.Room {
		t.Helper()
		r, ok, err := m.Ledger.RoomOf(ctx, kim, "a")
		if err != nil || !ok {
			t.Fatalf("%v %v", ok, err)
		}
		return r
	}
	waits := func(n int64) bool {
		t.Helper()
		out, err := m.Ledger.Adjust(ctx, ledger.AdjustRequest{Envelope: by(kim), AccountID: "a", Amount: n, Reason: "x"})
		if err != nil {
			t.Fatal(err)
		}
		return out.Waiting
	}
	if got := room(); got != (ledger.Room{Add: 100, Take: 100}) {
		t.Fatalf("at first %+v", got)
	}
	if waits(60) || waits(-30) || waits(5) {
		t.Fatal("below the limit it waits")
	}
	got := room()
	if got != (ledger.Room{Add: 35, Take: 70}) {
		t.Fatalf("after 65 and −30: %+v", got)
	}
	if !waits(got.Add+1) || !waits(-got.Take-1) {
		t.Error("one more than is left does not wait")
	}
	if waits(got.Add) || waits(-got.Take) {
		t.Error("what is left waits")
	}
	if got := room(); got != (ledger.Room{}) {
		t.Errorf("in the end %+v", got)
	}
}
