package verify_test

import (
	"context"
	"slices"
	"testing"

	"recoup/models/modeltest"
	"recoup/models/verify"
)

// Everything that a rule is said to be kept by is there in a fresh database, and found missing where it is taken off.
func TestRulesOfTheDatabaseThatAreOffAreFound(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, patient())
	if _, problems := check(t, m.G, verify.Options{}); len(problems) != 0 {
		t.Fatalf("before: %v", problems)
	}
	var want []string
	for sql, name := range map[string]string{
		`DROP INDEX entries_once_a_job; CREATE UNIQUE INDEX entries_once_a_job ON entries (account_key, seq, job_key, type)`:                 "entries.entries_once_a_job",
		`ALTER TABLE entries DROP CONSTRAINT entries_charge_covered; ALTER TABLE entries ADD CONSTRAINT entries_charge_covered CHECK (true)`: "entries.entries_charge_covered",
		`ALTER TABLE rollouts DROP CONSTRAINT rollouts_pkey CASCADE; DROP INDEX rollouts_one_live`:                                           "rollouts.rollouts_one_live",
		`ALTER TABLE change_requests DROP CONSTRAINT change_requests_second_person`:                                                          "change_requests.change_requests_second_person",
		`ALTER TABLE cost_records DROP CONSTRAINT cost_records_source_external_id_key`:                                                       "cost_records.cost_records_source_external_id_key",
		`ALTER TABLE closed_months DROP CONSTRAINT closed_months_tie;
			ALTER TABLE closed_months ADD CONSTRAINT closed_months_tie CHECK (balances = closing) NOT VALID`: "closed_months.closed_months_tie",
	} {
		pool, err := m.G.DB()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pool.Exec(sql); err != nil {
			t.Fatal(err)
		}
		want = append(want, name)
	}
	var found []string
	evidence := &verify.Evidence{}
	v := verify.New(m.G)
	report, err := v.Run(ctx, verify.Options{OnProblem: func(p verify.Problem) error {
		if p.Check != verify.CheckKept {
			t.Errorf("%v", p)
		}
		found = append(found, p.Expected)
		return evidence.Add(p)
	}})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	slices.Sort(found)
	if !slices.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
	id, err := v.Keep(ctx, verify.Record{Report: report, Evidence: evidence})
	if err != nil {
		t.Fatal(err)
	}
	run, err := v.FindRun(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	missing, err := v.NotInForce(ctx, run)
	if err != nil || len(missing) != len(want) || !missing["rollouts.rollouts_one_live"] {
		t.Errorf("missing %v %v", missing, err)
	}
}

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
		`INSERT INTO cost_states (record_key, seq, state, occurred_at) SELECT key, 1, 'unattributed', now() FROM cost_records`)
	if _, problems := check(t, m.G, verify.Options{}); len(problems) != 0 {
		t.Errorf("with its state: %v", problems)
	}
	damage(t, m.G, `ALTER TABLE rollout_findings DROP CONSTRAINT rollout_findings_rollout_id_fkey`,
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
