package rollout

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"recoup/models/fault"
	"recoup/models/pricing"
)

// Why a rollout's state does not allow what was asked: what fault.DetailWhy of a state_conflict holds, beside those of
// package pricing. Beside each stand the facts that Detail has too.
const (
	// WhyMoved: it is not as whoever asked has seen it. state, stage, version.
	WhyMoved = "rollout_moved"
	// WhyBaseline: the baseline of a draft is not in force any more. baseline, in_force.
	WhyBaseline = "baseline_not_in_force"
	// WhyLastStage: it stands at its last stage.
	WhyLastStage = "last_stage"
	// WhyNotEverybody: the stages reached do not admit every account.
	WhyNotEverybody = "not_everybody"
	// WhyRequestWaits: a change request about the step waits for a decision. change_request.
	WhyRequestWaits = "request_waits"
	// WhyNotAhead: the step to be scheduled does not lie ahead of it. state, stage, version.
	WhyNotAhead = "step_not_ahead"
	// WhyScheduled: the step is scheduled already.
	WhyScheduled = "step_scheduled"
	// WhyTimePast: the time of the step was past before a second person agreed.
	WhyTimePast = "time_past"
	// WhyStepOver: the scheduled step was made, refused or cancelled. step_state.
	WhyStepOver = "step_over"
)

// Startable says why a draft could not be started now: nil, or the fault that Start would return of its action, its
// baseline, its candidate or another rollout. It takes no locks: what it says may change, and Start decides. Of a rollout
// that is no draft it asks nothing.
func (s *Service) Startable(ctx context.Context, o Rollout) (*fault.Error, error) {
	return startable(ctx, s.g, o)
}

func startable(ctx context.Context, g *gorm.DB, o Rollout) (*fault.Error, error) {
	if o.State != Draft {
		return nil, nil
	}
	var now struct {
		InForce         string
		Retired, Banned bool
		Live            string
	}
	err := g.WithContext(ctx).Raw(`SELECT COALESCE(a.baseline, '') AS in_force, a.retired_at IS NOT NULL AS retired,
			EXISTS (SELECT 1 FROM rule_retirements WHERE rule_version = ?) AS banned,
			COALESCE((SELECT id FROM rollouts WHERE action = a.id AND state IN ('running', 'paused', 'halted')), '') AS live
		FROM actions a WHERE a.id = ?`, o.Candidate, o.Action).Scan(&now).Error
	switch {
	case err != nil:
		return nil, fmt.Errorf("rollout: startable: %w", err)
	case now.Retired:
		return pricing.ActionRetired(o.Action), nil
	case now.Banned:
		return pricing.RuleRetired(o.Candidate), nil
	case now.InForce != o.Baseline:
		return staleBaseline(o, now.InForce), nil
	case now.Live != "":
		return otherLive(o, now.Live), nil
	}
	return nil, nil
}

// retired refuses to plan the start of a draft whose action or candidate is retired: that is for good. What else stands in
// the way now may be gone when the time comes.
func retired(ctx context.Context, g *gorm.DB, o Rollout) error {
	f, err := startable(ctx, g, o)
	if err != nil || f == nil {
		return err
	}
	switch f.Detail[fault.DetailWhy] {
	case pricing.WhyActionRetired, pricing.WhyRuleRetired:
		return f
	}
	return nil
}

func staleBaseline(o Rollout, inForce string) *fault.Error {
	return fault.State(string(o.State), "The baseline %s is not in force any more: %s is. Nothing was changed.", o.Baseline, inForce).
		Because(WhyBaseline).With("baseline", o.Baseline).With("in_force", inForce)
}

func otherLive(o Rollout, other string) *fault.Error {
	return fault.State(string(o.State), "Rollout %s of the same action is live. Nothing was changed.", other).
		Because(pricing.WhyRolloutLive).With("rollout_id", other)
}
