package present

import (
	"bytes"
	"encoding/hex"

	"recoup/models/approval"
	"recoup/models/bulkgrant"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/verify"
	"recoup/views/entry"
	"recoup/views/ui"
)

// EntryPage is everything about one entry that its page shows.
type EntryPage struct {
	Account ledger.Account
	Entry   ledger.Entry
	// Previous is the entry before it, nil when it is the account's first.
	Previous *ledger.Entry
	// File is the file of grants that it was a line of, nil for others.
	File *bulkgrant.File
	// Approval is the change request that a second person approved, nil where none was needed.
	Approval *approval.Request
	// Differs is what the entry's operation says otherwise, nil where it says the same.
	Differs *verify.Problem
	// Job is everything about the entry's job, nil when it concerns none.
	Job *JobPage
}

// EntryView maps an entry to its page.
func (p Presenter) EntryView(d EntryPage) (entry.Model, error) {
	e := d.Entry
	before, hash := int64(0), ledger.ZeroHash()
	if d.Previous != nil {
		before, hash = d.Previous.BalanceAfter, d.Previous.Hash
	}
	m := entry.Model{Account: Account(e.AccountID), Name: d.Account.Name, URL: EntryURL(e.AccountID, e.Seq), Number: p.L.Credits(e.Seq),
		Type: string(e.Type), Credits: p.L.Signed(e.Amount), Before: p.L.Credits(before), After: p.L.Credits(e.BalanceAfter),
		At: p.L.Stamp(e.CreatedAt, p.Now), What: p.what(e), Operation: entryOperation(e), Actor: p.actor(e.Actor),
		Reference: deref(e.Reference), Reason: deref(e.Reason), Rule: Rule(e.RuleVersion), Rollout: rolloutID(e.RolloutID), Cohort: p.L.Maybe("cohort."+deref(e.Cohort), deref(e.Cohort)),
		Trace: p.trace(e.TraceID), Hash: hex.EncodeToString(e.Hash), PreviousHash: hex.EncodeToString(hash),
		Chained: bytes.Equal(ledger.ChainHash(hash, e), e.Hash) && e.BalanceAfter == before+e.Amount}
	m.Same = p.L.T("entry.operation_same")
	if e.Type == ledger.Adjustment && e.RolloutID != nil {
		// The operation of a payment keeps no reason: it is the settlement's.
		m.Same = p.L.T("entry.operation_same_payment")
	}
	if d.Differs != nil {
		m.Differs = p.L.T("entry.operation_differs", p.checkedValue(d.Differs.Expected), p.checkedValue(d.Differs.Found))
	}
	if c := deref(e.Category); c != "" {
		m.Category = p.L.Maybe("category."+c, c)
	}
	if e.Type == ledger.Adjustment && e.RolloutID != nil {
		m.ReferenceURL = SettlementURL(m.Reference)
	}
	if d.Approval != nil && d.Approval.DecidedBy != nil {
		m.ApprovedBy = p.actor(*d.Approval.DecidedBy)
		m.Request = ui.Link{Text: d.Approval.ID, URL: ApprovalURL(d.Approval.ID)}
	}
	m.File = p.fileOf(d.File)
	if d.Previous != nil {
		m.PreviousURL = EntryURL(e.AccountID, d.Previous.Seq)
	}
	if e.Seq < d.Account.LastSeq {
		m.NextURL = EntryURL(e.AccountID, e.Seq+1)
	}
	if d.Job == nil {
		return m, nil
	}
	j := d.Job.Job
	m.Job = Job(j.AccountID, j.ID)
	m.Decision = p.decision(j, d.Job.Evidence, d.Job.Decision)
	var err error
	if m.Event, err = p.causeOf(*d.Job, e.Seq); err != nil {
		return m, err
	}
	p.othersOf(*d.Job, e.Seq, &m)
	return m, nil
}

// causeOf finds the event that wrote an entry, nil when the timeline that was read has none.
func (p Presenter) causeOf(d JobPage, seq int64) (*entry.Event, error) {
	for _, v := range d.Events {
		if v.EntrySeq == nil || *v.EntrySeq != seq {
			continue
		}
		details, err := v.Details()
		if err != nil {
			return nil, err
		}
		out := &entry.Event{Title: p.L.T("entry.charged"), At: p.L.Stamp(v.At, p.Now), URL: JobURL(d.Job.AccountID, d.Job.ID)}
		if v.Kind == job.EventCharged {
			return out, nil
		}
		out.Title = p.L.Maybe("kind."+v.Kind, v.Kind)
		moments, _ := p.moments(d, v, details)
		for _, x := range moments {
			if said := x.Attempt; said != nil {
				out.Title, out.Detail = said.Title, said.Detail
				break
			}
			if said := x.Person; said != nil {
				out.Title, out.Detail = said.Title, said.Detail
				break
			}
		}
		return out, nil
	}
	return nil, nil
}

// othersOf lists the entries of a job, oldest first.
func (p Presenter) othersOf(d JobPage, seq int64, m *entry.Model) {
	var net int64
	for _, t := range []ledger.Type{ledger.Charge, ledger.Refund, ledger.Reclaim} {
		for _, e := range d.Entries {
			if e.Type != t {
				continue
			}
			net += e.Amount
			m.Others = append(m.Others, entry.Other{Number: ui.Link{Text: p.L.Credits(e.Seq), URL: EntryURL(e.AccountID, e.Seq)}, At: p.L.Stamp(e.CreatedAt, p.Now),
				Type: string(e.Type), Credits: p.L.Signed(e.Amount), Current: e.Seq == seq})
		}
	}
	m.Net = p.L.Signed(net)
}

// fileOf leads to a file of grants; the zero link where there is none.
func (p Presenter) fileOf(f *bulkgrant.File) ui.Link {
	if f == nil {
		return ui.Link{}
	}
	return ui.Link{Text: f.Name, URL: BulkGrantURL(f.ID)}
}
