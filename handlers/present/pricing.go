package present

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"recoup/models/cost"
	"recoup/models/pricing"
	views "recoup/views/pricing"
	"recoup/views/ui"
)

// ActionURL is the page of an action's prices.
func ActionURL(id string) string { return "/pricing/actions/" + url.PathEscape(id) }

// RuleURL is where the forms of a rule version are.
func RuleURL(id string) string { return "/pricing/rules/" + url.PathEscape(id) }

// RolloutURL is a rollout's page.
func RolloutURL(id string) string { return "/rollouts/" + url.PathEscape(id) }

// thousandths writes so many thousandths as a decimal number, exactly.
func (p Presenter) thousandths(n int64) string {
	whole := p.L.Credits(n / 1000)
	if rest := strings.TrimRight(fmt.Sprintf("%03d", n%1000), "0"); rest != "" {
		return whole + "." + rest
	}
	return whole
}

// share writes hundredths of a percent as a percentage, without zeros at its end.
func (p Presenter) share(bps int64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%d.%02d", bps/100, bps%100), "0"), ".")
}

// Price says in words what a rule version costs.
func (p Presenter) Price(r pricing.Rule, unit string) string {
	parts := []string{p.L.T("price.unit", p.thousandths(r.UnitPrice), p.L.Unit(unit, 1))}
	if r.DiscountBps > 0 {
		parts = append(parts, p.L.T("price.off", p.share(r.DiscountBps)))
	}
	if r.Minimum > 0 {
		parts = append(parts, p.L.T("price.least", p.L.Credits(r.Minimum)))
	}
	return strings.Join(append(parts, p.L.T("rounding."+string(r.Rounding))), p.L.T("list.separator"))
}

// Example is the worked example of a rule version; was is the version that was in force before, nil for none.
func (p Presenter) Example(r pricing.Rule, was *pricing.Rule, unit string) string {
	e, err := r.Example(was)
	switch {
	case err != nil:
		return p.L.T("price.overflow")
	case e.Was == nil:
		return p.L.T("price.example", p.L.Credits(e.Units), p.L.Unit(unit, e.Units), p.L.Credits(e.Cost))
	}
	return p.L.T("price.example_was", p.L.Credits(e.Units), p.L.Unit(unit, e.Units), p.L.Credits(e.Cost), p.L.Credits(*e.Was))
}

// ActionRow is one action of the list.
func (p Presenter) ActionRow(a pricing.Action) views.Row {
	row := views.Row{Action: ui.ID{Value: a.ID, URL: ActionURL(a.ID)}, Price: p.L.T("price.none"), Retired: a.RetiredAt != nil}
	if a.Priced() {
		row.Rule, row.Price, row.Example, row.Since = Rule(&a.Rule.ID), p.Price(a.Rule, a.Unit), p.Example(a.Rule, nil, a.Unit), p.L.Stamp(a.Since, p.Now)
	}
	if a.RolloutID != nil {
		row.Rollout = ui.Link{Text: *a.RolloutID, URL: RolloutURL(*a.RolloutID)}
	}
	return row
}

// Loss says in which currencies delivered jobs cost more than a price brings in; empty for none.
func (p Presenter) Loss(losses []cost.Loss) string {
	var parts []string
	for _, x := range losses {
		parts = append(parts, p.L.N("price.loss", x.Jobs, p.Decimal(x.Revenue), p.Decimal(x.Cost), x.Currency))
	}
	if parts == nil {
		return ""
	}
	if slices.ContainsFunc(losses, func(x cost.Loss) bool { return x.Part }) {
		parts = append(parts, p.L.T("price.loss_part", p.L.Credits(cost.LossDeliveries)))
	}
	return p.L.T("price.below_cost", strings.Join(parts, " "))
}

// ActionSay tells in a sentence what an action costs now.
func (p Presenter) ActionSay(a pricing.Action) string {
	switch {
	case a.RetiredAt != nil:
		return p.L.T("action.say_retired")
	case !a.Priced():
		return p.L.T("action.say_none")
	}
	return p.L.T("action.say", a.Rule.ID, p.L.Stamp(a.Since, p.Now).Full)
}

// PricePeriod is one time in which a rule version was in force; linked says whether its reader may see rollouts.
func (p Presenter) PricePeriod(linked bool, x pricing.Period, of map[string]pricing.Rule, unit string) views.Period {
	v := views.Period{Rule: Rule(&x.RuleVersion), From: p.L.Stamp(x.From, p.Now), Who: p.actor(x.Actor), Why: x.Reason}
	if r, ok := of[x.RuleVersion]; ok {
		v.Price = p.Price(r, unit)
	}
	if x.Until != nil {
		v.Until = p.L.Stamp(*x.Until, p.Now)
	}
	if x.RolloutID != nil {
		if v.Rollout.Text = *x.RolloutID; linked {
			v.Rollout.URL = RolloutURL(*x.RolloutID)
		}
	}
	return v
}

// RuleVersion is one rule version of an action, among all of them.
func (p Presenter) RuleVersion(v pricing.Version, of map[string]pricing.Rule, unit string) views.Version {
	out := views.Version{Rule: Rule(&v.ID), State: "not_in_force", Price: p.Price(v.Rule, unit), Made: p.L.Stamp(v.CreatedAt, p.Now),
		Who: p.actor(v.Author), Why: v.Reason}
	var was *pricing.Rule
	if v.ComparedWith != nil {
		if r, ok := of[*v.ComparedWith]; ok {
			was = &r
		}
	}
	out.Example = p.Example(v.Rule, was, unit)
	switch {
	case v.RetiredAt != nil:
		out.State = "retired"
	case v.InForce:
		out.State = "in_force"
	}
	return out
}

// Units writes a number for a form's field; "" for 0.
func Units(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}
