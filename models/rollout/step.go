package rollout

import (
	"context"
	"fmt"
	"slices"
	"time"

	"recoup/models/approval"
	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/pricing"
	"recoup/models/webhook"
)

// StepRequest asks for a step of a rollout.
type StepRequest struct {
	ledger.Envelope
	RolloutID string
	// Version is the one that whoever asks has seen: at another one nothing is done.
	Version int64
	// Reason is required.
	Reason string
	// Replaces names the proposal of the same step that this one takes the place of: an edit. Nil where none waits.
	Replaces *approval.Replaced
}

// step is what one kind of step does.
type step struct {
	// kind names the operation, event the row of the history.
	kind, event string
	from        []State
	to          State
	// forward is by how many stages it goes on: 0 or 1.
	forward int
	// leaves is true for a step that has to wait for the stage's shortest time.
	leaves bool
	// locks is true for a step that depends on the action's price in force or changes it.
	locks bool
	// ask is which checks it needs.
	ask demand
	// second reports whether a rollout asks for a second person; nil for a step that never needs one.
	second func(r Rollout) bool
	// before refuses what the guard cannot say; nil for nothing.
	before func(r Rollout, action pricing.LockedAction) error
	// scope is where its operation id is unique; the zero Scope for that of people.
	scope operation.Scope
	// input names what makes a step of Recoup the same for every process, which reads and words the rest by itself; nil
	// for the version and the reason.
	input operation.Input
	// cause is what the history says beside the reason; zero for nothing.
	cause cause
	// scheduled is the key of the scheduled step that it is; 0 for none.
	scheduled int64
	// found are the checks that led to a halt, for the history; nil for other steps.
	found *Checks
	// after runs once the guard has won; nil for nothing.
	after func(ctx context.Context, tx *operation.Tx, r Rollout) error
}

// demand is what a step needs of the checks.
type demand int

const (
	noChecks demand = iota
	// notRed lets missing data pass.
	notRed
	// allGreen takes nothing but passes.
	allGreen
)

// Start makes a draft decide: it stands at its first stage. Faults: invalid_request, rollout_not_found, state_conflict
// (another version or state, another rollout of the action is live, the baseline is not in force any more, the
// candidate is retired), and those of operation.Apply.
func (s *Service) Start(ctx context.Context, r StepRequest) (operation.Outcome, error) {
	return s.step(ctx, r, s.startStep())
}

func (s *Service) startStep() step {
	return step{kind: kindStart, event: "started", from: []State{Draft}, to: Running, forward: 1, locks: true, second: Rollout.startNeedsSecond,
		before: func(o Rollout, action pricing.LockedAction) error {
			if action.Baseline == nil {
				return staleBaseline(o, "")
			}
			if *action.Baseline != o.Baseline {
				return staleBaseline(o, *action.Baseline)
			}
			return nil
		}}
}

// Advance goes on to the next stage: checks are made again now and must all pass. Faults: invalid_request,
// rollout_not_found, state_conflict (another version or state, or the last stage), dwell_not_over, checks_not_passed,
// and those of operation.Apply. Where a check is red, the rollout is halted. Like Start and Complete, it waits for a second
// person where the rollout asks for one: the outcome is then Waiting, and state_conflict also says that another
// proposal waits already.
func (s *Service) Advance(ctx context.Context, r StepRequest) (operation.Outcome, error) {
	return s.step(ctx, r, s.advanceStep())
}

func (s *Service) advanceStep() step {
	return step{kind: kindAdvance, event: "advanced", from: []State{Running}, to: Running, forward: 1, ask: allGreen, leaves: true, second: Rollout.advanceNeedsSecond,
		before: func(o Rollout, _ pricing.LockedAction) error {
			if o.Next() == nil {
				return fault.State(string(o.State), "Rollout %s stands at its last stage. Nothing was changed.", o.ID).Because(WhyLastStage)
			}
			return nil
		}}
}

// Pause lets nobody new in; who is enrolled keeps the candidate. Faults: invalid_request, rollout_not_found,
// state_conflict, and those of operation.Apply.
func (s *Service) Pause(ctx context.Context, r StepRequest) (operation.Outcome, error) {
	return s.step(ctx, r, step{kind: "pause_rollout", event: "paused", from: []State{Running}, to: Paused})
}

// Resume lets a paused or halted rollout run again. None of the checks may be red; after a halt they must come out as
// Checks.Resumes says.
// Faults: invalid_request, rollout_not_found, state_conflict, checks_not_passed, and those of operation.Apply.
func (s *Service) Resume(ctx context.Context, r StepRequest) (operation.Outcome, error) {
	return s.step(ctx, r, step{kind: "resume_rollout", event: "resumed", from: []State{Paused, Halted}, to: Running, ask: notRed})
}

