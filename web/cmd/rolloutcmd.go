package cmd

import (
	"context"
	"encoding/json"
	"fmt"

	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/pricing"
	"recoup/models/rollout"
)

// rolloutCmd is for scripts: people have the console.
type rolloutCmd struct {
	Create   rolloutCreateCmd  `cmd:"" help:"Make a draft whose stages admit growing shares of all accounts."`
	Show     rolloutShowCmd    `cmd:"" help:"Say how a rollout stands."`
	Check    rolloutCheckCmd   `cmd:"" help:"Make the checks now; a red one halts the rollout."`
	Start    rolloutStartCmd   `cmd:"" help:"Start a draft at its first stage."`
	Advance  rolloutAdvanceCmd `cmd:"" help:"Go on to the next stage, if every check passes."`
	Pause    rolloutPauseCmd   `cmd:"" help:"Let nobody new in."`
	Resume   rolloutResumeCmd  `cmd:"" help:"Let a paused or halted rollout run again."`
	RollBack rolloutBackCmd    `cmd:"" help:"Decide for the baseline from now on; nothing is erased."`
}

type rolloutCreateCmd struct {
	ID          string `arg:"" help:"Name for ever, and the salt of the buckets."`
	Title       string `help:"For people."`
	Candidate   string `required:"" help:"Rule version to try, e.g. video_render@v2."`
	Thresholds  []int  `required:"" help:"A stage each: how many of 100000 buckets it admits, e.g. 10000,25000,100000."`
	MinCharges  *int64 `help:"How many charges the checks need; 20 when not given."`
	MinCostsBps *int64 `help:"For what share of delivered jobs costs have to be known, in hundredths of a percent; 5000 when not given."`
	Reason      string `required:"" help:"Why; kept with the rollout."`
	OperationID string `help:"Operation id, so that the same command twice has one effect; a fresh one when not given."`
}

func (c rolloutCreateCmd) Run(e *env) error {
	return withRollouts(e, func(ctx context.Context, a *app) (string, error) {
		rule, err := a.pricing.Version(ctx, c.Candidate)
		if err != nil {
			return "", err
		}
		n := rollout.NewRollout{Envelope: byOperator(c.OperationID), ID: c.ID, Title: c.Title, Action: rule.Action, Candidate: c.Candidate,
			MinCharges: c.MinCharges, MinCostsBps: c.MinCostsBps, Reason: c.Reason}
		for _, t := range c.Thresholds {
			n.Stages = append(n.Stages, pricing.Stage{Threshold: t})
		}
		out, err := a.rollouts.Create(ctx, n)
		sayReplayed(e, out)
		return c.ID, err
	})
}

type rolloutShowCmd struct {
	ID string `arg:"" help:"Rollout."`
}

func (c rolloutShowCmd) Run(e *env) error {
	return withRollouts(e, func(context.Context, *app) (string, error) { return c.ID, nil })
}

type rolloutCheckCmd struct {
	ID string `arg:"" help:"Rollout."`
}

// Run prints how the checks came out, and ends with status 1 when they do not all pass.
func (c rolloutCheckCmd) Run(e *env) error {
	passed := false
	err := withRollouts(e, func(ctx context.Context, a *app) (string, error) {
		checks, err := a.rollouts.Check(ctx, c.ID)
		if err != nil {
			return "", err
		}
		for _, x := range checks.All {
			fmt.Fprintf(e.out, "%s: %s, %d found", x.Name, x.Outcome, x.Found)
			if x.Why != "" {
				fmt.Fprintf(e.out, " (%s)", x.Why)
			}
			fmt.Fprintln(e.out)
		}
		passed = checks.Passed()
		return c.ID, nil
	})
	if err == nil && !passed {
		return errSilent
	}
	return err
}

// rolloutStep is what every step is asked with.
type rolloutStep struct {
	ID          string `arg:"" help:"Rollout."`
	Reason      string `required:"" help:"Why; kept in the history."`
	Version     int64  `help:"The version that you have seen: at another one nothing is done. The present one when not given."`
	OperationID string `help:"Operation id, so that the same command twice has one effect; a fresh one when not given."`
}

