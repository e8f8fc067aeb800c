package cmd

import (
	"fmt"
	"io"
	"testing"
	"time"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/credit"
	"recoup/models/ids"
	"recoup/models/modeltest"
	"recoup/models/pricing"
	"recoup/models/rollout"
)

// Damage that only the owner of the tables can do halts the rollout that it concerns within a minute, without anybody looking: the next
// round of a running process finds it, each check the damage that is for it, and rounds are less than a minute apart. Here they follow each
// other quickly, so that the test measures what a round finds and not how busy its machine is.
func TestDamageHaltsWithinAMinute(t *testing.T) {
	t.Parallel()
	if checkEvery+15*time.Second > time.Minute {
		t.Errorf("rounds are %s apart: with its own time one may find damage after more than a minute", checkEvery)
	}
	s := startTunedStack(t, nil, io.Discard, func(a *app) {
		if a.roundsEvery != checkEvery {
			t.Errorf("a process makes the checks every %s, not every %s", a.roundsEvery, checkEvery)
		}
		a.roundsEvery = 200 * time.Millisecond
	})
	ctx := t.Context()
	m := &modeltest.Models{G: s.app.g, Ops: s.app.ops, Ledger: s.app.ledger, Pricing: s.app.pricing, Jobs: s.app.jobs}
	damages := map[rollout.CheckName]string{
		rollout.Uniqueness: `INSERT INTO entries (account_key, seq, type, amount, balance_after, job_key, operation_id, rollout_id, cohort, rule_version, actor, created_at, hash)
			SELECT account_key, seq + 1000, type, amount, balance_after, job_key + 1000, operation_id, rollout_id, cohort, rule_version, actor, created_at, hash
			FROM entries WHERE operation_id = 'charge-uniqueness'`,
		rollout.Consistency:    `UPDATE decisions SET price = price + 1 WHERE operation_id = 'charge-consistency'`,
		rollout.Reconciliation: `DELETE FROM entries WHERE operation_id = 'charge-reconciliation'`,
	}
	one, none := int64(1), int64(0)
	for check := range damages {
		action, id := "tried_"+string(check), "ro_"+string(check)
		m.Price(t, action, 1000)
		_, err := s.app.pricing.CreateRule(ctx, pricing.NewRule{OperationID: ids.New(), Actor: actor.Staff("pm"), Action: action, Unit: "second", UnitPrice: 900,
			Rounding: credit.RoundHalfEven, Reason: "10 % off"})
		if err == nil {
			_, err = s.app.rollouts.Create(ctx, rollout.NewRollout{Envelope: modeltest.Envelope(), ID: id, Action: action, Candidate: action + "@v2", MinCharges: &one,
				MinCostsBps: &none, Reason: "trial", Stages: []pricing.Stage{{Number: 1, Threshold: pricing.Buckets}}})
		}
		if err == nil {
			_, err = s.app.rollouts.Start(ctx, rollout.StepRequest{Envelope: modeltest.Envelope(), RolloutID: id, Version: 1, Reason: "go"})
		}
		if err != nil {
			t.Fatal(err)
		}
		status, answer := s.post("/v1/accounts/acct_1/jobs", "charge-"+string(check), "", map[string]any{"job_id": "job-" + string(check), "action": action, "units": 60})
		s.must(status, answer, 201)
		if checks, err := s.app.rollouts.Check(ctx, id); err != nil || !checks.Passed() {
			t.Fatalf("before the damage: %s, %v", checks.Why(), err)
		}
	}
	began := time.Now()
	err := s.app.g.Transaction(func(g *gorm.DB) error {
		for _, sql := range []string{"SET LOCAL session_replication_role = replica", "ALTER TABLE entries DISABLE TRIGGER USER", "ALTER TABLE decisions DISABLE TRIGGER USER",
			damages[rollout.Uniqueness], damages[rollout.Consistency], damages[rollout.Reconciliation]} {
			if err := g.Exec(sql).Error; err != nil {
				return fmt.Errorf("%s: %w", sql, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, time.Minute, "every rollout is halted", func() bool {
		live, err := s.app.rollouts.Live(ctx)
		if err != nil {
			t.Fatal(err)
		}
		halted := 0
		for _, r := range live {
			if r.State == rollout.Halted {
				halted++
			}
		}
		return halted == len(damages)
	})
	t.Logf("found after %s", time.Since(began).Round(time.Second))
	for check := range damages {
		id := "ro_" + string(check)
		checks, err := s.app.rollouts.LastChecks(ctx, id)
		if err != nil || checks == nil {
			t.Fatal(err)
		}
		red := false
		for _, c := range checks.All {
			red = red || c.Name == check && c.Outcome == rollout.Fail
		}
		history, err := s.app.rollouts.History(ctx, id)
		if err != nil || !red || history[0].Kind != "halted" || history[0].Actor != "system" {
			t.Errorf("%s: %+v; %+v, %v", check, checks.All, history[0], err)
		}
	}
}
