package settlement_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/approval"
	"recoup/models/credit"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/operation"
	"recoup/models/pricing"
	"recoup/models/rollout"
	"recoup/models/settlement"
	"recoup/models/task"
	"recoup/models/verify"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

const ro = "ro_prices"

// world has a rollout that admits everybody to a candidate of a price of its own.
type world struct {
	t testing.TB
	*modeltest.Models
	rollouts *rollout.Service
	tasks    *task.Store
	store    *settlement.Store
	desk     *approval.Desk
}

// newWorld makes a world whose baseline costs one credit a unit and whose candidate costs unitPrice thousandths, at
// least minimum.
func newWorld(t testing.TB, unitPrice, minimum int64) world {
	t.Helper()
	return begun(t, modeltest.Ready(t, modeltest.Fast()), unitPrice, minimum)
}

// settle makes a world over a database that has the baseline already; the candidate costs a tenth more.
func settle(t testing.TB, m *modeltest.Models) world { return begun(t, m, 1100, 0) }

func begun(t testing.TB, m *modeltest.Models, unitPrice, minimum int64) world {
	t.Helper()
	w := over(t, m)
	n := pricing.NewRule{OperationID: ids.New(), Actor: actor.Staff("pm"), Action: modeltest.Action, Unit: "second", UnitPrice: unitPrice, Minimum: minimum,
		Rounding: credit.RoundHalfEven, Reason: "another price"}
	if _, err := w.Pricing.CreateRule(context.Background(), n); err != nil {
		t.Fatal(err)
	}
	one := int64(1)
	_, err := w.rollouts.Create(context.Background(), rollout.NewRollout{Envelope: envelope("pm"), ID: ro, Action: modeltest.Action, Candidate: modeltest.Action + "@v2",
		Stages: []pricing.Stage{{Threshold: pricing.Buckets}}, MinCharges: &one, Reason: "test"})
	if err != nil {
		t.Fatal(err)
	}
	w.step(w.rollouts.Start)
	return w
}

// over builds what a process would have over a database.
func over(t testing.TB, m *modeltest.Models) world {
	w := world{t: t, Models: m, tasks: task.New(m.G, nil)}
	w.rollouts = rollout.New(m.Ops, rollout.Options{Costs: func(context.Context, *gorm.DB, rollout.Rollout) (rollout.Costs, error) {
		return rollout.Costs{Delivered: 1, Known: 1}, nil
	}})
	w.store = settlement.New(m.Ops, m.Ledger, m.Requests, w.tasks)
	w.desk = approval.NewDesk(m.Ops, w.store.Executors())
	return w
}

func envelope(who string) ledger.Envelope {
	return ledger.Envelope{OperationID: ids.New(), Actor: actor.Staff(who)}
}

func (w world) step(do func(context.Context, rollout.StepRequest) (operation.Outcome, error)) {
	w.t.Helper()
	r, err := w.rollouts.Find(context.Background(), ro)
	if err == nil {
		_, err = do(context.Background(), rollout.StepRequest{Envelope: envelope("pm"), RolloutID: ro, Version: r.Version, Reason: "test"})
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// ended rolls the rollout back, unless it has ended.
func (w world) ended() {
	w.t.Helper()
	r, err := w.rollouts.Find(context.Background(), ro)
	if err != nil {
		w.t.Fatal(err)
	}
	if r.State.Live() {
		w.step(w.rollouts.RollBack)
	}
}

// charge charges a job that the caller runs.
func (w world) charge(account, id string, units int64) {
	w.t.Helper()
	_, err := w.Jobs.Charge(context.Background(), job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: account, JobID: id, Action: modeltest.Action, Units: units, Mode: job.External})
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w world) signal(account, id string, kind job.SignalType) {
	w.t.Helper()
	s := job.Signal{Type: kind}
	if kind == job.SignalFailed {
		s.Class = job.TimedOut
	}
	if _, err := w.Jobs.Signal(context.Background(), job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: account, JobID: id, Signal: s}); err != nil {
		w.t.Fatal(err)
	}
}

// delivered charges a job and delivers it.
func (w world) delivered(account, id string, units int64) {
	w.t.Helper()
	w.charge(account, id, units)
	w.signal(account, id, job.SignalSucceeded)
}

// propose rolls the rollout back, unless it has ended, and proposes what the filter finds.
func (w world) propose(f settlement.Filter) settlement.Settlement {
	w.t.Helper()
	return w.proposeBy(settlement.Proposal{RolloutID: ro, Filter: f})
}

