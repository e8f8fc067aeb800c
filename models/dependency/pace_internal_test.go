package dependency

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// In no minute more goes through than the rate, whatever the rate and whenever it is asked; and what is asked for often
// enough is not slower than it must be.
func TestPaceKeepsEveryMinute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Int64Range(1, MaxPerMinute).Draw(t, "rate")
		p := paced(rate)
		// The rule of the claim, in microseconds.
		var at, now int64
		type taken struct{ at, n int64 }
		var all []taken
		for range 200 {
			now += rapid.Int64Range(0, 3*p.spacingUS*p.burst).Draw(t, "later")
			late := max(at-now, 0)
			free := p.burst - (late+p.spacingUS-1)/p.spacingUS
			n := min(free, rapid.Int64Range(1, 100).Draw(t, "asked"))
			if n < 1 {
				continue
			}
			at = max(at, now) + n*p.spacingUS
			all = append(all, taken{now, n})
		}
		for i := range all {
			sum := int64(0)
			// A job's attempt may begin up to a second after it was let through.
			for _, x := range all[i:] {
				if x.at-all[i].at < (61 * time.Second).Microseconds() {
					sum += x.n
				}
			}
			if sum > rate {
				t.Fatalf("%d in one minute at a rate of %d", sum, rate)
			}
		}
	})
}

func TestPaceIsUsedUp(t *testing.T) {
	for _, rate := range []int64{1, 7, 59, 60, 61, 600, 6000, MaxPerMinute} {
		p := paced(rate)
		if got := 60_000_000 / p.spacingUS; got < rate*96/100-1 {
			t.Errorf("a rate of %d hands out %d a minute", rate, got)
		}
	}
}
