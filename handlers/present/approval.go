package present

import (
	"bytes"
	"encoding/json"
	"strings"

	"recoup/models/approval"
	"recoup/models/audit"
	"recoup/models/bulk"
	"recoup/models/bulkgrant"
	"recoup/models/credit"
	"recoup/models/ledger"
	"recoup/models/settlement"
	"recoup/models/staff"
	"recoup/models/task"
	"recoup/views/approvals"
	"recoup/views/overview"
	"recoup/views/ui"
)

// ApprovalURL is a change request's page.
func ApprovalURL(id string) string { return "/approvals/" + id }

// ApprovalTile is the tile of what waits for a second person.
func (p Presenter) ApprovalTile(open int64, to string) overview.Tile {
	return overview.Tile{Count: p.L.Credits(open), URL: to, Calm: true}
}

// ApprovalTitle names what a change request proposes.
func (p Presenter) ApprovalTitle(r approval.Request) string {
	if title, ok := p.proposedStep(r); ok {
		return title
	}
	if title, ok := p.proposedBulkTitle(r); ok {
		return title
	}
	if amount, ok := proposedCredits(r); ok {
		return p.L.T("approval."+string(r.Kind), p.L.Signed(amount))
	}
	return p.L.T("approval.other", p.KindOfApproval(r.Kind))
}

// KindOfApproval is the word for what can be proposed.
func (p Presenter) KindOfApproval(k approval.Kind) string {
	return p.L.Maybe("approval.kind."+string(k), string(k))
}

// proposedCredits is what a grant, an adjustment, a file of grants or a settlement would move; ok is false for other kinds.
func proposedCredits(r approval.Request) (amount int64, ok bool) {
	if r.Kind == bulkgrant.Kind {
		d, err := bulkgrant.ReadProposed(r)
		return d.Credits, err == nil
	}
	if r.Kind == settlement.Kind {
		d, err := settlement.ReadProposed(r)
		return d.Credits - d.Debits, err == nil
	}
	if r.Kind != ledger.KindGrant && r.Kind != ledger.KindAdjustment {
		return 0, false
	}
	d, err := ledger.ReadProposed(r)
	return d.Amount, err == nil
}

// ApprovalState is the word's key of a state: open is also what a month is, in other words.
func ApprovalState(s approval.State) string {
	if s == approval.Open {
		return "undecided"
	}
	return string(s)
}

// ApprovalRow is one line of the list.
func (p Presenter) ApprovalRow(r approval.Request) approvals.Row {
	v := approvals.Row{ID: ui.ID{Value: r.ID, URL: ApprovalURL(r.ID)}, Title: p.ApprovalTitle(r), Object: r.Object, By: p.actor(r.RequestedBy),
		Asked: p.L.Stamp(r.RequestedAt, p.Now), State: ApprovalState(r.State), Until: p.L.Stamp(r.ExpiresAt, p.Now)}
	if account, ok := strings.CutPrefix(r.Object, "account:"); ok {
		v.Account = Account(account)
	}
	if id, ok := rolloutOf(r); ok {
		v.About = ui.ID{Value: id, URL: RolloutURL(id)}
	}
	if id, ok := strings.CutPrefix(r.Object, bulkgrant.Object("")); ok {
		v.About = ui.ID{Value: id, URL: BulkGrantURL(id)}
	}
	if id, ok := strings.CutPrefix(r.Object, bulk.Object("")); ok {
		v.About = ui.ID{Value: id, URL: BulkURL(id)}
	}
	if id, ok := strings.CutPrefix(r.Object, settlement.Object("")); ok {
		v.About = ui.ID{Value: id, URL: SettlementURL(id)}
	}
	if amount, ok := proposedCredits(r); ok {
		v.Credits = p.L.Signed(amount)
	}
	if r.DecidedBy != nil {
		v.Decider, v.Until = p.actor(*r.DecidedBy), p.L.Stamp(*r.DecidedAt, p.Now)
	}
	return v
}

// ApprovalPage is everything about one change request that its page shows.
type ApprovalPage struct {
	// File is the file of grants that the request is about, and FileCheck what it would do as things stand; nil for others, and where
	// it does nothing any more.
	File      *bulkgrant.File
	FileCheck *bulkgrant.Check
	Request   approval.Request
	// Account is what it is about; nil when it is about none.
	Account *ledger.Account
	// Entry is what was applied; nil while nothing was, and for kinds that write none.
	Entry *ledger.Entry
	// Replacement is the change request that an edit put in its place; nil for none, or when the edit needed none.
	Replacement *approval.Request
	History     []audit.Stored
	// Selected says by what the set of a bulk work was selected; "" for other kinds.
	Selected string
	// Elsewhere is how many rows of the set other bulk works are to do as well.
	Elsewhere int64
	// Deciders are the people who may decide on it.
	Deciders []staff.Person
	// Task applies what was approved where the approval itself does not; nil for other kinds, and once it is not kept any more.
	Task *task.Task
	// Own is true when the reader asked for it, ByOwnKey when an API key that the reader made did, May when the reader has
	// the role that decides.
	Own, ByOwnKey, May bool
}

