package present

import (
	"encoding/hex"
	"net/url"
	"time"

	"recoup/models/approval"
	"recoup/models/audit"
	"recoup/models/credit"
	"recoup/models/operation"
	"recoup/models/settlement"
	"recoup/models/task"
	"recoup/views/approvals"
	views "recoup/views/settlements"
	"recoup/views/ui"
)

// SettlementURL is a settlement's page.
func SettlementURL(id string) string { return "/settlements/" + url.PathEscape(id) }

// settlementState is the badge of a settlement. t is the task that pays it, nil for none.
func settlementState(st settlement.Settlement, t *task.Task) string {
	switch {
	case st.State == settlement.Proposed:
		return "waits"
	case st.State != settlement.Paying:
		return string(st.State)
	case t == nil:
		return "running"
	case t.State == task.Canceled:
		return "failed"
	case t.State == task.Done:
		return "running"
	}
	return string(t.State)
}

// SettlementRow is one settlement of the list.
func (p Presenter) SettlementRow(st settlement.Settlement) views.Row {
	return views.Row{ID: ui.ID{Value: st.ID, URL: SettlementURL(st.ID)}, Rollout: ui.ID{Value: st.RolloutID, URL: RolloutURL(st.RolloutID)}, State: settlementState(st, nil),
		Way: p.L.T("settle_way." + string(st.Way)), Supplement: st.Supplement, At: p.L.Stamp(st.ProposedAt, p.Now), By: p.actor(st.ProposedBy),
		Jobs: p.L.Credits(st.Jobs), Accounts: p.L.Credits(st.Accounts), Amount: p.net(st.Credits, st.Debits)}
}

// net is what customers get in all.
func (p Presenter) net(credits, debits int64) string {
	return p.L.SignedSum(credit.SumOf(credits).Minus(credit.SumOf(debits)).String())
}

// SettlementTotals are the figures of a preview or of a filter.
func (p Presenter) SettlementTotals(t settlement.Totals) []ui.Fact {
	facts := []ui.Fact{{Label: p.L.T("settlement.accounts"), Value: p.L.Credits(t.Accounts)}, {Label: p.L.T("settlement.jobs"), Value: p.L.Credits(t.Jobs)},
		{Label: p.L.T("settlement.charged"), Value: p.L.Credits(t.Charged)}, {Label: p.L.T("settlement.baseline"), Value: p.L.Credits(t.Baseline)}}
	if t.Credits > 0 || t.Debits == 0 {
		facts = append(facts, ui.Fact{Label: p.L.T("settlement.credits"), Value: p.L.Signed(t.Credits), Change: true})
	}
	if t.Debits > 0 {
		facts = append(facts, ui.Fact{Label: p.L.T("settlement.debits"), Value: p.L.Signed(-t.Debits), Change: true})
	}
	return facts
}

// SettlementLine is one account. open tells whether the settlement may still change the balance.
func (p Presenter) SettlementLine(x settlement.AccountLine, open bool) views.Line {
	v := views.Line{Account: Account(x.AccountID), Jobs: p.L.Credits(x.Jobs), Charged: p.L.Credits(x.Charged), Baseline: p.L.Credits(x.Baseline), Amount: p.L.Signed(x.Amount),
		Balance: p.L.Credits(x.Balance)}
	switch {
	case x.Excluded > 0 && x.Paid > 0:
		v.State = "partly_paid"
	case x.Excluded > 0:
		v.State = "left_out"
	case x.Paid == x.Jobs:
		v.State = "paid"
	case x.Paid > 0:
		v.State = "partly_paid"
	case x.Frozen && open:
		v.State = "frozen"
	}
	if x.Why != nil {
		v.Why = p.L.Maybe("why."+*x.Why, *x.Why)
	}
	if open && x.Excluded == 0 && x.Paid < x.Jobs && !x.Frozen {
		if after, err := credit.Add(credit.Amount(x.Balance), credit.Amount(x.Amount-x.PaidAmount)); err == nil {
			v.After = p.L.Credits(int64(after))
		} else {
			v.After = p.L.T("live.too_large")
		}
	}
	return v
}

// SettlementPage is everything about a settlement that its page shows.
type SettlementPage struct {
	Settlement settlement.Settlement
	// Request is its change request, Task what pays it; nil for none.
	Request *approval.Request
	Task    *task.Task
	History []audit.Stored
	// Open is how many charges of its rollout could be proposed now.
	Open int64
}

