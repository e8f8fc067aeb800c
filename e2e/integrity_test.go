package e2e

import (
	"context"
	"testing"

	"recoup/models/staff"
	"recoup/models/task"
	"recoup/models/verify"
	"recoup/tasks"
)

// verified verifies the world's ledger and records the run.
func (w *world) verified() {
	w.t.Helper()
	ctx := context.Background()
	v := verify.New(w.G)
	var evidence verify.Evidence
	report, err := v.Run(ctx, verify.Options{OnProblem: evidence.Add})
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := v.Keep(ctx, verify.Record{Report: report, Evidence: &evidence}); err != nil {
		w.t.Fatal(err)
	}
}

// A run is asked for in a dialog, watched, and its result shows without anybody loading the page anew.
func TestRunTheVerifierFromThePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	w.Account(t, "acct_7", 100)
	if err := w.G.Exec(`UPDATE accounts SET balance = balance + 5`).Error; err != nil {
		t.Fatal(err)
	}
	b := w.as(staff.Finance, staff.Preferences{})
	b.goTo("/integrity")
	b.until("document.documentElement.dataset.js === ''")
	b.click(`a[href="/integrity/run"]`)
	b.until("document.querySelector('#dialog[open] #form') && document.activeElement.matches('#dialog [data-cancel]')")
	b.doubleClick(`#dialog button[data-kind="primary"]`)
	b.sees("The ledger is being verified", "Waits for a worker process.")
	store := task.New(w.G, nil)
	asked, err := verify.NewDesk(w.Ops, store).Asked(ctx)
	if err != nil {
		t.Fatal(err)
	}
	run, err := store.Take(ctx, asked.Key, "w1")
	if err != nil || run == nil {
		t.Fatal(run, err)
	}
	b.sees("of about")
	v := verify.New(w.G)
	result, err := tasks.Verify(v, func(context.Context) ([]verify.AnchorList, error) { return nil, nil })(ctx, run)
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Finish(ctx, result); err != nil {
		t.Fatal(err)
	}
	b.sees("Balance shown: 1 problem", "recoup verify --rebuild-heads")
	b.until("!document.querySelector('#progress')")
	b.click(`a[href*="check=head"]`)
	b.sees("Expected: balance 100", "Found: balance 105")
	b.click(`.evidence a[href="/accounts/acct_7"]`)
	b.at("/accounts/acct_7")
}
