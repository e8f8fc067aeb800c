package present

import (
	"fmt"

	"recoup/models/fault"
	"recoup/models/pricing"
	"recoup/models/rollout"
	"recoup/models/settlement"
	"recoup/views/ui"
)

// Refusal words why the state of a rollout, an action or a rule version did not allow what was asked, and leads to what
// stands in the way. detail is that of the fault, as it was made or as the audit log has kept it. ok is false where it
// names no reason that there are words for.
func (p Presenter) Refusal(detail map[string]any) (say string, to ui.Link, ok bool) {
	fact := func(name string) string {
		if v, ok := detail[name]; ok {
			return fmt.Sprint(v)
		}
		return ""
	}
	inTheWay := func(id string) ui.Link { return ui.Link{Text: id, URL: RolloutURL(id)} }
	why := fact(fault.DetailWhy)
	switch why {
	case rollout.WhyMoved, rollout.WhyNotAhead:
		stage := p.L.T("stage.none")
		if n := fact("stage"); n != "0" {
			stage = p.L.T("stage.number", n)
		}
		state := fact("state")
		return p.L.T("refusal."+why, p.L.Maybe("state."+state, state), stage), to, true
	case rollout.WhyBaseline:
		return p.L.T("refusal."+why, fact("baseline"), fact("in_force")), to, true
	case rollout.WhyLastStage, rollout.WhyNotEverybody, rollout.WhyScheduled, rollout.WhyTimePast:
		return p.L.T("refusal." + why), to, true
	case rollout.WhyRequestWaits:
		return p.L.T("refusal." + why), ui.Link{Text: p.L.T("refusal.see_request"), URL: ApprovalURL(fact("change_request"))}, true
	case rollout.WhyStepOver:
		state := fact("step_state")
		return p.L.T("refusal."+why, p.L.Maybe("state."+state, state)), to, true
	case pricing.WhyRolloutLive:
		return p.L.T("refusal."+why, fact("rollout_id")), inTheWay(fact("rollout_id")), true
	case settlement.WhyNotStarted, settlement.WhyRolloutLive:
		return p.L.T("refusal."+why, fact("rollout_id")), inTheWay(fact("rollout_id")), true
	case pricing.WhyInRollout:
		return p.L.T("refusal."+why, fact("rule_version"), fact("rollout_id")), inTheWay(fact("rollout_id")), true
	case pricing.WhyActionRetired:
		return p.L.T("refusal."+why, fact("action")), to, true
	case pricing.WhyRuleRetired, pricing.WhyInForce, pricing.WhyUnchanged:
		return p.L.T("refusal."+why, fact("rule_version")), to, true
	case pricing.WhyChanged:
		now := fact("in_force")
		if now == "" {
			now = p.L.T("refusal.no_version")
		}
		return p.L.T("refusal."+why, now), to, true
	}
	return "", to, false
}
