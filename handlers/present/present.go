// Package present maps what models return to what views show. Its functions are pure: same rows, same
// person, same moment, same page.
package present

import (
	"encoding/hex"
	"net/url"
	"strconv"
	"strings"
	"time"

	"recoup/models/credit"
	"recoup/models/ledger"
	"recoup/models/operation"
	views "recoup/views/ledger"
	"recoup/views/text"
	"recoup/views/ui"
)

// Presenter knows how a person reads and what time it is.
type Presenter struct {
	L   text.Locale
	Now time.Time
	// Names turns an actor into a person's name or a key's; nil on pages that show no actors.
	Names map[string]string
	// TraceURL is the address of a trace, with {trace_id} in the place of its id; empty: trace ids lead nowhere.
	TraceURL string
}

// Stamp shows a time; nil shows nothing.
func (p Presenter) Stamp(t *time.Time) text.Stamp {
	if t == nil {
		return text.Stamp{}
	}
	return p.L.Stamp(*t, p.Now)
}

// actor names who did something, as people call them; what has no name is shown as it is recorded.
func (p Presenter) actor(actor string) string {
	if n := p.Names[actor]; n != "" {
		return n
	}
	if actor == "system" {
		return p.L.T("actor.system")
	}
	return actor
}

// Who names an actor as people call them.
func (p Presenter) Who(actor string) string { return p.actor(actor) }

// AccountURL is an account's page.
func AccountURL(id string) string { return "/accounts/" + url.PathEscape(id) }

// JobURL is a job's page.
func JobURL(account, id string) string { return AccountURL(account) + "/jobs/" + url.PathEscape(id) }

// OperationURL is an operation's page.
func OperationURL(scope, id string) string {
	return "/operations?" + url.Values{"scope": {scope}, "id": {id}}.Encode()
}

// Account is an account's id with its link.
func Account(id string) ui.ID { return ui.ID{Value: id, URL: AccountURL(id)} }

// Job is a job's id with its link.
func Job(account, id string) ui.ID { return ui.ID{Value: id, URL: JobURL(account, id)} }

// Operation is the id of an operation in an account's scope. Timers have a scope of their own.
func Operation(account, id, actor string) ui.ID {
	if id == "" {
		return ui.ID{}
	}
	scope := operation.Account(account)
	if actor == "system" {
		scope.Name = "system"
	}
	return ui.ID{Value: id, URL: OperationURL(scope.String(), id)}
}

// entryOperation is the operation that wrote an entry. Payments of settlements are in the scope of the system, whoever
// proposed them: they are the adjustments with the attribution of a rollout.
func entryOperation(e ledger.Entry) ui.ID {
	if e.Type == ledger.Adjustment && e.RolloutID != nil {
		return Operation(e.AccountID, e.OperationID, "system")
	}
	return Operation(e.AccountID, e.OperationID, e.Actor)
}

// Rule is a rule version; it leads to the entries it priced.
func Rule(id *string) ui.ID {
	if id == nil || *id == "" {
		return ui.ID{}
	}
	return ui.ID{Value: *id, URL: "/ledger?" + url.Values{"rule_version": {*id}}.Encode()}
}

// trace is a trace id in hexadecimal; it leads to the trace where there is a viewer.
func (p Presenter) trace(id []byte) ui.ID {
	t := ui.ID{Value: hex.EncodeToString(id)}
	if t.Value != "" {
		t.URL = strings.ReplaceAll(p.TraceURL, "{trace_id}", t.Value)
	}
	return t
}

func optional(id *string) ui.ID {
	if id == nil {
		return ui.ID{}
	}
	return ui.ID{Value: *id}
}

// Entry is one row of the ledger.
func (p Presenter) Entry(e ledger.Entry) views.Entry {
	v := views.Entry{URL: EntryURL(e.AccountID, e.Seq), At: p.L.Stamp(e.CreatedAt, p.Now), Type: string(e.Type), Account: Account(e.AccountID), What: p.what(e),
		Operation: entryOperation(e), RuleVersion: Rule(e.RuleVersion), Rollout: optional(e.RolloutID),
		Credits: p.L.Signed(e.Amount), Balance: p.L.Credits(e.BalanceAfter)}
	if e.Actor != "system" {
		v.Actor = p.actor(e.Actor)
	}
	if e.JobID != nil {
		v.Job = Job(e.AccountID, *e.JobID)
	}
	return v
}

// what says in words what an entry is for.
func (p Presenter) what(e ledger.Entry) string {
	switch e.Type {
	case ledger.Charge:
		return views.WhatCharge(p.L, deref(e.JobAction), p.L.Credits(derefInt(e.JobUnits)))
	case ledger.Refund:
		class, attempt := deref(e.CauseClass), ""
		if deref(e.Cause) == "canceled" {
			class = "canceled"
		}
		if e.CauseAttempt > 0 {
			attempt = strconv.Itoa(e.CauseAttempt)
		}
		return views.WhatRefund(p.L, attempt, class, deref(e.CauseCode))
	case ledger.Reclaim:
		return views.WhatReclaim(p.L)
	case ledger.Grant:
		return views.WhatGrant(p.L, deref(e.Category), deref(e.Reference))
	}
	return deref(e.Reason)
}

// Totals are the sums of a filter; nil when nothing matches.
func (p Presenter) Totals(totals []ledger.Total) *views.Totals {
	var out views.Totals
	var entries int64
	var net credit.Sum
	for _, t := range totals {
		entries, net = entries+t.Count, net.Plus(t.Amount)
		out.ByType = append(out.ByType, p.Total(t))
	}
	if entries == 0 {
		return nil
	}
	out.Entries, out.Net = p.L.N("count.entries", entries), p.L.SignedSum(net.String())
	return &out
}

// Total is the sum of one type.
func (p Presenter) Total(t ledger.Total) views.Total {
	return views.Total{Type: string(t.Type), Entries: p.L.N("count.entries", t.Count), Credits: p.L.SignedSum(t.Amount.String())}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func derefInt(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
