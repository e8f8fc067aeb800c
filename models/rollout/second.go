package rollout

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"recoup/models/approval"
	"recoup/models/fault"
	"recoup/models/operation"
	"recoup/models/page"
	"recoup/models/pricing"
)

// Kinds of change requests: a step that waits for a second person.
const (
	kindStart    = "start_rollout"
	kindAdvance  = "advance_rollout"
	kindComplete = "complete_rollout"
)

// Kinds returns every kind of change request about rollouts.
func Kinds() []approval.Kind {
	return []approval.Kind{kindStart, kindAdvance, kindComplete, KindSchedule}
}

// voidMoved is why a proposal is void: the rollout has moved on from the version that it was made for.
const voidMoved = "rollout_moved"

// Second says which steps of a rollout need a second person. What takes back or stops never does: pause, resume, roll
// back and halt.
type Second struct {
	Start bool `gorm:"column:approve_start"`
	// Above lets start and advance need a second person where the stage they lead to, or one before it, has a threshold
	// above it; nil: none does.
	Above    *int `gorm:"column:approve_above"`
	Complete bool `gorm:"column:approve_complete"`
}

// Any reports whether any step needs a second person.
func (s Second) Any() bool { return s.Start || s.Above != nil || s.Complete }

// String names the steps: "start, above 25000, complete"; "none" for none.
func (s Second) String() string {
	var parts []string
	if s.Start {
		parts = append(parts, "start")
	}
	if s.Above != nil {
		parts = append(parts, "above "+strconv.Itoa(*s.Above))
	}
	if s.Complete {
		parts = append(parts, "complete")
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// above reports whether a stage is wide enough to need a second person.
func (r Rollout) above(stage int) bool {
	if r.Second.Above == nil {
		return false
	}
	for _, s := range r.Stages {
		if s.Number <= stage && s.Threshold > *r.Second.Above {
			return true
		}
	}
	return false
}

func (r Rollout) startNeedsSecond() bool    { return r.Second.Start || r.above(1) }
func (r Rollout) advanceNeedsSecond() bool  { return r.above(r.Stage + 1) }
func (r Rollout) completeNeedsSecond() bool { return r.Second.Complete }

// NeedsSecond reports whether a step, named by the kind of its operation, needs a second person from where the rollout
// stands.
func (r Rollout) NeedsSecond(kind string) bool {
	switch kind {
	case kindStart:
		return r.startNeedsSecond()
	case kindAdvance:
		return r.advanceNeedsSecond()
	case kindComplete:
		return r.completeNeedsSecond()
	}
	return false
}

// Proposed is exactly what a second person agrees to.
type Proposed struct {
	RolloutID string `json:"rollout_id"`
	// Version is the one from which the step is made, and from no other.
	Version   int64  `json:"version"`
	State     State  `json:"state"`
	Action    string `json:"action"`
	Baseline  string `json:"baseline"`
	Candidate string `json:"candidate"`
	// From and To are the stages before and after, To with everything that it admits; equal for a completion.
	From  int            `json:"from"`
	To    int            `json:"to"`
	Stage *pricing.Stage `json:"stage"`
	// Time is when, for a step that shall be made at a time; nil for one that is made at once.
	Time *ProposedTime `json:"time,omitempty"`
}

// Completes reports whether the step ends the rollout and makes the candidate the price in force.
func (p Proposed) Completes() bool {
	if p.Time != nil {
		return p.Time.Step == StepComplete
	}
	return p.To == p.From
}

// proposed is what a second person agrees to when the rollout stands as it does.
func proposed(o Rollout, to int, at *ProposedTime) Proposed {
	return Proposed{RolloutID: o.ID, Version: o.Version, State: o.State, Action: o.Action, Baseline: o.Baseline, Candidate: o.Candidate,
		From: o.Stage, To: to, Stage: o.stage(to), Time: at}
}

// ReadProposed reads what a change request about a step proposes.
func ReadProposed(r approval.Request) (Proposed, error) {
	var p Proposed
	if err := json.Unmarshal([]byte(r.Proposal), &p); err != nil {
		return p, fmt.Errorf("rollout: proposal of %s: %w", r.ID, err)
	}
	return p, nil
}

// propose lets a step wait for a second person. At most one step of a rollout waits at a time.
func (s *Service) propose(ctx context.Context, tx *operation.Tx, r StepRequest, before Rollout, do step) (any, error) {
	if r.Replaces != nil {
		if err := s.requests.Replace(ctx, tx, *r.Replaces, object(r.RolloutID), r.Reason); err != nil {
			return nil, err
		}
	}
	if err := s.alone(ctx, tx, before, object(r.RolloutID)); err != nil {
		return nil, err
	}
	required, err := s.requests.Propose(ctx, tx, approval.Proposal{Object: object(r.RolloutID), Reason: r.Reason, What: proposed(before, before.Stage+do.forward, nil)})
	if err != nil {
		return nil, err
	}
	return required, operation.ErrWait
}

// alone sees to it that proposals of a rollout are made one after another, from the version that is still there, and that
// no other about the same waits.
func (s *Service) alone(ctx context.Context, tx *operation.Tx, seen Rollout, about string) error {
	var version int64
	g := tx.DB.WithContext(ctx)
	if err := g.Raw(`SELECT version FROM rollouts WHERE id = ? FOR NO KEY UPDATE`, seen.ID).Scan(&version).Error; err != nil {
		return fmt.Errorf("rollout: propose: %w", err)
	}
	if version != seen.Version {
		now, err := find(ctx, tx.DB, seen.ID)
		if err != nil {
			return err
		}
		return moved(now)
	}
	var waits string
	err := g.Raw(`SELECT id FROM change_requests WHERE object = ? AND state = 'open' AND expires_at > clock_timestamp() LIMIT 1`, about).Scan(&waits).Error
	if err != nil {
		return fmt.Errorf("rollout: propose: %w", err)
	}
	if waits != "" {
		return fault.State(string(seen.State), "The change request %s about this step waits for a decision already. Nothing was changed.", waits).
			Because(WhyRequestWaits).With("change_request", waits)
	}
	return nil
}

// Waiting returns the change request about a rollout's next step that waits for a decision; nil where none does.
func (s *Service) Waiting(ctx context.Context, id string) (*approval.Request, error) {
	open, err := s.requests.List(ctx, approval.Filter{Undecided: true, Object: object(id)}, nil, page.Older, 1)
	if err != nil || len(open.Rows) == 0 {
		return nil, err
	}
	return &open.Rows[0], nil
}

// Executors make the steps that a second person has agreed to. Faults as for the step itself; the checks are made again.
func (s *Service) Executors() map[approval.Kind]approval.Executor {
	return map[approval.Kind]approval.Executor{
		kindStart:    s.agreed(s.startStep()),
		kindAdvance:  s.agreed(s.advanceStep()),
		kindComplete: s.agreed(s.completeStep()),
		KindSchedule: s.putAgreed,
	}
}

func (s *Service) agreed(do step) approval.Executor {
	return func(ctx context.Context, tx *operation.Tx, cr approval.Request) (any, error) {
		p, err := ReadProposed(cr)
		if err != nil {
			return nil, err
		}
		tx.Request.Reason, tx.Request.Object = cr.Reason, object(p.RolloutID)
		agreed := do
		agreed.cause = cause{code: CodeAgreed, detail: map[string]any{"change_request": cr.ID, "by": cr.DecidedBy}}
		return s.make(ctx, tx, StepRequest{RolloutID: p.RolloutID, Version: p.Version, Reason: cr.Reason}, agreed, true, &Checks{})
	}
}
