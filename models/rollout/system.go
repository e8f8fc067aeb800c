package rollout

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"recoup/models/actor"
	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/operation"
)

// SystemScopeOf is the scope of the steps that Recoup makes by itself. No caller can name it, so nobody takes the id of
// a halt first.
func SystemScopeOf(id string) operation.Scope { return operation.Named("rollout-system:" + id) }

// Codes of what there is to say of a step beside a person's reason.
const (
	// CodeAgreed: a second person agreed. The detail has change_request, its id, and by, the actor who agreed.
	CodeAgreed = "agreed"
	// CodeCheckFailed: a check is red. The event's checks say which.
	CodeCheckFailed = "check_failed"
)

// cause is what there is to say of a step beside its reason; zero for nothing.
type cause struct {
	code   string
	detail any
}

// json is the detail as it is stored; nil for none.
func (c cause) json() (*string, error) {
	if c.detail == nil {
		return nil, nil
	}
	b, err := json.Marshal(c.detail)
	if err != nil {
		return nil, fmt.Errorf("rollout: %w", err)
	}
	s := string(b)
	return &s, nil
}

// Halt stops a rollout because a check is red, as Recoup itself; from a version it happens once, whoever sees it.
// Faults as for Pause; a rollout that has moved on by itself is no error of the checks.
func (s *Service) Halt(ctx context.Context, id string, version int64, checks Checks) (operation.Outcome, error) {
	op := "halt:" + strconv.FormatInt(version, 10)
	scope, err := s.scopeOfHalt(ctx, id, op)
	if err != nil {
		return operation.Outcome{}, err
	}
	return s.step(ctx, StepRequest{Envelope: ledger.Envelope{OperationID: op, Actor: actor.System()},
		RolloutID: id, Version: version, Reason: "Check failed: " + checks.Why()},
		step{kind: "halt_rollout", event: "halted", from: []State{Running, Paused}, to: Halted, scope: scope, input: operation.Input{"version": version}, cause: cause{code: CodeCheckFailed}, found: &checks,
			after: func(ctx context.Context, tx *operation.Tx, o Rollout) error { return tell(ctx, tx, o, checks) }})
}

// scopeOfHalt is the scope of Recoup's own steps, but for a halt that an earlier release made in the scope of people:
// that one is replayed where it is.
func (s *Service) scopeOfHalt(ctx context.Context, id, op string) (operation.Scope, error) {
	stored, _, err := s.ops.Find(ctx, ScopeOf(id), op)
	switch {
	case err == nil && stored.Kind == "halt_rollout":
		return ScopeOf(id), nil
	case err == nil || fault.Is(err, fault.CodeOperationNotFound):
		return SystemScopeOf(id), nil
	}
	return operation.Scope{}, err
}
