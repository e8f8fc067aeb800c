package rollout_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"gorm.io/gorm"

	"recoup/models/ids"
	"recoup/models/rollout"
)

// damage changes rows as only the owner of the tables can.
func (w *world) damage(statements ...string) {
	w.t.Helper()
	err := w.G.Transaction(func(g *gorm.DB) error {
		for _, s := range append([]string{"SET LOCAL session_replication_role = replica", "ALTER TABLE entries DISABLE TRIGGER USER",
			"ALTER TABLE decisions DISABLE TRIGGER USER", "ALTER TABLE rollout_stages DISABLE TRIGGER USER", "ALTER TABLE enrolments DISABLE TRIGGER USER", "ALTER TABLE jobs DISABLE TRIGGER USER",
			"ALTER TABLE operation_attempts DISABLE TRIGGER USER", "ALTER TABLE operations DISABLE TRIGGER USER"}, statements...) {
			if err := g.Exec(s).Error; err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

func outcome(c rollout.Checks, name rollout.CheckName) rollout.Outcome {
	for _, x := range c.All {
		if x.Name == name {
			return x.Outcome
		}
	}
	return ""
}

// Each check is turned red by damage that only the owner of the tables can do, whether the decision had been examined
// before or not; the red check halts the rollout and says what it found.
func TestDamageTurnsEachCheckRed(t *testing.T) {
	const c1 = "operation_id = 'c1'"
	cases := map[string]struct {
		check  rollout.CheckName
		damage []string
	}{
		"a second charge of the job": {rollout.Uniqueness, []string{"DROP INDEX entries_once_a_job",
			`INSERT INTO entries SELECT account_key, seq + 1000, type, amount, balance_after, job_key, 'forged', rollout_id, cohort, rule_version, actor, trace_id, category, reference, reason, created_at, hash FROM entries WHERE ` + c1}},
		"a second charge by the operation": {rollout.Uniqueness, []string{
			`INSERT INTO entries SELECT account_key, seq + 1000, type, amount, balance_after, job_key + 1000, operation_id, rollout_id, cohort, rule_version, actor, trace_id, category, reference, reason, created_at, hash FROM entries WHERE ` + c1}},
		"the price of a decision":                  {rollout.Consistency, []string{`UPDATE decisions SET price = price + 1 WHERE ` + c1}},
		"the rule version of an entry":             {rollout.Consistency, []string{`UPDATE entries SET rule_version = '` + v1 + `' WHERE ` + c1}},
		"the price that a replay says":             {rollout.Consistency, []string{`UPDATE operation_attempts SET price = 1 WHERE ` + c1}},
		"the price that a replay is told":          {rollout.Consistency, []string{`UPDATE operations SET result = replace(result::text, '"cost":54', '"cost":99')::json WHERE id = 'c1'`}},
		"the rule version that a replay is told":   {rollout.Consistency, []string{`UPDATE operations SET result = replace(result::text, '` + v2 + `', '` + v1 + `')::json WHERE id = 'c1'`}},
		"an answer without its job":                {rollout.Consistency, []string{`UPDATE operations SET result = '{"job":7}' WHERE id = 'c1'`}},
		"its operation is gone":                    {rollout.Reconciliation, []string{`DELETE FROM operations WHERE id = 'c1'`}},
		"the operation of a quoted charge is gone": {rollout.Reconciliation, []string{`UPDATE decisions SET expires_at = at WHERE ` + c1, `DELETE FROM operations WHERE id = 'c1'`}},
		"a quoted charge is altered, and its operation gone": {rollout.Reconciliation, []string{`UPDATE decisions SET expires_at = at WHERE ` + c1,
			`UPDATE entries SET amount = amount - 5 WHERE ` + c1, `DELETE FROM operations WHERE id = 'c1'`}},
		"another job of the charge":              {rollout.Reconciliation, []string{`UPDATE operations SET job_key = job_key + 1000 WHERE id = 'c1'`}},
		"the job is gone":                        {rollout.Reconciliation, []string{`DELETE FROM jobs WHERE operation_id = 'c1'`}},
		"an enrolment is gone":                   {rollout.Consistency, []string{`DELETE FROM enrolments`}},
		"a stage not reached":                    {rollout.Consistency, []string{`UPDATE decisions SET stage = 2 WHERE ` + c1}},
		"a stage that does not admit the bucket": {rollout.Consistency, []string{`UPDATE rollout_stages SET threshold = 1`}},
		"another bucket":                         {rollout.Consistency, []string{`UPDATE decisions SET bucket = bucket + 1 WHERE ` + c1}},
		"a name that is not the account's":       {rollout.Consistency, []string{`UPDATE decisions SET reason = 'named' WHERE ` + c1}},
		"a baseline that was to be the candidate": {rollout.Consistency, []string{
			`UPDATE decisions SET cohort = 'baseline', stage = NULL, reason = 'above_threshold' WHERE ` + c1, `UPDATE entries SET cohort = 'baseline' WHERE ` + c1, `UPDATE jobs SET cohort = 'baseline' WHERE ` + c1}},
		"a baseline of an enrolled account": {rollout.Consistency, []string{
			`UPDATE rollout_stages SET threshold = 1`, `UPDATE enrolments SET enrolled_at = enrolled_at - interval '1 hour'`,
			`UPDATE decisions SET cohort = 'baseline', stage = NULL, reason = 'above_threshold' WHERE ` + c1, `UPDATE entries SET cohort = 'baseline' WHERE ` + c1, `UPDATE jobs SET cohort = 'baseline' WHERE ` + c1}},
		"a price, and a transaction that never was": {rollout.Consistency, []string{`UPDATE entries SET created_at = created_at - interval '1 hour'`,
			`UPDATE operation_attempts SET at = at - interval '1 hour'`, `UPDATE decisions SET price = price + 7, tx = '9000000000000' WHERE ` + c1}},
		"a version that never was":    {rollout.Consistency, []string{`UPDATE decisions SET rollout_version = 77 WHERE ` + c1}},
		"a charge is gone":            {rollout.Reconciliation, []string{`DELETE FROM entries WHERE ` + c1}},
		"the amount of a charge":      {rollout.Reconciliation, []string{`UPDATE entries SET amount = -1 WHERE ` + c1}},
		"the attribution of a charge": {rollout.Reconciliation, []string{`UPDATE entries SET cohort = 'baseline' WHERE ` + c1}},
		"a decision is gone":          {rollout.Reconciliation, []string{`DELETE FROM decisions WHERE ` + c1}},
	}
	for name, c := range cases {
		for _, examined := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				w := newWorld(t)
				w.draft(discount, shares(10_000, 100_000)...)
				w.must(w.rollouts.Start, discount)
				w.charge("acct_42", "c0")
				w.charge("acct_42", "c1")
				w.charge("acct_42", "c1")
				if examined {
					if checks, err := w.rollouts.Check(context.Background(), discount); err != nil || !checks.Passed() || checks.Examined != 2 {
						t.Fatalf("before the damage: %s, %d examined, %v", checks.Why(), checks.Examined, err)
					}
				}
				w.damage(c.damage...)
				if err := w.rollouts.CheckLive(context.Background()); err != nil {
					t.Fatal(err)
				}
				checks, err := w.rollouts.LastChecks(context.Background(), discount)
				if err != nil || checks == nil || outcome(*checks, c.check) != rollout.Fail {
					t.Fatalf("after the damage: %+v, %v", checks, err)
				}
				if r := w.state(discount); r.State != rollout.Halted {
					t.Errorf("state %s", r.State)
				}
				found, err := w.findings(10)
				if err != nil || len(found) == 0 {
					t.Fatalf("findings %v, %v", found, err)
				}
				history, err := w.rollouts.History(context.Background(), discount)
				if err != nil || history[0].Kind != "halted" || history[0].Actor != "system" || !strings.Contains(history[0].Reason, string(c.check)) {
					t.Errorf("history %+v, %v", history[0], err)
				}
			})
		}
	}
}

// A round goes on where the one before it stopped: what that one examined is not new to it.
func TestARoundGoesOnWhereTheLastStopped(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	w.draft(discount, shares(10_000, 100_000)...)
	w.must(w.rollouts.Start, discount)
	w.charge("acct_42", "c1")
	if checks, err := w.rollouts.Check(ctx, discount); err != nil || checks.Examined != 1 {
		t.Fatalf("%d examined, %v", checks.Examined, err)
	}
	if err := w.G.Exec(`UPDATE rollout_checks SET examined = 100`).Error; err != nil {
		t.Fatal(err)
	}
	w.charge("acct_42", "c2")
	if checks, err := w.rollouts.Check(ctx, discount); err != nil || checks.Examined != 101 {
		t.Errorf("%d examined, %v", checks.Examined, err)
	}
}

// However many decisions a rollout has, one round looks at all of them: damage to the oldest does not wait for its turn.
func TestDamageToAnOldDecisionIsFoundInOneRound(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	w.rollouts.SetAgain(3)
	w.draft(discount, shares(10_000, 100_000)...)
	w.must(w.rollouts.Start, discount)
	for range 10 {
		w.charge("acct_42", ids.New())
	}
	w.charge("acct_42", "c1")
	round := func() rollout.Checks {
		t.Helper()
		if err := w.rollouts.CheckLive(ctx); err != nil {
			t.Fatal(err)
		}
		checks, err := w.rollouts.LastChecks(ctx, discount)
		if err != nil || checks == nil {
			t.Fatal(err)
		}
		return *checks
	}
	w.damage(`UPDATE entries SET created_at = created_at - interval '1 hour'`) // so that no entry leads to its decision
	for range 2 {
		if checks := round(); !checks.Passed() || checks.Examined != 11 {
			t.Fatalf("before: %s, %d examined", checks.Why(), checks.Examined)
		}
	}
	w.damage(`UPDATE decisions SET price = price + 1 WHERE operation_id = 'c1'`)
	if checks := round(); outcome(checks, rollout.Consistency) != rollout.Fail || w.state(discount).State != rollout.Halted {
		t.Errorf("%s, %s", checks.Why(), w.state(discount).State)
	}
}

// A round reads a great many decisions in a few statements, and finds each kind of damage wherever it lies, and nothing else.
func TestARoundFindsAllDamageAmongManyDecisions(t *testing.T) {
	const many = 6000
	w := newWorld(t)
	ctx := context.Background()
	w.rollouts.SetAgain(2500)
	w.draft(discount, shares(10_000, 100_000)...)
	w.must(w.rollouts.Start, discount)
	w.charge("acct_42", "c1")
	w.damage(`UPDATE entries SET created_at = created_at - interval '1 hour' WHERE operation_id = 'c1'`)
	// So many more of it, in accounts that the first stage does not admit as well.
	w.damage(`CREATE TEMP TABLE n AS SELECT n, (SELECT key FROM accounts WHERE id = CASE n % 3 WHEN 0 THEN 'acct_42' WHEN 1 THEN 'acct_1001' ELSE 'acct_1' END) AS account,
			CASE n % 3 WHEN 1 THEN 85415 WHEN 2 THEN 14307 ELSE 8012 END AS bucket, n % 3 = 0 AS candidate FROM generate_series(1, 6000) n`,
		`CREATE TEMP TABLE p AS SELECT n.*, 'x' || n AS op, CASE WHEN candidate THEN '`+v2+`' ELSE '`+v1+`' END AS rule, CASE WHEN candidate THEN 54 ELSE 60 END AS price,
			CASE WHEN candidate THEN 'candidate' ELSE 'baseline' END AS cohort FROM n`,
		`INSERT INTO jobs OVERRIDING SYSTEM VALUE SELECT r.* FROM p, jobs j, jsonb_populate_record(j, jsonb_build_object('account_key', p.account, 'key', 10000 + p.n, 'id', 'job-' || op, 'cost', p.price,
			'rule_version', p.rule, 'cohort', p.cohort, 'operation_id', p.op)) r WHERE j.operation_id = 'c1'`,
		`INSERT INTO operations SELECT r.* FROM p, operations o, jsonb_populate_record(o, jsonb_build_object('account_key', p.account, 'id', p.op, 'job_key', 10000 + p.n,
			'result', jsonb_build_object('job', jsonb_build_object('cost', p.price, 'rule_version', p.rule)))) r WHERE o.id = 'c1'`,
		`INSERT INTO entries SELECT r.* FROM p, entries e, jsonb_populate_record(e, jsonb_build_object('account_key', p.account, 'seq', 10000 + p.n, 'job_key', 10000 + p.n, 'operation_id', p.op, 'amount', -p.price,
			'rule_version', p.rule, 'cohort', p.cohort)) r WHERE e.operation_id = 'c1'`,
		`INSERT INTO decisions SELECT r.* FROM p, decisions d, jsonb_populate_record(d, jsonb_build_object('account_key', p.account, 'operation_id', p.op, 'rule_version', p.rule, 'price', p.price, 'cohort', p.cohort,
			'bucket', p.bucket, 'stage', CASE WHEN p.candidate THEN 1 END, 'reason', CASE WHEN p.candidate THEN 'enrolled' ELSE 'above_threshold' END)) r WHERE d.operation_id = 'c1'`,
		`DROP TABLE p, n`)
	if err := w.rollouts.CheckLive(ctx); err != nil {
		t.Fatal(err)
	}
	if checks, err := w.rollouts.LastChecks(ctx, discount); err != nil || !checks.Passed() || checks.Examined != many+1 {
		t.Fatalf("before: %+v, %v", checks, err)
	}
	// What was examined is not new a second time, and nothing of it is read again but the part whose turn it is.
	w.damage(`UPDATE rollout_checks SET examined = 7`)
	if checks, err := w.rollouts.Check(ctx, discount); err != nil || !checks.Passed() || checks.Examined != 7 {
		t.Errorf("again: %d are new, %v", checks.Examined-7, err)
	}
	w.damage("DROP INDEX entries_once_a_job",
		`UPDATE decisions SET bucket = bucket + 1 WHERE operation_id = 'x6'`, `UPDATE decisions SET price = price + 1 WHERE operation_id = 'x2999'`,
		`INSERT INTO entries SELECT account_key, seq + 100000, type, amount, balance_after, job_key, 'forged', NULL, NULL, rule_version, actor, trace_id, category, reference, reason, created_at, hash
			FROM entries WHERE operation_id = 'x4000'`,
		`DELETE FROM decisions WHERE operation_id = 'x5001'`, `DELETE FROM entries WHERE operation_id = 'x5999'`,
		`UPDATE operations SET result = replace(result::text, '54', '55')::json WHERE id = 'x3'`)
	if err := w.rollouts.CheckLive(ctx); err != nil {
		t.Fatal(err)
	}
	found, err := w.findings(100)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		got = append(got, f.OperationID+" "+f.What)
	}
	slices.Sort(got)
	want := []string{"x2999 answer_price", "x2999 charge", "x2999 entry_price:12999", "x2999 job", "x3 answer_price", "x4000 job_charges", "x5001 decision", "x5999 charge", "x6 bucket"}
	if !slices.Equal(got, want) || w.state(discount).State != rollout.Halted {
		t.Errorf("%s: found %q", w.state(discount).State, got)
	}
}

