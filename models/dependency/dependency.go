// Package dependency knows what jobs depend on, keeps a breaker for each, and holds work: of a dependency, by its breaker or
// by a person, or of an action, by a person. Held work stays queued. A row of the table holds keeps claims from handing it
// out, so that it uses up no attempt, and what is released is handed out at a bounded rate; see models/job, which reads it.
package dependency

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/fault"
	"recoup/models/freetext"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/operation"
)

// State is a breaker's.
type State string

// The states of a breaker. Open lets no work through, half-open a few probes.
const (
	Closed   State = "closed"
	Open     State = "open"
	HalfOpen State = "half_open"
)

// Kind is what a hold is on.
type Kind string

// The kinds of holds.
const (
	OfDependency Kind = "dependency"
	OfAction     Kind = "action"
)

// Passing is what workers get of held work.
type Passing string

// What passes a hold: nothing, as many probes as are left, or no more than a number a minute.
const (
	Nothing Passing = "nothing"
	Probes  Passing = "probes"
	Paced   Passing = "paced"
)

// Codes of the faults of this package alone.
const (
	CodeNotFound = "dependency_not_found"
)

// MaxPerMinute is the fastest release.
const MaxPerMinute = 60_000

// Settings are those of a breaker and of what it releases.
type Settings struct {
	// Breaker is false where only people hold the dependency.
	Breaker bool `json:"breaker"`
	// FailurePercent of the newest WindowResults results open the breaker, if there are at least MinimumResults.
	FailurePercent int64 `json:"failure_percent"`
	WindowResults  int64 `json:"window_results"`
	MinimumResults int64 `json:"minimum_results"`
	// OpenS is how many seconds it stays open before it lets Probes jobs through.
	OpenS  int64 `json:"open_s"`
	Probes int64 `json:"probes"`
	// ReleasePerMinute is how many held jobs a minute are handed out after that, 1 to MaxPerMinute.
	ReleasePerMinute int64 `json:"release_per_minute"`
}

// check refuses settings that make no sense.
func (s Settings) check() []fault.Field {
	var bad []fault.Field
	between := func(name string, v, low, high int64) {
		if v < low || v > high {
			bad = append(bad, fault.Field{Name: name, Message: fmt.Sprintf("must be %d to %d", low, high)})
		}
	}
	between("failure_percent", s.FailurePercent, 1, 100)
	between("window_results", s.WindowResults, 1, 1000)
	between("minimum_results", s.MinimumResults, 1, 1000)
	if len(bad) == 0 && s.MinimumResults > s.WindowResults {
		bad = append(bad, fault.Field{Name: "minimum_results", Message: "must not be more than the newest results looked at"})
	}
	between("open_s", s.OpenS, 1, 86400)
	between("probes", s.Probes, 1, 100)
	between("release_per_minute", s.ReleasePerMinute, 1, MaxPerMinute)
	return bad
}

// Hold is a row that keeps work of a dependency or an action from being handed out freely.
type Hold struct {
	Kind    Kind
	Name    string
	Passing Passing
	// HeldBy is the person who holds it and Reason why; empty where nobody does (any more). HeldAt is nil then.
	HeldBy string
	HeldAt *time.Time
	Reason string
	// ProbesLeft is how many probes may still be handed out.
	ProbesLeft int64
	// PerMinute is the rate at which it is or will be released.
	PerMinute int64
	// Since is when Passing last changed.
	Since time.Time
}

// Service keeps dependencies and holds.
type Service struct {
	g   *gorm.DB
	ops *operation.Store
}

// New makes a Service.
func New(ops *operation.Store) *Service { return &Service{g: ops.DB(), ops: ops} }

// ScopeOf is the scope of the operations on a dependency or a held action.
func ScopeOf(kind Kind, name string) operation.Scope {
	return operation.Named(string(kind) + ":" + name)
}

// Request is what every change carries beside its own input.
type Request struct {
	ledger.Envelope
	// Name is the dependency's, or the action's.
	Name string
	// Reason is required, up to 500 characters.
	Reason string
	// Seen is what LastStep said when the person looked: a release refuses another one. nil for whichever it is.
	Seen *int64
	// OnlyNamed refuses a hold of what no job and no action depends on: a name that a person typed may be wrong.
	OnlyNamed bool
}

