package month

import (
	"recoup/models/credit"
	"recoup/models/ledger"
)

// Break is a figure of a month that does not tie to what it was held against.
type Break struct {
	// Name is one of the names below.
	Name string
	// Figure is what the month says, Against what it was held against.
	Figure, Against credit.Sum
}

// What a month is held against, in the order of Breaks.
const (
	// BreakMovements: opening and the movements of all types do not make the closing.
	BreakMovements = "movements"
	// BreakDays: the movements of the days are not those of the month.
	BreakDays = "days"
	// BreakBefore: it does not open with what the month before was closed with.
	BreakBefore = "before"
	// BreakBalances: its closing is not the sum of all balances less what was entered after it.
	BreakBalances = "balances"
	// BreakClosed: its closing is not the one it was closed with.
	BreakClosed = "closed"
)

// Tied is what the closing has to be: the sum of all balances less what was entered after the month; nil while that is
// not known.
func (o Overview) Tied() *credit.Sum {
	if o.Balances.Sum == nil {
		return nil
	}
	sum := o.Balances.Sum.Minus(o.Later)
	return &sum
}

// Breaks are the figures that do not tie, nil when all do that can be compared.
func (o Overview) Breaks() []Break {
	var out []Break
	compare := func(name string, figure, against credit.Sum) {
		if figure.Minus(against).Sign() != 0 {
			out = append(out, Break{name, figure, against})
		}
	}
	compare(BreakMovements, o.Closing, o.Opening.Plus(o.Net()))
	var days credit.Sum
	for _, d := range o.Days {
		for _, t := range ledger.Types() {
			days = days.Plus(d.Types[t].Amount)
		}
	}
	compare(BreakDays, o.Net(), days)
	if o.Before != nil {
		compare(BreakBefore, o.Opening, *o.Before)
	}
	if against := o.Tied(); against != nil {
		compare(BreakBalances, o.Closing, *against)
	}
	if o.Closed != nil {
		compare(BreakClosed, o.Closing, o.Closed.Figures.Closing)
	}
	return out
}
