package rollouts

import (
	"recoup/views/text"
	"recoup/views/ui"
)

// Terms are what a rollout was made to keep to beside its stages, and what waits because of it.
type Terms struct {
	// Second says which steps need a second person; empty: none does.
	Second string
	// Waiting is the step that waits for a second person; zero: none does.
	Waiting Waiting
	Cap     Cap
}

// Cap is what was given away today against what may be.
type Cap struct {
	Share string // of the cap, 0 to 10000
	Say   string // the figures; empty: there is no cap
	Note  string // that it is reached or lifted; empty: neither
}

// Follow is the button to be told of a rollout.
type Follow struct {
	Action  string // empty: no button
	Follows bool
}

// Waiting is a step that waits for a second person.
type Waiting struct {
	What string // names the step
	Say  string // who asked, and until when it can be decided
	URL  string
}

// Second is what the form of a step says about a second person.
type Second struct {
	// Say is that one has to agree; empty: none has to.
	Say string
	// Replaces, Version and Digest name the person's own proposal that this one takes the place of; empty: there is none.
	Replaces, Version, Digest string
	// Waits is true where somebody else's proposal is in the way.
	Waits bool
}

// NewTerms are the fields of a draft about second persons and the cap.
type NewTerms struct {
	Second     []ui.Option // the steps that always need a second person
	Above, Cap ui.Field
}

func (m Move) submit(l text.Locale) string {
	if m.Second.Say != "" {
		return l.T("second.ask")
	}
	return l.T("step." + m.Name)
}