// SettlementView maps a settlement to its page, without lines, links to forms and files.
func (p Presenter) SettlementView(d SettlementPage) views.Detail {
	st := d.Settlement
	m := views.Detail{ID: st.ID, URL: SettlementURL(st.ID), Rollout: ui.ID{Value: st.RolloutID, URL: RolloutURL(st.RolloutID)}, State: settlementState(st, d.Task), Zone: p.L.ZoneLabel(p.Now)}
	p.settlementSays(d, &m)
	m.Facts = []ui.Fact{{Label: p.L.T("settlement.accounts"), Value: p.L.Credits(st.Accounts)}, {Label: p.L.T("settlement.jobs"), Value: p.L.Credits(st.Jobs)}}
	if st.Credits > 0 {
		m.Facts = append(m.Facts, ui.Fact{Label: p.L.T("settlement.credits"), Value: p.L.Signed(st.Credits), Change: true})
	}
	if st.Debits > 0 {
		m.Facts = append(m.Facts, ui.Fact{Label: p.L.T("settlement.debits"), Value: p.L.Signed(-st.Debits), Change: true})
	}
	if st.ApprovedAt != nil {
		m.Facts = append(m.Facts, ui.Fact{Label: p.L.T("settlement.paid"), Value: p.L.Credits(st.Paid)}, ui.Fact{Label: p.L.T("settlement.excluded"), Value: p.L.Credits(st.Excluded)},
			ui.Fact{Label: p.L.T("settlement.paid_credits"), Value: p.net(st.PaidCredits, st.PaidDebits), Change: true})
	}
	if d.Open > 0 && (st.State == settlement.Done || st.State.Void()) {
		m.Hint = p.L.T("settlement.hint", p.L.N("count.charges", d.Open))
	}
	about := func(label, value string) {
		if value != "" {
			m.About = append(m.About, views.About{Label: label, Value: value})
		}
	}
	m.About = append(m.About, views.About{Label: p.L.T("col.rollout"), ID: m.Rollout})
	if d.Request != nil {
		m.About = append(m.About, views.About{Label: p.L.T("settlement.request"), ID: ui.ID{Value: d.Request.ID, URL: ApprovalURL(d.Request.ID)}})
	}
	about(p.L.T("settlement.rules"), st.Candidate+" − "+st.Baseline)
	for _, x := range p.settlementFilter(st.Way, st.Filter) {
		about(x.Label, x.Value)
	}
	about(p.L.T("form.reason"), st.Reason)
	about(p.L.T("settlement.by"), p.actor(st.ProposedBy))
	about(p.L.T("settlement.reference"), st.Reference)
	if st.Supplement {
		about(p.L.T("settlement.id"), p.L.T("settlement.supplement"))
	}
	m.About = append(m.About, views.About{Label: p.L.T("settlement.digest"), ID: ui.ID{Value: hex.EncodeToString(st.Digest)}})
	for _, a := range d.History {
		m.History = append(m.History, views.Event{At: p.L.Stamp(a.At, p.Now), What: p.L.Maybe("settled."+a.Action, a.Action), Who: p.actor(a.Actor), Reason: a.Reason})
	}
	return m
}

// settlementSays fills in the sentence that tells how it stands, and its progress.
func (p Presenter) settlementSays(d SettlementPage, m *views.Detail) {
	st := d.Settlement
	dealt := p.L.Credits(st.Paid + st.Excluded)
	switch {
	case st.State == settlement.Proposed && d.Request != nil:
		m.Say = p.L.T("settlement.say_proposed", p.actor(st.ProposedBy), p.L.Stamp(d.Request.ExpiresAt, p.Now).Full)
	case st.State.Void():
		m.Say = p.L.T("settlement.say_void")
	case st.State == settlement.Approved:
		m.Say = p.L.T("settlement.say_approved")
	case st.State == settlement.Done && st.Way == settlement.Outside:
		m.Say = p.L.T("settlement.say_outside", p.L.Credits(st.Paid), st.Reference, p.L.Credits(st.Excluded), p.Stamp(st.FinishedAt).Full)
	case st.State == settlement.Done:
		m.Say = p.L.T("settlement.say_done", p.L.Credits(st.Paid), p.L.Credits(st.Excluded), p.Stamp(st.FinishedAt).Full)
	case d.Task != nil && (d.Task.State == task.Failed || d.Task.State == task.Canceled):
		m.Say, m.Problem = p.L.T("settlement.say_stopped", dealt, p.L.Credits(st.Jobs)), p.L.Maybe("fault."+d.Task.Error, p.L.T("settlement.failed"))
	case d.Task != nil && d.Task.State == task.Waiting && st.Paid+st.Excluded == 0:
		m.Running, m.Say = true, p.L.T("settlement.say_waiting")
	default:
		m.Running, m.Say = true, p.L.T("settlement.say_paying", dealt, p.L.Credits(st.Jobs))
	}
	if m.Running {
		m.Done, m.Total = p.digits(st.Paid+st.Excluded), p.digits(max(st.Jobs, 1))
	}
}

