package job_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/models/job"
)

func TestDelayOfTheDefaultPolicy(t *testing.T) {
	var got []int
	for n := 1; n <= 7; n++ {
		got = append(got, int(job.Delay(n, 10*time.Second, 600*time.Second).Seconds()))
	}
	if want := []int{20, 40, 80, 160, 320, 600, 600}; !slices.Equal(got, want) {
		t.Fatalf("delays %v, want %v", got, want)
	}
	p := job.DefaultPolicy()
	if p.BackoffBase != 10*time.Second || p.BackoffMax != 600*time.Second || !p.Jitter {
		t.Errorf("default policy %+v", p)
	}
}

// legal draws a base and a max that a configuration may hold, from a nanosecond to all that fits.
func legal(t *rapid.T) (base, most time.Duration) {
	size := rapid.OneOf(rapid.Int64Range(1, 100), rapid.Int64Range(1, int64(24*time.Hour)), rapid.Int64Range(1, math.MaxInt64),
		rapid.SampledFrom([]int64{1, 2, 3, math.MaxInt64 - 1, math.MaxInt64, math.MaxInt64/2 + 1, math.MaxInt64 / 2}))
	a, b := size.Draw(t, "a"), size.Draw(t, "b")
	return time.Duration(min(a, b)), time.Duration(max(a, b))
}

// TestCase_F45 checks that no attempt number, base or max gives a delay that is not positive, above
// the max, or shorter than the one before.
func TestCase_F45(t *testing.T) {
	check := func(t rapid.TB, base, max time.Duration) {
		last := time.Duration(0)
		for n := range 10_001 {
			d := job.Delay(n, base, max)
			if d <= 0 || d > max || d < last {
				t.Fatalf("Delay(%d, %d, %d) = %d after %d", n, base, max, d, last)
			}
			last = d
		}
		if last != max {
			t.Fatalf("Delay(10000, %d, %d) = %d never reached the max", base, max, last)
		}
	}
	check(t, 10*time.Second, 600*time.Second)
	check(t, 1, math.MaxInt64)
	check(t, math.MaxInt64, math.MaxInt64)
	rapid.Check(t, func(t *rapid.T) { base, max := legal(t); check(t, base, max) })
}

// TestDelayIsExact compares with the definition while the doubling still fits.
func TestDelayIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, max := legal(t)
		n := rapid.IntRange(0, 62).Draw(t, "n")
		want := max
		if base <= math.MaxInt64>>n {
			want = min(base<<n, max)
		}
		if got := job.Delay(n, base, max); got != want {
			t.Fatalf("Delay(%d, %d, %d) = %d, want %d", n, base, max, got, want)
		}
	})
}

func TestJitterTakesAtMostHalf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, d := legal(t)
		fraction := rapid.OneOf(rapid.Float64Range(0, math.Nextafter(1, 0)), rapid.SampledFrom([]float64{0, 0.5, math.Nextafter(1, 0)})).Draw(t, "fraction")
		got := job.Jitter(d, fraction)
		if got <= 0 || got > d || got < d-d/2 {
			t.Fatalf("Jitter(%d, %v) = %d", d, fraction, got)
		}
	})
	if got := job.Jitter(80*time.Second, 0); got != 80*time.Second {
		t.Errorf("nothing taken away leaves %s", got)
	}
	if got := job.Jitter(80*time.Second, 0.5); got != 60*time.Second {
		t.Errorf("half of the half leaves %s", got)
	}
}
