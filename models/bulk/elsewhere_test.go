package bulk_test

import (
	"context"
	"testing"

	"recoup/models/bulk"
	"recoup/models/modeltest"
)

// A set that was frozen before another work began with the same rows says so to whoever starts or approves it.
func TestRowsOfTwoWorks(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	modeltest.Dead(t, w.G, "a", "j", 5)
	first, second := w.prepare(bulk.Requeue, all()), w.prepare(bulk.Discard, all())
	elsewhere := func(id string, want int64) {
		t.Helper()
		if n, err := w.bulk.Elsewhere(ctx, w.find(id)); err != nil || n != want {
			t.Errorf("%d rows are elsewhere, %v, want %d", n, err, want)
		}
	}
	elsewhere(second.ID, 0) // what nobody has started does nothing
	w.start(first, bulk.Pace{PerMinute: 1, StopPercent: 100})
	elsewhere(second.ID, 5)
	w.turn()
	elsewhere(second.ID, 4)
}
