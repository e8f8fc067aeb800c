package dependency_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"recoup/models/dependency"
	"recoup/models/fault"
	"recoup/models/modeltest"
)

// TestOfReleasesAtOnceOneCounts: of all who release what they saw held, one sets the rate; each other is told by whom and
// when. So of a dependency and of an action.
func TestOfReleasesAtOnceOneCounts(t *testing.T) {
	m, ctx := ready(t), context.Background()
	charge(t, m, farm, "j", 5)
	round(t, m)
	for kind, x := range map[dependency.Kind]struct {
		name    string
		hold    func(context.Context, dependency.Request) error
		release func(context.Context, dependency.Request, int64) error
	}{
		dependency.OfDependency: {farm, func(ctx context.Context, r dependency.Request) error {
			_, err := m.Dependencies.Hold(ctx, r)
			return err
		},
			func(ctx context.Context, r dependency.Request, n int64) error {
				_, err := m.Dependencies.Release(ctx, r, n)
				return err
			}},
		dependency.OfAction: {modeltest.Action, func(ctx context.Context, r dependency.Request) error {
			_, err := m.Dependencies.HoldAction(ctx, r)
			return err
		},
			func(ctx context.Context, r dependency.Request, n int64) error {
				_, err := m.Dependencies.ReleaseAction(ctx, r, n)
				return err
			}},
	} {
		if err := x.hold(ctx, by(x.name, "the vendor called")); err != nil {
			t.Fatal(err)
		}
		seen := must[int64](t)(m.Dependencies.LastStep(ctx, kind, x.name))
		if seen == 0 {
			t.Fatalf("%s: nothing was seen", kind)
		}
		const people = 6
		errs := make([]error, people)
		var wg sync.WaitGroup
		for i := range people {
			wg.Go(func() {
				r := by(x.name, "back again")
				r.Seen = &seen
				errs[i] = x.release(ctx, r, int64(60+i))
			})
		}
		wg.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
				continue
			}
			f := fault.As(err)
			if f == nil || f.Code != fault.CodeStateConflict || f.Detail["state"] != "hold_changed" || f.Detail["by"] != "staff:mori" {
				t.Errorf("%s: %v", kind, err)
				continue
			}
			if _, ok := f.Detail["at"].(time.Time); !ok {
				t.Errorf("%s: when? %+v", kind, f.Detail)
			}
		}
		if won != 1 {
			t.Errorf("%s: %d releases counted", kind, won)
		}
	}
}
