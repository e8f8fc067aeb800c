package rollout

import (
	"context"

	"recoup/models/inbox"
	"recoup/models/operation"
)

// Topic is what whoever wants to be told of a rollout follows.
func Topic(id string) string { return object(id) }

// Codes of the messages about rollouts.
const (
	// ToldStep: a step was made; the detail is a ToldOfStep.
	ToldStep = "rollout_step"
	// ToldScheduled: a scheduled step ended without being made; the detail is a ToldOfScheduled.
	ToldScheduled = "rollout_scheduled"
)

// ToldOfStep is the detail of a message about a step.
type ToldOfStep struct {
	RolloutID string `json:"rollout_id"`
	// Event is what the history calls the step.
	Event  string `json:"event"`
	State  State  `json:"state"`
	Stage  int    `json:"stage"`
	By     string `json:"by"`
	Reason string `json:"reason"`
	// Code and Detail are as in the history; Failed are the checks that failed, where some led to it.
	Code   string      `json:"code,omitempty"`
	Detail any         `json:"detail,omitempty"`
	Failed []CheckName `json:"failed,omitempty"`
}

// ToldOfScheduled is the detail of a message about a scheduled step.
type ToldOfScheduled struct {
	RolloutID string        `json:"rollout_id"`
	Scheduled int64         `json:"scheduled"`
	Step      StepName      `json:"step"`
	Stage     int           `json:"stage"`
	State     ScheduleState `json:"state"`
	Code      string        `json:"code"`
	By        string        `json:"by"`
	Reason    string        `json:"reason"`
	Detail    any           `json:"detail,omitempty"`
}

// tellStep tells of a step to who follows the rollout, but not to whoever made it.
func tellStep(ctx context.Context, tx *operation.Tx, do step, after Result, checks *Checks) error {
	by := tx.Request.Actor.String()
	told := ToldOfStep{RolloutID: after.RolloutID, Event: do.event, State: after.State, Stage: after.Stage, By: by, Reason: tx.Request.Reason,
		Code: do.cause.code, Detail: do.cause.detail}
	if checks != nil {
		for _, c := range checks.All {
			if c.Outcome == Fail {
				told.Failed = append(told.Failed, c.Name)
			}
		}
	}
	return inbox.Post(ctx, tx, inbox.Message{Topic: Topic(after.RolloutID), Code: ToldStep, Detail: told, Except: by})
}

// tellScheduled tells of a scheduled step that ended without being made.
func tellScheduled(ctx context.Context, tx *operation.Tx, id string, s Scheduled, to ScheduleState, code, reason string, detail any) error {
	by := tx.Request.Actor.String()
	return inbox.Post(ctx, tx, inbox.Message{Topic: Topic(id), Code: ToldScheduled, Except: by,
		Detail: ToldOfScheduled{RolloutID: id, Scheduled: s.Key, Step: s.Step, Stage: s.Stage, State: to, Code: code, By: by, Reason: reason, Detail: detail}})
}
