package rollouts

import (
	"recoup/views/text"
	"recoup/views/ui"
)

// Enrolments is the list of accounts that a rollout admitted.
type Enrolments struct {
	ID   string
	URL  string // of the rollout
	Zone string
	Rows []Enrolment
	List ui.List
}

// Enrolment is one of them.
type Enrolment struct {
	Account ui.ID
	At      text.Stamp
	Stage   string
	Bucket  string
	Why     string
}
