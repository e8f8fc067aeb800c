package rollout

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/operation"
)

// CodeScheduled: the step was scheduled, and its time came. The detail has scheduled, its key, and by, the actor who
// scheduled it.
const CodeScheduled = "scheduled"

// dueAtOnce is how many due steps one look takes.
const dueAtOnce = 100

// dueSince is since when a scheduled step can be made: its time, or the resume of its rollout where that came later, since it
// waits while the rollout is paused.
const dueSince = `GREATEST(at, (SELECT max(e.at) FROM rollout_events e WHERE e.rollout_id = rollout_schedule.rollout_id AND e.kind = 'resumed'))`

// FireDue makes the scheduled steps whose time has come, as Recoup itself, refuses those that cannot be made, and cancels
// those that come too late; it returns how many ended. While a rollout is paused its steps wait. Any number of processes may
// call it at any time: a step is made once. It goes on after a failure and returns the first.
func (s *Service) FireDue(ctx context.Context) (int, error) {
	const due = `WHERE state = 'waiting' AND at <= clock_timestamp() AND NOT EXISTS (SELECT 1 FROM rollouts o WHERE o.id = rollout_id AND o.state = 'paused')
		AND (` + dueSince + ` < clock_timestamp() - make_interval(secs => ?)) = ? ORDER BY at, key LIMIT ?`
	var first error
	ended := 0
	for _, late := range []bool{true, false} {
		rows, err := scheduled(ctx, s.g, due, s.late.Seconds(), late, dueAtOnce)
		if err != nil {
			return ended, err
		}
		end := s.fire
		if late {
			end = s.cancelLate
		}
		for _, d := range rows {
			done, err := end(ctx, d)
			if done {
				ended++
			}
			if err != nil && first == nil {
				first = fmt.Errorf("rollout %s: scheduled step %d: %w", d.RolloutID, d.Key, err)
			}
		}
	}
	return ended, first
}

// fire makes one due step or refuses it; done is false where it waits on or another process has ended it.
func (s *Service) fire(ctx context.Context, d Scheduled) (done bool, err error) {
	o, err := s.Find(ctx, d.RolloutID)
	if err != nil || o.State == Paused {
		return false, err
	}
	var do step
	reached := o.State == Running && o.Stage == d.Stage-1
	switch d.Step {
	case StepStart:
		do, reached = s.startStep(), o.State == Draft
	case StepAdvance:
		do = s.advanceStep()
	case StepComplete:
		do, reached = s.completeStep(), o.State == Running && o.Full()
	}
	if !reached {
		return s.refuseDue(ctx, d, EndNotReached, nil)
	}
	do.second, do.scope, do.scheduled, do.input = nil, SystemScopeOf(o.ID), d.Key, operation.Input{"scheduled": d.Key}
	do.cause = cause{code: CodeScheduled, detail: map[string]any{"scheduled": d.Key, "by": d.CreatedBy}}
	var made Checks
	out, err := s.attempt(ctx, StepRequest{Envelope: ledger.Envelope{OperationID: "scheduled:" + strconv.FormatInt(d.Key, 10), Actor: actor.System()},
		RolloutID: o.ID, Version: o.Version, Reason: d.Reason}, do, &made)
	f := fault.As(err)
	switch {
	case errors.Is(err, operation.ErrNothing):
		return false, nil // cancelled in this moment
	case err == nil:
		return !out.Replayed, nil
	case f == nil || f.Kind == fault.Busy:
		return false, err
	}
	if f.Code == fault.CodeStateConflict {
		now, err := s.Find(ctx, d.RolloutID)
		if err != nil {
			return false, err
		}
		if now.Version != o.Version {
			return false, nil // it has moved in this moment: the next look sees where to
		}
	}
	var detail any
	if len(f.Detail) > 0 {
		detail = f.Detail // what stands in the way, as Refusal words it
	}
	if f.Code == fault.CodeChecksNotPassed {
		detail = map[string]any{"checks": made}
	}
	if done, err = s.refuseDue(ctx, d, f.Code, detail); err != nil {
		return done, err
	}
	if made.Red() {
		// What was found is kept, and halts the rollout.
		_, err = s.Check(ctx, d.RolloutID)
	}
	return done, err
}

// refuseDue ends a due step that cannot be made.
func (s *Service) refuseDue(ctx context.Context, d Scheduled, code string, detail any) (bool, error) {
	return s.endDue(ctx, d, "refuse", "refuse_scheduled_step", Refused, code, detail)
}

// cancelLate ends a due step that nothing made in time. An approval for a quiet hour is none for whenever the processes are
// back, and who planned the step has long looked elsewhere.
func (s *Service) cancelLate(ctx context.Context, d Scheduled) (bool, error) {
	return s.endDue(ctx, d, "late", "cancel_scheduled_step", Cancelled, EndTooLate, map[string]any{"allowed_s": int64(s.late.Seconds())})
}

// endDue ends a due step without making it, once however many processes want to.
func (s *Service) endDue(ctx context.Context, d Scheduled, id, kind string, to ScheduleState, code string, detail any) (bool, error) {
	req := operation.Request{Scope: SystemScopeOf(d.RolloutID), ID: id + ":" + strconv.FormatInt(d.Key, 10), Kind: kind, Actor: actor.System(),
		Object: object(d.RolloutID), Input: operation.Input{"scheduled": d.Key}}
	out, err := s.ops.Apply(ctx, req, func(ctx context.Context, tx *operation.Tx) (any, error) {
		return s.end(ctx, tx, d.RolloutID, d.Key, to, code, detail)
	})
	if fault.Is(err, fault.CodeStateConflict) {
		return false, nil // it ended otherwise in this moment
	}
	return err == nil && !out.Replayed, err
}

