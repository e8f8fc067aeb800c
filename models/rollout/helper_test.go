package rollout_test

import (
	"context"
	"os"
	"testing"
	"time"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/credit"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/operation"
	"recoup/models/page"
	"recoup/models/pricing"
	"recoup/models/rollout"
	"recoup/models/verify"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

// The salt whose buckets are known: acct_42 is in the first 10 %, acct_1 in the first 25 %, acct_1001 in neither.
const (
	discount = "ro_2026_discount10"
	v1       = modeltest.Action + "@v1"
	v2       = modeltest.Action + "@v2"
)

// world is a database with a price in force, a candidate that is 10 % cheaper, and the three accounts.
type world struct {
	*modeltest.Models
	t        *testing.T
	rollouts *rollout.Service
	// costs is what the tests say of the costs.
	costs rollout.Costs
}

func newWorld(t *testing.T) *world { return over(t, modeltest.Ready(t, modeltest.Fast())) }

func over(t *testing.T, m *modeltest.Models) *world {
	t.Helper()
	w := &world{Models: m, t: t, costs: rollout.Costs{Delivered: 10, Known: 10}}
	w.rollouts = w.service(m)
	for _, id := range []string{"acct_1", "acct_42", "acct_1001"} {
		m.Account(t, id, 100_000)
	}
	n := pricing.NewRule{OperationID: ids.New(), Actor: actor.Staff("pm"), Action: modeltest.Action, Unit: "second", UnitPrice: 1000, DiscountBps: 1000,
		Rounding: credit.RoundHalfEven, Reason: "10 % off"}
	if _, err := m.Pricing.CreateRule(context.Background(), n); err != nil {
		t.Fatal(err)
	}
	return w
}

// service is what another process would have.
func (w *world) service(m *modeltest.Models) *rollout.Service {
	return rollout.New(m.Ops, rollout.Options{Costs: func(context.Context, *gorm.DB, rollout.Rollout) (rollout.Costs, error) { return w.costs, nil }})
}

func by(op string) ledger.Envelope {
	return ledger.Envelope{OperationID: op, Actor: actor.Staff("pm")}
}

func shares(thresholds ...int) (stages []pricing.Stage) {
	for _, t := range thresholds {
		stages = append(stages, pricing.Stage{Threshold: t})
	}
	return stages
}

// draft makes a rollout whose checks need one charge.
func (w *world) draft(id string, stages ...pricing.Stage) {
	w.t.Helper()
	one := int64(1)
	_, err := w.rollouts.Create(context.Background(), rollout.NewRollout{Envelope: by(ids.New()), ID: id, Action: modeltest.Action, Candidate: v2,
		Stages: stages, MinCharges: &one, Reason: "test"})
	if err != nil {
		w.t.Fatal(err)
	}
}

type stepFunc func(context.Context, rollout.StepRequest) (operation.Outcome, error)

// step makes a step from the version that the rollout has now.
func (w *world) step(do stepFunc, id string) error {
	w.t.Helper()
	r, err := w.rollouts.Find(context.Background(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	_, err = do(context.Background(), rollout.StepRequest{Envelope: by(ids.New()), RolloutID: id, Version: r.Version, Reason: "test"})
	return err
}

func (w *world) must(do stepFunc, id string) {
	w.t.Helper()
	if err := w.step(do, id); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) state(id string) rollout.Rollout {
	w.t.Helper()
	r, err := w.rollouts.Find(context.Background(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// charge charges 60 units, which cost 60 under the baseline and 54 under the candidate.
func (w *world) charge(account, op string) (operation.Outcome, job.View) {
	w.t.Helper()
	out, v, err := chargeBy(w.Models, account, op)
	if err != nil {
		w.t.Fatal(err)
	}
	return out, v
}

func chargeBy(m *modeltest.Models, account, op string) (operation.Outcome, job.View, error) {
	out, err := m.Jobs.Charge(context.Background(), job.ChargeRequest{Envelope: ledger.Envelope{OperationID: op, Actor: actor.Key("test")},
		AccountID: account, JobID: "job-" + op, Action: modeltest.Action, Units: 60})
	var r job.ChargeResult
	if err == nil {
		err = out.Decode(&r)
	}
	return out, r.Job, err
}

// under says which rule version, rollout and cohort priced a job.
func under(v job.View) string {
	id := "-"
	if v.RolloutID != nil {
		id = *v.RolloutID
	}
	return v.RuleVersion + " " + id + " " + v.Cohort
}

const (
	outside   = v1 + " - baseline"
	baseline  = v1 + " " + discount + " baseline"
	candidate = v2 + " " + discount + " candidate"
)

// sound runs the verifier over everything.
func (w *world) sound() {
	w.t.Helper()
	report, err := verify.New(w.G).Run(context.Background(), verify.Options{Grace: time.Hour, OnProblem: func(p verify.Problem) error {
		w.t.Error(p)
		return nil
	}})
	if err != nil || !report.OK() {
		w.t.Errorf("verify: %d problems, %v", report.Problems, err)
	}
}

func (w *world) count(sql string, args ...any) int64 {
	w.t.Helper()
	var n int64
	if err := w.G.Raw(sql, args...).Scan(&n).Error; err != nil {
		w.t.Fatal(err)
	}
	return n
}

// findings are the first of what the checks have found.
func (w *world) findings(limit int) ([]rollout.Finding, error) {
	p, err := w.rollouts.Findings(context.Background(), discount, "", nil, page.Older, limit)
	return p.Rows, err
}

func scopeOf(name string) operation.Scope { return operation.ParseScope(name) }
