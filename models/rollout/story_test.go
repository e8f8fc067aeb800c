package rollout_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/modeltest"
	"recoup/models/pricing"
	"recoup/models/rollout"
)

// The story that all this is for: charged in the 10 % stage, the answer lost, the stage widened to 25 %, sent again: the
// decision of the first time. Rolled back; sent again late: still the decision of the first time. Nothing is gone.
func TestARetryKeepsItsPriceWhateverTheRolloutDoes(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	w.draft(discount, shares(10_000, 25_000, 100_000)...)
	if _, v := w.charge("acct_42", "before"); under(v) != outside {
		t.Errorf("a draft decides: %s", under(v))
	}
	w.must(w.rollouts.Start, discount)

	first, v := w.charge("acct_42", "c1")
	if under(v) != candidate || v.Cost != 54 {
		t.Fatalf("in the 10 %% stage: %s, %d", under(v), v.Cost)
	}
	if _, v := w.charge("acct_1", "c2"); under(v) != baseline || v.Cost != 60 {
		t.Errorf("outside the stage: %s, %d", under(v), v.Cost)
	}
	w.must(w.rollouts.Advance, discount)
	again, _ := w.charge("acct_42", "c1")
	if !again.Replayed || string(again.Result) != string(first.Result) {
		t.Errorf("sent again at 25 %%: replayed %t\n%s\n%s", again.Replayed, again.Result, first.Result)
	}
	if _, v := w.charge("acct_1", "c3"); under(v) != candidate {
		t.Errorf("widened: %s", under(v))
	}
	if again, v := w.charge("acct_1", "c2"); !again.Replayed || under(v) != baseline {
		t.Errorf("priced at the baseline, sent again: %s", under(v))
	}

	w.must(w.rollouts.RollBack, discount)
	late, _ := w.charge("acct_42", "c1")
	if !late.Replayed || string(late.Result) != string(first.Result) {
		t.Errorf("sent again after the rollback: replayed %t\n%s\n%s", late.Replayed, late.Result, first.Result)
	}
	if _, v := w.charge("acct_42", "c4"); under(v) != outside || v.Cost != 60 {
		t.Errorf("a new charge after the rollback: %s, %d", under(v), v.Cost)
	}

	history, err := w.rollouts.History(ctx, discount)
	var kinds []string
	for _, e := range history {
		kinds = append(kinds, e.Kind)
	}
	if want := "[rolled_back advanced started created]"; err != nil || fmt.Sprint(kinds) != want {
		t.Errorf("history %v, %v; want %s", kinds, err, want)
	}
	if n := w.count(`SELECT count(*) FROM enrolments`); n != 2 {
		t.Errorf("%d enrolments, want 2", n)
	}
	d, err := w.Pricing.Recorded(ctx, w.count(`SELECT key FROM accounts WHERE id = 'acct_42'`), "c1")
	if err != nil || d == nil || *d.Stage != 1 || *d.RolloutVersion != 2 || *d.Bucket != 8012 || d.Reason != pricing.BelowThreshold {
		t.Errorf("decision of c1: %+v, %v", d, err)
	}
	w.sound()
}

// TestCase_F20: the price that was shown is the price that is taken, also when the rollout is rolled back in between.
func TestCase_F20_QuoteThenRollbackThenCharge(t *testing.T) {
	w := newWorld(t)
	w.draft(discount, shares(10_000)...)
	w.must(w.rollouts.Start, discount)
	out, err := w.Pricing.Quote(context.Background(), pricing.QuoteRequest{OperationID: "c1", AccountID: "acct_42", Action: modeltest.Action, Units: 60})
	var q pricing.QuoteResult
	if err != nil || out.Decode(&q) != nil || q.Price != 54 || q.RuleVersion != v2 {
		t.Fatalf("quote %+v, %v", q, err)
	}
	if n := w.count(`SELECT count(*) FROM enrolments`); n != 1 {
		t.Errorf("a quote enrolled %d accounts", n)
	}
	w.must(w.rollouts.RollBack, discount)
	if _, v := w.charge("acct_42", "c1"); under(v) != candidate || v.Cost != 54 {
		t.Errorf("charged %s, %d", under(v), v.Cost)
	}
	w.sound()
}

