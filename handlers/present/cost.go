package present

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"recoup/models/cost"
	"recoup/models/costimport"
	"recoup/models/decimal"
	views "recoup/views/costs"
	"recoup/views/ui"
)

// CostURL is a cost record's page.
func CostURL(key int64) string { return "/costs/records/" + strconv.FormatInt(key, 10) }

// CostProblem words one thing that is wrong with a bill, with the line and the column that it is about.
func (p Presenter) CostProblem(x costimport.Problem) string {
	values := slices.Clone(x.Values)
	switch x.Code {
	case costimport.TooLarge, costimport.TooManyLines, costimport.OtherCells, costimport.SameID:
		for i, v := range values {
			values[i] = p.L.Sum(v)
		}
	case costimport.Separator:
		values = []string{p.L.Maybe("separator."+values[0], values[0])}
	}
	say := ""
	if x.Code == costimport.BadCell && len(values) > 0 {
		say = p.L.Maybe("problem."+values[0], values[0])
	} else {
		say = p.L.T("costline."+string(x.Code), values...)
	}
	switch line := p.L.Credits(int64(x.Line)); {
	case x.Line == 0:
		return say
	case x.Column == "":
		return p.L.T("costline.at", line, say)
	default:
		return p.L.T("costline.at_column", line, x.Column, say)
	}
}

// Decimal is an amount of a currency.
func (p Presenter) Decimal(d decimal.Decimal) string { return p.L.Decimal(d.String()) }

// CostTotals are sums, one a currency.
func (p Presenter) CostTotals(totals []cost.Total) []views.Total {
	out := make([]views.Total, len(totals))
	for i, t := range totals {
		out[i] = views.Total{Currency: t.Currency, Amount: p.Decimal(t.Amount), Count: p.L.N("costs.count", t.Count)}
	}
	return out
}

// CostRow is one record of the list.
func (p Presenter) CostRow(r cost.Record) views.Row {
	v := views.Row{ID: ui.ID{Value: r.ExternalID, URL: CostURL(r.Key)}, At: p.L.Stamp(r.OccurredAt, p.Now), Source: r.Source, Description: r.Description,
		State: string(r.State), Action: deref(r.KnownAction), Amount: p.Decimal(r.Amount), Currency: r.Currency}
	if r.ToAccountID != nil && r.ToJobID != nil {
		v.Job = Job(*r.ToAccountID, *r.ToJobID)
	}
	return v
}

// costTarget names whom a record is put down to, "" for nobody.
func (p Presenter) costTarget(account, job, operationID, rule *string) string {
	switch {
	case job != nil:
		return p.L.T("col.job") + " " + deref(account) + " / " + *job
	case operationID != nil:
		return p.L.T("col.operation") + " " + deref(account) + " / " + *operationID
	case rule != nil:
		return p.L.T("state.overhead")
	}
	return ""
}

// CostTarget names whom a record is put down to.
func (p Presenter) CostTarget(r cost.Record) string {
	if t := p.costTarget(r.ToAccountID, r.ToJobID, r.ToOperationID, r.RuleID); t != "" {
		return t
	}
	return p.L.T("costs.nobody")
}

// CostRecord is one record's page.
func (p Presenter) CostRecord(r cost.Record, history []cost.Attribution) views.Record {
	v := views.Record{ID: ui.ID{Value: r.ExternalID}, State: string(r.State), Amount: p.Decimal(r.Amount) + " " + r.Currency, Zone: p.L.ZoneLabel(p.Now)}
	switch r.State {
	case cost.Attributed:
		v.Say = p.L.T("costs.record_to", p.CostTarget(r))
	case cost.Overhead:
		v.Say = p.L.T("costs.record_overhead")
	case cost.Unattributed:
		v.Say = p.recordOfNobody(r)
	}
	fact := func(label, value string) {
		if value != "" {
			v.Facts = append(v.Facts, views.Fact{Label: p.L.T(label), Value: value})
		}
	}
	fact("costs.source", r.Source)
	v.Facts = append(v.Facts, views.Fact{Label: p.L.T("costs.external_id"), ID: ui.ID{Value: r.ExternalID}})
	if r.OccurredUntil == nil {
		fact("costs.time", p.L.Stamp(r.OccurredAt, p.Now).Full)
	} else {
		fact("costs.from", p.L.Stamp(r.OccurredAt, p.Now).Full)
		fact("costs.until", p.L.Stamp(*r.OccurredUntil, p.Now).Full)
	}
	fact("costs.description", r.Description)
	switch {
	case r.JobID != "":
		fact("costs.named", p.L.T("col.job")+" "+r.AccountID+" / "+r.JobID)
	case r.JobOperationID != "":
		fact("costs.named", p.L.T("col.operation")+" "+r.AccountID+" / "+r.JobOperationID)
	}
	if r.ToAccountID != nil && r.ToJobID != nil {
		v.Facts = append(v.Facts, views.Fact{Label: p.L.T("col.job"), ID: Job(*r.ToAccountID, *r.ToJobID)})
	}
	fact("col.action", deref(r.KnownAction))
	if r.ImportID != nil {
		v.Facts = append(v.Facts, views.Fact{Label: p.L.T("costs.import"), ID: ui.ID{Value: *r.ImportID, URL: "/costs?" + url.Values{"import": {*r.ImportID}}.Encode()}})
	}
	fact("costs.recorded", p.L.Stamp(r.RecordedAt, p.Now).Full+" · "+p.actor(r.Actor))
	v.Facts = append(v.Facts, views.Fact{Label: p.L.T("col.operation"), ID: ui.ID{Value: r.OperationID, URL: OperationURL(cost.Scope(r.Source).String(), r.OperationID)}})
	var dimensions map[string]string
	if json.Unmarshal([]byte(r.Dimensions), &dimensions) == nil {
		names := make([]string, 0, len(dimensions))
		for name := range dimensions {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			v.Dimensions = append(v.Dimensions, views.Fact{Label: name, Value: dimensions[name]})
		}
	}
	for _, h := range history {
		to := p.costTarget(h.AccountID, h.JobID, h.OperationID, h.RuleID)
		if to == "" {
			to = p.L.T("costs.nobody")
		}
		v.History = append(v.History, views.Change{At: p.L.Stamp(h.At, p.Now), State: string(h.State), To: to, Why: p.L.Maybe("cost_cause."+h.Cause, h.Cause),
			By: p.actor(h.Actor), Reason: h.Reason})
	}
	return v
}

