package present

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"recoup/models/comparison"
	"recoup/models/rollout"
	views "recoup/views/rollouts"
	"recoup/views/text"
)

// sideName is what a side is called.
func (p Presenter) sideName(s comparison.Side) string {
	return p.L.T([]string{"compare.candidate", "compare.baseline", "compare.history"}[s])
}

// Comparison is a rollout's comparison on its page.
func (p Presenter) Comparison(r rollout.Rollout, c comparison.Comparison) *views.Comparison {
	v := &views.Comparison{Made: p.L.Stamp(c.At, p.Now), Say: p.L.T("compare.say", p.StageName(r.Stages, c.Stage), p.L.Stamp(c.From, p.Now).Full, p.L.Stamp(c.To, p.Now).Full,
		p.L.Stamp(c.HistoryFrom, p.Now).Full, p.L.Stamp(c.HistoryTo, p.Now).Full)}
	if c.Stage != r.Stage {
		v.Notes = append(v.Notes, p.L.T("compare.other_stage"))
	}
	if c.Shortened {
		v.Notes = append(v.Notes, p.L.T("compare.shortened"))
	}
	applied := views.Measure{Label: p.L.T("measure.applications"), Note: p.L.T("measure.applications_note")}
	for i, n := range c.Sides {
		applied.Values[i] = views.Figure{Value: p.L.Credits(n.Total), Of: p.L.N("sample.accounts", n.Accounts)}
		if n.Charges < n.Total {
			applied.Values[i].Of = ""
			v.Notes = append(v.Notes, p.L.T("compare.sampled", p.sideName(comparison.Side(i)), p.L.Credits(n.Charges), p.L.Credits(n.Total)))
		}
	}
	v.Rows = append(v.Rows, applied)
	costs := false
	for _, m := range c.Measures {
		costs = costs || m.Currency != ""
		v.Rows = append(v.Rows, p.measure(c, m))
	}
	if !costs {
		v.Rows = append(v.Rows, views.Measure{Label: p.L.T("measure.no_costs"), Note: p.L.T("measure.no_costs_note")})
	}
	return v
}

func (p Presenter) measure(c comparison.Comparison, m comparison.Measure) views.Measure {
	v := views.Measure{Label: p.L.T("measure."+string(m.Name), m.Currency)}
	switch m.Name {
	case comparison.PerAccount:
		v.Note = p.L.T("measure.per_account_note")
	case comparison.LagMedian:
		v.Note = p.L.T("measure.lag_note")
	}
	write := p.writer(m)
	for i, x := range m.Values {
		f := &v.Values[i]
		if f.Of = p.sample(c.Sides[i], m.Name, x); x.Of == 0 {
			f.Value = "–"
			continue
		}
		f.Value = write(x.Value)
		if x.Exact != nil {
			f.Value = write(roughly(x.Exact.String()))
		}
		if x.Interval {
			f.Range = p.L.T("sample.range", write(x.Low), write(x.High))
		}
	}
	for i, x := range m.Against {
		v.Against[i] = p.verdict(m, x)
	}
	return v
}

// roughly is an exact decimal as a float, for a figure that is rounded to be shown.
func roughly(exact string) float64 {
	f, err := strconv.ParseFloat(exact, 64)
	if err != nil {
		return math.NaN()
	}
	return f
}

// writer writes the figures of a measure, all of them with the same number of digits.
func (p Presenter) writer(m comparison.Measure) func(float64) string {
	switch m.Name {
	case comparison.Resent, comparison.Conflicting, comparison.Failed:
		return func(x float64) string { return decimals(100*x, 1) + " %" }
	case comparison.LagMedian, comparison.LagP95:
		digits := digitsFor(m.Values)
		return func(x float64) string { return p.L.T("sample.seconds", decimals(x, digits)) }
	}
	digits := digitsFor(m.Values)
	return func(x float64) string { return decimals(x, digits) }
}

// digitsFor is how many digits behind the point show the smallest of the values to three digits.
func digitsFor(values [3]comparison.Value) int {
	digits := 0
	for _, v := range values {
		if x := math.Abs(v.Value); x > 0 {
			digits = max(digits, 2-int(math.Floor(math.Log10(x))))
		}
	}
	return min(digits, 8)
}

// decimals is a number with so many digits behind the point and the minus of the pages.
func decimals(x float64, digits int) string {
	return strings.Replace(strconv.FormatFloat(x, 'f', digits, 64), "-", text.Minus, 1)
}