// Charges are sent again and again from two processes while the rollout is advanced, paused, resumed and rolled back, the
// first time in the moment of a step: whatever that one decided holds for all others, with one entry.
func TestFiftyReplaysWhileTheRolloutMoves(t *testing.T) {
	w := newWorld(t)
	processes := []*modeltest.Models{w.Models, modeltest.New(t, w.G, modeltest.Fast())}
	w.draft(discount, shares(10_000, 25_000, 100_000)...)
	w.must(w.rollouts.Start, discount)
	w.charge("acct_42", "for-the-checks")
	steps := []stepFunc{w.rollouts.Advance, w.rollouts.Pause, w.rollouts.Resume, w.rollouts.Advance, w.rollouts.RollBack}
	charges := []*repeated{
		// Admitted by the stage that is reached meanwhile, kept out by the pause, and admitted by all until the rollback. None of the
		// accounts was enrolled before.
		{op: "c1", account: w.inBuckets(10_000, 25_000), from: 0},
		{op: "c2", account: w.inBuckets(0, 10_000), from: 1},
		{op: "c5", account: w.inBuckets(25_000, 100_000), from: 4},
	}
	for n, do := range steps {
		begin, moved := make(chan struct{}), make(chan struct{})
		var wg sync.WaitGroup
		for _, c := range charges {
			if n < c.from {
				continue
			}
			for _, m := range processes {
				wg.Go(func() {
					<-begin
					for {
						c.send(t, m)
						select {
						case <-moved:
							return
						default:
						}
					}
				})
			}
		}
		close(begin)
		err := w.step(do, discount)
		close(moved)
		wg.Wait()
		if err != nil {
			t.Fatalf("step %d: %v", n, err)
		}
	}
	for _, c := range charges {
		for c.sends < 50 {
			c.send(t, processes[c.sends%2])
		}
		if len(c.answers) != 1 || c.fresh != 1 {
			t.Errorf("%s: %d sends had %v, %d of them were not replays", c.op, c.sends, c.answers, c.fresh)
		}
		for answer := range c.answers {
			if answer != candidate+" 54" && answer != baseline+" 60" && (answer != outside+" 60" || c.op != "c5") {
				t.Errorf("%s: %s", c.op, answer)
			}
		}
		if n := w.count(`SELECT count(*) FROM entries WHERE operation_id = ?`, c.op); n != 1 {
			t.Errorf("%s: %d entries", c.op, n)
		}
		if n := w.count(`SELECT count(*) FROM decisions d JOIN entries e USING (account_key, operation_id)
			WHERE operation_id = ? AND d.rule_version = e.rule_version AND d.price = -e.amount`, c.op); n != 1 {
			t.Errorf("%s: %d decisions of its entry", c.op, n)
		}
	}
	w.sound()
}

// repeated is a charge that is sent many times, and what came back.
type repeated struct {
	op, account string
	// from is the step around which it is sent for the first time.
	from int

	mu           sync.Mutex
	sends, fresh int
	answers      map[string]int
}

