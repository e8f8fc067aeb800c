package present

import (
	"strconv"
	"time"

	"recoup/models/approval"
	"recoup/models/bulk"
	"recoup/views/approvals"
	"recoup/views/bulkworks"
	"recoup/views/ui"
)

// BulkTitle names a bulk work.
func (p Presenter) BulkTitle(w bulk.Work) string {
	return p.L.T("worktitle."+string(w.Kind), p.L.Credits(w.Count))
}

// BulkLine is one work of the list of all.
func (p Presenter) BulkLine(w bulk.Work) bulkworks.Line {
	v := bulkworks.Line{URL: BulkURL(w.ID), Kind: p.L.T("bulkkind." + string(w.Kind)), Count: p.L.Credits(w.Count), Credits: p.L.Sum(w.Credits.String()),
		State: string(w.State), By: p.actor(w.StartedBy), Reason: p.bulkReason(w), At: p.L.Stamp(w.CreatedAt, p.Now), Ended: p.Stamp(w.EndedAt)}
	if w.StartedAt != nil {
		v.At = p.L.Stamp(*w.StartedAt, p.Now)
	}
	return v
}

// BulkURL is a bulk work's page.
func BulkURL(id string) string { return bulkworks.Path + "/" + id }

// bulkReason is why a work was started, in words.
func (p Presenter) bulkReason(w bulk.Work) string {
	if w.Kind != bulk.Discard {
		return w.Reason
	}
	why := p.L.Maybe("reason."+w.Reason, w.Reason)
	if w.Note != "" {
		why += " · " + w.Note
	}
	return why
}

// BulkFacts is by what a set was selected and what it comes to, for the form that starts it.
func (p Presenter) BulkFacts(w bulk.Work, filter string) []ui.Change {
	out := []ui.Change{{Label: p.L.T("works.filter"), After: filter}, {Label: p.L.T("works.count"), After: p.L.Credits(w.Count)}, {Label: p.L.T("works.accounts"), After: p.L.Credits(w.Accounts)},
		{Label: p.L.T("col.credits"), After: p.L.Sum(w.Credits.String())}}
	if w.Kind == bulk.Requeue {
		out = append(out, ui.Change{Label: p.L.T("works.pays_now"), After: "0"})
	}
	return append(out, ui.Change{Label: p.L.T("works.frozen_at"), After: p.L.Stamp(w.CreatedAt, p.Now).Full})
}

// BulkExcluded says what is left out of a set, and why, in a fixed order.
func (p Presenter) BulkExcluded(by map[string]int64) []bulkworks.Left {
	var out []bulkworks.Left
	for _, code := range []string{"requeued", "discarded", "canceled", "succeeded", bulk.ExcludedInBulk, bulk.ExcludedFrozen, bulk.ExcludedMoney} {
		if n := by[code]; n > 0 {
			out = append(out, bulkworks.Left{Label: p.L.T("excluded." + code), Count: p.L.Credits(n)})
		}
	}
	return out
}

// BulkLines is what was asked for.
func (p Presenter) BulkLines(w bulk.Work, filter string) []ui.Change {
	out := []ui.Change{{Label: p.L.T("works.kind"), After: p.L.T("bulkkind." + string(w.Kind))}, {Label: p.L.T("works.filter"), After: filter},
		{Label: p.L.T("works.accounts"), After: p.L.Credits(w.Accounts)}, {Label: p.L.T("col.credits"), After: p.L.Sum(w.Credits.String())},
		{Label: p.L.T("works.prepared_by"), After: p.actor(w.PreparedBy) + ", " + p.L.Stamp(w.CreatedAt, p.Now).Full}}
	line := func(label, value string) {
		if value != "" {
			out = append(out, ui.Change{Label: p.L.T(label), After: value})
		}
	}
	if w.State == bulk.Prepared {
		return out
	}
	if w.StartedBy != "" {
		by := p.actor(w.StartedBy)
		if w.StartedAt != nil {
			by += ", " + p.L.Stamp(*w.StartedAt, p.Now).Full
		}
		line("works.by", by)
	}
	line("works.reason", p.bulkReason(w))
	switch w.Kind {
	case bulk.Requeue, bulk.Discard:
		line("works.pace", p.bulkPace(w.Kind, int64(w.Probe), int64(w.PerMinute), int64(w.StopPercent)))
	case bulk.Assign:
		who := p.L.T("triage.nobody")
		if w.Assignee != "" {
			who = p.actor(w.Assignee)
		}
		line("dead.assignee", who)
	case bulk.Snooze:
		line("snooze.until", p.Stamp(w.Until).Full)
	case bulk.Undo:
	}
	line("works.digest", w.DigestHex())
	return out
}

