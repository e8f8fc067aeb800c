package comparison_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"recoup/models/actor"
	"recoup/models/comparison"
	"recoup/models/credit"
	"recoup/models/horizon"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/operation"
	"recoup/models/pricing"
	"recoup/models/rollout"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

const (
	ro = "ro_compare"
	v1 = modeltest.Action + "@v1"
	v2 = modeltest.Action + "@v2"
)

// world is a database with a baseline of one credit a second, a candidate that is 10 % cheaper, and a comparison.
type world struct {
	*modeltest.Models
	t       *testing.T
	compare *comparison.Service
}

func newWorld(t *testing.T) *world {
	t.Helper()
	m := modeltest.Ready(t, modeltest.Fast())
	_, err := m.Pricing.CreateRule(context.Background(), pricing.NewRule{OperationID: ids.New(), Actor: actor.Staff("pm"), Action: modeltest.Action, Unit: "second",
		UnitPrice: 1000, DiscountBps: 1000, Rounding: credit.RoundHalfEven, Reason: "10 % off"})
	if err != nil {
		t.Fatal(err)
	}
	return &world{Models: m, t: t, compare: comparison.New(m.G, 7*24*time.Hour)}
}

// draft makes the rollout.
func (w *world) draft(stages ...pricing.Stage) {
	w.t.Helper()
	_, err := w.Rollouts.Create(context.Background(), rollout.NewRollout{Envelope: ledger.Envelope{OperationID: ids.New(), Actor: actor.Staff("pm")}, ID: ro,
		Action: modeltest.Action, Candidate: v2, Stages: stages, Reason: "test"})
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) state() rollout.Rollout {
	w.t.Helper()
	r, err := w.Rollouts.Find(context.Background(), ro)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func (w *world) step(do func(context.Context, rollout.StepRequest) (operation.Outcome, error)) {
	w.t.Helper()
	_, err := do(context.Background(), rollout.StepRequest{Envelope: ledger.Envelope{OperationID: ids.New(), Actor: actor.Staff("pm")}, RolloutID: ro,
		Version: w.state().Version, Reason: "test"})
	if err != nil {
		w.t.Fatal(err)
	}
}

// charge charges an external job; the operation has the job's id.
func (w *world) charge(account, id string, units int64) {
	w.t.Helper()
	_, err := w.Jobs.Charge(context.Background(), job.ChargeRequest{Envelope: ledger.Envelope{OperationID: id, Actor: actor.Key("test")}, AccountID: account,
		JobID: id, Action: modeltest.Action, Units: units, Mode: job.External})
	if err != nil {
		w.t.Error(err)
	}
}

// charges charges each account so many times, many accounts at once.
func (w *world) charges(prefix string, accounts []string, each int) {
	w.t.Helper()
	var all sync.WaitGroup
	slots := make(chan struct{}, 8)
	for _, a := range accounts {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			for n := range each {
				w.charge(a, fmt.Sprintf("%s-%s-%d", prefix, a, n), 60)
			}
		})
	}
	all.Wait()
	if w.t.Failed() {
		w.t.FailNow()
	}
}

func (w *world) signal(account, id string, s job.Signal) {
	w.t.Helper()
	_, err := w.Jobs.Signal(context.Background(), job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: account, JobID: id, Signal: s})
	if err != nil {
		w.t.Fatal(err)
	}
}

// exec runs a statement as the owner of the tables.
func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	if err := w.G.Exec(sql, args...).Error; err != nil {
		w.t.Fatal(err)
	}
}

// settle makes everything that is committed final.
func (w *world) settle() {
	w.t.Helper()
	if _, err := horizon.Settle(context.Background(), w.G); err != nil {
		w.t.Fatal(err)
	}
}

func named(prefix string, n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("%s_%d", prefix, i))
	}
	return out
}