func (c *repeated) send(t *testing.T, m *modeltest.Models) {
	out, v, err := chargeBy(m, c.account, c.op)
	if err != nil {
		t.Errorf("%s: %v", c.op, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answers == nil {
		c.answers = map[string]int{}
	}
	c.answers[fmt.Sprint(under(v), " ", v.Cost)]++
	if c.sends++; !out.Replayed {
		c.fresh++
	}
}

// inBuckets makes an account whose bucket is from low up to below high.
func (w *world) inBuckets(low, high int) string {
	w.t.Helper()
	for n := 0; ; n++ {
		id := fmt.Sprintf("bucket_%d_%d", low, n)
		if b := pricing.Bucket(discount, id); b >= low && b < high {
			w.Account(w.t, id, 1000)
			return id
		}
	}
}

// TestCase_F28: what is decided after the commit of a rollback has the baseline, in every process.
func TestCase_F28_AfterARollbackNobodyServesTheOldPrice(t *testing.T) {
	w := newWorld(t)
	other := modeltest.New(t, w.G, modeltest.Fast())
	for round := range 5 {
		id := fmt.Sprintf("ro_%d", round)
		w.draft(id, pricing.Stage{Segment: pricing.Segment{Accounts: []string{"acct_42"}}})
		w.must(w.rollouts.Start, id)
		for _, m := range []*modeltest.Models{w.Models, other} {
			if _, v, err := chargeBy(m, "acct_42", ids.New()); err != nil || v.RuleVersion != v2 {
				t.Fatalf("while it runs: %s, %v", under(v), err)
			}
		}
		w.must(w.rollouts.RollBack, id)
		for _, m := range []*modeltest.Models{w.Models, other} {
			if _, v, err := chargeBy(m, "acct_42", ids.New()); err != nil || under(v) != outside {
				t.Fatalf("after the rollback: %s, %v", under(v), err)
			}
		}
	}
	w.sound()
}

// TestCase_F29: whatever charges and steps meet, every entry has the rule version of its decision, and the version of
// the rollout that the decision read admitted it.
func TestCase_F29_EveryEntryHasTheRuleOfItsDecision(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	w.draft(discount, shares(10_000, 50_000, 100_000)...)
	w.must(w.rollouts.Start, discount)
	for i := range 20 {
		w.Account(t, fmt.Sprintf("a%d", i), 100_000)
	}
	// Without any charge under the candidate there would be no data to widen on.
	w.charge("acct_42", "first")
	var wg sync.WaitGroup
	for c := range 6 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(c)))
			for range 40 {
				account, op := fmt.Sprintf("a%d", r.IntN(20)), ids.New()
				if r.IntN(3) == 0 {
					if _, err := w.Pricing.Quote(ctx, pricing.QuoteRequest{OperationID: op, AccountID: account, Action: modeltest.Action, Units: 60}); err != nil {
						t.Error(err)
					}
				}
				if _, _, err := chargeBy(w.Models, account, op); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Go(func() {
		for _, do := range []stepFunc{w.rollouts.Pause, w.rollouts.Resume, w.rollouts.Advance, w.rollouts.Pause, w.rollouts.Resume, w.rollouts.Advance} {
			if err := w.step(do, discount); err != nil {
				t.Errorf("step: %v", err)
			}
			if _, err := w.rollouts.Check(ctx, discount); err != nil {
				t.Errorf("check: %v", err)
			}
		}
	})
	wg.Wait()
	checks, err := w.rollouts.Check(ctx, discount)
	if err != nil || !checks.Passed() {
		t.Errorf("checks: %s, %v", checks.Why(), err)
	}
	if n := w.count(`SELECT count(*) FROM decisions WHERE rollout_id = ?`, discount); checks.Examined != n || n != 241 {
		t.Errorf("%d decisions examined of %d", checks.Examined, n)
	}
	if n := w.count(`SELECT count(*) FROM entries e JOIN decisions d ON d.account_key = e.account_key AND d.operation_id = e.operation_id
		WHERE e.type = 'charge' AND (e.rule_version, e.rollout_id, e.cohort, -e.amount) IS DISTINCT FROM (d.rule_version, d.rollout_id, d.cohort, d.price)`); n != 0 {
		t.Errorf("%d entries differ from their decision", n)
	}
	w.sound()
}

// A completed rollout's candidate is the price in force, and the price cannot change while a rollout is live.
func TestCompleteMakesTheCandidateTheBaseline(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	w.draft(discount, shares(10_000, 100_000)...)
	w.draft("second", shares(100_000)...)
	w.must(w.rollouts.Start, discount)
	w.charge("acct_42", "c1")
	if err := w.step(w.rollouts.Start, "second"); !fault.Is(err, fault.CodeStateConflict) {
		t.Errorf("a second live rollout of the action: %v", err)
	}
	for name, err := range map[string]error{
		"complete":     w.step(w.rollouts.Complete, discount),
		"put in force": func() error { _, err := w.Pricing.PutInForce(ctx, forceRequest(v2, v1)); return err }(),
		"set price": func() error {
			_, err := w.Pricing.SetPrice(ctx, pricing.NewRule{OperationID: ids.New(), Actor: by("").Actor, Action: modeltest.Action, Unit: "second", Rounding: "up", Reason: "x"})
			return err
		}(),
		"retire the candidate": func() error {
			_, err := w.Pricing.RetireRule(ctx, pricing.RetireRequest{OperationID: ids.New(), Actor: by("").Actor, ID: v2, Reason: "x"})
			return err
		}(),
		"retire the action": func() error {
			_, err := w.Pricing.RetireAction(ctx, pricing.RetireRequest{OperationID: ids.New(), Actor: by("").Actor, ID: modeltest.Action, Reason: "x"})
			return err
		}(),
	} {
		if !fault.Is(err, fault.CodeStateConflict) {
			t.Errorf("%s while it runs at 10 %%: %v", name, err)
		}
	}
	w.must(w.rollouts.Advance, discount)
	w.must(w.rollouts.Complete, discount)
	if _, v := w.charge("acct_1001", "c2"); under(v) != v2+" - baseline" {
		t.Errorf("after completion: %s", under(v))
	}
	if n := w.count(`SELECT count(*) FROM price_changes WHERE rollout_id = ? AND rule_version = ?`, discount, v2); n != 1 {
		t.Errorf("%d changes of the price by the rollout", n)
	}
	if err := w.step(w.rollouts.Start, "second"); !fault.Is(err, fault.CodeStateConflict) {
		t.Errorf("started from a baseline that is not in force: %v", err)
	}
	w.sound()
	if w.state(discount).State != rollout.Completed {
		t.Errorf("state %s", w.state(discount).State)
	}
}

func forceRequest(rule, expected string) pricing.ForceRequest {
	return pricing.ForceRequest{OperationID: ids.New(), Actor: by("").Actor, RuleVersion: rule, Expected: expected, Reason: "x"}
}
