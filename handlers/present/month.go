package present

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"recoup/models/calendar"
	"recoup/models/credit"
	"recoup/models/ledger"
	"recoup/models/month"
	"recoup/models/rollup"
	views "recoup/views/months"
	"recoup/views/ui"
)

// MonthURL is a month's page.
func MonthURL(m calendar.Month) string { return "/months/" + m.String() }

// MonthName names a month.
func (p Presenter) MonthName(m calendar.Month) string { return p.L.MonthName(m.Year, m.Month) }

// MonthState is the word for where a month stands; empty while it runs.
func MonthState(closed, over bool) string {
	switch {
	case closed:
		return "closed"
	case over:
		return "open"
	}
	return ""
}

// MonthRows are the months of the list; broken are those of which verify found something.
func (p Presenter) MonthRows(list []month.Listed, broken map[calendar.Month]bool) []views.Row {
	rows := make([]views.Row, len(list))
	for i, m := range list {
		rows[i] = views.Row{Month: ui.Link{Text: p.MonthName(m.Month), URL: MonthURL(m.Month)}, Opening: p.sum(m.Opening), Closing: p.sum(m.Closing),
			State: MonthState(m.Closed, m.Over), Broken: broken[m.Month]}
		for _, t := range ledger.Types() {
			rows[i].Types = append(rows[i].Types, p.signed(m.Types[t].Amount))
		}
	}
	return rows
}

func (p Presenter) sum(s credit.Sum) string { return p.L.Sum(s.String()) }

func (p Presenter) signed(s credit.Sum) string { return p.L.SignedSum(s.String()) }

func negated(s credit.Sum) credit.Sum { return credit.Sum{}.Minus(s) }

// Month is the page of one month. The presenter's zone is that of the month, book the one that lists of the ledger are asked
// for in. verified is nil while verify never ran.
func (p Presenter) Month(o month.Overview, verified *month.Verified, book *time.Location) views.Model {
	over := !o.To.After(p.Now)
	first, last := o.From, o.To.Add(-time.Microsecond)
	m := views.Model{Title: p.MonthName(o.Month), State: MonthState(o.Closed != nil, over), Around: p.monthsAround(o)}
	say := "month.say"
	if !over {
		say = "month.say_running"
	}
	m.Say = []string{p.L.T(say, p.L.Days(first, last), o.Zone)}
	links := linksOf(o, book)
	if !o.From.Equal(o.Month.Start(o.Location)) {
		m.Say = append(m.Say, p.L.T("month.say_shifted", p.L.Stamp(first, p.Now).Full))
	}
	if o.Location.String() != book.String() {
		m.Say = append(m.Say, p.L.T("month.say_zone", o.Zone, book.String()))
	}
	closing := p.L.T("months.closing")
	if !over {
		closing = p.L.T("months.so_far")
	}
	m.Facts = []ui.Fact{{Label: p.L.T("months.opening"), Value: p.sum(o.Opening), URL: links.until(first.Add(-time.Microsecond))}}
	for _, t := range ledger.Types() {
		s := o.Types[t]
		m.Facts = append(m.Facts, ui.Fact{Label: p.L.T("type." + string(t)), Type: string(t), Value: p.signed(s.Amount), Note: p.L.N("count.entries", s.Count),
			URL: links.to(url.Values{"type": {string(t)}})})
	}
	m.Facts = append(m.Facts, ui.Fact{Label: closing, Value: p.sum(o.Closing), URL: links.until(last)})
	m.Jobs = []ui.Fact{
		p.delivered(o),
		p.unsettled(o.Unsettled),
		{Label: p.L.T("month.refunded"), Value: p.sum(o.Types[ledger.Refund].Amount), URL: links.to(url.Values{"type": {"refund"}})},
		{Label: p.L.T("month.reclaimed"), Value: p.sum(negated(o.Types[ledger.Reclaim].Amount)), URL: links.to(url.Values{"type": {"reclaim"}})},
		{Label: p.L.T("month.open_refunds"), Value: p.sum(o.OpenRefunds.Amount), Note: p.L.N("month.open_refunds_note", o.OpenRefunds.Count)},
	}
	m.Tie = p.tie(o, verified)
	if o.Closed != nil {
		m.Closed = p.closed(o)
	}
	m.Rules, m.Rollouts, m.Categories = p.rules(o, links), p.rollouts(o, links), p.categories(o, links)
	m.Credits, m.Rates = p.creditsChart(o, links), p.ratesChart(o)
	return m
}

