package views_test

import (
	"strconv"
	"time"

	"recoup/views/rollouts"
	"recoup/views/ui"
)

// effects is what a rollout does with everything that its page can show.
func (s sample) effects() *rollouts.Effects {
	side := func(i int) string {
		return s.l.T([]string{"compare.candidate", "compare.baseline", "compare.history"}[i])
	}
	figures := func(values ...string) (out [3]rollouts.Figure) {
		for i := range out {
			out[i] = rollouts.Figure{Value: values[i], Range: s.l.T("sample.range", values[i], values[i]), Of: s.l.T("sample.in", s.l.N("sample.attempts", 12_402), s.l.N("sample.accounts", 118)) + "; " + s.l.T("class.throttled") + " 42"}
		}
		return out
	}
	by := s.l.T("verdict.by", "+4.20 points", "+1.05 points", "+7.35 points")
	lacking := rollouts.Verdict{State: "lacking", Words: s.l.T("lack.jobs", "40", "200", side(0))}
	c := &rollouts.Comparison{Made: s.at(3 * time.Minute), Say: s.l.T("compare.say", s.l.T("stage.threshold", "5"), s.at(90*time.Hour).Full, s.at(0).Full, s.at(180*time.Hour).Full, s.at(90*time.Hour).Full),
		Notes: []string{s.l.T("compare.shortened"), s.l.T("compare.sampled", side(1), "50,120", "1,204,551"), s.l.T("compare.other_stage")},
		Rows: []rollouts.Measure{
			{Label: s.l.T("measure.applications"), Note: s.l.T("measure.applications_note"), Values: figures("1,204", "1,204,551", "987,001")},
			{Label: s.l.T("measure.failed"), Values: figures("8.4 %", "4.2 %", "4.1 %"), Against: [2]rollouts.Verdict{{State: "higher", Words: s.l.T("verdict.higher"), By: by}, {State: "none", Words: s.l.T("verdict.none"), By: by}}},
			{Label: s.l.T("measure.lag_p95"), Note: s.l.T("measure.lag_note"), Values: figures("12.4 s", "13.0 s", "13.1 s"), Against: [2]rollouts.Verdict{{State: "lower", Words: s.l.T("verdict.lower"), By: by}, lacking}},
			{Label: s.l.T("measure.cost_delivered", "USD"), Values: figures("0.0402", "0.0399", "0.0401"), Against: [2]rollouts.Verdict{lacking, {State: "lacking", Words: s.l.T("lack.known_costs", "12.5", "50", side(2))}}},
		}}
	chart := &rollouts.Chart{Width: "40.000", Say: s.l.T("charges.say", "118", "11,204"), Days: []string{"28 Nov", "29 Nov", "30 Nov"}}
	for _, cohort := range []struct {
		name string
		most int64
	}{{"candidate", 118}, {"baseline", 11_204}} {
		f := rollouts.Field{Cohort: cohort.name, Top: s.l.T("charges.axis", s.l.T("cohort."+cohort.name), s.l.N("count.charges", cohort.most))}
		for i := range 4 {
			f.Bars = append(f.Bars, rollouts.Bar{X: strconv.Itoa(i*10 + 1), Y: "10", Width: "7", Height: "90", Title: "28 Nov"})
		}
		chart.Fields = append(chart.Fields, f)
	}
	for range 4 {
		chart.Rows = append(chart.Rows, rollouts.ChartRow{Day: "28 Nov", Candidate: "118", Baseline: "11,204"})
	}
	return &rollouts.Effects{CompareURL: "/rollouts/x/compare", Comparison: c, Chart: chart,
		Given: &rollouts.Given{All: "12,804", AllOf: s.l.N("given.all_of", 1_204), Delivered: "11,905", DeliveredOf: s.l.N("given.delivered_of", 1_101), Through: s.at(time.Minute)}}
}

// advanceChanges are the lines of the dialog that widens a rollout.
func (s sample) advanceChanges() []ui.Change {
	return []ui.Change{{Label: s.l.T("step.stage"), Before: "1 %", After: "5 %"}, {Label: s.l.T("step.admitted"), Before: "118", After: s.l.T("effect.about", "592", "11,840")},
		{Label: s.l.T("effect.gain"), After: s.l.T("effect.gain_off", "474", s.l.T("off.percent", "10"))}, {Label: s.l.T("step.leave"), After: "0"},
		{Label: s.l.T("effect.expected"), After: s.l.N("effect.of_paid", 28, "\u22121,204", "12,040", "\u221233,712")}, {Label: s.l.T("effect.worst"), After: s.l.T("effect.credits", "\u22123,901")}}
}
