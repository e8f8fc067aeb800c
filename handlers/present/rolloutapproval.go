package present

import (
	"slices"
	"strconv"
	"strings"

	"recoup/models/approval"
	"recoup/models/pricing"
	"recoup/models/rollout"
	"recoup/views/approvals"
	views "recoup/views/rollouts"
	"recoup/views/ui"
)

// rolloutOf is the rollout that a change request is about; ok is false for requests about something else.
func rolloutOf(r approval.Request) (id string, ok bool) {
	if !slices.Contains(rollout.Kinds(), r.Kind) {
		return "", false
	}
	p, err := rollout.ReadProposed(r)
	return p.RolloutID, err == nil
}

// proposedStep names a step that waits for a second person.
func (p Presenter) proposedStep(r approval.Request) (title string, ok bool) {
	if _, ok := rolloutOf(r); !ok {
		return "", false
	}
	what, err := rollout.ReadProposed(r)
	if err != nil {
		return "", false
	}
	if what.Time != nil {
		return p.L.T("approval.schedule_rollout_step", what.RolloutID, p.proposedTimed(what), p.L.Stamp(what.Time.At, p.Now).Full), true
	}
	return p.L.T("approval."+string(r.Kind), what.RolloutID, p.proposedStage(what)), true
}

func (p Presenter) proposedStage(what rollout.Proposed) string {
	if what.Stage == nil {
		return p.L.T("stage.none")
	}
	return p.StageName([]pricing.Stage{*what.Stage}, 1)
}

// proposedMove fills in what a step is and from where it is made.
func (p Presenter) proposedMove(r approval.Request, v *approvals.Detail) error {
	what, err := rollout.ReadProposed(r)
	if err != nil {
		return err
	}
	expected := p.L.T("approval.expected_is", p.L.Maybe("state."+string(what.State), string(what.State)), p.L.T("stage.number", strconv.Itoa(what.From)), strconv.FormatInt(what.Version, 10))
	if t := what.Time; t != nil {
		expected = p.L.T("approval.expected_ahead")
		v.Lines = append(v.Lines,
			approvals.Line{Label: p.L.T("schedule.at"), Value: p.L.Stamp(t.At, p.Now).Full},
			approvals.Line{Label: p.L.T("schedule.asked_for"), Value: strings.TrimSpace(p.localTime(*t) + " " + p.reading(t.Reading))})
	}
	v.Lines = append(v.Lines,
		approvals.Line{Label: p.L.T("col.rollout"), ID: ui.ID{Value: what.RolloutID, URL: RolloutURL(what.RolloutID)}},
		approvals.Line{Label: p.L.T("col.change_of_price"), Value: what.Baseline + " → " + what.Candidate},
		approvals.Line{Label: p.L.T("col.stage"), Value: p.L.T("stage.number", strconv.Itoa(what.To)) + ": " + p.proposedStage(what)},
		approvals.Line{Label: p.L.T("approval.expected"), Value: expected})
	return nil
}

// PriceLines are both prices of the rollout that a change request is about, in words.
func (p Presenter) PriceLines(r rollout.Rollout, x Prices) []approvals.Line {
	candidate := p.Price(x.Candidate, r.Unit)
	if off := p.off(x.Baseline, x.Candidate); off != "" {
		candidate = p.L.T("rollout.named_off", candidate, off)
	}
	return []approvals.Line{
		{Label: p.L.T("rollout.baseline"), Value: p.Price(x.Baseline, r.Unit)},
		{Label: p.L.T("rollout.candidate"), Value: candidate},
		{Label: p.L.T("col.example"), Value: p.Example(x.Candidate, &x.Baseline, r.Unit)}}
}

// CheckLine is how the checks of a rollout came out last.
func (p Presenter) CheckLine(checks rollout.Checks) approvals.Line {
	var parts []string
	for _, c := range checks.All {
		state := map[rollout.Outcome]string{rollout.Pass: "state.passed", rollout.Fail: "state.failed"}[c.Outcome]
		if state == "" {
			state = "state.missing"
		}
		parts = append(parts, p.L.T("approval.check_is", p.L.T("checks."+string(c.Name)), p.L.T(state)))
	}
	return approvals.Line{Label: p.L.T("approval.checks", p.L.Stamp(checks.At, p.Now).Full), Value: strings.Join(parts, p.L.T("list.separator"))}
}

// ApproveSay is what an approval of a step does, and how it can be taken back.
func (p Presenter) ApproveSay(r approval.Request, what rollout.Proposed) string {
	by := p.actor(r.RequestedBy)
	switch {
	case what.Time != nil:
		return p.L.T("approve.say_time", by)
	case what.Completes():
		return p.L.T("approve.say_last_step", by)
	}
	return p.L.T("approve.say_step", by)
}

// WaitingStep is the step of a rollout that waits for a second person.
func (p Presenter) WaitingStep(r approval.Request) views.Waiting {
	return views.Waiting{What: p.ApprovalTitle(r), URL: ApprovalURL(r.ID), Say: p.L.T("second.waits", p.actor(r.RequestedBy), p.L.Stamp(r.ExpiresAt, p.Now).Full)}
}

// SecondSteps says which steps of a rollout need a second person; empty for none.
func (p Presenter) SecondSteps(s rollout.Second) string {
	var steps []string
	if s.Start {
		steps = append(steps, p.L.T("second.start"))
	}
	if s.Above != nil {
		steps = append(steps, p.L.T("second.above_is", p.percent(int64(*s.Above), pricing.Buckets)))
	}
	if s.Complete {
		steps = append(steps, p.L.T("second.complete"))
	}
	if steps == nil {
		return ""
	}
	return p.L.T("second.terms", strings.Join(steps, p.L.T("list.separator")))
}