// delivered is what was earned with what was delivered, or the net of all jobs where too many are not over to tell them apart.
func (p Presenter) delivered(o month.Overview) ui.Fact {
	if net := o.NetDelivered(); net != nil {
		return ui.Fact{Label: p.L.T("month.delivered"), Value: p.sum(*net), Note: p.L.T("month.delivered_note")}
	}
	return ui.Fact{Label: p.L.T("month.net"), Value: p.sum(o.NetOfJobs()), Note: p.L.T("month.net_note")}
}

// unsettled is what may still be taken back.
func (p Presenter) unsettled(s *month.Sum) ui.Fact {
	if s == nil {
		return ui.Fact{Label: p.L.T("month.unsettled"), Value: "–", Note: p.L.T("month.unsettled_many", p.L.Credits(month.MostUnsettled()))}
	}
	return ui.Fact{Label: p.L.T("month.unsettled"), Value: p.sum(s.Amount), Note: p.L.N("month.unsettled_note", s.Count)}
}

func (p Presenter) monthsAround(o month.Overview) []ui.Choice {
	around := []ui.Choice{}
	for _, m := range []calendar.Month{o.Month.Previous(), o.Month, o.Month.Next()} {
		if m.Before(o.Oldest) || o.Newest.Before(m) {
			continue
		}
		around = append(around, ui.Choice{Text: p.MonthName(m), URL: MonthURL(m), Current: m == o.Month})
	}
	return around
}

func (p Presenter) closed(o month.Overview) *views.Closed {
	c := o.Closed
	v := views.Closed{By: p.L.T("month.closed_by", p.actor(c.Actor), p.L.Stamp(c.ClosedAt, p.Now).Full, c.Reason),
		Digest: ui.ID{Value: c.Digest}, Heads: ui.ID{Value: c.HeadsDigest}}
	for _, d := range month.Differences(c.Figures, o.Figures) {
		v.Differs = append(v.Differs, views.Difference{Figure: p.figureName(d), Stored: p.differing(d.Stored), Now: p.differing(d.Now)})
	}
	return &v
}

func (p Presenter) figureName(d month.Difference) string {
	switch d.Name {
	case "opening":
		return p.L.T("months.opening")
	case "closing":
		return p.L.T("months.closing")
	case "open_refunds":
		return p.L.T("month.open_refunds")
	case "group":
		parts := []string{p.L.T("type." + d.Group.Type)}
		for _, x := range []string{d.Group.RuleVersion, d.Group.RolloutID, d.Group.Cohort, d.Group.Category} {
			if x != "" {
				parts = append(parts, x)
			}
		}
		return strings.Join(parts, " · ")
	}
	return p.L.T("type." + d.Name)
}

// differing writes "12 / -480" as "12 / −480" and an amount as an amount.
func (p Presenter) differing(s string) string {
	count, amount, both := strings.Cut(s, " / ")
	if !both {
		return p.L.Sum(s)
	}
	return p.L.Sum(count) + " / " + p.L.Sum(amount)
}

// jobMoney is the sum of the entries of jobs that have something in common. What is adjusted was moved by settlements, and is no part
// of the net of jobs.
type jobMoney struct {
	count                                int64
	charged, refunded, reclaim, adjusted credit.Sum
}

