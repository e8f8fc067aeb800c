package deadletter_test

import (
	"context"
	"testing"
	"time"

	"recoup/models/deadletter"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/modeltest"
)

// What waits for a person is what Review lists, whoever put the others out of sight, and how.
func TestWaiting(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	ctx := context.Background()
	who := person(t, m, 1)
	m.Account(t, "a", 10_000)
	waits := func(want int) {
		t.Helper()
		got, err := m.Letters.Waiting(ctx)
		if err != nil || got.Count != int64(want) || len(listed(t, m, deadletter.Review, deadletter.Filter{})) != want || (got.OldestAt == nil) != (want == 0) {
			t.Fatalf("%+v, %v, want %d as listed", got, err, want)
		}
	}
	waits(0)
	for _, id := range []string{"a1", "a2", "a3"} {
		die(t, m, "a", id, 10, "codec", "frame is broken", "")
	}
	die(t, m, "a", "b1", 10, "memory", "out of memory", "")
	die(t, m, "a", "b2", 10, "memory", "out of memory", "")
	waits(5)
	until := time.Now().Add(time.Hour)
	for _, id := range []string{"a1", "b1"} {
		if _, err := m.Letters.Snooze(ctx, deadletter.SnoozeRequest{Request: of(who, "a", id), Until: &until}); err != nil {
			t.Fatal(err)
		}
	}
	waits(3)
	oldest, err := m.Letters.Waiting(ctx)
	if err != nil {
		t.Fatal(err)
	}
	j, err := m.Jobs.Find(ctx, "a", "a2")
	if err != nil {
		t.Fatal(err)
	}
	letter, err := m.Letters.Find(ctx, j.AccountKey, j.Key)
	if err != nil || !oldest.OldestAt.Equal(letter.DeadAt) {
		t.Errorf("oldest %v, want that of a2, %v, %v", oldest.OldestAt, letter.DeadAt, err)
	}
	// Of the snoozed group one is snoozed by itself as well: it is taken away once.
	if _, err = m.Letters.SnoozeGroup(ctx, deadletter.GroupRequest{Envelope: ledger.Envelope{OperationID: ids.New(), Actor: who}, Fingerprint: letter.Fingerprint, Until: &until}); err != nil {
		t.Fatal(err)
	}
	waits(1)
	if err = m.G.Exec(`UPDATE dead_letters SET snoozed_until = snoozed_until - interval '2 hours' WHERE snoozed_until IS NOT NULL`).Error; err != nil {
		t.Fatal(err)
	}
	waits(2)
}
