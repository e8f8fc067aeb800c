package month_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"recoup/models/horizon"
	"recoup/models/modeltest"
	"recoup/models/month"
)

// Whoever has read a month is told the same obstacle as whoever asks anew, and looking at a month moves nothing once its end
// is final.
func TestTheObstacleOfAMonthThatWasRead(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, "Asia/Tokyo")
	w.entries("a", modeltest.Past{At: at(t, "2025-08-10T00:00:00Z"), Type: "grant", Amount: 100, Category: "paid"},
		modeltest.Past{At: at(t, "2025-09-12T00:00:00Z"), Type: "grant", Amount: 1, Category: "paid"},
		modeltest.Past{At: at(t, "2025-10-12T00:00:00Z"), Type: "grant", Amount: 1, Category: "paid"})
	want := func(m, state string) {
		t.Helper()
		o := w.read(m)
		verified, err := w.months.Verified(ctx)
		if err != nil {
			t.Fatal(err)
		}
		got, err := w.months.ObstacleTo(ctx, o, verified)
		if err != nil {
			t.Fatal(err)
		}
		anew, err := w.months.Obstacle(ctx, parse(t, m))
		if err != nil || !reflect.DeepEqual(got, anew) {
			t.Errorf("%s: %+v, asked anew %+v, %v", m, got, anew, err)
		}
		if state == "" && got != nil || state != "" && (got == nil || got.State != state) {
			t.Errorf("%s: %+v, want %q", m, got, state)
		}
	}
	// Nobody has moved the horizon so far: asking does.
	want("2025-08", month.StateUnverified)
	final, err := horizon.Final(ctx, w.G)
	if err != nil || final.Before(at(t, "2025-09-01T00:00:00Z")) {
		t.Fatalf("final up to %s: %v", final, err)
	}
	w.verified()
	want("2025-08", "")
	want("2025-10", month.StatePrevious)
	want(time.Now().In(w.months.Zone()).Format("2006-01"), month.StateNotOver)
	w.mustClose("2025-08")
	want("2025-08", month.StateClosed)
	if o, err := w.months.Obstacle(ctx, parse(t, "2025-10")); err != nil || o == nil || o.Month != parse(t, "2025-09") {
		t.Errorf("before October: %+v %v", o, err)
	}
	if final, err = horizon.Final(ctx, w.G); err != nil {
		t.Fatal(err)
	}
	want("2025-09", "")
	if after, err := horizon.Final(ctx, w.G); err != nil || !after.Equal(final) {
		t.Errorf("looking moved the horizon from %s to %s: %v", final, after, err)
	}
}
