package operation

import (
	"context"
	"sync"
)

// Noted is what log lines say of the operation that a request named, beside its id: how it came out, and the
// decision that priced its job. Members are empty where that is not known, or not yet.
type Noted struct {
	// Outcome is what the operation's span has: applied, replayed, waiting, conflict, refused, failed, nothing_to_do.
	Outcome     string
	RuleVersion string
	RolloutID   string
	Cohort      string
}

type note struct {
	mu    sync.Mutex
	noted Noted
}

// WithNotes returns a context in which operations leave word of themselves for Notes, also of a context derived from it.
func WithNotes(ctx context.Context) context.Context {
	return context.WithValue(ctx, notesKey, &note{})
}

// Notes is what was noted last; zero on a context without notes.
func Notes(ctx context.Context) Noted {
	n, ok := ctx.Value(notesKey).(*note)
	if !ok {
		return Noted{}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.noted
}

// NoteOutcome notes how an operation came out.
func NoteOutcome(ctx context.Context, outcome string) {
	write(ctx, func(n *Noted) { n.Outcome = outcome })
}

// NoteDecision notes which decision priced the job that an operation is about; rolloutID is nil outside a rollout.
func NoteDecision(ctx context.Context, ruleVersion string, rolloutID *string, cohort string) {
	write(ctx, func(n *Noted) {
		n.RuleVersion, n.Cohort, n.RolloutID = ruleVersion, cohort, ""
		if rolloutID != nil {
			n.RolloutID = *rolloutID
		}
	})
}

func write(ctx context.Context, set func(*Noted)) {
	n, ok := ctx.Value(notesKey).(*note)
	if !ok {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	set(&n.noted)
}
