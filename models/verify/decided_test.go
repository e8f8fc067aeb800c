package verify_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"recoup/models/modeltest"
	"recoup/models/pricing"
	"recoup/models/verify"
)

// The bucket that verify computes is the program's, whatever the digest begins with.
func TestBucketsAreTheProgramsOwn(t *testing.T) {
	m := modeltest.Ready(t, patient())
	statements := []string{`INSERT INTO rollouts (id, action, baseline, candidate, salt, min_charges, min_costs_bps, created_by)
		SELECT 'ro_1', action, id, 'other', 'ro_2026_discount10', 1, 0, 'staff:x' FROM rule_versions LIMIT 1`}
	for i := range 40 {
		id := "acct_" + strconv.Itoa(i)
		m.Account(t, id, 0)
		statements = append(statements, `INSERT INTO decisions (account_key, operation_id, action, units, rule_version, price, rollout_id, rollout_version, stage, cohort, bucket, reason, tx)
			SELECT a.key, 'quoted', r.action, 1, r.id, 1, 'ro_1', 1, 1, 'candidate', `+strconv.Itoa(pricing.Bucket("ro_2026_discount10", id))+`, 'enrolled', pg_current_xact_id()
			FROM accounts a, rule_versions r WHERE a.id = '`+id+`' AND r.id = (SELECT baseline FROM rollouts)`)
	}
	damage(t, m.G, statements...)
	if _, problems := check(t, m.G, verify.Options{}); len(problems) != 0 {
		t.Errorf("%v", problems)
	}
}

// Price and bucket of a decision, and what became of a change request, are read back: what was changed past the program is named.
func TestDecisionsAndApprovalsAreReadBack(t *testing.T) {
	m := modeltest.Ready(t, patient())
	m.Account(t, "acct_7", 100)
	m.Charge(t, "acct_7", "j1", 10)
	m.Charge(t, "acct_7", "j2", 10)
	if _, problems := check(t, m.G, verify.Options{}); len(problems) != 0 {
		t.Fatalf("before: %v", problems)
	}
	const salt = "ro_2026_discount10"
	request := `INSERT INTO change_requests (id, kind, object, account_key, scope, operation_id, proposal, requested_by, expires_at)
		SELECT '%id', 'grant', 'x', account_key, scope, id, '{}', 'staff:x', clock_timestamp() + interval '1 day' FROM operations WHERE %which`
	for _, x := range []struct {
		name, damage string
		want         []verify.Check
		says         string
	}{
		{"another price", `UPDATE decisions SET price = 11 WHERE operation_id = (SELECT operation_id FROM jobs WHERE id = 'j1')`,
			[]verify.Check{verify.CheckDecision, verify.CheckPrice}, "has another price than 10 units cost under"},
		{"a rule version of another action", `UPDATE decisions SET price = 10, action = 'other' WHERE operation_id = (SELECT operation_id FROM jobs WHERE id = 'j1')`,
			[]verify.Check{verify.CheckDecision, verify.CheckPrice}, "has another price"},
		{"another bucket", `UPDATE decisions SET action = 'video_render' WHERE action = 'other';
			INSERT INTO rollouts (id, action, baseline, candidate, salt, min_charges, min_costs_bps, created_by) SELECT 'ro_1', action, id, 'other', '` + salt + `', 1, 0, 'staff:x' FROM rule_versions LIMIT 1;
			INSERT INTO decisions (account_key, operation_id, action, units, rule_version, price, rollout_id, rollout_version, stage, cohort, bucket, reason, tx)
				SELECT account_key, 'quoted', action, units, rule_version, price, 'ro_1', 1, 1, 'candidate', 14307, 'enrolled', pg_current_xact_id() FROM decisions LIMIT 1`,
			[]verify.Check{verify.CheckBucket}, "has another bucket than the account has for rollout ro_1"},
		{"an open request that was applied", `DELETE FROM decisions WHERE operation_id = 'quoted';` +
			strings.NewReplacer("%id", "cr_aaaaaaaaaaaaaaaa", "%which", "kind = 'grant'").Replace(request),
			[]verify.Check{verify.CheckApproval}, "is open, and its operation was applied"},
	} {
		damage(t, m.G, strings.Split(x.damage, ";")...)
		_, problems := check(t, m.G, verify.Options{})
		var found []verify.Check
		said := false
		for _, p := range problems {
			found = append(found, p.Check)
			said = said || strings.Contains(p.Message, x.says)
			if want := strconv.Itoa(pricing.Bucket(salt, "acct_7")); p.Check == verify.CheckBucket && p.Expected != want {
				t.Errorf("%v, the program says %s", p, want)
			}
		}
		if !slices.Equal(found, x.want) || !said {
			t.Errorf("%s: %v", x.name, problems)
		}
	}
	damage(t, m.G, `UPDATE change_requests SET state = 'approved', decided_by = 'staff:y', decided_at = clock_timestamp()`)
	if _, problems := check(t, m.G, verify.Options{}); len(problems) != 0 {
		t.Errorf("approved and applied: %v", problems)
	}
}
