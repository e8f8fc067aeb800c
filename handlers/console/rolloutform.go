package console

import (
	"fmt"
	"strconv"
	"strings"

	"recoup/models/fault"
	"recoup/models/pricing"
	"recoup/models/rollout"
	views "recoup/views/rollouts"
	"recoup/views/ui"
)

// formStages is how many stages the form of a draft has room for.
const formStages = 6

// draft reads what the form of a rollout says. The fault names each field that is not understood; a stage of which
// nothing is filled in is left out.
func (r request) draft() (rollout.NewRollout, error) {
	n := rollout.NewRollout{Envelope: r.by(), ID: r.FormValue("id"), Title: r.FormValue("title"), Candidate: r.FormValue("candidate"), Reason: r.FormValue("reason")}
	n.Action, _, _ = strings.Cut(n.Candidate, "@")
	var bad []fault.Field
	number := func(name string, empty int64) int64 {
		v, err := whole(r.FormValue(name), empty)
		if err != nil {
			bad = append(bad, fault.Field{Name: name, Message: "must be a whole number"})
		}
		return v
	}
	for i := 1; i <= formStages; i++ {
		s, filled := r.stage(strconv.Itoa(i), number)
		if filled {
			n.Stages = append(n.Stages, s)
		}
	}
	charges, costs := number("min_charges", rollout.DefaultMinCharges), number("min_costs_bps", rollout.DefaultMinCostsBps)
	n.MinCharges, n.MinCostsBps = &charges, &costs
	n.Second, n.CapPerDay = r.draftTerms(number)
	if bad != nil {
		return n, fault.InvalidFields(bad...)
	}
	return n, nil
}

// stage reads one stage of the form; filled is false where nothing was typed.
func (r request) stage(n string, number func(name string, empty int64) int64) (s pricing.Stage, filled bool) {
	for _, name := range []string{"threshold_", "dwell_", "accounts_", "plans_", "regions_", "attributes_"} {
		filled = filled || strings.TrimSpace(r.FormValue(name+n)) != ""
	}
	if !filled {
		return s, false
	}
	s.Threshold, s.MinDwellS = int(number("threshold_"+n, 0)), number("dwell_"+n, 0)*3600
	s.Segment = pricing.Segment{Accounts: items(r.FormValue("accounts_" + n)), Plans: items(r.FormValue("plans_" + n)), Regions: items(r.FormValue("regions_" + n))}
	for _, pair := range items(r.FormValue("attributes_" + n)) {
		name, value, _ := strings.Cut(pair, "=")
		if s.Segment.Attributes == nil {
			s.Segment.Attributes = map[string]string{}
		}
		s.Segment.Attributes[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return s, true
}

// items are the parts of a list that was typed with commas.
func items(typed string) (out []string) {
	for _, part := range strings.Split(typed, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// newRolloutForm is the form of a draft with what was typed and what is wrong with it.
func (h *Console) newRolloutForm(r request, form ui.Act, err error) (views.New, error) {
	m := views.New{Act: form, ID: field(r, "id", err), Title: field(r, "title", err), MinCharges: field(r, "min_charges", err),
		MinCosts: field(r, "min_costs_bps", err), Reason: field(r, "reason", err)}
	if m.MinCharges.Value == "" {
		m.MinCharges.Value = strconv.Itoa(rollout.DefaultMinCharges)
	}
	if m.MinCosts.Value == "" {
		m.MinCosts.Value = strconv.Itoa(rollout.DefaultMinCostsBps)
	}
	m.Terms = h.termsForm(r, err)
	var listErr error
	if m.Candidates, listErr = h.candidates(r.Request().Context(), r.FormValue("candidate")); listErr != nil {
		return m, listErr
	}
	m.CandidateError, m.StagesError = field(r, "candidate", err).Error, field(r, "stages", err).Error
	if m.CandidateError == "" {
		m.CandidateError = field(r, "action", err).Error
	}
	at := 0 // the number that the stage has among those that are filled in, under which faults name it
	for i := 1; i <= formStages; i++ {
		n := strconv.Itoa(i)
		if _, filled := r.stage(n, func(string, int64) int64 { return 0 }); filled {
			at++
		}
		typed := func(name, of string) ui.Field {
			f := field(r, name+n, err)
			if other := field(r, fmt.Sprintf("stages[%d].%s", at, of), err); f.Error == "" && at > 0 && f.Value != "" {
				f.Error = other.Error
			}
			return f
		}
		m.Stages = append(m.Stages, views.NewStage{Number: n, Threshold: typed("threshold_", "threshold"), DwellH: typed("dwell_", "min_dwell_s"),
			Accounts: typed("accounts_", "segment"), Plans: typed("plans_", "segment"), Regions: typed("regions_", "segment"), Attributes: typed("attributes_", "segment")})
	}
	return m, nil
}