// digits is a number for a machine.
func (p Presenter) digits(n int64) string { return credit.SumOf(n).String() }

// settlementFilter says what a settlement was restricted to.
func (p Presenter) settlementFilter(way settlement.Way, f settlement.Filter) []approvals.Line {
	sign := f.Sign
	if sign == "" {
		sign = settlement.Credits
	}
	out := []approvals.Line{{Label: p.L.T("settlement.way"), Value: p.L.T("settle_way." + string(way))}, {Label: p.L.T("settlement.sign"), Value: p.L.T("settle_sign." + string(sign))}}
	if days := p.settledDays(f.From, f.To); days != "" {
		out = append(out, approvals.Line{Label: p.L.T("settlement.period"), Value: days})
	}
	if f.Minimum > 0 {
		out = append(out, approvals.Line{Label: p.L.T("settlement.minimum"), Value: p.L.Credits(f.Minimum)})
	}
	for i, id := range f.Accounts {
		const most = 20
		if i == most {
			out = append(out, approvals.Line{Label: p.L.T("settlement.only"), Value: p.L.T("approval.and_more", p.L.Credits(int64(len(f.Accounts)-most)))})
			break
		}
		out = append(out, approvals.Line{Label: p.L.T("settlement.only"), ID: Account(id)})
	}
	return out
}

// settledDays names a period by its moments, which hold for every zone.
func (p Presenter) settledDays(from, to *time.Time) string {
	switch {
	case from == nil && to == nil:
		return ""
	case from == nil:
		return p.L.T("period.until", p.Stamp(to).Full)
	case to == nil:
		return p.L.T("period.since", p.Stamp(from).Full)
	}
	return p.Stamp(from).Full + " – " + p.Stamp(to).Full
}

// SettlementItem is one job of a settlement.
func (p Presenter) SettlementItem(x settlement.Item) views.Item {
	v := views.Item{Job: Job(x.AccountID, x.JobID), Operation: ui.ID{Value: x.OperationID, URL: OperationURL(operation.Account(x.AccountID).String(), x.OperationID)},
		At: p.L.Stamp(x.ChargedAt, p.Now), Units: p.L.Credits(x.Units), Charged: p.L.Credits(x.Charged), Baseline: p.L.Credits(x.Baseline), Amount: p.L.Signed(x.Amount)}
	switch {
	case x.EntrySeq != nil:
		v.State, v.Result = "paid", ui.Link{Text: p.L.T("settlement.entry", p.L.Credits(*x.EntrySeq)), URL: EntryURL(x.AccountID, *x.EntrySeq)}
	case x.Reference != nil:
		v.State, v.Result = "paid", ui.Link{Text: *x.Reference}
	case x.Why != nil:
		v.State, v.Why = "left_out", p.L.Maybe("why."+*x.Why, *x.Why)
	}
	return v
}

// proposedSettlement fills in what a change request for a settlement holds.
func (p Presenter) proposedSettlement(r approval.Request, v *approvals.Detail) error {
	what, err := settlement.ReadProposed(r)
	if err != nil {
		return err
	}
	v.Lines = append(v.Lines,
		approvals.Line{Label: p.L.T("settlement.id"), ID: ui.ID{Value: what.Settlement, URL: SettlementURL(what.Settlement)}},
		approvals.Line{Label: p.L.T("col.rollout"), ID: ui.ID{Value: what.Rollout, URL: RolloutURL(what.Rollout)}},
		approvals.Line{Label: p.L.T("settlement.rules"), Value: what.Candidate + " − " + what.Baseline},
		approvals.Line{Label: p.L.T("settlement.accounts"), Value: p.L.Credits(what.Accounts)},
		approvals.Line{Label: p.L.T("settlement.jobs"), Value: p.L.Credits(what.Jobs)},
		approvals.Line{Label: p.L.T("settlement.credits"), Value: p.L.Signed(what.Credits)},
		approvals.Line{Label: p.L.T("settlement.debits"), Value: p.L.Signed(-what.Debits)})
	v.Lines = append(v.Lines, p.settlementFilter(what.Way, what.Filter)...)
	v.Lines = append(v.Lines, approvals.Line{Label: "SHA-256", ID: ui.ID{Value: what.Digest}})
	return nil
}
