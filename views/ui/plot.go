package ui

import "strconv"

// Axes are what stands around the field of a chart.
type Axes struct {
	// Label says the chart in words, for whoever does not see it.
	Label string
	// Width is that of the field; its height is 100.
	Width string
	// Top and Bottom are what the upper and the lower edge of the field stand for, with the unit: "+12,000 credits".
	Top, Bottom string
	// Zero is where the line of zero is; empty: at the bottom.
	Zero string
	// Below are the labels under the field: first, middle, last; none where the next field has them.
	Below []string
}

func (a Axes) zero() string {
	if a.Zero == "" {
		return "100"
	}
	return a.Zero
}

// zeroTick is where the 0 beside the field stands; empty where an edge of the field is zero, or so near that its own label says enough.
func (a Axes) zeroTick() string {
	at, err := strconv.ParseFloat(a.Zero, 64)
	if err != nil || at < 6 || at > 94 {
		return ""
	}
	return a.Zero + "%"
}
