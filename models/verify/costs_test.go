package verify_test

import (
	"strings"
	"testing"

	"recoup/models/modeltest"
	"recoup/models/verify"
)

// A cost whose state is not that of its newest attribution, and what a rollout's check found, are named.
func TestCostsAndFindingsAreNamed(t *testing.T) {
	m := modeltest.Ready(t, patient())
	m.Account(t, "acct_7", 10)
	damage(t, m.G,
		`INSERT INTO cost_records (source, external_id, amount, currency, occurred_at, digest, actor, operation_id)
			VALUES ('gpu', 'x1', 1, 'USD', now(), sha256('x'), 'system', 'o')`,
		`INSERT INTO cost_attributions (record_key, seq, state, cause, actor, operation_id) SELECT key, 1, 'unattributed', 'recorded', 'system', 'o' FROM cost_records`)
	if _, problems := check(t, m.G, verify.Options{}); len(problems) != 1 || problems[0].Check != verify.CheckCost || problems[0].Found != "none, attribution 0" {
		t.Errorf("without a state: %v", problems)
	}
	damage(t, m.G,
		`INSERT INTO cost_states (record_key, seq, state, occurred_at) SELECT key, 1, 'unattributed', occurred_at FROM cost_records`)
	if _, problems := check(t, m.G, verify.Options{}); len(problems) != 0 {
		t.Errorf("with its state: %v", problems)
	}
	damage(t, m.G, `UPDATE cost_states SET occurred_until = '2030-01-01 00:00Z'`)
	if _, problems := check(t, m.G, verify.Options{}); len(problems) != 1 || problems[0].Check != verify.CheckCost || !strings.HasSuffix(problems[0].Found, ", to 2030-01-01T00:00:00.000000Z") {
		t.Errorf("with a period that the record has not: %v", problems)
	}
	damage(t, m.G, `UPDATE cost_states SET occurred_until = NULL`)
	damage(t, m.G,
		`INSERT INTO rollout_findings (rollout_id, "check", account_key, operation_id, what, expected, found)
			SELECT 'ro_1', 'uniqueness', key, 'op', 'charges 2', '1', '2' FROM accounts WHERE id = 'acct_7'`)
	if _, problems := check(t, m.G, verify.Options{}); len(problems) != 1 || problems[0].Check != verify.CheckFinding || problems[0].AccountID != "acct_7" {
		t.Errorf("a finding: %v", problems)
	}
	damage(t, m.G, `UPDATE rollout_findings SET gone_at = now()`)
	if _, problems := check(t, m.G, verify.Options{}); len(problems) != 0 {
		t.Errorf("put right: %v", problems)
	}
}
