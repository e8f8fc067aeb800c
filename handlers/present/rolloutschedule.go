package present

import (
	"encoding/json"
	"strconv"
	"strings"

	"recoup/models/approval"
	"recoup/models/calendar"
	"recoup/models/pricing"
	"recoup/models/rollout"
	views "recoup/views/rollouts"
	"recoup/views/ui"
)

// stepWithStage names a step that can be scheduled.
func (p Presenter) stepWithStage(step rollout.StepName, stages []pricing.Stage, stage int) string {
	if step == rollout.StepComplete {
		return p.L.T("step.complete")
	}
	return p.L.T("schedule.step", p.L.T("step."+string(step)), p.StageName(stages, stage))
}

// StepsAhead are the steps of a rollout that can be scheduled, as options of a form.
func (p Presenter) StepsAhead(o rollout.Rollout, chosen string) []ui.Option {
	var out []ui.Option
	add := func(step rollout.StepName, stage int) {
		value := string(step) + ":" + strconv.Itoa(stage)
		out = append(out, ui.Option{Value: value, Label: p.stepWithStage(step, o.Stages, stage), Selected: value == chosen})
	}
	if o.State != rollout.Draft && o.State != rollout.Running && o.State != rollout.Paused {
		return nil
	}
	if o.State == rollout.Draft && len(o.Stages) > 0 {
		add(rollout.StepStart, 1)
	}
	for _, s := range o.Stages {
		if s.Number > max(o.Stage, 1) {
			add(rollout.StepAdvance, s.Number)
		}
	}
	if pricing.Full(o.Stages, len(o.Stages)) {
		add(rollout.StepComplete, len(o.Stages))
	}
	return out
}

// reading says what a change of the clock makes of a time; empty for nothing.
func (p Presenter) reading(r calendar.Reading) string {
	switch r {
	case calendar.Twice:
		return p.L.T("schedule.twice")
	case calendar.LeftOut:
		return p.L.T("schedule.left_out")
	}
	return ""
}

// ScheduledRow is one scheduled step of a rollout.
func (p Presenter) ScheduledRow(o rollout.Rollout, s rollout.Scheduled) views.ScheduledRow {
	v := views.ScheduledRow{Step: p.stepWithStage(s.Step, o.Stages, s.Stage), At: p.L.Stamp(s.At, p.Now), Local: s.LocalTime.Format("2006-01-02 15:04") + " " + s.Zone,
		Note: p.reading(s.Reading), State: string(s.State), By: p.actor(s.CreatedBy)}
	if s.ChangeRequest != nil {
		v.Request = ui.Link{Text: p.L.T("schedule.agreed"), URL: ApprovalURL(*s.ChangeRequest)}
	}
	if s.State == rollout.Waiting {
		if o.State == rollout.Paused {
			v.Why = p.L.T("schedule.waits_paused")
		}
		return v
	}
	v.Operation = ui.ID{Value: s.EndOperationID, URL: OperationURL(s.EndScope, s.EndOperationID)}
	v.Why = p.scheduleEnd(s)
	return v
}

// scheduleEnd says what ended a scheduled step, and when.
func (p Presenter) scheduleEnd(s rollout.Scheduled) string {
	when := p.Stamp(s.EndedAt).Full
	if s.State == rollout.Fired {
		return when
	}
	why := p.L.Maybe("schedule_end."+s.EndCode, p.L.Maybe("fault."+s.EndCode, s.EndCode))
	switch {
	case s.EndCode == rollout.EndByPerson:
		why = p.L.T("schedule_end.by", p.actor(s.EndedBy), s.EndReason)
	case s.EndDetail != nil:
		why = p.refusedStep(why, []byte(*s.EndDetail))
	}
	return p.L.T("schedule_end.at", why, when)
}

// refusedStep says more exactly why a scheduled step was not made, where the detail tells: the checks that did not pass, or
// what stood in the way.
func (p Presenter) refusedStep(why string, detail []byte) string {
	var d struct{ Checks rollout.Checks }
	if json.Unmarshal(detail, &d) == nil && len(d.Checks.All) > 0 {
		return p.NotPassed(d.Checks)
	}
	var facts map[string]any
	if json.Unmarshal(detail, &facts) == nil {
		if say, _, ok := p.Refusal(facts); ok {
			return say
		}
	}
	return why
}

// NotPassed names the checks that do not pass.
func (p Presenter) NotPassed(checks rollout.Checks) string {
	var parts []string
	for _, c := range checks.All {
		switch c.Outcome {
		case rollout.Fail:
			parts = append(parts, p.L.T("checks.fails", p.L.T("checks."+string(c.Name))))
		case rollout.Missing:
			parts = append(parts, p.L.T("checks.lacks", p.L.T("checks."+string(c.Name))))
		}
	}
	return strings.Join(parts, " ")
}

// AskedTime is a step that shall be scheduled once a second person agrees.
func (p Presenter) AskedTime(r approval.Request) (views.ScheduledRow, error) {
	what, err := rollout.ReadProposed(r)
	if err != nil || what.Time == nil {
		return views.ScheduledRow{}, err
	}
	return views.ScheduledRow{Step: p.proposedTimed(what), At: p.L.Stamp(what.Time.At, p.Now), Local: p.localTime(*what.Time), Note: p.reading(what.Time.Reading),
		State: "waits", By: p.actor(r.RequestedBy), Request: ui.Link{Text: p.L.T("approval.request"), URL: ApprovalURL(r.ID)}}, nil
}

func (p Presenter) localTime(t rollout.ProposedTime) string {
	return strings.Replace(t.Local, "T", " ", 1) + " " + t.Zone
}

func (p Presenter) proposedTimed(what rollout.Proposed) string {
	if what.Time.Step == rollout.StepComplete || what.Stage == nil {
		return p.L.T("step.complete")
	}
	return p.stepWithStage(what.Time.Step, []pricing.Stage{*what.Stage}, 1)
}