// BulkLive is how far a work is. void tells that the second person was asked in vain.
func (p Presenter) BulkLive(w bulk.Work, at bulk.Progress, void bool) bulkworks.Live {
	acted := at.Done + at.Lost + at.Refused + at.Excluded - w.Excluded
	v := bulkworks.Live{PageURL: BulkURL(w.ID), State: string(w.State), Say: p.bulkSay(w, at, void), Done: strconv.FormatInt(acted, 10),
		Total: strconv.FormatInt(max(w.Count, 1), 10), Share: p.L.T("works.share", p.L.Credits(acted), p.L.Credits(w.Count))}
	show := func(show bulk.Show, label string, n int64, note string, always bool) {
		if n > 0 || always {
			v.Facts = append(v.Facts, ui.Fact{Label: p.L.T(label), Value: p.L.Credits(n), Note: note, URL: BulkURL(w.ID) + "?show=" + string(show)})
		}
	}
	show(bulk.ShowDone, "works.done", at.Done, "", true)
	if w.Kind == bulk.Requeue {
		note := ""
		if back := at.Back.Succeeded + at.Back.Failed; back > 0 {
			note = p.L.T("works.back_failed_note", strconv.FormatInt(at.Back.Failed*100/back, 10), p.L.Credits(back))
		}
		show(bulk.ShowSucceeded, "works.back_well", at.Back.Succeeded, "", true)
		show(bulk.ShowFailed, "works.back_failed", at.Back.Failed, note, true)
		show(bulk.ShowOut, "works.out", at.Back.Out, "", true)
		show(bulk.ShowCaller, "works.with_caller", at.Back.WithCaller, p.L.T("works.with_caller_note"), false)
	}
	pending := "works.pending"
	if w.State == bulk.Aborted {
		pending = "works.untouched"
	}
	show(bulk.ShowPending, pending, at.Pending, "", true)
	show(bulk.ShowLost, "works.lost", at.Lost, "", false)
	show(bulk.ShowExcluded, "works.excluded", at.Excluded, "", false)
	show(bulk.ShowRefused, "works.not_possible", at.Refused, "", false)
	if w.State == bulk.Running && (w.Kind == bulk.Requeue || w.Kind == bulk.Discard) {
		v.Facts = append(v.Facts, ui.Fact{Label: p.L.T("works.rate"), Value: p.L.Credits(at.LastMinute), Note: p.L.T("works.rate_note", p.L.Credits(int64(w.PerMinute)))})
	}
	return v
}

// bulkSay is the sentence that says where a work stands.
func (p Presenter) bulkSay(w bulk.Work, at bulk.Progress, void bool) string {
	by, when := p.actor(w.ChangedBy), p.L.Stamp(w.ChangedAt, p.Now).Full
	switch w.State {
	case bulk.Prepared:
		if w.Expired(p.Now) {
			return p.L.T("works.say_expired", p.L.Stamp(w.CreatedAt, p.Now).Full)
		}
		return p.L.T("works.say_prepared", p.L.Stamp(w.CreatedAt, p.Now).Full)
	case bulk.Proposed:
		if void {
			return p.L.T("works.say_void")
		}
		return p.L.T("works.say_proposed")
	case bulk.Paused:
		return p.L.T("works.say_paused", by, when)
	case bulk.Stopped:
		var failed, back int64
		if w.StopFailed != nil && w.StopBack != nil {
			failed, back = *w.StopFailed, *w.StopBack
		}
		return p.L.T("works.say_stopped", when, p.L.Credits(failed), p.L.Credits(back), strconv.Itoa(w.StopPercent), p.L.Credits(at.Pending))
	case bulk.Aborted:
		return p.L.T("works.say_aborted", by, when, p.L.Credits(at.Pending))
	case bulk.Done:
		say := p.L.T("works.say_done", when)
		if at.Back.WithCaller > 0 {
			say += " " + p.L.N("works.say_callers", at.Back.WithCaller)
		}
		return say
	case bulk.Running:
	}
	back := at.Leg.Succeeded + at.Leg.Failed
	switch {
	case w.Kind == bulk.Requeue && w.Probe > 0 && at.LegDone <= int64(w.Probe) && at.Pending > 0:
		return p.L.T("works.say_probe", p.L.Credits(int64(w.Probe)), p.L.Credits(back), p.L.Credits(at.Leg.Failed))
	case at.Pending == 0:
		return p.L.T("works.say_ending")
	}
	left := time.Duration(at.Pending) * time.Minute / time.Duration(w.PerMinute)
	return p.L.T("works.say_running", p.L.Credits(int64(w.PerMinute)), p.L.Duration(max(left, time.Second)))
}