// Result is the stored result of every change.
type Result struct {
	Name string `json:"name"`
	// State is the breaker's afterwards; empty for actions.
	State State `json:"state,omitempty"`
	// Passing is what workers get of held work afterwards; empty where it is not held.
	Passing Passing `json:"passing,omitempty"`
	// PerMinute is the rate of a release, else 0.
	PerMinute int64 `json:"per_minute,omitempty"`
}

func (r Request) check() []fault.Field {
	var bad []fault.Field
	if err := ids.CheckCallerID(r.Name); err != nil {
		bad = append(bad, fault.Field{Name: "name", Message: err.Error()})
	}
	switch {
	case freetext.Blank(r.Reason):
		bad = append(bad, fault.Field{Name: "reason", Message: "is required"})
	case !utf8.ValidString(r.Reason) || utf8.RuneCountInString(r.Reason) > 500 || strings.ContainsRune(r.Reason, 0):
		bad = append(bad, fault.Field{Name: "reason", Message: "must be valid text of at most 500 characters"})
	}
	return bad
}

func (r Request) request(kind Kind, what string, in operation.Input, bad []fault.Field) operation.Request {
	in["name"], in["reason"] = r.Name, r.Reason
	if r.Seen != nil {
		in["seen"] = *r.Seen
	}
	return operation.Request{Scope: ScopeOf(kind, r.Name), ID: r.OperationID, Kind: what, Actor: r.Actor, RequestID: r.RequestID,
		Reason: r.Reason, Object: string(kind) + ":" + r.Name, Input: in, Invalid: append(r.check(), bad...)}
}

// Figures are what an event was decided by. Zero members are left out.
type Figures struct {
	// Results is how many results were looked at, Failures how many of them failed, Percent the threshold.
	Results  int64 `json:"results,omitempty"`
	Failures int64 `json:"failures,omitempty"`
	Percent  int64 `json:"percent,omitempty"`
	// Probes is how many jobs are let through to try.
	Probes int64 `json:"probes,omitempty"`
	// PerMinute is the rate of a release.
	PerMinute int64 `json:"per_minute,omitempty"`
	// Before and After are the settings around a change of them.
	Before *Settings `json:"before,omitempty"`
	After  *Settings `json:"after,omitempty"`
	// Action is the one whose default changed from DefaultBefore to DefaultAfter, each empty for none; DefaultAfter is nil in
	// events that were recorded before it was kept.
	Action        string  `json:"action,omitempty"`
	DefaultBefore string  `json:"default_before,omitempty"`
	DefaultAfter  *string `json:"default_after,omitempty"`
}

// note writes the event and the audit row of a change, in its transaction.
func note(ctx context.Context, tx *operation.Tx, kind Kind, name, event string, before, after any, state State, f Figures) error {
	if err := remember(tx, kind, name, event, state, f); err != nil {
		return err
	}
	r := tx.Request
	return audit.Record(ctx, tx.DB, audit.Row{Actor: r.Actor, Action: r.Kind, Object: r.Object, Reason: r.Reason, Before: before, After: after,
		OperationID: r.ID, RequestID: r.RequestID, TraceID: tx.TraceID})
}

// remember writes the event of a change into the history of a dependency or an action.
func remember(tx *operation.Tx, kind Kind, name, event string, state State, f Figures) error {
	data, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("dependency: event: %w", err)
	}
	text := any(string(data))
	if string(data) == "{}" {
		text = nil
	}
	r := tx.Request
	tx.Finally(`INSERT INTO hold_events (kind, name, event, state, actor, reason, data, operation_id) VALUES (?, ?, ?, ?, ?, ?, ?::json, ?)`,
		string(kind), name, event, string(state), r.Actor.String(), r.Reason, text, r.ID)
	return nil
}

// system is the envelope of what no person asks for. From a version it happens once, whoever sees it.
func system(what string, version int64) ledger.Envelope {
	return ledger.Envelope{OperationID: fmt.Sprintf("breaker:%d:%s", version, what), Actor: actor.System()}
}
