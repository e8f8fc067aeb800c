package present

import (
	"strconv"

	"recoup/models/deadletter"
	"recoup/models/job"
	"recoup/views/deadletters"
	"recoup/views/text"
	"recoup/views/ui"
)

// DeadLetter is one row of the list; the caller adds what may be done with it.
func (p Presenter) DeadLetter(l deadletter.Letter) deadletters.Row {
	row := deadletters.Row{Job: Job(l.AccountID, l.JobID), Account: ui.Link{Text: l.AccountName, URL: AccountURL(l.AccountID)}, Action: l.Action,
		Cost: p.L.Credits(l.Cost), Money: "not_refunded", Mismatch: !l.Refunded && l.ClosedAt == nil, Attempts: strconv.Itoa(l.Attempt), Class: l.ErrorClass, Code: l.ErrorCode,
		Message: text.Visible(l.ErrorMessage), Since: p.L.Stamp(l.DeadAt, p.Now)}
	if l.AccountName == "" {
		row.Account.Text = l.AccountID
	}
	switch {
	case l.IsReclaimed:
		row.Money = "reclaimed"
	case l.Refunded:
		row.Money = "refunded"
	}
	if l.Generation > 0 {
		row.Generation = strconv.Itoa(l.Generation)
	}
	if l.Assignee != "" {
		row.Assignee = p.actor(l.Assignee)
	}
	if l.ClosedAt != nil {
		row.Since, row.Outcome = p.Stamp(l.ClosedAt), l.Outcome
		switch {
		case l.State == job.Discarded:
			row.Resolution = deadletters.ReasonName(p.L, l.Resolution)
		case l.Outcome == deadletter.Canceled && l.State == job.Succeeded, l.Outcome == deadletter.Discarded && l.State == job.Succeeded:
			row.Resolution = p.L.T("dead.delivered_after")
		case l.Outcome == deadletter.Succeeded && l.LateSuccessOf != nil && *l.LateSuccessOf == job.Discarded:
			row.Resolution = p.L.T("dead.was_discarded")
		case l.Outcome == deadletter.Requeued:
			// What became of it since.
			row.Resolution = p.L.Maybe("state."+string(l.State), string(l.State))
		}
		return row
	}
	row.WithGroup = l.WithGroup
	if l.SnoozedUntil != nil && l.SnoozedUntil.After(p.Now) {
		row.Until = p.L.Stamp(*l.SnoozedUntil, p.Now)
	}
	return row
}

// LateLetter is one row of the late successes; name is the account's, "" where it has none; r is nil where nothing had been refunded.
func (p Presenter) LateLetter(j job.Listed, name string, r *deadletter.Reclaim) deadletters.Row {
	if name == "" {
		name = j.AccountID
	}
	late := &deadletters.Late{Result: j.Result}
	if j.LateSuccessOf != nil {
		late.TooLateFor = string(*j.LateSuccessOf)
	}
	if r != nil {
		late.Reclaimed, late.Balance = p.L.Signed(r.Amount), p.L.Credits(r.BalanceAfter)
	}
	if j.Deliveries > 1 {
		late.Deliveries = p.L.N("late.deliveries", int64(j.Deliveries))
	}
	return deadletters.Row{Job: Job(j.AccountID, j.ID), Account: ui.Link{Text: name, URL: AccountURL(j.AccountID)}, Action: j.Action,
		Cost: p.L.Credits(j.Cost), Money: Money(j.Job), Since: p.Stamp(j.DeliveredAt), Late: late}
}

// DeadFacts is the strip over the list: all open dead letters, those out of sight included.
func (p Presenter) DeadFacts(f deadletter.Figures) []ui.Fact {
	facts := []ui.Fact{
		{Label: p.L.T("dead.open"), Value: p.L.Credits(f.Open), Note: p.L.T("dead.open_note")},
		{Label: p.L.T("dead.refunded"), Value: p.L.Sum(f.Refunded.String()), Note: p.L.T("dead.refunded_note")},
		{Label: p.L.T("dead.charged"), Value: p.L.Sum(f.Charged.String()), Note: p.L.T("dead.charged_note")},
		{Label: p.L.T("dead.oldest"), Value: p.L.T("dead.no_oldest")},
		{Label: p.L.T("dead.inflow"), Value: p.L.Credits(f.LastHour), Note: p.L.T("dead.inflow_note")},
	}
	if f.Charged.Sign() > 0 {
		facts[2].URL = "/dead-letters?money=not_refunded"
	}
	if f.OldestAt != nil {
		at := p.L.Stamp(*f.OldestAt, p.Now)
		facts[3].Value, facts[3].Note = p.L.Age(*f.OldestAt, p.Now), at.Full
	}
	return facts
}