func (j jobMoney) plus(g rollup.Group) jobMoney {
	j.count += g.Count
	switch ledger.Type(g.Type) {
	case ledger.Charge:
		j.charged = j.charged.Plus(g.Amount)
	case ledger.Refund:
		j.refunded = j.refunded.Plus(g.Amount)
	case ledger.Reclaim:
		j.reclaim = j.reclaim.Plus(g.Amount)
	default:
		j.adjusted = j.adjusted.Plus(g.Amount)
	}
	return j
}

// ofJob tells whether entries are of jobs. Of the adjustments those of settlements are, which alone have a rule version.
func ofJob(g rollup.Group) bool {
	t := ledger.Type(g.Type)
	return t == ledger.Charge || t == ledger.Refund || t == ledger.Reclaim || t == ledger.Adjustment && g.RuleVersion != ""
}

// line shows the money of jobs; filter selects their entries, nil where no filter does.
func (p Presenter) line(name string, j jobMoney, links monthLinks, filter url.Values) views.Line {
	to := func(types ...string) string {
		if filter == nil {
			return ""
		}
		v := url.Values{"type": types}
		for k, x := range filter {
			v[k] = x
		}
		return links.to(v)
	}
	return views.Line{Name: ui.Link{Text: name, URL: to()}, Entries: p.L.Credits(j.count),
		Charged: ui.Link{Text: p.signed(j.charged), URL: to("charge")}, Refunded: ui.Link{Text: p.signed(j.refunded), URL: to("refund")},
		Reclaimed: ui.Link{Text: p.signed(j.reclaim), URL: to("reclaim")},
		Delivered: ui.Link{Text: p.sum(negated(j.charged.Plus(j.refunded).Plus(j.reclaim))), URL: to("charge", "refund", "reclaim")},
		Adjusted:  ui.Link{Text: p.signed(j.adjusted), URL: to("adjustment")}}
}

func (p Presenter) rules(o month.Overview, links monthLinks) []views.Line {
	byAction, byRule := map[string]jobMoney{}, map[string]map[string]jobMoney{}
	for _, g := range o.Groups {
		if !ofJob(g) {
			continue
		}
		action := g.RuleVersion
		if i := strings.LastIndex(action, "@v"); i > 0 {
			action = action[:i]
		}
		byAction[action] = byAction[action].plus(g)
		if byRule[action] == nil {
			byRule[action] = map[string]jobMoney{}
		}
		byRule[action][g.RuleVersion] = byRule[action][g.RuleVersion].plus(g)
	}
	var out []views.Line
	for _, action := range sorted(byAction) {
		out = append(out, p.line(action, byAction[action], links, url.Values{"action": {action}}))
		for _, rule := range sorted(byRule[action]) {
			l := p.line(rule, byRule[action][rule], links, url.Values{"rule_version": {rule}})
			l.Part = true
			out = append(out, l)
		}
	}
	return out
}

func (p Presenter) rollouts(o month.Overview, links monthLinks) []views.Line {
	byRollout, byCohort := map[string]jobMoney{}, map[string]map[string]jobMoney{}
	for _, g := range o.Groups {
		if !ofJob(g) {
			continue
		}
		byRollout[g.RolloutID] = byRollout[g.RolloutID].plus(g)
		if byCohort[g.RolloutID] == nil {
			byCohort[g.RolloutID] = map[string]jobMoney{}
		}
		byCohort[g.RolloutID][g.Cohort] = byCohort[g.RolloutID][g.Cohort].plus(g)
	}
	var out []views.Line
	for _, rollout := range sorted(byRollout) {
		if rollout == "" {
			out = append(out, p.line(p.L.T("month.no_rollout"), byRollout[rollout], links, nil))
			continue
		}
		out = append(out, p.line(rollout, byRollout[rollout], links, url.Values{"rollout": {rollout}}))
		for _, cohort := range sorted(byCohort[rollout]) {
			l := p.line(cohort, byCohort[rollout][cohort], links, url.Values{"rollout": {rollout}, "cohort": {cohort}})
			l.Part = true
			out = append(out, l)
		}
	}
	return out
}

