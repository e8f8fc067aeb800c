package staff_test

import (
	"slices"
	"testing"

	"recoup/models/staff"
)

// The whole matrix, written out: whoever changes a right changes it here too, on purpose.
// v viewer, f finance, p product, s support, l lead, a admin.
var roleMatrix = map[staff.Permission]string{
	"overview.view":      "vfpsla",
	"search.use":         "vfpsla",
	"preferences.edit":   "vfpsla",
	"account.view":       "vfpsla",
	"account.edit":       "_f__la",
	"account.note":       "_f_sla",
	"account.freeze":     "_f__la",
	"account.grant":      "_f__la",
	"account.adjust":     "_f__la",
	"ledger.view":        "vfpsla",
	"ledger.export":      "_f__la",
	"month.close":        "_f__la",
	"integrity.run":      "_f__la",
	"integrity.view":     "_f__la",
	"approval.view":      "vfpsla",
	"approval.ask":       "_fpsla",
	"approval.decide":    "_f__la",
	"job.view":           "vfpsla",
	"job.reveal":         "___sla",
	"job.cancel":         "___sla",
	"job.charge":         "_____a",
	"job.signal":         "_____a",
	"job.work":           "_____a",
	"deadletter.view":    "vfpsla",
	"queue.view":         "vfpsla",
	"queue.run":          "___sla",
	"dependency.hold":    "___sla",
	"dependency.edit":    "____la",
	"deadletter.requeue": "___sla",
	"deadletter.triage":  "___sla",
	"deadletter.recover": "___sla",
	"deadletter.discard": "___sla",
	"deadletter.reopen":  "___sla",
	"pricing.view":       "vfpsla",
	"pricing.edit":       "__p_la",
	"flag.evaluate":      "_____a",
	"rollout.view":       "vfpsla",
	"rollout.create":     "__p_la",
	"rollout.advance":    "__p_la",
	"rollout.pause":      "__p_la",
	"rollout.roll_back":  "__p_la",
	"settlement.view":    "vfpsla",
	"settlement.propose": "_f__la",
	"rollout.approve":    "_fp_la",
	"cost.view":          "_fp_la",
	"cost.record":        "_____a",
	"cost.import":        "_f__la",
	"cost.attribute":     "_f__la",
	"operation.view":     "vfpsla",
	"audit.view":         "_____a",
	"settings.view":      "_____a",
	"staff.manage":       "_____a",
	"apikey.manage":      "_____a",
	"webhook.manage":     "_____a",
}

func TestRolesAllowExactlyTheMatrix(t *testing.T) {
	if len(staff.All()) != len(roleMatrix) {
		t.Errorf("All() has %d permissions, the matrix %d", len(staff.All()), len(roleMatrix))
	}
	for _, p := range staff.All() {
		row, ok := roleMatrix[p]
		if !ok {
			t.Errorf("%s is not in the matrix", p)
			continue
		}
		for i, r := range staff.Roles() {
			if got, want := staff.Allows(r, p), row[i] != '_'; got != want {
				t.Errorf("Allows(%s, %s) = %v, want %v", r, p, got, want)
			}
		}
	}
}

// What each scope opens, written out for the same reason.
var scopeMatrix = map[staff.Scope][]staff.Permission{
	"jobs:write":   {"job.charge", "job.signal", "job.cancel", "job.view", "queue.view", "dependency.hold", "deadletter.view", "deadletter.triage", "deadletter.recover", "deadletter.requeue", "deadletter.discard", "deadletter.reopen", "operation.view"},
	"jobs:work":    {"job.work", "job.view"},
	"ledger:read":  {"account.view", "ledger.view", "job.view", "deadletter.view", "operation.view", "approval.view"},
	"ledger:write": {"account.edit", "account.freeze", "account.grant", "account.adjust", "approval.view"},
	"costs:write":  {"cost.record"},
	"flags:read":   {"flag.evaluate"},
}

func TestScopesAllowExactlyTheMatrix(t *testing.T) {
	if len(staff.Scopes()) != len(scopeMatrix) {
		t.Errorf("there are %d scopes, the matrix has %d", len(staff.Scopes()), len(scopeMatrix))
	}
	for _, s := range staff.Scopes() {
		for _, p := range staff.All() {
			if got, want := staff.ScopeAllows(s, p), slices.Contains(scopeMatrix[s], p); got != want {
				t.Errorf("ScopeAllows(%s, %s) = %v, want %v", s, p, got, want)
			}
		}
	}
}

func TestUnknownRolesScopesAndPermissionsAllowNothing(t *testing.T) {
	for _, p := range append(staff.All(), "", "no.such") {
		if staff.Allows("", p) || staff.Allows("root", p) || staff.Allows("Admin", p) {
			t.Errorf("an unknown role has %s", p)
		}
		if staff.ScopeAllows("", p) || staff.ScopeAllows("jobs:*", p) {
			t.Errorf("an unknown scope has %s", p)
		}
	}
	for _, r := range staff.Roles() {
		if staff.Allows(r, "no.such") || staff.Allows(r, "") {
			t.Errorf("%s has a permission that does not exist", r)
		}
	}
}
