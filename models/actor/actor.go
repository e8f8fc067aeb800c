// Package actor names who asks for a change. Every entry, event, operation and audit row has one.
package actor

import "strings"

// Actor is a person, an API key or Recoup itself. Its zero value names nobody and must not be stored.
type Actor struct {
	// Kind is "staff", "key" or "system".
	Kind string
	// ID identifies the person or key; empty for system.
	ID string
}

// System is Recoup itself: timers, sweepers, checks.
func System() Actor { return Actor{Kind: "system"} }

// Staff is a signed-in person.
func Staff(id string) Actor { return Actor{Kind: "staff", ID: id} }

// Key is a program that shows an API key.
func Key(id string) Actor { return Actor{Kind: "key", ID: id} }

// String is the stored form: "system", "staff:<id>" or "key:<id>".
func (a Actor) String() string {
	if a.ID == "" {
		return a.Kind
	}
	return a.Kind + ":" + a.ID
}

// Parse reads the stored form.
func Parse(s string) Actor {
	kind, id, _ := strings.Cut(s, ":")
	return Actor{Kind: kind, ID: id}
}
