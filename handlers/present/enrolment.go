package present

import (
	"recoup/models/pricing"
	"recoup/models/rollout"
	"recoup/views/accounts"
	"recoup/views/rollouts"
	"recoup/views/ui"
)

// EnrolmentsURL is where the accounts that a rollout admitted are listed.
func EnrolmentsURL(id string) string { return RolloutURL(id) + "/accounts" }

// Enrolment is an account among those that a rollout admitted, whose stages are given.
func (p Presenter) Enrolment(e rollout.Enrolment, stages []pricing.Stage) rollouts.Enrolment {
	return rollouts.Enrolment{Account: Account(e.AccountID), At: p.L.Stamp(e.EnrolledAt, p.Now), Stage: p.StageName(stages, e.Stage),
		Bucket: p.L.Credits(int64(e.Bucket)), Why: p.L.Maybe("decided."+string(e.Reason), string(e.Reason))}
}

// AccountRollout is a rollout among those that admitted an account, with the rule version that prices the account now.
func (p Presenter) AccountRollout(e rollout.Enrolment) accounts.Rollout {
	v := accounts.Rollout{ID: ui.ID{Value: e.RolloutID, URL: RolloutURL(e.RolloutID)}, Title: e.Title, State: string(e.State), Action: e.Action,
		Stage: p.L.T("stage.number", p.L.Credits(int64(e.Stage))), Why: p.L.Maybe("decided."+string(e.Reason), string(e.Reason)), At: p.L.Stamp(e.EnrolledAt, p.Now)}
	if e.State.Live() {
		v.Pays = Rule(&e.Candidate)
	}
	return v
}
