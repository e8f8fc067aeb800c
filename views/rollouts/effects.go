package rollouts

import (
	"github.com/a-h/templ"

	"recoup/views/text"
	"recoup/views/ui"
)

// Effects is what a rollout does, as its page shows it; nil before its start.
type Effects struct {
	// CompareURL is where a comparison is asked for; empty: the person may not.
	CompareURL string
	// Comparison is nil until it was made.
	Comparison *Comparison
	// Given is nil until it was counted.
	Given *Given
	// Chart is nil while nothing was charged.
	Chart *Chart
}

// Comparison is a stage beside the baseline and beside history.
type Comparison struct {
	Say   string   // what is compared with what
	Notes []string // what is to be known of it
	Made  text.Stamp
	Rows  []Measure
}

// Measure is one figure of the three sides.
type Measure struct {
	Label   string
	Note    string
	Values  [3]Figure  // candidate, baseline, history
	Against [2]Verdict // against the baseline, against history
}

// Figure is what a measure is on one side.
type Figure struct {
	Value string
	Range string // the interval; empty: none
	Of    string // the size of the sample
}

// Verdict says how the candidate differs.
type Verdict struct {
	State string // higher, lower, none, lacking; empty: not compared
	Words string
	By    string // the difference with its interval; empty: none
}

// Given is what was given away so far.
type Given struct {
	All, AllOf             string
	Delivered, DeliveredOf string
	More                   bool // the candidate costs more
	Through                text.Stamp
}

// Chart is charges by day, the candidate above and the baseline below, in a field of Width by 100.
type Chart struct {
	Width  string
	Fields []Field
	Say    string
	Days   []string // labels below: first, middle, last
	Rows   []ChartRow
}

// axes are those of a field; the days stand below the last one.
func (c Chart) axes(i int, label string) ui.Axes {
	a := ui.Axes{Label: label, Width: c.Width, Top: c.Fields[i].Top, Bottom: "0"}
	if i == len(c.Fields)-1 {
		a.Below = c.Days
	}
	return a
}

// Field is one cohort of the chart on a scale of its own, from 0 to what Top says.
type Field struct {
	Cohort, Top string
	Bars        []Bar
}

// Bar is one bar in a field of the chart's Width by 100.
type Bar struct {
	X, Y, Width, Height, Title string
}

// ChartRow is a day in the chart's table.
type ChartRow struct{ Day, Candidate, Baseline string }

// sides are the keys of the names of the three sides.
func sides() [3]string { return [3]string{"compare.candidate", "compare.baseline", "compare.history"} }

// label names a cell for the narrow layout, where the header row is hidden.
func label(name string) templ.Attributes { return templ.Attributes{"data-label": name} }
