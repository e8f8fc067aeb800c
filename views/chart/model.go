// Package chart draws counts over time as stacked bars, in SVG that the server makes, with their table.
package chart

// Bars is a chart: a field of Width by 100 in which every bar has its place.
type Bars struct {
	ID      string // of the heading, unique on the page
	Title   string
	Say     string // what it says in a sentence
	Width   string
	Bars    []Bar
	Top     string   // what the upper edge stands for, with its unit; the lower one is 0
	Axis    []string // first, middle and last moment
	Legend  []Key
	Head    string   // what a row of the table is, e.g. "From (JST)"
	Columns []string // names of the series
	Rows    []Row
}

// Bar is one count. Tone is ok, bad, wait or off.
type Bar struct{ X, Y, Width, Height, Tone, Title string }

// Key says what a tone means.
type Key struct{ Tone, Text string }

// Row is one span of time in the table.
type Row struct {
	Label  string
	Values []string
}
