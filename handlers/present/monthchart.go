package present

import (
	"net/url"
	"strconv"

	"recoup/models/credit"
	"recoup/models/ledger"
	"recoup/models/month"
	views "recoup/views/months"
	"recoup/views/ui"
)

const (
	// dayWidth is how wide a day is in a chart's field, barWidth its bar.
	dayWidth, barWidth = 10.0, 7.0
)

func coordinate(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }

func (p Presenter) dayName(d month.Day) string { return p.L.ShortDay(d.Start) }

// axis names the first, the middle and the last day below a chart.
func (p Presenter) axis(days []month.Day) []string {
	if len(days) < 3 {
		return nil
	}
	return []string{p.dayName(days[0]), p.dayName(days[(len(days)-1)/2]), p.dayName(days[len(days)-1])}
}

// creditsChart stacks what each day added above the line and what it took below, by type; nil when there is
// nothing to show.
func (p Presenter) creditsChart(o month.Overview, links monthLinks) *views.Chart {
	var up, down credit.Sum // the largest of a day
	for _, d := range o.Days {
		var plus, minus credit.Sum
		for _, s := range d.Types {
			if s.Amount.Sign() > 0 {
				plus = plus.Plus(s.Amount)
			} else {
				minus = minus.Minus(s.Amount)
			}
		}
		if plus.Minus(up).Sign() > 0 {
			up = plus
		}
		if minus.Minus(down).Sign() > 0 {
			down = minus
		}
	}
	height := up.Plus(down)
	if height.Sign() == 0 {
		return nil
	}
	zero := 100 * up.Ratio(height)
	c := views.Chart{Width: coordinate(dayWidth * float64(len(o.Days))), Zero: coordinate(zero), Days: p.axis(o.Days),
		Top: p.L.T("month.axis_credits", p.signed(up)), Bottom: p.L.T("month.axis_credits", p.signed(negated(down))),
		Say: p.L.T("month.chart_credits_say", p.sum(up), p.sum(down))}
	for _, t := range ledger.Types() {
		c.Kinds, c.Head = append(c.Kinds, string(t)), append(c.Head, p.L.T("type."+string(t)))
	}
	for i, d := range o.Days {
		above, below := zero, zero
		row := views.ChartRow{Day: p.dayName(d)}
		for _, t := range ledger.Types() {
			s := d.Types[t]
			cell := ui.Link{Text: p.signed(s.Amount)}
			if s.Count > 0 && !links.shifted {
				cell.URL = links.days(d.Start, d.Start, url.Values{"type": {string(t)}})
			}
			row.Cells = append(row.Cells, cell)
			if s.Amount.Sign() == 0 {
				continue
			}
			size := 100 * s.Amount.Ratio(height)
			y := above - size
			if size < 0 {
				size = -size
				y, below = below, below+size
			} else {
				above = y
			}
			c.Bars = append(c.Bars, views.Bar{X: coordinate(float64(i)*dayWidth + (dayWidth-barWidth)/2), Y: coordinate(y), Width: coordinate(barWidth),
				Height: coordinate(size), Type: string(t), Title: row.Day + ": " + p.L.T("type."+string(t)) + " " + cell.Text})
		}
		c.Rows = append(c.Rows, row)
	}
	return &c
}

// ratesChart shows refunds and reclaims of each day in percent of what it charged; nil when nothing was charged.
func (p Presenter) ratesChart(o month.Overview) *views.Chart {
	kinds := []ledger.Type{ledger.Refund, ledger.Reclaim}
	c := views.Chart{Width: coordinate(dayWidth * float64(len(o.Days))), Days: p.axis(o.Days), Kinds: []string{string(ledger.Refund), string(ledger.Reclaim)},
		Head: []string{p.L.T("month.refund_rate"), p.L.T("month.reclaim_rate")}}
	rates := make([][2]float64, len(o.Days))
	most, charged := 0.0, false
	for i, d := range o.Days {
		row := views.ChartRow{Day: p.dayName(d)}
		for k, t := range kinds {
			amount := d.Types[t].Amount
			if amount.Sign() < 0 {
				amount = negated(amount)
			}
			text, x := percentOf(amount, negated(d.Types[ledger.Charge].Amount))
			if text == "" {
				text = "–"
			} else {
				charged = true
			}
			rates[i][k] = x
			most = max(most, x)
			row.Cells = append(row.Cells, ui.Link{Text: text})
		}
		c.Rows = append(c.Rows, row)
	}
	if !charged {
		return nil
	}
	most = max(most, 1)
	top := strconv.FormatFloat(most, 'f', 1, 64) + " %"
	c.Top, c.Bottom = p.L.T("month.axis_rate", top), "0 %"
	c.Say = p.L.T("month.chart_rates_say", top)
	for i := range o.Days {
		for k, t := range kinds {
			if size := 100 * rates[i][k] / most; size > 0 {
				c.Bars = append(c.Bars, views.Bar{X: coordinate(float64(i)*dayWidth + 1.5 + 3.5*float64(k)), Y: coordinate(100 - size), Width: "3.200", Height: coordinate(size),
					Type: string(t), Title: c.Rows[i].Day + ": " + c.Head[k] + " " + c.Rows[i].Cells[k].Text})
			}
		}
	}
	return &c
}
