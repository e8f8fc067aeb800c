package verify

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"recoup/models/job"
	"recoup/models/modeltest"
)

// TestManyEntriesAreMergedFromCursors fills an account beyond what is kept in memory, by SQL, and
// checks that its jobs are still held against its entries.
func TestManyEntriesAreMergedFromCursors(t *testing.T) {
	m := modeltest.Ready(t, job.DefaultPolicy())
	m.Account(t, "small", 100)
	m.Charge(t, "small", "s1", 1)
	m.Account(t, "large", 1_000_000)
	m.Charge(t, "large", "l0", 1)
	// More than one round trip from each cursor.
	const keep, jobs = 50, 4321
	err := m.G.Exec(`DO $$
		DECLARE a accounts; j jobs; k bigint; h bytea; b bigint; at timestamptz;
		BEGIN
			SELECT * INTO a FROM accounts WHERE id = 'large';
			SELECT * INTO j FROM jobs WHERE id = 'l0';
			h := a.last_hash; b := a.balance; at := a.last_at;
			FOR i IN 1..` + fmt.Sprint(jobs) + ` LOOP
				INSERT INTO jobs (account_key, id, action, units, mode, cost, rule_version, operation_id, state, not_before, expires_at, max_attempts,
					lease_ms, expires_ms, backoff_base_ms, backoff_max_ms, jitter, delivered_at)
				VALUES (a.key, 'l' || i, j.action, 1, 'managed', 1, j.rule_version, 'op' || i, 'succeeded', now(), now(), 3, 1, 1, 1, 1, false, now())
				RETURNING key INTO k;
				b := b - 1; at := at + interval '1 microsecond';
				INSERT INTO entries (account_key, seq, type, amount, balance_after, job_key, operation_id, cohort, rule_version, actor, created_at, hash)
				VALUES (a.key, a.last_seq + i, 'charge', -1, b, k, 'op' || i, 'baseline', j.rule_version, 'key:test', at, h) RETURNING hash INTO h;
			END LOOP;
			UPDATE accounts SET balance = b, last_seq = a.last_seq + ` + fmt.Sprint(jobs) + `, last_hash = h, last_at = at WHERE key = a.key;
		END $$`).Error
	if err != nil {
		t.Fatal(err)
	}
	modeltest.Operations(t, m.G, "large")
	var problems []Problem
	opts := Options{Workers: 1, OnProblem: func(p Problem) error { problems = append(problems, p); return nil }}
	v, ctx := New(m.G), context.Background()
	v.keep = keep
	report, err := v.Run(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	if !report.OK() || report.Jobs != jobs+2 || report.Entries != jobs+4 {
		t.Fatalf("report %+v, problems %v", report, problems)
	}

	if err := m.G.Exec(`UPDATE jobs SET cost = 2 WHERE id IN ('l7', 's1', 'l` + fmt.Sprint(jobs) + `')`).Error; err != nil {
		t.Fatal(err)
	}
	if _, err = v.Run(ctx, opts); err != nil {
		t.Fatal(err)
	}
	// One of the three was charged by the models and has a decision that disagrees, too.
	problems = slices.DeleteFunc(problems, func(p Problem) bool { return p.Check == CheckDecision && p.JobID == "s1" })
	if len(problems) != 3 || problems[0].JobID != "s1" || problems[1].JobID != "l7" || problems[2].JobID != fmt.Sprint("l", jobs) {
		t.Fatalf("problems %v, want s1, l7 and l%d", problems, jobs)
	}
	for _, p := range problems {
		if p.Check != CheckAmount {
			t.Errorf("%v, want check amount", p)
		}
	}
}