// A finding that is put right is marked, and turns the check green; a halted rollout resumes only then.
func TestWhatIsPutRightTurnsGreen(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	w.draft(discount, shares(10_000, 100_000)...)
	w.must(w.rollouts.Start, discount)
	w.charge("acct_42", "c1")
	w.damage(`UPDATE decisions SET price = 1 WHERE operation_id = 'c1'`)
	if err := w.step(w.rollouts.Advance, discount); err == nil || !strings.Contains(err.Error(), "consistency") {
		t.Errorf("advance over a red check: %v", err)
	}
	if s := w.state(discount); s.State != rollout.Halted || s.Stage != 1 {
		t.Errorf("state %s, stage %d", s.State, s.Stage)
	}
	if err := w.step(w.rollouts.Resume, discount); err == nil {
		t.Error("resumed over a red check")
	}
	w.damage(`UPDATE decisions SET price = 54 WHERE operation_id = 'c1'`)
	if checks, err := w.rollouts.Check(ctx, discount); err != nil || !checks.Passed() {
		t.Errorf("put right: %s, %v", checks.Why(), err)
	}
	if n := w.count(`SELECT count(*) FROM rollout_findings WHERE gone_at IS NOT NULL`); n == 0 || n != w.count(`SELECT count(*) FROM rollout_findings`) {
		t.Errorf("%d findings marked", n)
	}
	w.must(w.rollouts.Resume, discount)
}

