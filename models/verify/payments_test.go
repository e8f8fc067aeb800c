package verify_test

import (
	"context"
	"regexp"
	"slices"
	"testing"

	"recoup/models/actor"
	"recoup/models/approval"
	"recoup/models/credit"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/pricing"
	"recoup/models/rollout"
	"recoup/models/settlement"
	"recoup/models/task"
	"recoup/models/verify"
)

// settled makes a ledger with a rollout whose candidate is dearer, rolled back, and a settlement that paid job "paid" of
// account "many"; job "open" is charged under the candidate and not delivered.
func settled(t *testing.T) *modeltest.Models {
	t.Helper()
	ctx := context.Background()
	m := modeltest.Ready(t, patient())
	m.Account(t, "many", 1000)
	must(t)(m.Pricing.CreateRule(ctx, pricing.NewRule{OperationID: ids.New(), Actor: actor.Staff("pm"), Action: modeltest.Action, Unit: "second", UnitPrice: 1100,
		Rounding: credit.RoundHalfEven, Reason: "dearer"}))
	must(t)(m.Rollouts.Create(ctx, rollout.NewRollout{Envelope: modeltest.Envelope(), ID: "ro", Action: modeltest.Action, Candidate: modeltest.Action + "@v2",
		Stages: []pricing.Stage{{Threshold: pricing.Buckets}}, Reason: "test"}))
	step := func(do func() error) {
		t.Helper()
		if err := do(); err != nil {
			t.Fatal(err)
		}
	}
	step(func() error {
		_, err := m.Rollouts.Start(ctx, rollout.StepRequest{Envelope: modeltest.Envelope(), RolloutID: "ro", Version: 1, Reason: "go"})
		return err
	})
	for _, id := range []string{"paid", "open"} {
		must(t)(m.Jobs.Charge(ctx, job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "many", JobID: id, Action: modeltest.Action, Units: 60, Mode: job.External}))
	}
	signal(t, m, "many", "paid", job.Signal{Type: job.SignalSucceeded})
	step(func() error {
		_, err := m.Rollouts.RollBack(ctx, rollout.StepRequest{Envelope: modeltest.Envelope(), RolloutID: "ro", Version: 2, Reason: "too dear"})
		return err
	})
	tasks := task.New(m.G, nil)
	store := settlement.New(m.Ops, m.Ledger, m.Requests, tasks)
	fiona := ledger.Envelope{OperationID: ids.New(), Actor: actor.Staff("fiona")}
	must(t)(store.Propose(ctx, settlement.Proposal{Envelope: fiona, RolloutID: "ro", Reason: "too dear"}))
	r, err := m.Requests.OfOperation(ctx, settlement.Scope(), fiona.OperationID)
	if err != nil || r == nil {
		t.Fatal(err)
	}
	must(t)(approval.NewDesk(m.Ops, store.Executors()).Approve(ctx, approval.Decision{OperationID: ids.New(), Actor: actor.Staff("lena"), ID: r.ID, Version: r.Version,
		Digest: r.Digest, Reason: "right"}))
	list, err := tasks.List(ctx, []task.Kind{settlement.Kind}, 1)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d tasks, %v", len(list), err)
	}
	run, err := tasks.Take(ctx, list[0].Key, "w")
	if err != nil || run == nil {
		t.Fatal(err)
	}
	must(t)(store.Run(ctx, run))
	return m
}

// wordedPayment is what handlers/present puts into the words of a language: names with their values, and phrases.
var wordedPayment = regexp.MustCompile(`^(((payments|type|amount|operation|rollout|cohort|settlement|charge) [^ ,]+|no entry|no job|no settlement|none|an approved settlement|a payment of a settlement|not approved|not delivered|delivered)(, |$))+$`)

// What an owner of the tables can do to payments is found and named.
func TestDamageToPaymentsIsNamed(t *testing.T) {
	const payment = "settlement_payments"
	for _, x := range []struct {
		name   string
		damage []string
		want   []verify.Check
		job    string
	}{
		{"none", nil, nil, ""},
		{"another amount than the entry", []string{"UPDATE " + payment + " SET amount = 7"}, []verify.Check{verify.CheckPayment, verify.CheckPayment}, "paid"},
		{"another amount than was approved", []string{"UPDATE settlement_items SET amount = 7, charged = 67"}, []verify.Check{verify.CheckPayment, verify.CheckPayment}, "paid"},
		{"another operation", []string{"UPDATE " + payment + " SET operation_id = 'x'"}, []verify.Check{verify.CheckPayment}, "paid"},
		{"an entry that there is not", []string{"UPDATE " + payment + " SET entry_seq = 99"}, []verify.Check{verify.CheckPayment, verify.CheckPayment}, ""},
		{"the payment is gone", []string{"DELETE FROM " + payment}, []verify.Check{verify.CheckPayment}, ""},
		{"never approved", []string{"UPDATE settlements SET approved_at = NULL, finished_at = NULL, task_id = NULL"}, []verify.Check{verify.CheckPayment}, "paid"},
		{"not delivered", []string{"INSERT INTO settlement_items SELECT settlement_key, account_key, " + jobKey("open") + ", 'x', charged_at, units, charged, baseline, amount FROM settlement_items",
			"INSERT INTO " + payment + " SELECT rollout_id, account_key, " + jobKey("open") + ", settlement_key, amount, NULL, 'CN-1', 'x', at FROM " + payment},
			[]verify.Check{verify.CheckPayment}, "open"},
		{"twice", []string{"ALTER TABLE " + payment + " DROP CONSTRAINT settlement_payments_pkey",
			"INSERT INTO " + payment + " SELECT rollout_id, account_key, job_key, settlement_key, amount, NULL, 'CN-1', operation_id, at FROM " + payment},
			[]verify.Check{verify.CheckKept, verify.CheckPayment}, "paid"},
		{"of another rollout", []string{"UPDATE jobs SET cohort = 'baseline' WHERE id = 'paid'", "UPDATE entries SET cohort = 'baseline' WHERE " + ofJob("paid", "charge"),
			"UPDATE decisions SET cohort = 'baseline' WHERE operation_id = (SELECT operation_id FROM jobs WHERE id = 'paid')", reseal}, []verify.Check{verify.CheckPayment}, "paid"},
	} {
		t.Run(x.name, func(t *testing.T) {
			m := settled(t)
			damage(t, m.G, x.damage...)
			_, problems := check(t, m.G, verify.Options{Workers: 1})
			var found []verify.Check
			named := x.job == ""
			for _, p := range problems {
				found = append(found, p.Check)
				for _, value := range []string{p.Expected, p.Found} {
					if p.Check == verify.CheckPayment && !wordedPayment.MatchString(value) {
						t.Errorf("%q is not in the form that pages put into words", value)
					}
				}
				named = named || p.AccountID == "many" && p.JobID == x.job
			}
			if !slices.Equal(found, x.want) || !named {
				t.Errorf("found %v", problems)
			}
		})
	}
	m := settled(t)
	m.Account(t, "other", 0)
	damage(t, m.G, "DELETE FROM "+payment)
	if _, problems := check(t, m.G, verify.Options{AccountID: "other"}); len(problems) != 0 {
		t.Errorf("a run over another account found %v", problems)
	}
}