// RollBack disables the rule: what is decided from its commit on has the baseline. It changes and removes nothing; late
// retries get what was decided for them. Faults: invalid_request, rollout_not_found, state_conflict, and those of
// operation.Apply.
func (s *Service) RollBack(ctx context.Context, r StepRequest) (operation.Outcome, error) {
	return s.step(ctx, r, step{kind: "roll_back_rollout", event: "rolled_back", from: []State{Running, Paused, Halted}, to: RolledBack})
}

// Complete makes the candidate the price in force, from a stage that admits everybody and has lasted as long as it has to:
// that cannot be undone, so checks are made again now and must all pass. Faults: invalid_request, rollout_not_found,
// state_conflict, dwell_not_over, checks_not_passed, and those of operation.Apply. Where a check is red, the rollout is halted.
func (s *Service) Complete(ctx context.Context, r StepRequest) (operation.Outcome, error) {
	return s.step(ctx, r, s.completeStep())
}

func (s *Service) completeStep() step {
	return step{kind: kindComplete, event: "completed", from: []State{Running}, to: Completed, locks: true, ask: allGreen, leaves: true, second: Rollout.completeNeedsSecond,
		before: func(o Rollout, _ pricing.LockedAction) error {
			if !o.Full() {
				return fault.State(string(o.State), "Rollout %s does not admit everybody yet. Nothing was changed.", o.ID).Because(WhyNotEverybody)
			}
			return nil
		},
		after: func(ctx context.Context, tx *operation.Tx, o Rollout) error {
			return pricing.Promote(ctx, tx, o.Action, o.Candidate, o.Baseline, o.ID)
		}}
}

// Archive puts a draft aside. Faults: invalid_request, rollout_not_found, state_conflict, and those of operation.Apply.
func (s *Service) Archive(ctx context.Context, r StepRequest) (operation.Outcome, error) {
	return s.step(ctx, r, step{kind: "archive_rollout", event: "archived", from: []State{Draft}, to: Archived})
}

