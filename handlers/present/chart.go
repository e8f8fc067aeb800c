package present

import (
	"fmt"
	"strings"
	"time"

	"recoup/views/chart"
)

// Series is one count in each span of a chart. Tone is ok, bad, wait or off.
type Series struct {
	Name, Tone string
	Counts     []int64
}

// StackedBars draws series on top of each other, one bar a span. from are the beginnings of the spans, as many as each
// series has counts; say is what the chart says in a sentence, top words the largest sum with its unit. Spans without anything leave no row in the table.
func (p Presenter) StackedBars(id, title, say string, top func(int64) string, from []time.Time, series ...Series) chart.Bars {
	c := chart.Bars{ID: id, Title: title, Say: say, Width: fmt.Sprint(10 * len(from)), Head: p.L.T("chart.from", p.L.ZoneLabel(p.Now))}
	var most int64
	sums := make([]int64, len(from))
	for _, s := range series {
		c.Legend = append(c.Legend, chart.Key{Tone: s.Tone, Text: s.Name})
		c.Columns = append(c.Columns, s.Name)
		for i, n := range s.Counts {
			sums[i] += n
			most = max(most, sums[i])
		}
	}
	if most == 0 {
		return c
	}
	c.Top = top(most)
	for i, at := range from {
		if sums[i] == 0 {
			continue
		}
		label := p.L.Stamp(at, p.Now).Short
		row := chart.Row{Label: label}
		foot := 100.0
		var words []string
		for _, s := range series {
			row.Values = append(row.Values, p.L.Credits(s.Counts[i]))
			if s.Counts[i] == 0 {
				continue
			}
			height := 100 * float64(s.Counts[i]) / float64(most)
			foot -= height
			words = append(words, s.Name+" "+p.L.Credits(s.Counts[i]))
			c.Bars = append(c.Bars, chart.Bar{X: fmt.Sprint(10*i + 1), Y: fmt.Sprintf("%.2f", foot), Width: "8", Height: fmt.Sprintf("%.2f", height), Tone: s.Tone,
				Title: label + ": " + strings.Join(words[len(words)-1:], "")})
		}
		c.Rows = append(c.Rows, row)
	}
	for _, at := range []time.Time{from[0], from[len(from)/2], from[len(from)-1]} {
		c.Axis = append(c.Axis, p.L.Stamp(at, p.Now).Short)
	}
	return c
}