func (w world) proposeBy(p settlement.Proposal) settlement.Settlement {
	w.t.Helper()
	w.ended()
	p.Envelope, p.Reason = envelope("fiona"), "the price was wrong"
	out, err := w.store.Propose(context.Background(), p)
	if err != nil || !out.Waiting {
		w.t.Fatalf("proposal: waiting %t, %v", out.Waiting, err)
	}
	return w.find(w.content(out).Settlement)
}

func (w world) content(out operation.Outcome) settlement.Content {
	w.t.Helper()
	var r approval.Required
	if err := out.Decode(&r); err != nil {
		w.t.Fatal(err)
	}
	c, err := settlement.ReadProposed(approval.Request{Proposal: string(r.ChangeRequest.Proposal)})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w world) find(id string) settlement.Settlement {
	w.t.Helper()
	st, err := w.store.Find(context.Background(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return st
}

func (w world) request(st settlement.Settlement) approval.Request {
	w.t.Helper()
	r, err := w.Requests.OfOperation(context.Background(), settlement.Scope(), st.OperationID)
	if err != nil || r == nil {
		w.t.Fatalf("change request of %s: %v", st.ID, err)
	}
	return *r
}

func (w world) approve(st settlement.Settlement) settlement.Settlement {
	w.t.Helper()
	if err := w.approveBy("lena", st); err != nil {
		w.t.Fatal(err)
	}
	return w.find(st.ID)
}

func (w world) approveBy(who string, st settlement.Settlement) error {
	r := w.request(st)
	_, err := w.desk.Approve(context.Background(), approval.Decision{OperationID: ids.New(), Actor: actor.Staff(who), ID: r.ID, Version: r.Version, Digest: r.Digest, Reason: "right"})
	return err
}

// take takes the task of a settlement, as a worker does.
func (w world) take(st settlement.Settlement) *task.Run {
	w.t.Helper()
	t, err := w.tasks.Find(context.Background(), *st.TaskID)
	if err != nil {
		w.t.Fatal(err)
	}
	run, err := w.tasks.Take(context.Background(), t.Key, ids.New())
	if err != nil || run == nil {
		w.t.Fatalf("task not taken: %v", err)
	}
	return run
}

func (w world) pay(st settlement.Settlement) settlement.Result {
	w.t.Helper()
	result, err := w.store.Run(context.Background(), w.take(st))
	if err != nil {
		w.t.Fatal(err)
	}
	return result.(settlement.Result)
}

func (w world) count(sql string, args ...any) int64 {
	w.t.Helper()
	var n int64
	if err := w.G.Raw(sql, args...).Scan(&n).Error; err != nil {
		w.t.Fatal(err)
	}
	return n
}

func (w world) balances(accounts ...string) string {
	var all []int64
	for _, a := range accounts {
		all = append(all, w.Balance(w.t, a))
	}
	return fmt.Sprint(all)
}

// whole runs the verifier over everything.
func (w world) whole() {
	w.t.Helper()
	report, err := verify.New(w.G).Run(context.Background(), verify.Options{OnProblem: func(p verify.Problem) error {
		w.t.Error(p)
		return nil
	}})
	if err != nil || !report.OK() {
		w.t.Errorf("verify: %d problems, %v", report.Problems, err)
	}
}

// damage changes rows of a table as its owner can, with the triggers off.
func (w world) damage(table, statement string, args ...any) {
	w.t.Helper()
	err := w.G.Transaction(func(tx *gorm.DB) error {
		// Of this session alone; triggers that fire always would fire all the same.
		for _, s := range []string{`SET LOCAL session_replication_role = replica`, `ALTER TABLE ` + table + ` DISABLE TRIGGER USER`} {
			if err := tx.Exec(s).Error; err != nil {
				return err
			}
		}
		if err := tx.Exec(statement, args...).Error; err != nil {
			return err
		}
		return tx.Exec(`DO $$ DECLARE t record; BEGIN FOR t IN SELECT tgname FROM pg_trigger WHERE tgrelid = '` + table + `'::regclass AND NOT tgisinternal LOOP
			EXECUTE format('ALTER TABLE ` + table + ` ENABLE ALWAYS TRIGGER %I', t.tgname); END LOOP; END $$`).Error
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

func is(t testing.TB, err error, code string) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Errorf("%v, want fault %s", err, code)
	}
}