// tell tells receivers outside of a halt and of each check that failed.
func tell(ctx context.Context, tx *operation.Tx, r Rollout, checks Checks) error {
	type halted struct {
		RolloutID string `json:"rollout_id"`
		Action    string `json:"action"`
		Stage     int    `json:"stage"`
		Version   int64  `json:"version"`
		Reason    string `json:"reason"`
	}
	type failed struct {
		RolloutID string    `json:"rollout_id"`
		Check     CheckName `json:"check"`
		Found     int64     `json:"found"`
		Reason    string    `json:"reason"`
	}
	trace := operation.Traceparent(ctx)
	if err := webhook.Emit(tx, webhook.RolloutHalted, trace, halted{r.ID, r.Action, r.Stage, r.Version + 1, checks.Why()}); err != nil {
		return err
	}
	for _, c := range checks.All {
		if c.Outcome == Fail {
			if err := webhook.Emit(tx, webhook.CheckFailed, trace, failed{r.ID, c.Name, c.Found, c.Why}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Service) step(ctx context.Context, r StepRequest, do step) (operation.Outcome, error) {
	var made Checks
	out, err := s.attempt(ctx, r, do, &made)
	if made.Red() && fault.Is(err, fault.CodeChecksNotPassed) {
		// The refusal wrote nothing: what was found is kept, and the rollout halted, by themselves.
		if _, err := s.Check(ctx, r.RolloutID); err != nil {
			return out, err
		}
	}
	return out, err
}

// attempt makes a step as an operation; made is set to the checks that it asked.
func (s *Service) attempt(ctx context.Context, r StepRequest, do step, made *Checks) (operation.Outcome, error) {
	scope := do.scope
	if scope == (operation.Scope{}) {
		scope = ScopeOf(r.RolloutID)
	}
	req := operation.Request{Scope: scope, ID: r.OperationID, Kind: do.kind, Actor: r.Actor, RequestID: r.RequestID,
		Reason: r.Reason, Object: object(r.RolloutID), Invalid: checkReason(r.Reason), Input: operation.Input{"version": r.Version, "reason": r.Reason}}
	if do.input != nil {
		req.Input = do.input
	}
	if !idPattern.MatchString(r.RolloutID) {
		return operation.Outcome{}, notFound(r.RolloutID)
	}
	req.Waiting = s.requests.Standing
	return s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		return s.make(ctx, tx, r, do, false, made)
	})
}

// make makes a step in the transaction of its operation, or proposes it where a second person has to agree and none has.
// made is set to the checks that it asked.
func (s *Service) make(ctx context.Context, tx *operation.Tx, r StepRequest, do step, agreed bool, made *Checks) (any, error) {
	before, err := find(ctx, tx.DB, r.RolloutID)
	if err != nil {
		return nil, err
	}
	// What is stale or not possible is refused before locks are taken and checks are made; the guard below decides.
	if before.Version != r.Version || !slices.Contains(do.from, before.State) {
		return nil, moved(before)
	}
	propose := !agreed && do.second != nil && do.second(before)
	if !propose {
		// Before the rollout itself is locked, in the order in which an approval locks the two.
		if err := s.requests.Void(ctx, tx, voidMoved, voided(before, do)...); err != nil {
			return nil, err
		}
	}
	var action pricing.LockedAction
	if do.locks {
		if _, action, err = pricing.LockRule(ctx, tx.DB, before.Candidate); err != nil {
			return nil, err
		}
	}
	if do.before != nil {
		if err := do.before(before, action); err != nil {
			return nil, err
		}
	}
	checks := do.found
	if do.ask != noChecks {
		if *made, err = s.gate(ctx, tx.DB, before); err != nil {
			return nil, err
		}
		checks = made
		short := do.ask == allGreen && !made.Passed()
		if before.State == Halted {
			short = !made.Resumes(before)
		}
		if made.Red() || short {
			return nil, fault.New(fault.Conflict, fault.CodeChecksNotPassed, "Not all checks pass: %s. Nothing was changed.", made.Why())
		}
	}
	if propose {
		return s.propose(ctx, tx, r, before, do)
	}
	after, err := s.move(ctx, tx, before, do)
	if err != nil {
		return nil, err
	}
	if err := settleSchedule(ctx, tx, after, do); err != nil {
		return nil, err
	}
	if do.after != nil {
		if err := do.after(ctx, tx, before); err != nil {
			return nil, err
		}
	}
	if err := tellStep(ctx, tx, do, after, checks); err != nil {
		return nil, err
	}
	return after, record(ctx, tx, do.event, after, checks, do.cause)
}

// move is the guard: one conditional update on version and state.
func (s *Service) move(ctx context.Context, tx *operation.Tx, before Rollout, do step) (Result, error) {
	var dwell int64
	if stage := before.Current(); stage != nil && do.leaves {
		dwell = stage.MinDwellS
	}
	var after struct {
		Version int64
		Stage   int
	}
	res := tx.DB.WithContext(ctx).Raw(`UPDATE rollouts SET state = ?, version = version + 1, stage = stage + ?::int,
			stage_since = CASE WHEN ?::int > 0 THEN t.now ELSE stage_since END,
			started_at = COALESCE(started_at, CASE WHEN ?::int > 0 THEN t.now END),
			ended_at = CASE WHEN ? IN ('rolled_back', 'completed', 'archived') THEN t.now END
		FROM (SELECT clock_timestamp() AS now OFFSET 0) t
		WHERE id = ? AND version = ? AND state IN ? AND (stage_since IS NULL OR t.now >= stage_since + ?::bigint * interval '1 second')
			AND (? <> 'running' OR NOT EXISTS (SELECT 1 FROM rollouts x WHERE x.action = rollouts.action AND x.id <> rollouts.id
				AND x.state IN ('running', 'paused', 'halted')))
		RETURNING version, stage`, string(do.to), do.forward, do.forward, do.forward, string(do.to),
		before.ID, before.Version, states(do.from), dwell, string(do.to)).Scan(&after)
	if res.Error != nil {
		return Result{}, fmt.Errorf("rollout: %s: %w", do.kind, res.Error)
	}
	if res.RowsAffected == 0 {
		return Result{}, s.whyNot(ctx, tx, before, do)
	}
	return Result{RolloutID: before.ID, State: do.to, Stage: after.Stage, Version: after.Version,
		StateBefore: before.State, StageBefore: before.Stage}, nil
}

// whyNot reads, in a statement of its own, why the guard lost.
func (s *Service) whyNot(ctx context.Context, tx *operation.Tx, before Rollout, do step) error {
	now, err := find(ctx, tx.DB, before.ID)
	if err != nil {
		return err
	}
	if now.Version != before.Version || !slices.Contains(do.from, now.State) {
		return moved(now)
	}
	var other string
	err = tx.DB.WithContext(ctx).Raw(`SELECT id FROM rollouts WHERE action = ? AND id <> ? AND state IN ('running', 'paused', 'halted')`, now.Action, now.ID).Scan(&other).Error
	if err != nil {
		return fmt.Errorf("rollout: live: %w", err)
	}
	if other != "" {
		return otherLive(now, other)
	}
	if until := now.DwellUntil(); until != nil && do.leaves {
		return fault.New(fault.Conflict, fault.CodeDwellNotOver, "The stage lasts at least until %s. Nothing was changed.", until.UTC().Format(time.RFC3339)).
			With("until", until.UTC())
	}
	return moved(now)
}

// moved tells the state of a rollout that does not allow a step, or is not the one that was seen.
func moved(now Rollout) error {
	return fault.State(string(now.State), "Rollout %s is %s, stage %d, version %d. Nothing was changed.", now.ID, now.State, now.Stage, now.Version).
		Because(WhyMoved).With("version", now.Version).With("stage", now.Stage)
}

func states(of []State) []string {
	out := make([]string, len(of))
	for i, s := range of {
		out[i] = string(s)
	}
	return out
}