// sample says what a figure is over.
func (p Presenter) sample(n comparison.Counts, name comparison.Name, v comparison.Value) string {
	accounts := p.L.N("sample.accounts", v.Accounts)
	of := func(counted string) string { return p.L.T("sample.in", counted, accounts) }
	switch name {
	case comparison.Resent:
		return p.L.N("sample.replays", n.Replays) + "; " + p.L.N("sample.charges", v.Of)
	case comparison.Conflicting:
		return p.L.N("sample.conflicts", n.Conflicts) + "; " + p.L.N("sample.charges", v.Of)
	case comparison.LagMedian, comparison.LagP95:
		return of(p.L.N("sample.claims", v.Of))
	case comparison.Failed:
		out := of(p.L.N("sample.attempts", v.Of))
		for _, class := range []string{"transient", "throttled", "permanent", "timed_out"} {
			if k := n.Failed[class]; k > 0 {
				out += "; " + p.L.Maybe("class."+class, class) + " " + p.L.Credits(k)
			}
		}
		return out
	case comparison.CostCharged, comparison.CostDelivered:
		return of(p.L.N("sample.jobs", v.Of))
	}
	return of(p.L.N("sample.charges", v.Of))
}

// verdict says how the candidate differs, or what keeps that from being said.
func (p Presenter) verdict(m comparison.Measure, v comparison.Verdict) views.Verdict {
	out := views.Verdict{State: string(v.Finding)}
	if v.Lack != nil {
		have, need := p.L.Credits(v.Lack.Have), p.L.Credits(v.Lack.Need)
		if v.Lack.Of == comparison.KnownCosts {
			have, need = p.share(v.Lack.Have), p.share(v.Lack.Need)
		}
		out.Words = p.L.T("lack."+string(v.Lack.Of), have, need, p.sideName(v.Lack.Side))
		return out
	}
	out.Words = p.L.T("verdict." + string(v.Finding))
	out.By = p.L.T("verdict.by", p.difference(m, v.By.Value), p.difference(m, v.By.Low), p.difference(m, v.By.High))
	return out
}

// difference is the difference of two figures of a measure, with its sign.
func (p Presenter) difference(m comparison.Measure, x float64) string {
	said := ""
	switch m.Name {
	case comparison.Resent, comparison.Conflicting, comparison.Failed:
		said = p.L.T("sample.points", decimals(100*x, 1))
	default:
		said = p.writer(m)(x)
	}
	if x > 0 {
		return "+" + said
	}
	return said
}

// Given is what a candidate gave away, on its page.
func (p Presenter) Given(g comparison.Given) *views.Given {
	all, delivered := g.All(), g.ForDelivered()
	v := &views.Given{More: all.Sign() < 0, Through: p.L.Stamp(g.Through, p.Now)}
	if v.More {
		all, delivered = negated(all), negated(delivered)
	}
	v.All, v.AllOf = p.sum(all), p.L.N("given.all_of", g.Charges)
	v.Delivered, v.DeliveredOf = p.sum(delivered), p.L.N("given.delivered_of", g.Deliveries)
	return v
}

// leastDays is for how many days the chart of charges has room at least.
const leastDays = 14

// ChargesChart draws the charges of a rollout by day; nil when there are none.
func (p Presenter) ChargesChart(days []comparison.Day) *views.Chart {
	var most, mostBase int64
	for _, d := range days {
		most, mostBase = max(most, d.Candidate), max(mostBase, d.Baseline)
	}
	if most == 0 && mostBase == 0 {
		return nil
	}
	// A rollout's first days are not drawn wider than later ones.
	c := &views.Chart{Width: coordinate(dayWidth * float64(max(len(days), leastDays))), Say: p.L.T("charges.say", p.L.Credits(most), p.L.Credits(mostBase))}
	for _, d := range days {
		c.Rows = append(c.Rows, views.ChartRow{Day: p.L.ShortDay(d.Start), Candidate: p.L.Credits(d.Candidate), Baseline: p.L.Credits(d.Baseline)})
	}
	// Each cohort has a field of its own: the few charges of a first stage would not be seen beside all others.
	for _, cohort := range []struct {
		name string
		most int64
		of   func(comparison.Day) int64
	}{{"candidate", most, func(d comparison.Day) int64 { return d.Candidate }}, {"baseline", mostBase, func(d comparison.Day) int64 { return d.Baseline }}} {
		name := p.L.T("cohort." + cohort.name)
		f := views.Field{Cohort: cohort.name, Top: p.L.T("charges.axis", name, p.L.N("count.charges", cohort.most))}
		for i, d := range days {
			n := cohort.of(d)
			if n == 0 {
				continue
			}
			size := 100 * float64(n) / float64(cohort.most)
			f.Bars = append(f.Bars, views.Bar{X: coordinate(float64(i)*dayWidth + (dayWidth-barWidth)/2), Y: coordinate(100 - size), Width: coordinate(barWidth),
				Height: coordinate(size), Title: c.Rows[i].Day + ": " + name + " " + p.L.Credits(n)})
		}
		c.Fields = append(c.Fields, f)
	}
	if len(days) >= leastDays {
		for _, i := range []int{0, (len(days) - 1) / 2, len(days) - 1} {
			c.Days = append(c.Days, c.Rows[i].Day)
		}
	}
	slices.Reverse(c.Rows) // the newest day first, as in other tables
	return c
}
