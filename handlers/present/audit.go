package present

import (
	"encoding/json"
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
		State: s.Outcome, Code: s.Code, Reason: p.auditReason(s), Changes: p.auditChanges(s.Before, s.After), Request: ui.ID{Value: s.RequestID}}
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
	switch account, job, ok := accountOf(name); {
	case ok && job != "":
		id.URL = JobURL(account, job)
	case ok:
		id.URL = AccountURL(account)
	case name == "integrity":
		id.URL = "/integrity"
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
func (p Presenter) auditChanges(before, after *string) []ui.Change {
	was, is := members(before), members(after)
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
		switch {
		case inX && inY && x == y:
		case !inY:
			out = append(out, ui.Change{Label: name, Before: x, After: p.L.T("profile.absent")})
		case !inX && before == nil:
			out = append(out, ui.Change{Label: name, After: y})
		case !inX:
			out = append(out, ui.Change{Label: name, Before: p.L.T("profile.absent"), After: y})
		default:
			out = append(out, ui.Change{Label: name, Before: x, After: y})
		}
	}
	return out
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