type stepFunc func(*rollout.Service, context.Context, rollout.StepRequest) (operation.Outcome, error)

func (c rolloutStep) do(e *env, step stepFunc) error {
	return withRollouts(e, func(ctx context.Context, a *app) (string, error) {
		if c.Version == 0 {
			var err error
			if c.Version, err = c.before(ctx, a); err != nil {
				return "", err
			}
		}
		if c.Version == 0 {
			r, err := a.rollouts.Find(ctx, c.ID)
			if err != nil {
				return "", err
			}
			c.Version = r.Version
		}
		out, err := step(a.rollouts, ctx, rollout.StepRequest{Envelope: byOperator(c.OperationID), RolloutID: c.ID, Version: c.Version, Reason: c.Reason})
		if err == nil && out.Waiting {
			fmt.Fprintf(e.out, "Not done yet: it waits for a second person. %s\n", json.RawMessage(out.Result))
		}
		sayReplayed(e, out)
		return c.ID, err
	})
}

// sayReplayed says, before the line of the rollout, that the command did nothing anew.
func sayReplayed(e *env, out operation.Outcome) {
	if out.Replayed {
		fmt.Fprintln(e.out, "replayed: it was done under this operation id before")
	}
}

// before is the version from which the step was made under the same operation id, so that the command sent again asks for the
// same; 0 where none was.
func (c rolloutStep) before(ctx context.Context, a *app) (int64, error) {
	if c.OperationID == "" {
		return 0, nil
	}
	stored, _, err := a.ops.Find(ctx, rollout.ScopeOf(c.ID), c.OperationID)
	if fault.Is(err, fault.CodeOperationNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	var made rollout.Result
	if stored.Result != nil && json.Unmarshal([]byte(*stored.Result), &made) == nil && made.Version > 0 {
		return made.Version - 1, nil
	}
	// It waits for a second person, who agrees to a step from one version.
	asked, err := a.requests.OfOperation(ctx, rollout.ScopeOf(c.ID), c.OperationID)
	if err != nil || asked == nil {
		return 0, err
	}
	p, err := rollout.ReadProposed(*asked)
	return p.Version, err
}

type (
	rolloutStartCmd   struct{ rolloutStep }
	rolloutAdvanceCmd struct{ rolloutStep }
	rolloutPauseCmd   struct{ rolloutStep }
	rolloutResumeCmd  struct{ rolloutStep }
	rolloutBackCmd    struct{ rolloutStep }
)

func (c rolloutStartCmd) Run(e *env) error   { return c.do(e, (*rollout.Service).Start) }
func (c rolloutAdvanceCmd) Run(e *env) error { return c.do(e, (*rollout.Service).Advance) }
func (c rolloutPauseCmd) Run(e *env) error   { return c.do(e, (*rollout.Service).Pause) }
func (c rolloutResumeCmd) Run(e *env) error  { return c.do(e, (*rollout.Service).Resume) }
func (c rolloutBackCmd) Run(e *env) error    { return c.do(e, (*rollout.Service).RollBack) }

// byOperator is the envelope of a command.
func byOperator(operationID string) ledger.Envelope {
	if operationID == "" {
		operationID = ids.New()
	}
	return ledger.Envelope{OperationID: operationID, Actor: operator()}
}

// withRollouts runs something about a rollout and prints in one line how that stands afterwards. The line's form is kept: scripts read it.
func withRollouts(e *env, do func(ctx context.Context, a *app) (id string, err error)) error {
	a, err := openFor(e)
	if err != nil {
		return err
	}
	defer a.close(e.ctx)
	id, err := do(e.ctx, a)
	if err != nil {
		return err
	}
	r, err := a.rollouts.Find(e.ctx, id)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.out, "%s %s stage %d of %d version %d\n", r.ID, r.State, r.Stage, len(r.Stages), r.Version)
	return nil
}
