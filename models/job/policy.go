package job

import (
	"math/rand/v2"
	"time"
)

// Policy is how a job is tried. It is frozen on the job when it is charged.
type Policy struct {
	// MaxAttempts is the budget of one generation.
	MaxAttempts int
	// Lease is how long a worker may be silent.
	Lease time.Duration
	// Deadline is how long one attempt may run.
	Deadline time.Duration
	// Expires is how long after its charge a job may be unfinished.
	Expires time.Duration
	// BackoffBase and BackoffMax shape Delay.
	BackoffBase, BackoffMax time.Duration
	// Jitter takes up to half of each delay away, so that failures of one outage do not return together.
	Jitter bool
}

// DefaultPolicy is what an installation has when nothing is configured.
func DefaultPolicy() Policy {
	return Policy{MaxAttempts: 5, Lease: 30 * time.Second, Deadline: 15 * time.Minute, Expires: 24 * time.Hour,
		BackoffBase: 10 * time.Second, BackoffMax: 600 * time.Second, Jitter: true}
}

// Delay is min(base · 2^n, max) after attempt n of a generation failed. For every n and every
// positive base and max it is positive, at most max, and never decreases with n.
func Delay(n int, base, max time.Duration) time.Duration {
	if base >= max {
		return max
	}
	d := base
	for ; n > 0; n-- {
		// Comparing before doubling keeps the product from overflowing, whatever n is.
		if d > max/2 {
			return max
		}
		d *= 2
	}
	return d
}

// Jitter takes a random part of up to half of d away; fraction is in [0, 1).
func Jitter(d time.Duration, fraction float64) time.Duration {
	cut := time.Duration(float64(d/2) * fraction)
	return d - cut
}

// random is the source of jitter.
func random() float64 { return rand.Float64() }