// Ended is the stored result of what ended a scheduled step without making it.
type Ended struct {
	RolloutID string        `json:"rollout_id"`
	Scheduled int64         `json:"scheduled"`
	State     ScheduleState `json:"state"`
	Code      string        `json:"code"`
}

// end is the one conditional update that ends a scheduled step, with its audit row.
func (s *Service) end(ctx context.Context, tx *operation.Tx, id string, key int64, to ScheduleState, code string, detail any) (Ended, error) {
	n, err := endScheduled(ctx, tx, id, to, code, detail, `key = ?`, key)
	if err != nil {
		return Ended{}, err
	}
	if n == 0 {
		rows, err := scheduled(ctx, tx.DB, `WHERE key = ?`, key)
		if err != nil || len(rows) == 0 {
			return Ended{}, err
		}
		return Ended{}, fault.State(string(rows[0].State), "The scheduled step %d is %s by now. Nothing was changed.", key, rows[0].State).
			Because(WhyStepOver).With("step_state", string(rows[0].State))
	}
	made := Ended{RolloutID: id, Scheduled: key, State: to, Code: code}
	return made, audit.Record(ctx, tx.DB, audit.Row{Actor: tx.Request.Actor, Action: tx.Request.Kind, Object: object(id), Reason: tx.Request.Reason,
		Before: map[string]any{"state": Waiting}, After: made, OperationID: tx.Request.ID, RequestID: tx.Request.RequestID, TraceID: tx.TraceID})
}

// endScheduled ends the waiting steps of a rollout that where selects, tells who follows it, and returns how many there
// were.
func endScheduled(ctx context.Context, tx *operation.Tx, id string, to ScheduleState, code string, detail any, where string, args ...any) (int, error) {
	text, err := cause{detail: detail}.json()
	if err != nil {
		return 0, err
	}
	req := tx.Request
	reason := ""
	if code == EndByPerson {
		reason = req.Reason
	}
	var ended []Scheduled
	err = tx.DB.WithContext(ctx).Raw(`UPDATE rollout_schedule SET state = ?, ended_at = clock_timestamp(), ended_by = ?, end_code = NULLIF(?, ''), end_detail = ?::jsonb,
		end_reason = ?, end_scope = ?, end_operation_id = ? WHERE state = 'waiting' AND rollout_id = ? AND `+where+` RETURNING key, step, stage`,
		append([]any{string(to), req.Actor.String(), code, text, reason, req.Scope.String(), req.ID, id}, args...)...).Scan(&ended).Error
	if err != nil {
		return 0, fmt.Errorf("rollout: scheduled step: %w", err)
	}
	if to == Fired {
		return len(ended), nil // the step itself is told
	}
	for _, x := range ended {
		if err := tellScheduled(ctx, tx, id, x, to, code, reason, detail); err != nil {
			return 0, err
		}
	}
	return len(ended), nil
}

// settleSchedule does to the schedule what a step of the rollout means for it: the step that was due has fired, what the
// rollout has reached needs no firing any more, and an end or a halt cancels all that waits. It runs after the rollout's
// own row is locked. ErrNothing: the due step was ended by somebody else first.
func settleSchedule(ctx context.Context, tx *operation.Tx, after Result, do step) error {
	if do.scheduled != 0 {
		n, err := endScheduled(ctx, tx, after.RolloutID, Fired, "", nil, `key = ? AND at <= clock_timestamp()`, do.scheduled)
		if err != nil {
			return err
		}
		if n == 0 {
			return operation.ErrNothing
		}
	}
	var err error
	switch after.State {
	case Halted:
		_, err = endScheduled(ctx, tx, after.RolloutID, Cancelled, EndHalted, nil, `true`)
	case RolledBack:
		_, err = endScheduled(ctx, tx, after.RolloutID, Cancelled, EndRolledBack, nil, `true`)
	case Completed:
		_, err = endScheduled(ctx, tx, after.RolloutID, Cancelled, EndCompleted, nil, `true`)
	case Archived:
		_, err = endScheduled(ctx, tx, after.RolloutID, Cancelled, EndArchived, nil, `true`)
	default:
		if do.forward > 0 {
			_, err = endScheduled(ctx, tx, after.RolloutID, Cancelled, EndReached, nil, `step <> 'complete' AND stage <= ?`, after.Stage)
		}
	}
	return err
}

// voided are the proposals that a step of a rollout makes impossible, in the order in which they are locked.
func voided(o Rollout, do step) []string {
	out := []string{object(o.ID)}
	switch {
	case do.to == Halted, do.to == RolledBack, do.to == Completed, do.to == Archived:
		out = append(out, scheduleObjects(o)...)
	case do.forward > 0:
		if o.Stage == 0 {
			out = append(out, scheduleObject(o.ID, StepStart, 1))
		}
		for stage := 2; stage <= o.Stage+do.forward; stage++ {
			out = append(out, scheduleObject(o.ID, StepAdvance, stage))
		}
	}
	return out
}
