package rollout_test

import (
	"context"
	"testing"

	"recoup/models/modeltest"
	"recoup/models/rollout"
)

// What a replay is counted with is what it was told, not what the job says: an answer that somebody altered is served, and found.
func TestAServedReplayIsCountedAsItWasServed(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	w.draft(discount, shares(100_000)...)
	w.must(w.rollouts.Start, discount)
	w.charge("acct_42", "c1")
	w.damage(`UPDATE operations SET result = replace(replace(result::text, '"cost":54', '"cost":99'), '` + v2 + `', '` + v1 + `')::json WHERE id = 'c1'`)
	out, v := w.charge("acct_42", "c1")
	if !out.Replayed || v.Cost != 99 || v.RuleVersion != v1 {
		t.Fatalf("replayed %t: %d by %s", out.Replayed, v.Cost, v.RuleVersion)
	}
	// In another process, which has not seen the operation, too.
	other := modeltest.New(t, w.G, modeltest.Fast())
	if out, _, err := chargeBy(other, "acct_42", "c1"); err != nil || !out.Replayed {
		t.Fatalf("%+v, %v", out, err)
	}
	if n := w.count(`SELECT count(*) FROM operation_attempts WHERE operation_id = 'c1' AND price = 99 AND rule_version = ?`, v1); n != 2 {
		t.Errorf("%d replays are counted with what they were told", n)
	}
	if err := w.rollouts.CheckLive(ctx); err != nil {
		t.Fatal(err)
	}
	found, err := w.findings(10)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for _, f := range found {
		said[f.What] = f.Expected + " " + f.Found
	}
	for _, what := range []string{"answer_price", "replay_price:2", "replay_price:3"} {
		if said[what] != "54|"+v2+" 99|"+v1 {
			t.Errorf("%s: %q of %v", what, said[what], said)
		}
	}
	// A cost that is no number is served as it stands and counted as none.
	w.damage(`UPDATE operations SET result = replace(result::text, '"cost":99', '"cost":"99"')::json WHERE id = 'c1'`)
	if _, _, err := chargeBy(w.Models, "acct_42", "c1"); err == nil {
		t.Error("a cost that is no number was read")
	}
	if w.state(discount).State != rollout.Halted {
		t.Error("not halted")
	}
}

// A finding about who was admitted names what is wrong: the row that has to be looked at.
func TestWhatIsWrongWithAnAdmissionIsNamed(t *testing.T) {
	const asBaseline = `UPDATE decisions SET cohort = 'baseline', stage = NULL, reason = 'above_threshold' WHERE operation_id = 'c1'`
	for what, c := range map[string]struct{ damage, expected, found string }{
		"enrolment":       {`DELETE FROM enrolments`, "1", ""},
		"bucket":          {`UPDATE decisions SET bucket = 8013 WHERE operation_id = 'c1'`, "8012", "8013"},
		"threshold:1":     {`UPDATE rollout_stages SET threshold = 8012 WHERE stage = 1`, "8012", "8012"},
		"threshold:7":     {`UPDATE decisions SET stage = 7 WHERE operation_id = 'c1'`, "", "8012"},
		"name:1":          {`UPDATE decisions SET reason = 'named' WHERE operation_id = 'c1'`, "acct_42", ""},
		"left_out:1":      {asBaseline, "8012|10000", "above_threshold"},
		"enrolled_before": {`UPDATE enrolments SET enrolled_at = enrolled_at - interval '1 hour'; ` + asBaseline, "1", "above_threshold"},
		"admission:9":     {`UPDATE decisions SET rollout_version = 9 WHERE operation_id = 'c1'`, "", "below_threshold|1"},
	} {
		w := newWorld(t)
		w.draft(discount, shares(10_000, 100_000)...)
		w.must(w.rollouts.Start, discount)
		w.charge("acct_42", "c1")
		w.damage(c.damage)
		if _, err := w.rollouts.Check(context.Background(), discount); err != nil {
			t.Fatal(err)
		}
		found, err := w.findings(10)
		if err != nil {
			t.Fatal(err)
		}
		named := false
		for _, f := range found {
			if f.What == what && f.Expected == c.expected && f.Found == c.found {
				named = true
			}
		}
		if !named {
			t.Errorf("%s: %+v", what, found)
		}
	}
}
