package present

import (
	"strconv"

	"recoup/models/ledger"
	"recoup/models/verify"
	views "recoup/views/replay"
	"recoup/views/text"
	"recoup/views/ui"
)

// EntryURL is the page of one entry.
func EntryURL(account string, seq int64) string {
	return AccountURL(account) + "/entries/" + strconv.FormatInt(seq, 10)
}

// Replay is the part of the page that comes from adding up. now says that the moment is now; wrong is what the last verification
// found of the account up to then, nil for nothing. Adding up sees sums alone: rows that were changed against each other only
// the verification tells.
func (p Presenter) Replay(r ledger.Replay, now bool, wrong *verify.OfAccount) views.Model {
	a := r.Account
	m := views.Model{Account: Account(a.ID), Name: a.Name, Path: AccountURL(a.ID) + "/balance", Moment: p.L.Stamp(r.At, p.Now), Now: now,
		Zone: p.L.ZoneLabel(r.At), Balance: p.L.Credits(r.Balance), Holds: r.Holds() && wrong == nil}
	entries := p.L.N("count.entries", r.Entries)
	switch {
	case m.Holds:
		m.Check = p.L.T("why.check", entries, p.L.Sum(r.Sum.String()))
	case r.Sum.String() != strconv.FormatInt(r.Balance, 10):
		m.Check = p.L.T("why.broken_sum", entries, p.L.Sum(r.Sum.String()), p.L.Credits(r.Balance))
	case r.Entries != r.Seq:
		m.Check = p.L.T("why.broken_gap", entries, p.L.N("count.entries", r.Seq))
	case r.Holds():
		m.Check = p.Wrong(*wrong)
		m.Break = p.firstWrong(r.Account.ID, *wrong)
	default:
		m.Check = p.L.T("why.broken_row", entries, p.L.Sum(r.Sum.String()))
	}
	if r.FirstBreak != nil {
		m.Break = ui.Link{Text: p.L.T("why.break", p.L.Credits(*r.FirstBreak)), URL: EntryURL(a.ID, *r.FirstBreak)}
	}
	for _, l := range r.Lines {
		v := views.Line{Reason: string(l.Reason), Count: p.L.Credits(l.Count), Net: p.L.SignedSum(l.Net().String())}
		if l.Taken.Sign() != 0 {
			v.Taken = p.L.Sum(l.Taken.String())
		}
		if l.Given.Sign() != 0 {
			v.Given = p.L.Sum(l.Given.String())
		}
		m.Lines = append(m.Lines, v)
	}
	if m.Holds {
		for _, lang := range []text.Lang{text.English, text.Japanese} {
			m.Explanations = append(m.Explanations, explain(text.Locale{Lang: lang, Zone: p.L.Zone}, r))
		}
	}
	return m
}

// explain answers the customer in the words of a customer: what was added, what was paid for, what was paid back.
func explain(l text.Locale, r ledger.Replay) views.Explanation {
	x := views.Explanation{Lang: l.Lang, Lines: []string{l.T("answer.balance", l.Stamp(r.At, r.At).Full, l.Credits(r.Balance))}}
	for _, line := range r.Lines {
		net := l.SignedSum(line.Net().String())
		switch line.Reason {
		case ledger.ByGrant:
			x.Lines = append(x.Lines, l.N("answer.added", line.Count, net))
		case ledger.ForDelivered:
			x.Lines = append(x.Lines, l.N("answer.delivered", line.Count, net))
		case ledger.ForReclaimed:
			x.Lines = append(x.Lines, l.N("answer.late", line.Count, net))
		case ledger.ForRefunded:
			x.Lines = append(x.Lines, l.N("answer.paid_back", line.Count, net, l.Sum(line.Given.String())))
		case ledger.ForCanceled:
			x.Lines = append(x.Lines, l.N("answer.canceled", line.Count, net, l.Sum(line.Given.String())))
		case ledger.ForRetried:
			x.Lines = append(x.Lines, l.N("answer.retried", line.Count, net, l.Sum(line.Given.String())))
		case ledger.ForUnfinished:
			x.Lines = append(x.Lines, l.N("answer.unfinished", line.Count, net))
		case ledger.BySettlement:
			x.Lines = append(x.Lines, l.N("answer.settled", line.Count, net))
		case ledger.ByAdjustment:
			x.Lines = append(x.Lines, l.N("answer.corrected", line.Count, net))
		case ledger.Irregular:
		}
	}
	x.Lines = append(x.Lines, l.T("answer.together", l.Credits(r.Balance)))
	return x
}

// ReplayRows are entries in order, oldest first. before is the balance before the first of them, nil when it is not
// known; nets is what each job had come to by then, and is carried on.
func (p Presenter) ReplayRows(entries []ledger.Entry, before *int64, nets map[int64]int64) []views.Row {
	var rows []views.Row
	for _, e := range entries {
		row := views.Row{Number: ui.Link{Text: p.L.Credits(e.Seq), URL: EntryURL(e.AccountID, e.Seq)}, At: p.L.Stamp(e.CreatedAt, p.Now), Type: string(e.Type),
			What: p.what(e), Credits: p.L.Signed(e.Amount), Balance: p.L.Credits(e.BalanceAfter),
			Broken: before != nil && e.BalanceAfter != *before+e.Amount}
		if e.JobID != nil {
			row.Job = Job(e.AccountID, *e.JobID)
		}
		if e.JobKey != nil {
			nets[*e.JobKey] += e.Amount
			row.JobNet = p.L.Signed(nets[*e.JobKey])
		}
		rows = append(rows, row)
		balance := e.BalanceAfter
		before = &balance
	}
	return rows
}