// ApprovalView maps a change request to its page, without the links to its forms.
func (p Presenter) ApprovalView(d ApprovalPage) (approvals.Detail, error) {
	r := d.Request
	v := approvals.Detail{ID: ui.ID{Value: r.ID, URL: ApprovalURL(r.ID)}, Title: p.ApprovalTitle(r), State: ApprovalState(r.State), Say: p.approvalSay(r, d.Task),
		Reason: r.Reason, By: p.actor(r.RequestedBy), Asked: p.L.Stamp(r.RequestedAt, p.Now), Expires: p.L.Stamp(r.ExpiresAt, p.Now),
		Operation: ui.ID{Value: r.OperationID, URL: OperationURL(r.OperationScope().String(), r.OperationID)}, Digest: r.DigestHex(),
		Version: p.L.Credits(int64(r.Version)), DecisionReason: r.DecisionReason, DecidedAt: p.Stamp(r.DecidedAt)}
	if r.DecidedBy != nil {
		v.Decider = p.actor(*r.DecidedBy)
	}
	if r.State == approval.Voided {
		// Nobody decided: whoever moved the object made it void.
		v.Decider, v.DecisionReason = "", ""
	}
	if r.ReplacedBy != nil {
		v.Replacement = ui.Link{Text: *r.ReplacedBy, URL: OperationURL(r.OperationScope().String(), *r.ReplacedBy)}
		if d.Replacement != nil {
			v.Replacement = ui.Link{Text: p.ApprovalTitle(*d.Replacement), URL: ApprovalURL(d.Replacement.ID)}
		}
	}
	v.Lines = append(v.Lines, approvals.Line{Label: p.L.T("approvals.kind"), Value: p.KindOfApproval(r.Kind)})
	if d.Account != nil {
		v.Lines = append(v.Lines, approvals.Line{Label: p.L.T("col.account"), ID: Account(d.Account.ID)})
		if d.Account.Name != "" {
			v.Lines = append(v.Lines, approvals.Line{Label: p.L.T("col.name"), Value: d.Account.Name})
		}
	}
	if _, ok := rolloutOf(r); ok {
		if err := p.proposedMove(r, &v); err != nil {
			return v, err
		}
	} else if r.Kind == bulk.KindStart {
		if err := p.proposedBulk(d, &v); err != nil {
			return v, err
		}
	} else if r.Kind == bulkgrant.Kind {
		if err := p.proposedFile(d, &v); err != nil {
			return v, err
		}
	} else if r.Kind == settlement.Kind {
		if err := p.proposedSettlement(r, &v); err != nil {
			return v, err
		}
	} else if amount, ok := proposedCredits(r); ok {
		if err := p.proposedMoney(d, amount, &v); err != nil {
			return v, err
		}
	} else {
		var b bytes.Buffer
		// Indent copies numbers digit by digit.
		if err := json.Indent(&b, []byte(r.Proposal), "", "  "); err != nil {
			return v, err
		}
		v.JSON = b.String()
	}
	for _, a := range d.History {
		e := approvals.Event{At: p.L.Stamp(a.At, p.Now), Who: p.actor(a.Actor), Reason: a.Reason, Refused: a.Outcome == "refused",
			What: p.L.Maybe("approval.event."+a.Action, a.Action)}
		if a.Action == "void" {
			e.Reason = p.L.Maybe("approval.void."+a.Reason, a.Reason)
		}
		if e.Refused {
			e.What, e.Reason = p.L.Maybe("kind."+a.Action, a.Action), p.L.Maybe("fault."+a.Code, a.Reason)
		}
		if e.Reason == a.Reason && discards(r) {
			e.Reason = p.L.Maybe("reason."+a.Reason, a.Reason)
		}
		v.History = append(v.History, e)
	}
	if r.State == approval.Open {
		v.Help = p.approvalHelp(d)
	}
	return v, nil
}

// proposedMoney fills in what a grant or an adjustment is and what it makes of the balance.
func (p Presenter) proposedMoney(d ApprovalPage, amount int64, v *approvals.Detail) error {
	what, err := ledger.ReadProposed(d.Request)
	if err != nil {
		return err
	}
	line := func(label, value string) {
		if value != "" {
			v.Lines = append(v.Lines, approvals.Line{Label: label, Value: value})
		}
	}
	line(p.L.T("col.credits"), p.L.Signed(amount))
	if what.Category != "" {
		line(p.L.T("grant.category"), p.L.Maybe("category."+what.Category, what.Category))
	}
	line(p.L.T("entry.reference"), what.Reference)
	switch {
	case d.Entry != nil:
		v.Entry = ui.Link{Text: p.L.Credits(d.Entry.Seq), URL: EntryURL(d.Entry.AccountID, d.Entry.Seq)}
		v.Before, v.After = p.L.Credits(d.Entry.BalanceAfter-d.Entry.Amount), p.L.Credits(d.Entry.BalanceAfter)
	case d.Request.State == approval.Open && d.Account != nil:
		v.Before = p.L.Credits(d.Account.Balance)
		if after, err := credit.Add(credit.Amount(d.Account.Balance), credit.Amount(amount)); err == nil {
			v.After = p.L.Credits(int64(after))
		} else {
			v.After = p.L.T("live.too_large")
		}
	}
	return nil
}

