package present

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"recoup/models/comparison"
	"recoup/models/pricing"
	"recoup/models/rollout"
	views "recoup/views/rollouts"
	"recoup/views/ui"
)

// StaleChecks is how old checks may be before a page says so.
const StaleChecks = 5 * time.Minute

// RolloutRow is one rollout of the list.
func (p Presenter) RolloutRow(r rollout.Rollout) views.Row {
	since := r.CreatedAt
	if r.StartedAt != nil {
		since = *r.StartedAt
	}
	return views.Row{ID: ui.ID{Value: r.ID, URL: RolloutURL(r.ID)}, Title: r.Title, State: string(r.State), Action: ui.ID{Value: r.Action, URL: ActionURL(r.Action)},
		Baseline: r.Baseline, Candidate: r.Candidate, Stage: p.StageName(r.Stages, r.Stage), Enrolled: p.L.Credits(r.Enrolled), Since: p.L.Stamp(since, p.Now)}
}

// StageName is what a stage admits in a few words; "not started" for 0.
func (p Presenter) StageName(stages []pricing.Stage, n int) string {
	if n < 1 || n > len(stages) {
		return p.L.T("stage.none")
	}
	s := stages[n-1]
	var parts []string
	if k := len(s.Segment.Accounts); k > 0 {
		parts = append(parts, p.L.T("stage.named", p.L.Credits(int64(k))))
	}
	if s.Threshold > 0 || len(parts) == 0 {
		share := p.percent(int64(s.Threshold), pricing.Buckets)
		if of := segment(s.Segment); of != "" {
			parts = append(parts, p.L.T("stage.of_segment", share, of))
		} else {
			parts = append(parts, p.L.T("stage.threshold", share))
		}
	}
	return strings.Join(parts, " + ")
}

func segment(s pricing.Segment) string {
	parts := append(append([]string(nil), s.Plans...), s.Regions...)
	for _, name := range slices.Sorted(maps.Keys(s.Attributes)) {
		parts = append(parts, name+"="+s.Attributes[name])
	}
	return strings.Join(parts, ", ")
}

