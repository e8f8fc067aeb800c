package verify_test

import (
	"context"
	"testing"
	"time"

	"recoup/models/modeltest"
	"recoup/models/verify"
)

// Of runs that are old only the newest ones stay; a young one stays whatever their number, and the database refuses to
// remove it or to change any.
func TestOldRunsAreRemoved(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, patient())
	v := verify.New(m.G)
	evidence := &verify.Evidence{}
	if err := evidence.Add(verify.Problem{Check: verify.CheckHead, AccountID: "a", Expected: "1", Found: "2", Message: "It differs."}); err != nil {
		t.Fatal(err)
	}
	for _, age := range []int{400, 300, 200, 100, 1} {
		at := time.Now().AddDate(0, 0, -age)
		report := verify.Report{Started: at, Finished: at, ByCheck: map[verify.Check]int64{verify.CheckHead: 1}}
		if _, err := v.Keep(ctx, verify.Record{Report: report, Evidence: evidence}); err != nil {
			t.Fatal(err)
		}
	}
	left := func() (runs, problems int64) {
		m.G.Raw(`SELECT count(*) FROM verify_runs`).Scan(&runs)
		m.G.Raw(`SELECT count(*) FROM verify_problems`).Scan(&problems)
		return runs, problems
	}
	for _, sql := range []string{`DELETE FROM verify_problems WHERE run_id = (SELECT max(id) FROM verify_runs)`, `DELETE FROM verify_runs`, `TRUNCATE verify_problems`,
		`UPDATE verify_runs SET problems = 0`, `UPDATE verify_problems SET found = ''`} {
		if err := m.G.Exec(sql).Error; err == nil {
			t.Errorf("%s was let through", sql)
		}
	}
	if n, err := v.DeleteOld(ctx, 3); err != nil || n != 2 {
		t.Errorf("removed %d, %v", n, err)
	}
	if runs, problems := left(); runs != 3 || problems != 3 {
		t.Errorf("%d runs and %d problems are left", runs, problems)
	}
	if n, err := v.DeleteOld(ctx, 1); err != nil || n != 2 {
		t.Errorf("removed %d, %v", n, err)
	}
	if n, err := v.DeleteOld(ctx, 1); err != nil || n != 0 {
		t.Errorf("removed %d more, %v", n, err)
	}
	if runs, problems := left(); runs != 1 || problems != 1 {
		t.Errorf("%d runs and %d problems are left", runs, problems)
	}
}
