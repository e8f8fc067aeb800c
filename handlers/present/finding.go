package present

import (
	"strings"

	"recoup/models/rollout"
	views "recoup/views/rollouts"
	"recoup/views/ui"
)

// Finding is one thing that a check found, in words.
func (p Presenter) Finding(f rollout.Finding) views.Finding {
	what, expected, found := p.example(f.Example)
	return views.Finding{Check: string(f.Check), Account: Account(f.AccountID), Operation: Operation(f.AccountID, f.OperationID, ""),
		What: what, Expected: expected, Found: found, At: p.L.Stamp(f.FoundAt, p.Now), Gone: f.GoneAt != nil}
}

// example words what is wrong, what was expected and what was found.
func (p Presenter) example(e rollout.Example) (what, expected, found string) {
	kind, number := e.Problem()
	if p.L.Maybe("finding."+string(kind), "") == "" {
		return e.What, e.Expected, e.Found // of before there were codes
	}
	what = p.L.T("finding."+string(kind), number)
	switch kind {
	case rollout.Admission:
		return what, p.reached(e.Expected), p.admitted(e.Found)
	case rollout.Threshold:
		if e.Expected == "" {
			return what, p.L.T("finding.no_stage"), p.L.Sum(e.Found)
		}
		return what, p.L.T("finding.under", p.L.Sum(e.Expected)), p.L.Sum(e.Found)
	case rollout.LeftOut, rollout.EnrolledBefore:
		return what, p.findingValue(kind, e.Expected), p.admitted(e.Found)
	}
	return what, p.findingValue(kind, e.Expected), p.findingValue(kind, e.Found)
}

// findingValue words one value of a finding.
func (p Presenter) findingValue(kind rollout.Problem, value string) string {
	if strings.Trim(value, "|;") == "" {
		return p.L.T("finding.none")
	}
	switch kind {
	case rollout.EntryPrice, rollout.AnswerPrice, rollout.ReplayPrice:
		price, rule, _ := strings.Cut(value, "|")
		return p.L.T("finding.price_by", p.orNone(p.L.Sum(price)), p.orNone(rule))
	case rollout.OperationOfCharge:
		if value == "0" {
			return p.L.T("finding.none")
		}
		return p.L.T("finding.with_result")
	case rollout.BucketOfAccount:
		return p.L.Sum(value)
	case rollout.EnrolmentOfAccount:
		return p.L.T("finding.enrolled_at", value)
	case rollout.EnrolledBefore:
		return p.L.T("finding.candidate", p.L.T("finding.enrolled_at", value))
	case rollout.LeftOut:
		bucket, threshold, there := strings.Cut(value, "|")
		if !there {
			return p.L.T("finding.candidate", p.L.T("finding.named"))
		}
		return p.L.T("finding.candidate", p.L.T("finding.below", p.L.Sum(bucket), p.L.Sum(threshold)))
	case rollout.ChargeOfDecision:
		var charges []string
		for _, c := range strings.Split(value, ";") {
			amount, rest, _ := strings.Cut(c, "|")
			charges = append(charges, p.L.Sum(amount)+" "+p.attribution(rest))
		}
		return strings.Join(charges, "; ")
	case rollout.JobOfDecision:
		part := strings.SplitN(value, "|", 4)
		if len(part) == 4 {
			return p.L.T("finding.job_value", p.L.Sum(part[0]), part[1], p.L.Sum(part[2]), p.attribution(part[3]))
		}
	}
	return value
}

func (p Presenter) orNone(s string) string {
	if s == "" {
		return p.L.T("finding.none")
	}
	return s
}

// attribution is rule version, rollout and cohort, those that there are.
func (p Presenter) attribution(value string) string {
	var parts []string
	for i, s := range strings.Split(value, "|") {
		if i == 2 {
			s = p.L.Maybe("cohort."+s, s)
		}
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ", ")
}

// reached is where a rollout stood: state|stage, empty where it has no such version.
func (p Presenter) reached(value string) string {
	state, stage, there := strings.Cut(value, "|")
	if !there {
		return p.L.T("finding.no_version")
	}
	return p.L.T("finding.at_stage", p.L.Maybe("state."+state, state), stage)
}

// admitted is what a decision says of its admission: reason|stage.
func (p Presenter) admitted(value string) string {
	reason, stage, _ := strings.Cut(value, "|")
	said := p.L.Maybe("why."+reason, reason)
	if stage == "" {
		return said
	}
	return p.L.T("finding.at_stage", said, stage)
}

// looseCosts are the unattributed records that a failed check names, each with its page where it is known.
func looseCosts(c rollout.Check) []ui.Link {
	out := make([]ui.Link, len(c.Costs))
	for i, name := range c.Costs {
		out[i].Text = name
		if i < len(c.CostKeys) {
			out[i].URL = CostURL(c.CostKeys[i])
		}
	}
	return out
}

// foundBy says what a failed check found.
func (p Presenter) foundBy(c rollout.Check) string {
	var parts []string
	if c.Example != nil {
		what, expected, found := p.example(*c.Example)
		parts = append(parts, p.L.T("finding.example", what, c.Example.OperationID, found, expected))
	}
	if c.Unattributed > 0 {
		parts = append(parts, p.L.N("finding.unattributed", c.Unattributed, strings.Join(c.Costs, ", ")))
	}
	if parts == nil {
		return c.Why // of before there were codes
	}
	return strings.Join(parts, " ")
}
