package comparison

import (
	"context"
	"time"

	"recoup/models/calendar"
	"recoup/models/rollout"
	"recoup/models/rollup"
)

// shownDays is how many days Days goes back at most.
const shownDays = 31

// Day is how often a rollout's two rule versions were charged on one day.
type Day struct {
	Start               time.Time
	Candidate, Baseline int64
}

// Days counts the charges of a rollout by day of zone: from its start, at most the last 31 days up to its end or now; nil
// before the start. It is exact; the days come from the rollup, so that its cost does not grow with the charges.
func (s *Service) Days(ctx context.Context, r rollout.Rollout, zone *time.Location, now time.Time) ([]Day, error) {
	if r.StartedAt == nil {
		return nil, nil
	}
	to := now
	if r.EndedAt != nil {
		to = *r.EndedAt
	}
	local := to.In(zone)
	// The last one is the end of the last day.
	bounds := calendar.Days(calendar.Day(local.Year(), local.Month(), local.Day()-shownDays+1, zone), calendar.Day(local.Year(), local.Month(), local.Day()+1, zone), zone)
	for len(bounds) > 2 && !bounds[1].After(*r.StartedAt) {
		bounds = bounds[1:]
	}
	groups, err := rollup.New(s.g, zone).Parts(ctx, rollup.Filter{Types: []string{"charge"}, RolloutID: r.ID}, bounds)
	if err != nil {
		return nil, err
	}
	days := make([]Day, len(bounds)-1)
	for i := range days {
		days[i].Start = bounds[i]
	}
	for _, g := range groups {
		switch {
		case g.Part == 0 || g.Part > len(days):
		case g.RuleVersion == r.Candidate:
			days[g.Part-1].Candidate += g.Count
		default:
			days[g.Part-1].Baseline += g.Count
		}
	}
	return days, nil
}
