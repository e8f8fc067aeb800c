// Package queue is the page of jobs that wait or run: until when and why, on which worker with which lease, and whether
// what moves them works.
package queue

import (
	"github.com/a-h/templ"

	"recoup/views/chart"
	"recoup/views/dependencies"
	"recoup/views/overview"
	"recoup/views/text"
	"recoup/views/ui"
)

// Row is one job. What a state does not have is empty.
type Row struct {
	Job        ui.ID
	Account    ui.Link
	Action     string
	Dependency ui.Link
	Attempt    string
	State      string // queued, held, retrying, running
	At         text.Stamp
	Why        string // "attempt 3 failed: 80 s, jittered to 61 s"
	Error      string // what the last try said
	Worker     string
	Beat       text.Stamp
	RunNowURL  string // "" for those who may not, or where there is nothing to hurry
}

// Filter are the fields of the filter form.
type Filter struct {
	Account, ActionName, Dependency, Worker ui.Field
	Held                                    []ui.Option
}

// Model is the page.
type Model struct {
	Action   string // of the filter form
	Tab      string // waiting, retrying, running
	Tabs     []ui.Choice
	Filter   Filter
	Rows     []Row
	List     ui.List
	Zone     string
	Services []overview.Service
	// RedisAway is true where no living process reaches Redis: what is listed is read from PostgreSQL all the same.
	RedisAway bool
	Charts    []chart.Bars
	Held      []dependencies.Action
	// HoldURL holds an action; "" for those who may not.
	HoldURL string
}

// RunNow is the form that lets a job be tried now.
type RunNow struct {
	ui.Act
	JobID, JobURL string
	Account       string
	Generation    string
	At            text.Stamp
	Held          *ui.HeldNotice // what keeps it from workers all the same; nil: nothing
	Reason        ui.Field
}

func reasonInput() templ.Attributes {
	return templ.Attributes{"required": true, "maxlength": "500"}
}