// proposedFile fills in what a file of grants is.
func (p Presenter) proposedFile(d ApprovalPage, v *approvals.Detail) error {
	what, err := bulkgrant.ReadProposed(d.Request)
	if err != nil {
		return err
	}
	v.Lines = append(v.Lines,
		approvals.Line{Label: p.L.T("bulk.file"), ID: ui.ID{Value: what.BulkGrant, URL: BulkGrantURL(what.BulkGrant)}},
		approvals.Line{Label: p.L.T("col.name"), Value: what.File},
		approvals.Line{Label: p.L.T("bulk.lines"), Value: p.L.Credits(what.Count)},
		approvals.Line{Label: p.L.T("bulk.credits"), Value: p.L.Signed(what.Credits)},
		approvals.Line{Label: "SHA-256", ID: ui.ID{Value: what.Digest}})
	// Another file, or the same one asked for twice, may have granted its lines meanwhile.
	switch {
	case d.File != nil && d.File.Granted != nil:
		v.Lines = append(v.Lines, approvals.Line{Label: p.L.T("bulk.came_of"), Value: p.L.N("bulk.say_applied", *d.File.Granted, p.L.Credits(d.File.Count-*d.File.Granted))})
	case d.FileCheck != nil:
		v.Lines = append(v.Lines, approvals.Line{Label: p.L.T("bulk.by_now"),
			Value: p.L.T("bulk.new_by_now", p.L.Credits(d.FileCheck.New), p.L.Credits(what.Count), p.L.Signed(d.FileCheck.NewCredits))})
	}
	v.Reason = ""
	return nil
}

// AppliedLater reports whether an approval only starts the task that applies what was proposed.
func AppliedLater(k approval.Kind) bool { return k == bulkgrant.Kind || k == settlement.Kind }

// ApprovalOutcome is the state of the task that applies what was approved, where that is not done; "" for others.
func ApprovalOutcome(t *task.Task) string {
	if t == nil || t.State == task.Done {
		return ""
	}
	return string(t.State)
}

// approvalSay is the sentence that answers where a change request stands. t is the task that applies it; nil where none
// does or is known.
func (p Presenter) approvalSay(r approval.Request, t *task.Task) string {
	by, until := p.actor(r.RequestedBy), p.L.Stamp(r.ExpiresAt, p.Now).Full
	decider := ""
	if r.DecidedBy != nil {
		decider = p.actor(*r.DecidedBy)
	}
	switch {
	case r.State == approval.Approved && AppliedLater(r.Kind) && t == nil:
		return p.L.T("approval.say_later", by, decider)
	case r.State == approval.Approved && ApprovalOutcome(t) != "" && !t.State.Over():
		return p.L.T("approval.say_running", by, decider)
	case r.State == approval.Approved && ApprovalOutcome(t) != "" && r.Kind == bulkgrant.Kind:
		return p.L.T("approval.say_failed_file", by, decider)
	case r.State == approval.Approved && ApprovalOutcome(t) != "":
		return p.L.T("approval.say_failed", by, decider)
	case r.State == approval.Approved:
		return p.L.T("approval.say_approved", by, decider)
	case r.State == approval.Rejected:
		return p.L.T("approval.say_rejected", by, decider)
	case r.State == approval.Voided:
		return p.L.T("approval.say_voided", by, p.L.Maybe("approval.void."+r.DecisionReason, r.DecisionReason))
	case r.State == approval.Expired:
		return p.L.T("approval.say_expired", by, until)
	case r.ReplacedBy != nil:
		return p.L.T("approval.say_replaced", by)
	case r.State == approval.Withdrawn:
		return p.L.T("approval.say_withdrawn", by)
	}
	return p.L.T("approval.say_open", by, until)
}

// mostHelpers is how many people are named who can decide.
const mostHelpers = 3

// approvalHelp says to whoever cannot decide why, and who can.
func (p Presenter) approvalHelp(d ApprovalPage) []string {
	var out []string
	switch {
	case d.Own:
		out = append(out, p.L.T("approval.own"))
	case d.ByOwnKey:
		out = append(out, p.L.T("approval.own_key"))
	case !d.May:
		out = append(out, p.L.T("approval.may_not"))
	default:
		return nil
	}
	if len(d.Deciders) == 0 {
		return append(out, p.L.T("approval.help_none"))
	}
	var names []string
	for i, who := range d.Deciders {
		if i == mostHelpers {
			names = append(names, p.L.T("approval.and_more", p.L.Credits(int64(len(d.Deciders)-i))))
			break
		}
		names = append(names, who.Name)
	}
	separator := ", "
	if p.L.Code() == "ja" {
		separator = "、"
	}
	return append(out, p.L.T("approval.help", strings.Join(names, separator)))
}
