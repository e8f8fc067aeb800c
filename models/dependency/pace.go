package dependency

// pace is how a release keeps within a rate.
type pace struct {
	// spacingUS is the time from one job to the next, in microseconds.
	spacingUS int64
	// burst is how many may go at once.
	burst int64
}

// paced makes the pace that never hands out more than perMinute jobs in any 60 seconds. It may hand out a second's worth at
// once, so that workers who ask seldom get their share; what such a burst could add at the edge of a minute is taken off the
// rate, and a minute counts as 61 seconds, because a job's attempt begins a moment after it was let through.
func paced(perMinute int64) pace {
	burst := (perMinute + 59) / 60
	rate := perMinute - burst + 1
	return pace{burst: burst, spacingUS: (61_000_000 + rate - 1) / rate}
}
