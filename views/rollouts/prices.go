package rollouts

import "recoup/views/ui"

// Prices are what a rollout changes, in words, and what it was made to ask for.
type Prices struct {
	Baseline, Candidate           ui.ID // zero: the page shows none
	BaselinePrice, CandidatePrice string
	Off                           string // how the candidate differs a unit; empty: it does not, or not by a share
	Example                       string
	Needs                         string // what the checks need before they pass
	Cap                           string // what it may give away a day; empty: there is no cap
}