// recordOfNobody says which rollouts a record holds up that is put down to nobody: see UnattributedFor of package cost.
func (p Presenter) recordOfNobody(r cost.Record) string {
	switch {
	case r.KnownAction != nil:
		return p.L.T("costs.record_of_action", *r.KnownAction)
	case r.OccurredUntil != nil:
		return p.L.T("costs.record_of_period", p.L.Stamp(*r.OccurredUntil, p.Now).Full)
	default:
		return p.L.T("costs.record_of_moment", p.L.Stamp(r.OccurredAt, p.Now).Full)
	}
}

// CostRule is one overhead rule.
func (p Presenter) CostRule(r cost.Rule) views.Rule {
	v := views.Rule{Match: p.RuleMatch(r), Author: p.actor(r.Author), Made: p.L.Stamp(r.CreatedAt, p.Now), Reason: r.Reason, Records: p.L.Credits(r.Records),
		ListURL: "/costs?" + url.Values{"rule": {r.ID}}.Encode(), Retired: p.Stamp(r.RetiredAt)}
	if r.RetiredAt != nil {
		v.RetiredBy = p.actor(r.RetiredBy)
	}
	return v
}

// RuleMatch is what a rule matches, in words.
func (p Presenter) RuleMatch(r cost.Rule) string {
	var parts []string
	if r.Source != "" {
		parts = append(parts, p.L.T("costs.source")+" = "+r.Source)
	}
	if r.Description != "" {
		parts = append(parts, p.L.T("costs.rule_description")+" “"+r.Description+"”")
	}
	if r.Dimension != "" {
		parts = append(parts, r.Dimension+" = "+r.DimensionValue)
	}
	return strings.Join(parts, " · ")
}

// CostMargin is one group in one currency.
func (p Presenter) CostMargin(by cost.By, m cost.Margin) views.MarginRow {
	v := views.MarginRow{Currency: m.Currency, Charged: p.L.Sum(m.Charged.String()), Records: p.L.N("costs.count", m.Records)}
	// Without a record nothing is known of the cost: that is not a cost of nothing.
	v.Unknown, v.Lacking = m.Records == 0, m.Lacking()
	if !v.Unknown {
		v.Cost = p.Decimal(m.Cost)
	}
	if m.Coverage.Delivered > 0 {
		v.Coverage = p.L.T("costs.coverage_of", p.L.Credits(m.Coverage.Known), p.L.Credits(m.Coverage.Delivered))
	}
	if m.Cohort != "" {
		v.Cohort = p.L.Maybe("cohort."+m.Cohort, m.Cohort)
	}
	switch {
	case m.Group == "" && by == cost.ByRollout:
		v.Name = p.L.T("costs.no_rollout")
	case m.Group == "":
		v.Name = p.L.T("costs.no_group")
	case by == cost.ByRuleVersion:
		v.Group = Rule(&m.Group)
	default:
		v.Group = ui.ID{Value: m.Group}
	}
	if m.Revenue != nil {
		v.Revenue = p.Decimal(*m.Revenue)
	}
	if m.Margin != nil {
		v.Margin = p.Decimal(*m.Margin)
	}
	return v
}

// CostValue is what a credit is worth from a moment on.
func (p Presenter) CostValue(v cost.Value) views.Value {
	return views.Value{Currency: v.Currency, Value: v.Value.String(), From: p.L.Stamp(v.ValidFrom, p.Now), By: p.actor(v.Actor), Reason: v.Reason, Replaced: v.Replaced}
}

// Actor names who did something.
func (p Presenter) Actor(actor string) string { return p.actor(actor) }