// percent is part of whole in percent, with as many places as a bucket needs.
func (p Presenter) percent(part, whole int64) string {
	text := strconv.FormatFloat(float64(part)*100/float64(whole), 'f', 3, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// admits is how many accounts a rollout's stages up to a number admit by bucket and segment; "" where that could not be counted.
func (p Presenter) admits(x *comparison.Reach, stage int) string {
	if x == nil || stage >= len(x.Admitted) {
		return ""
	}
	key := "stage.admits"
	if x.About {
		key = "stage.admits_about"
	}
	return p.L.T(key, p.L.Credits(x.Admitted[stage]), p.L.Credits(x.Accounts))
}

// accounts are the three numbers of accounts of a rollout that stand on its page: admitted, enrolled, has paid.
func (p Presenter) accounts(r rollout.Rollout, x *comparison.Reach) views.Accounts {
	v := views.Accounts{Enrolled: ui.Link{Text: p.L.N("count.enrolled", r.Enrolled), URL: EnrolmentsURL(r.ID)}}
	if x == nil {
		return v
	}
	if r.State.Live() {
		v.Admitted = p.about(p.L.N("count.admitted", x.Admitted[min(r.Stage, len(x.Admitted)-1)]), x.About)
	}
	v.Paid = p.about(p.L.N("count.paid", x.Paid), x.About)
	return v
}

// about says of a number in words that it is an estimate where it is one.
func (p Presenter) about(number string, estimate bool) string {
	if estimate {
		return p.L.T("count.about", number)
	}
	return number
}

// Rollout is a rollout's page but for what only the handler knows: links, buttons, the account tried. reach is nil where the accounts
// could not be counted in time.
func (p Presenter) Rollout(r rollout.Rollout, x Prices, reach *comparison.Reach, checks *rollout.Checks, history []rollout.Event) views.Rollout {
	m := views.Rollout{ID: r.ID, Title: r.Title, State: string(r.State), Action: ui.ID{Value: r.Action, URL: ActionURL(r.Action)}, Zone: p.L.ZoneLabel(p.Now)}
	m.Say, m.Prices = p.saysRollout(r, x, reach), p.Prices(r, x)
	m.Accounts = p.accounts(r, reach)
	if r.State.Live() {
		var say string
		say, m.Warning, m.Help = p.widening(r, checks)
		m.Say = strings.TrimSpace(m.Say + " " + say)
	}
	for _, s := range r.Stages {
		v := views.Stage{Label: p.StageName(r.Stages, s.Number), Now: s.Number == r.Stage && r.State.Live(), Past: s.Number < r.Stage}
		var notes []string
		switch {
		case v.Past:
			notes = append(notes, p.L.T("stage.past"))
		case s.Number == r.Stage && r.StageSince != nil:
			notes = append(notes, p.L.T("stage.since", p.L.Stamp(*r.StageSince, p.Now).Short))
			if until := r.DwellUntil(); until.After(p.Now) {
				notes = append(notes, p.L.T("stage.until", p.L.Stamp(*until, p.Now).Short))
			}
		case s.MinDwellS > 0:
			notes = append(notes, p.L.T("stage.lasts", p.L.Duration(time.Duration(s.MinDwellS)*time.Second)))
		}
		if n := p.admits(reach, s.Number); n != "" && !v.Past {
			notes = append([]string{n}, notes...)
		}
		v.Note = strings.Join(notes, ", ")
		m.Stages = append(m.Stages, v)
	}
	if checks != nil {
		m.Examined = p.L.T("checks.examined", p.L.Credits(checks.Examined), p.L.Stamp(checks.At, p.Now).Full)
		for _, c := range checks.All {
			m.Checks = append(m.Checks, p.check(r, *checks, c))
		}
	}
	for _, e := range history {
		m.Events = append(m.Events, views.Event{At: p.L.Stamp(e.At, p.Now), Kind: e.Kind, Stage: p.StageName(r.Stages, e.StageAfter), Who: p.actor(e.Actor),
			Reason: p.stepReason(e), Enrolled: p.L.Credits(e.Enrolled), Operation: ui.ID{Value: e.OperationID, URL: OperationURL(e.Scope, e.OperationID)}})
	}
	return m
}

// check is the card of one check.
func (p Presenter) check(r rollout.Rollout, all rollout.Checks, c rollout.Check) views.Check {
	v := views.Check{Name: string(c.Name), Found: p.L.Credits(c.Found), At: p.L.Stamp(all.At, p.Now)}
	switch c.Outcome {
	case rollout.Pass:
		v.State = "passed"
	case rollout.Fail:
		// The sentence ends with the names of the records, which the page makes links of.
		v.State, v.Costs = "failed", looseCosts(c)
		c.Costs = nil
		v.Why = p.foundBy(c)
	default:
		v.State = "missing"
		var lacks []string
		if all.Charges < int64(r.MinCharges) {
			lacks = append(lacks, p.L.T("checks.few_charges", p.L.Credits(all.Charges), p.L.Credits(int64(r.MinCharges))))
		}
		if c.Name == rollout.Reconciliation && (all.Known*10000 < all.Delivered*int64(r.MinCostsBps) || all.Delivered == 0) {
			lacks = append(lacks, p.L.T("checks.few_costs", p.L.Credits(all.Known), p.L.Credits(all.Delivered)))
		}
		v.Why = strings.Join(lacks, "; ")
	}
	return v
}

// Tried is the decision that an account would get now.
func (p Presenter) Tried(d pricing.Decision, unit string) views.Try {
	t := views.Try{Cohort: d.Cohort, Rule: d.RuleVersion, Why: p.L.Maybe("why."+string(d.Reason), string(d.Reason)),
		Price: p.L.T("price.example", p.L.Credits(d.Units), p.L.Unit(unit, d.Units), p.L.Credits(d.Price))}
	if d.Bucket != nil {
		t.Bucket = p.L.Credits(int64(*d.Bucket))
	}
	return t
}
