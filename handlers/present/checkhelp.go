package present

import (
	"strings"

	"recoup/models/rollout"
	"recoup/views/ui"
)

// Help says who can make the checks of a rollout pass, and where; empty where they do.
func (p Presenter) Help(r rollout.Rollout, checks *rollout.Checks) []ui.Link {
	if checks == nil || p.Now.Sub(checks.At) > StaleChecks {
		return []ui.Link{{Text: p.L.T("help.again"), URL: RolloutURL(r.ID)}}
	}
	var findings, costs, bills, deliveries, charges bool
	for _, c := range checks.All {
		switch {
		case c.Outcome == rollout.Pass:
		case c.Outcome == rollout.Fail:
			findings, costs = findings || c.Found > c.Unattributed, costs || c.Unattributed > 0
		case c.Name == rollout.Reconciliation && checks.LacksCosts(r):
			bills = true
		case checks.Charges < int64(r.MinCharges):
			charges = true
		default:
			deliveries = true
		}
	}
	var out []ui.Link
	if findings {
		out = append(out, ui.Link{Text: p.L.T("help.findings"), URL: RolloutURL(r.ID)})
	}
	if costs {
		out = append(out, ui.Link{Text: p.L.T("help.costs"), URL: "/costs?state=unattributed"})
	}
	if bills {
		out = append(out, ui.Link{Text: p.L.T("help.bills"), URL: "/costs"})
	}
	switch waits := charges || deliveries; {
	case waits && r.State == rollout.Paused, waits && r.State == rollout.Halted:
		// Nobody new is let in, so nothing comes by itself; nor does a resume ask for it.
		out = append(out, ui.Link{Text: p.L.T("help.resume")})
	case charges:
		out = append(out, ui.Link{Text: p.L.T("help.charges")})
	case deliveries:
		out = append(out, ui.Link{Text: p.L.T("help.deliveries")})
	}
	return out
}

// Unresumable says why a halted rollout is not to run again yet; empty when nothing speaks against it. What is missing for
// want of charges does not.
func (p Presenter) Unresumable(r rollout.Rollout, checks *rollout.Checks) string {
	if checks == nil || !checks.Resumes(r) {
		return p.Unsafe(r, checks)
	}
	return p.stale(*checks)
}

// stale says that checks are too old to go by; empty where they are not.
func (p Presenter) stale(checks rollout.Checks) string {
	if p.Now.Sub(checks.At) <= StaleChecks {
		return ""
	}
	return p.L.T("checks.stale", p.L.Age(checks.At, p.Now))
}

// Unsafe says why a live rollout is not to be widened; empty when nothing speaks against it.
func (p Presenter) Unsafe(r rollout.Rollout, checks *rollout.Checks) string {
	if checks == nil {
		return p.L.T("checks.not_yet")
	}
	var parts []string
	for _, c := range checks.All {
		switch c.Outcome {
		case rollout.Fail:
			parts = append(parts, p.L.T("checks.fails", p.L.T("checks."+string(c.Name))))
		case rollout.Missing:
			parts = append(parts, p.L.T("checks.lacks", p.L.T("checks."+string(c.Name))))
		}
	}
	if old := p.stale(*checks); old != "" {
		parts = append(parts, old)
	}
	return strings.Join(parts, " ")
}