// BulkRow is what came of one dead letter of a work.
func (p Presenter) BulkRow(w bulk.Work, i bulk.Item) bulkworks.Row {
	v := bulkworks.Row{Job: Job(i.AccountID, i.JobID), Account: Account(i.AccountID), Cost: p.L.Credits(i.Cost), State: p.bulkState(w, i), Now: i.State, At: p.Stamp(i.ActedAt)}
	switch i.Outcome {
	case bulk.Lost:
		state := p.L.Maybe("state."+i.Code, i.Code)
		v.Why = p.L.T("works.first_unknown", state)
		if i.FirstBy != "" && i.FirstAt != nil {
			v.Why = p.L.T("works.first", p.actor(i.FirstBy), p.L.Stamp(*i.FirstAt, p.Now).Full, state)
		}
	case bulk.Excluded:
		v.Why = p.L.Maybe("excluded."+i.Code, i.Code)
	case bulk.Refused:
		v.Why = p.L.T("works.not_possible_why", p.L.Maybe("fault."+i.Code, i.Code))
	case bulk.Pending, bulk.Did:
	}
	return v
}

// bulkState is the state by which a row's outcome is shown.
func (p Presenter) bulkState(w bulk.Work, i bulk.Item) string {
	switch i.Outcome {
	case bulk.Pending:
		if w.State == bulk.Aborted {
			return "untouched"
		}
		return "to_do"
	case bulk.Lost:
		return "lost"
	case bulk.Excluded:
		return "excluded"
	case bulk.Refused:
		return "not_possible"
	case bulk.Did:
	}
	switch i.Back {
	case bulk.Succeeded:
		return "succeeded"
	case bulk.Failed:
		return "failed_again"
	case bulk.Canceled:
		return "canceled"
	case bulk.Out:
		return "out"
	case bulk.WithCaller:
		return "with_caller"
	}
	return "done"
}

// proposedBulkTitle names what a change request of a bulk work proposes; ok is false for other kinds.
func (p Presenter) proposedBulkTitle(r approval.Request) (title string, ok bool) {
	if r.Kind != bulk.KindStart {
		return "", false
	}
	what, err := bulk.ReadPlan(r)
	if err != nil {
		return "", false
	}
	return p.L.T("worktitle."+string(what.Kind), p.L.Credits(what.Count)), true
}

// proposedBulk fills in what a bulk work is and by what it was selected: the set itself is on its page.
func (p Presenter) proposedBulk(d ApprovalPage, v *approvals.Detail) error {
	what, err := bulk.ReadPlan(d.Request)
	if err != nil {
		return err
	}
	w := bulk.Work{Kind: what.Kind, Reason: what.Reason, Note: what.Note}
	v.Reason = p.bulkReason(w)
	if d.Elsewhere > 0 {
		v.Lines = append(v.Lines, approvals.Line{Label: p.L.T("works.elsewhere_too"), Value: p.L.Credits(d.Elsewhere)})
	}
	if what.Kind == bulk.Discard {
		v.ApproveSay = p.L.T("approve.say_discard", p.actor(d.Request.RequestedBy))
	}
	v.Lines = append(v.Lines,
		approvals.Line{Label: p.L.T("works.rows_of_set"), ID: ui.ID{Value: what.BulkWork, URL: BulkURL(what.BulkWork)}},
		approvals.Line{Label: p.L.T("works.filter"), Value: d.Selected},
		approvals.Line{Label: p.L.T("works.count"), Value: p.L.Credits(what.Count)},
		approvals.Line{Label: p.L.T("works.accounts"), Value: p.L.Credits(what.Accounts)},
		approvals.Line{Label: p.L.T("col.credits"), Value: p.L.Sum(what.Credits)},
		approvals.Line{Label: p.L.T("works.pace"), Value: p.bulkPace(what.Kind, what.Probe, what.PerMinute, what.StopPercent)},
		approvals.Line{Label: p.L.T("works.digest"), ID: ui.ID{Value: what.Digest}})
	return nil
}

// bulkPace says how fast a work goes and what stops it.
func (p Presenter) bulkPace(k bulk.Kind, probe, perMinute, stop int64) string {
	if k == bulk.Requeue {
		return p.L.T("works.pace_requeue", p.L.Credits(probe), p.L.Credits(perMinute), strconv.FormatInt(stop, 10))
	}
	return p.L.T("works.pace_plain", p.L.Credits(perMinute))
}

// discards tells whether a change request is of a bulk discard, whose reason is one of a list.
func discards(r approval.Request) bool {
	if r.Kind != bulk.KindStart {
		return false
	}
	what, err := bulk.ReadPlan(r)
	return err == nil && what.Kind == bulk.Discard
}
