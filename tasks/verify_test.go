package tasks

import (
	"context"
	"errors"
	"slices"
	"testing"

	"recoup/models/actor"
	"recoup/models/ids"
	"recoup/models/modeltest"
	"recoup/models/task"
	"recoup/models/verify"
)

func noAnchors(context.Context) ([]verify.AnchorList, error) { return nil, nil }

// takenRun asks for a run and takes it as a worker.
func takenRun(t *testing.T, m *modeltest.Models) (*verify.Desk, *task.Run) {
	t.Helper()
	ctx := context.Background()
	store := task.New(m.G, nil)
	desk := verify.NewDesk(m.Ops, store)
	if _, err := desk.Start(ctx, verify.RunRequest{OperationID: ids.New(), Actor: actor.System()}); err != nil {
		t.Fatal(err)
	}
	asked, err := desk.Asked(ctx)
	if err != nil {
		t.Fatal(err)
	}
	run, err := store.Take(ctx, asked.Key, "w1")
	if err != nil || run == nil {
		t.Fatalf("%+v, %v", run, err)
	}
	return desk, run
}

// A run finds what is wrong, an anchor that differs included, tells how far it is, and is recorded once however often
// it is begun.
func TestVerifyInTheBackground(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "acct_7", 100)
	if err := m.G.Exec(`UPDATE accounts SET balance = balance + 5`).Error; err != nil {
		t.Fatal(err)
	}
	v := verify.New(m.G)
	_, run := takenRun(t, m)
	forged := func(context.Context) ([]verify.AnchorList, error) {
		return []verify.AnchorList{{Check: verify.CheckAnchor, Anchors: []verify.Anchor{{Digest: "forged"}}}, {Check: verify.CheckAnchorFile}}, nil
	}
	for range 2 {
		result, err := Verify(v, forged)(ctx, run)
		if err != nil {
			t.Fatal(err)
		}
		if got := result.(VerifyResult); got.Run != 1 || got.Problems != 2 {
			t.Errorf("%+v", got)
		}
	}
	last, err := v.Last(ctx)
	if err != nil || last.ByCheck[verify.CheckHead] != 1 || last.ByCheck[verify.CheckAnchor] != 1 || last.TaskID != run.ID || last.RequestedBy != "system" ||
		slices.Contains(last.Checks, verify.CheckAnchorFile) {
		t.Errorf("%+v, %v", last, err)
	}
	if run.Total != 1 {
		t.Errorf("progress of %d entries", run.Total)
	}
}

// A run that was ended stops and leaves no result.
func TestVerifyThatWasEnded(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "acct_7", 100)
	v := verify.New(m.G)
	desk, run := takenRun(t, m)
	if _, err := desk.Cancel(ctx, verify.RunRequest{OperationID: ids.New(), Actor: actor.System(), TaskID: run.ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(v, noAnchors)(ctx, run); !errors.Is(err, task.ErrStopped) {
		t.Errorf("%v", err)
	}
	if last, err := v.Last(ctx); err != nil || last != nil {
		t.Errorf("%+v, %v", last, err)
	}
}
