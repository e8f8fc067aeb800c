package present

import (
	"strconv"

	"recoup/models/job"
	"recoup/models/pricing"
	"recoup/views/ui"
)

// decision is which price applied to the charge of a job, and why. Without a recorded decision (the job was charged before
// they were recorded) it is what the job itself says, with no reason.
func (p Presenter) decision(j job.Listed, e job.Evidence, recorded *pricing.Decision) *ui.Decision {
	d := &ui.Decision{RuleVersion: ui.ID{Value: j.RuleVersion, URL: ActionURL(j.Action)}, Cost: p.L.Credits(j.Cost), Units: p.L.Credits(j.Units),
		Frozen: p.L.Stamp(j.CreatedAt, p.Now), Operation: Operation(j.AccountID, j.OperationID, ""), Trace: p.trace(j.TraceID)}
	if j.RolloutID != nil {
		d.Rollout, d.Cohort = rolloutID(j.RolloutID), p.L.Maybe("cohort."+j.Cohort, j.Cohort)
	}
	if e.OperationReplays > 0 {
		d.Replays = p.L.N("count.times", e.OperationReplays)
	}
	if recorded == nil {
		return d
	}
	d.RuleVersion, d.Cost, d.Units = ui.ID{Value: recorded.RuleVersion, URL: ActionURL(recorded.Action)}, p.L.Credits(recorded.Price), p.L.Credits(recorded.Units)
	d.Frozen, d.Quoted = p.L.Stamp(recorded.At, p.Now), recorded.ExpiresAt != nil
	d.Why = p.L.Maybe("decided."+string(recorded.Reason), string(recorded.Reason))
	if recorded.RolloutID == nil {
		d.Rollout, d.Cohort = ui.ID{}, ""
		return d
	}
	d.Rollout, d.Cohort = rolloutID(recorded.RolloutID), p.L.Maybe("cohort."+recorded.Cohort, recorded.Cohort)
	if recorded.Stage != nil {
		d.Stage = p.L.T("stage.number", strconv.Itoa(*recorded.Stage))
	}
	if recorded.Bucket != nil {
		d.Bucket = p.L.Credits(int64(*recorded.Bucket))
	}
	return d
}

// rolloutID is a rollout with its page, zero for none.
func rolloutID(id *string) ui.ID {
	if id == nil {
		return ui.ID{}
	}
	return ui.ID{Value: *id, URL: RolloutURL(*id)}
}
