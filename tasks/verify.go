package tasks

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"recoup/models/task"
	"recoup/models/verify"
)

// watchEvery is how often a run of the verifier tells how far it is.
const watchEvery = 500 * time.Millisecond

// VerifyResult is the result of a task of kind verify.TaskKind.
type VerifyResult struct {
	Run      int64 `json:"run"`
	Problems int64 `json:"problems"`
}

// Verify verifies the whole ledger and records the run. anchors reads the digests that each place keeps; what
// differs is a problem as any other. Begun again it starts anew; a run that was recorded is not recorded twice.
func Verify(v *verify.Verifier, anchors func(context.Context) ([]verify.AnchorList, error)) BackgroundFunc {
	return func(ctx context.Context, run *task.Run) (any, error) {
		total, err := v.HowMuch(ctx)
		if err != nil {
			return nil, err
		}
		ctx, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		w := watcher{v: v, run: run, total: total}
		done := make(chan struct{})
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if err := w.watch(ctx, done); err != nil {
				stop(err)
			}
		}()
		var evidence verify.Evidence
		report, err := v.Run(ctx, verify.Options{OnProblem: evidence.Add, OnProgress: w.set})
		if err == nil {
			err = compareAnchors(ctx, v, anchors, &report, &evidence)
		}
		close(done)
		<-ended
		// The watcher may hear that the run was ended just after its last row was read.
		if errors.Is(context.Cause(ctx), task.ErrStopped) {
			return nil, task.ErrStopped
		}
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return nil, err
		}
		id, err := v.Keep(ctx, verify.Record{Report: report, Evidence: &evidence, TaskID: run.ID, RequestedBy: run.RequestedBy})
		return VerifyResult{Run: id, Problems: report.Problems}, err
	}
}

// compareAnchors computes the kept digests again and adds what differs to the report.
func compareAnchors(ctx context.Context, v *verify.Verifier, read func(context.Context) ([]verify.AnchorList, error), report *verify.Report, evidence *verify.Evidence) error {
	kept, err := read(ctx)
	if err != nil {
		return fmt.Errorf("tasks: anchors: %w", err)
	}
	compared, err := v.CompareAnchors(ctx, kept, verify.AnchorChoice{})
	if err != nil {
		return err
	}
	for _, c := range compared {
		report.Add(c)
		for _, p := range c.Problems {
			if err := evidence.Add(p); err != nil {
				return err
			}
		}
	}
	report.Finished = time.Now().UTC()
	return nil
}

// watcher tells how far a run is, beside the run: the workers of a run do not wait for it.
type watcher struct {
	v     *verify.Verifier
	run   *task.Run
	total verify.Totals
	mu    sync.Mutex
	now   verify.Progress
}

func (w *watcher) set(p verify.Progress) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = p
}

func (w *watcher) watch(ctx context.Context, done <-chan struct{}) error {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		w.mu.Lock()
		p := w.now
		w.mu.Unlock()
		if err := w.v.Watch(ctx, w.run.ID, p, w.total); err != nil {
			return err
		}
		if err := w.run.Progress(ctx, p.Entries, max(p.Entries, w.total.Entries)); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-done:
			return nil
		case <-ticker.C:
		}
	}
}
