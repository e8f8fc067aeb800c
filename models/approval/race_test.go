package approval_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"recoup/models/approval"
	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/operation"
)

// race lets several decide at once and returns how many succeeded; the others must have met the state.
func race(t *testing.T, run ...func() (operation.Outcome, error)) int64 {
	t.Helper()
	var won atomic.Int64
	var wait sync.WaitGroup
	start := make(chan struct{})
	for _, f := range run {
		wait.Go(func() {
			<-start
			switch _, err := f(); {
			case err == nil:
				won.Add(1)
			case !fault.Is(err, fault.CodeStateConflict):
				t.Errorf("a loser got %v", err)
			}
		})
	}
	close(start)
	wait.Wait()
	return won.Load()
}

const rounds = 25

func TestTwoApproversApplyOnce(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	for i := range rounds {
		r := big(staffer("st_fiona"))
		cr := w.propose(r)
		before := w.Balance(t, "a")
		won := race(t,
			func() (operation.Outcome, error) { return w.Desk.Approve(ctx, decision(cr, staffer("st_lena"))) },
			func() (operation.Outcome, error) { return w.Desk.Approve(ctx, decision(cr, staffer("st_omar"))) },
			func() (operation.Outcome, error) { return w.Desk.Approve(ctx, decision(cr, staffer("st_lena"))) })
		if won != 1 || w.Balance(t, "a") != before+5000 {
			t.Fatalf("round %d: %d approvals, balance %d after %d", i, won, w.Balance(t, "a"), before)
		}
	}
	w.whole()
}

// An approver against whoever asked and takes it back, edits it, or sends it again.
func TestApproveAgainstTheRequester(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	for i := range rounds {
		r := big(staffer("st_fiona"))
		cr := w.propose(r)
		before := w.Balance(t, "a")
		edit := big(staffer("st_fiona"))
		edit.Amount, edit.Replaces = 7000, &approval.Replaced{ID: cr.ID, Version: cr.Version, Digest: cr.Digest}
		var retried operation.Outcome
		won := race(t,
			func() (operation.Outcome, error) { return w.Desk.Approve(ctx, decision(cr, staffer("st_lena"))) },
			func() (operation.Outcome, error) { return w.Desk.Reject(ctx, decision(cr, staffer("st_omar"))) },
			func() (operation.Outcome, error) { return w.Desk.Withdraw(ctx, decision(cr, staffer("st_fiona"))) },
			func() (operation.Outcome, error) { return w.Ledger.Grant(ctx, edit) })
		retried, err := w.Ledger.Grant(ctx, r)
		now := w.find(cr.ID)
		want := before
		if now.State == approval.Approved {
			want += 5000
			if err != nil || !retried.Replayed {
				t.Errorf("the retry after approval: %+v %v", retried, err)
			}
		} else if err == nil {
			t.Errorf("the retry of a void request: %s", retried.Result)
		}
		if won != 1 || w.Balance(t, "a") != want {
			t.Fatalf("round %d: %d succeeded, %s, balance %d, want %d", i, won, now.State, w.Balance(t, "a"), want)
		}
		// Exactly the winner's trace is there: an edit that lost left no second change request.
		open, err := w.Requests.OfOperation(ctx, operation.Account("a"), edit.OperationID)
		if err != nil || (open != nil) != (now.ReplacedBy != nil) {
			t.Fatalf("round %d: edit %v, replaced by %v, %v", i, open, now.ReplacedBy, err)
		}
	}
	w.whole()
}

// Senders of the same proposal while it is being approved: each hears that it waits or that it is applied.
func TestRetriesWhileApproving(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	for range rounds {
		r := big(staffer("st_fiona"))
		cr := w.propose(r)
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				out, err := w.Ledger.Grant(ctx, r)
				if err != nil && !fault.Is(err, fault.CodeOperationInProgress) {
					t.Errorf("retry: %v", err)
				}
				if err == nil && !out.Waiting && !out.Replayed {
					t.Errorf("a retry applied it: %s", out.Result)
				}
			})
		}
		wait.Go(func() {
			if _, err := w.Desk.Approve(ctx, decision(cr, staffer("st_lena"))); err != nil {
				t.Error(err)
			}
		})
		wait.Wait()
	}
	if got := w.Balance(t, "a"); got != 500+rounds*5000 {
		t.Errorf("balance %d", got)
	}
	w.whole()
}

// Many send the same new proposal at once: one change request.
func TestProposingAtOnceIsOneChangeRequest(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	r := ledger.AdjustRequest{Envelope: envelope(staffer("st_fiona")), AccountID: "a", Amount: -2000, Reason: "paid outside"}
	var mu sync.Mutex
	seen := map[string]bool{}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			out, err := w.Ledger.Adjust(ctx, r)
			var required approval.Required
			if err != nil || !out.Waiting || out.Decode(&required) != nil {
				t.Errorf("%+v %v", out, err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			seen[required.ChangeRequest.ID] = true
		})
	}
	wait.Wait()
	if len(seen) != 1 {
		t.Errorf("change requests %v", seen)
	}
}
