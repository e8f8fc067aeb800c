package present

import (
	"encoding/json"
	"math/big"
	"net/url"
	"slices"
	"strings"

	"recoup/models/audit"
	"recoup/models/operation"
	"recoup/views/auditlog"
	"recoup/views/ui"
)

// AuditRow is one row of the audit log.
func (p Presenter) AuditRow(s audit.Stored) auditlog.Row {
	v := auditlog.Row{At: p.L.Stamp(s.At, p.Now), Who: p.actor(s.Actor), Actor: s.Actor, Action: p.L.Maybe("kind."+s.Action, s.Action), Object: object(s.Object),
		State: s.Outcome, Code: s.Code, Reason: p.auditReason(s), Changes: p.auditChanges(s), Request: ui.ID{Value: s.RequestID}}
	if s.OperationID != "" {
		v.Operation = ui.ID{Value: s.OperationID}
		if account, _, ok := accountOf(s.Object); ok {
			v.Operation.URL = OperationURL(operation.Account(account).String(), s.OperationID)
		}
	}
	return v
}

// auditReason is what a person gave as the reason, or words for the code that Recoup gave.
func (p Presenter) auditReason(s audit.Stored) string {
	switch {
	case s.Outcome == "refused" && s.Code != "":
		return p.L.Maybe("fault."+s.Code, s.Reason)
	case s.Action == "void":
		return p.L.Maybe("approval.void."+s.Reason, s.Reason)
	}
	return s.Reason
}

// object links what a row is about, where it has a page.
func object(name string) ui.ID {
	id := ui.ID{Value: name}
	if account, job, ok := accountOf(name); ok {
		id.URL = AccountURL(account)
		if job != "" {
			id.URL = JobURL(account, job)
		}
		return id
	}
	kind, of, _ := strings.Cut(name, ":")
	switch {
	case name == "integrity":
		id.URL = "/integrity"
	case of == "":
	case kind == "rollout":
		id.URL = RolloutURL(of)
	case kind == "action":
		id.URL = ActionURL(of)
	case kind == "dependency":
		id.URL = DependencyURL(of)
	case kind == "settlement":
		id.URL = SettlementURL(of)
	case kind == "change_request":
		id.URL = ApprovalURL(of)
	case kind == "bulk_grant":
		id.URL = BulkGrantURL(of)
	case kind == "bulk_work":
		id.URL = BulkURL(of)
	case kind == "cost":
		id.URL = "/costs/records/" + url.PathEscape(of)
	case kind == "webhook":
		id.URL = "/webhooks/" + url.PathEscape(of)
	case kind == "group":
		id.URL = "/dead-letters/groups/" + url.PathEscape(of)
	}
	return id
}

// accountOf reads "account:a" and "account:a/job:j".
func accountOf(object string) (account, job string, ok bool) {
	rest, ok := strings.CutPrefix(object, "account:")
	if !ok {
		return "", "", false
	}
	account, job, _ = strings.Cut(rest, "/job:")
	return account, job, account != ""
}

// auditChanges sets what was before beside what is, member by member.
func (p Presenter) auditChanges(s audit.Stored) []ui.Change {
	was, is := members(s.Before), members(s.After)
	var names []string
	for _, side := range []map[string]string{was, is} {
		for name := range side {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var out []ui.Change
	for _, name := range slices.Compact(names) {
		x, inX := was[name]
		y, inY := is[name]
		change := ui.Change{Label: p.L.Maybe("field."+strings.ToLower(name), name), Before: p.auditValue(s.Action, name, x), After: p.auditValue(s.Action, name, y)}
		switch {
		case inX && inY && x == y:
			continue
		case !inY:
			change.After = p.L.T("profile.absent")
		case !inX && s.Before == nil:
			change.Before = ""
		case !inX:
			change.Before = p.L.T("profile.absent")
		}
		out = append(out, change)
	}
	return out
}

// auditValue words what a member holds where the console has a word for it elsewhere: states, kinds, counts. Everything else
// is shown as it was recorded.
func (p Presenter) auditValue(action, name, value string) string {
	switch name {
	case "state":
		return p.L.Maybe("state."+stateWord(action, value), value)
	case "kind":
		return p.L.Maybe("kind."+value, value)
	case "amount", "balance", "count", "credits", "debits", "jobs", "records", "bytes", "paid", "excluded":
		if _, ok := new(big.Int).SetString(value, 10); ok {
			return p.L.Sum(value)
		}
	}
	return value
}

// stateWord is the catalogue's name of a state: a breaker, a change request and a month are each open and closed in a sense
// of their own.
func stateWord(action, state string) string {
	switch breaker := strings.HasPrefix(action, "breaker_") || strings.HasSuffix(action, "_dependency"); {
	case breaker && state == "open":
		return "breaker_open"
	case breaker && state == "closed":
		return "healthy"
	case state == "open":
		return "undecided"
	}
	return state
}

// members are the members of a JSON object as text, numbers with all their digits; of anything else the value itself.
func members(doc *string) map[string]string {
	if doc == nil {
		return nil
	}
	var raw map[string]json.RawMessage
	if json.Unmarshal([]byte(*doc), &raw) != nil {
		return map[string]string{"": *doc}
	}
	out := make(map[string]string, len(raw))
	for name, v := range raw {
		var text string
		if json.Unmarshal(v, &text) != nil || string(v) == "null" {
			text = string(v)
		}
		out[name] = text
	}
	return out
}