func (p Presenter) categories(o month.Overview, links monthLinks) []views.Category {
	byCategory := map[string]month.Sum{}
	for _, g := range o.Groups {
		if ledger.Type(g.Type) == ledger.Grant {
			s := byCategory[g.Category]
			byCategory[g.Category] = month.Sum{Count: s.Count + g.Count, Amount: s.Amount.Plus(g.Amount)}
		}
	}
	var out []views.Category
	for _, c := range sorted(byCategory) {
		v := views.Category{Name: p.L.Maybe("category."+c, c), Entries: p.L.Credits(byCategory[c].Count), Credits: ui.Link{Text: p.signed(byCategory[c].Amount)}}
		if c != "" {
			v.Credits.URL = links.to(url.Values{"type": {"grant"}, "category": {c}})
		}
		out = append(out, v)
	}
	return out
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// monthLinks lead to the ledger under the same days of the same zone, so that its totals are the figures.
type monthLinks struct {
	zone        *time.Location
	first, last time.Time
	// shifted is true for a month that does not begin or end with a day of the zone: no days select its entries.
	shifted bool
}

func linksOf(o month.Overview, zone *time.Location) monthLinks {
	return monthLinks{zone: zone, first: o.From.In(zone), last: o.To.Add(-time.Microsecond).In(zone),
		shifted: o.Location.String() != zone.String() || !o.From.Equal(o.Month.Start(zone)) || !o.To.Equal(o.Month.End(zone))}
}

func (k monthLinks) to(filter url.Values) string {
	if k.shifted {
		return ""
	}
	return k.days(k.first, k.last, filter)
}

func (k monthLinks) days(first, last time.Time, filter url.Values) string {
	v := url.Values{"period": {"custom"}, "from": {first.In(k.zone).Format(time.DateOnly)}, "to": {last.In(k.zone).Format(time.DateOnly)}, "zone": {"book"}}
	for name, x := range filter {
		if len(x) > 0 {
			v[name] = x
		}
	}
	return "/ledger?" + v.Encode()
}

// until selects everything up to and including the day of a moment.
func (k monthLinks) until(at time.Time) string {
	if k.shifted {
		return ""
	}
	return "/ledger?" + url.Values{"period": {"custom"}, "to": {at.In(k.zone).Format(time.DateOnly)}, "zone": {"book"}}.Encode()
}

// percentOf is a part of a whole in percent with one decimal; "" when the whole is 0.
func percentOf(part, whole credit.Sum) (string, float64) {
	if whole.Sign() == 0 {
		return "", 0
	}
	x := 100 * part.Ratio(whole)
	return strconv.FormatFloat(x, 'f', 1, 64) + " %", x
}

// Obstacle says what stands in the way of closing a month.
func (p Presenter) Obstacle(o month.Obstacle) string {
	switch {
	case o.State == month.StatePrevious:
		return p.L.T("month.previous_open", p.MonthName(o.Month))
	case o.State == month.StateProblems:
		return p.L.T("month.problems", p.checkNames(o.Checks))
	case o.State == month.StateSettling && o.Since != nil:
		return p.L.T("month.settling_since", p.L.Stamp(*o.Since, p.Now).Full)
	}
	return p.L.Maybe("conflict."+o.State, o.State)
}

// CloseChanges is what closing a month fixes.
func (p Presenter) CloseChanges(o month.Overview) []ui.Change {
	return []ui.Change{
		{Label: p.L.T("close.state"), Before: p.L.T("state.open"), After: p.L.T("state.closed")},
		{Label: p.L.T("months.opening"), After: p.sum(o.Opening)},
		{Label: p.L.T("month.col_entries"), After: p.L.N("count.entries", o.Entries()) + ", " + p.signed(o.Net())},
		{Label: p.L.T("months.closing"), After: p.sum(o.Closing)},
	}
}