// An unattributed cost halts the rollout and is named; attributed, the check is green again.
func TestAnUnattributedCostHalts(t *testing.T) {
	w := newWorld(t)
	w.into(discount, rollout.Running)
	w.costs = rollout.Costs{Delivered: 10, Known: 10, Unattributed: 2, Names: []string{"gpu/line-7"}}
	checks, err := w.rollouts.Check(context.Background(), discount)
	if err != nil || outcome(checks, rollout.Reconciliation) != rollout.Fail || !strings.Contains(checks.Why(), "gpu/line-7") || w.state(discount).State != rollout.Halted {
		t.Errorf("%s, %v, state %s", checks.Why(), err, w.state(discount).State)
	}
	w.costs.Unattributed = 0
	w.must(w.rollouts.Resume, discount)
}

// No data is not a pass, and no failure either.
func TestNoDataIsNotAPass(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	w.draft(discount, shares(10_000, 100_000)...)
	w.must(w.rollouts.Start, discount)
	checks, err := w.rollouts.Check(ctx, discount)
	if err != nil || checks.Passed() || checks.Red() || outcome(checks, rollout.Uniqueness) != rollout.Missing {
		t.Errorf("without a charge: %+v, %v", checks, err)
	}
	w.charge("acct_42", "c1")
	w.costs = rollout.Costs{Delivered: 10, Known: 4}
	checks, err = w.rollouts.Check(ctx, discount)
	if err != nil || outcome(checks, rollout.Uniqueness) != rollout.Pass || outcome(checks, rollout.Reconciliation) != rollout.Missing {
		t.Errorf("costs of 40 %%: %+v, %v", checks, err)
	}
	without := rollout.New(w.Ops, rollout.Options{})
	if checks, err = without.Check(ctx, discount); err != nil || outcome(checks, rollout.Reconciliation) != rollout.Missing {
		t.Errorf("without costs: %+v, %v", checks, err)
	}
	if w.state(discount).State != rollout.Running {
		t.Error("missing data halted the rollout")
	}
}

// A decision that commits after a run, in a transaction that began before it, is examined by the next one.
func TestALateCommitIsNotPassedOver(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	w.into(discount, rollout.Running)
	late := w.G.Begin()
	defer late.Rollback()
	// A decision without its charge, which no run may miss.
	err := late.Exec(`INSERT INTO decisions (account_key, operation_id, action, units, rule_version, price, rollout_id, rollout_version, stage, cohort, bucket, reason, tx)
		SELECT account_key, 'late', action, units, rule_version, price, rollout_id, rollout_version, stage, cohort, bucket, reason, pg_current_xact_id() FROM decisions`).Error
	if err != nil {
		t.Fatal(err)
	}
	w.charge("acct_42", ids.New())
	if checks, err := w.rollouts.Check(ctx, discount); err != nil || !checks.Passed() {
		t.Fatalf("before the commit: %s, %v", checks.Why(), err)
	}
	if err := late.Commit().Error; err != nil {
		t.Fatal(err)
	}
	w.charge("acct_42", ids.New())
	if checks, err := w.rollouts.Check(ctx, discount); err != nil || outcome(checks, rollout.Reconciliation) != rollout.Fail {
		t.Errorf("after the late commit: %s, %v", checks.Why(), err)
	}
}
