package present

import (
	"net/url"
	"strconv"

	"recoup/models/approval"
	"recoup/models/bulkgrant"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/pricing"
	views "recoup/views/operations"
	"recoup/views/ui"
)

// OperationPage is everything about one operation that its page shows.
type OperationPage struct {
	Stored   operation.Stored
	Attempts []operation.Attempt
	// Result is the stored result, indented; "" when there is none yet.
	Result  string
	Entries []ledger.Entry
	// File is the file of grants that it was a line of, nil for others.
	File *bulkgrant.File
	// Approval is the change request of an operation that waits for a second person, or did; nil for others.
	Approval *approval.Request
	// Charged is the job that a charge made, nil for others.
	Charged *job.Listed
	// Decision is the one that priced it; nil where none is recorded.
	Decision *pricing.Decision
}

// OperationView maps an operation to its page.
func (p Presenter) OperationView(d OperationPage) views.Model {
	o := d.Stored
	m := views.Model{Scope: o.ScopeName(), ID: o.ID, Kind: o.Kind, Actor: p.actor(o.Actor),
		Result: d.Result, Trace: p.trace(o.TraceID), Zone: p.L.ZoneLabel(p.Now)}
	if d.Approval != nil {
		m.Request = ui.Link{Text: p.ApprovalTitle(*d.Approval), URL: ApprovalURL(d.Approval.ID)}
		if o.Result == nil {
			m.RequestState = string(d.Approval.State)
		}
	}
	m.File = p.fileOf(d.File)
	if o.Result != nil {
		m.Applied = p.Stamp(o.CompletedAt)
	}
	// What waited was asked for at another time than it was applied.
	if d.Approval != nil && d.File == nil {
		m.Asked = p.L.Stamp(o.StartedAt, p.Now)
	}
	if o.AccountID != "" {
		m.Account = Account(o.AccountID)
	}
	if o.JobID != nil {
		m.Job = Job(o.AccountID, *o.JobID)
	}
	for _, e := range d.Entries {
		m.Entries = append(m.Entries, ui.Link{Text: p.L.Maybe("type."+string(e.Type), string(e.Type)) + " " + p.L.Signed(e.Amount),
			URL: "/ledger?" + url.Values{"account": {e.AccountID}, "operation": {e.OperationID}}.Encode()})
	}
	var replays, conflicts int64
	for _, a := range d.Attempts {
		v := views.Repeat{At: p.L.Stamp(a.At, p.Now), Outcome: a.Outcome, Attempt: strconv.Itoa(a.Attempt), Fields: a.Fields, Trace: p.trace(a.TraceID)}
		if a.Price != nil {
			v.Price = p.L.Credits(*a.Price)
		}
		if a.Outcome == "conflict" {
			conflicts++
		} else {
			replays++
		}
		m.Repeats = append(m.Repeats, v)
	}
	if replays > 0 {
		m.Replays = p.L.N("count.times", replays)
	}
	if conflicts > 0 {
		m.Refusals = p.L.N("count.times", conflicts)
	}
	if d.Charged != nil {
		m.Decision = p.decision(*d.Charged, job.Evidence{OperationReplays: replays}, d.Decision)
		m.Decision.Operation = ui.ID{}
	}
	return m
}
