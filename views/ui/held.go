package ui

// Held is something whose work is not handed out freely.
type Held struct {
	Name  Link
	State string // held, breaker_open, half_open, releasing
	Count string // how much of what the page is about is of it; empty: all
	Say   string // by whom or what, since when, and what happens next
}

// HeldNotice tells that work waits although it could run.
type HeldNotice struct {
	Title string
	Say   string
	Lines []Held
}
