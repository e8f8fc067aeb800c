package rollout_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recoup/models/ids"
	"recoup/models/modeltest"
	"recoup/models/pricing"
	"recoup/models/rollout"
)

// A charge that begins after the rollback's commit, in whichever process, has the baseline; so has a quote and a preview. Each process
// has connections of its own, and all of them charge while the rollout is rolled back, again and again.
func TestAfterARollbackEveryProcessDecidesForTheBaseline(t *testing.T) {
	url := modeltest.URL(t)
	ctx := context.Background()
	first := ready(t, url)
	first.Price(t, modeltest.Action, 1000)
	w := over(t, first)
	processes := []*modeltest.Models{first, ready(t, url), ready(t, url)}
	for round := range 6 {
		id := fmt.Sprintf("ro_%d", round)
		w.draft(id, pricing.Stage{Segment: pricing.Segment{Accounts: []string{"acct_42"}}})
		w.must(w.rollouts.Start, id)
		var done atomic.Bool
		var before, after atomic.Int64
		var wg sync.WaitGroup
		for _, m := range processes {
			wg.Go(func() {
				for late := 0; late < 10; {
					afterCommit := done.Load() // read before the statement starts
					op := ids.New()
					_, v, err := chargeBy(m, "acct_42", op)
					if err != nil {
						t.Error(err)
						return
					}
					if !afterCommit {
						before.Add(1)
						continue
					}
					late++
					after.Add(1)
					if under(v) != outside {
						t.Errorf("a charge after the rollback: %s", under(v))
					}
					if d, err := m.Pricing.Preview(ctx, "acct_42", modeltest.Action, 60); err != nil || d.RuleVersion != v1 {
						t.Errorf("a look after the rollback: %s, %v", d.RuleVersion, err)
					}
					out, err := m.Pricing.Quote(ctx, pricing.QuoteRequest{OperationID: ids.New(), AccountID: "acct_42", Action: modeltest.Action, Units: 60})
					var q pricing.QuoteResult
					if err == nil {
						err = out.Decode(&q)
					}
					if err != nil || q.RuleVersion != v1 {
						t.Errorf("a quote after the rollback: %s, %v", q.RuleVersion, err)
					}
				}
			})
		}
		for before.Load() < 10 && !t.Failed() {
			time.Sleep(time.Millisecond)
		}
		w.must(w.rollouts.RollBack, id)
		done.Store(true)
		wg.Wait()
		if after.Load() != 30 && !t.Failed() {
			t.Errorf("%d charges after the rollback", after.Load())
		}
		if s := w.state(id); s.State != rollout.RolledBack {
			t.Fatalf("state %s", s.State)
		}
		if n := w.count(`SELECT count(*) FROM decisions WHERE rollout_id = ? AND cohort = 'candidate'`, id); n == 0 {
			t.Error("nothing was decided for the candidate: the test saw no rollout")
		}
	}
	w.sound()
}

// ready are the models of a process of its own: other connections, nothing shared but the database.
func ready(t *testing.T, url string) *modeltest.Models {
	t.Helper()
	return modeltest.New(t, modeltest.Open(t, url, nil), modeltest.Fast())
}
