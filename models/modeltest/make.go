package modeltest

import (
	"context"
	"testing"
	"time"

	"recoup/models/actor"
	"recoup/models/credit"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/pricing"
)

// Action is the action that Ready prices at one credit a unit.
const Action = "video_render"

// Fast is a policy for tests: one second and less, no jitter.
func Fast() job.Policy {
	return job.Policy{MaxAttempts: 3, Lease: 300 * time.Millisecond, Deadline: time.Minute, Expires: time.Hour,
		BackoffBase: 100 * time.Millisecond, BackoffMax: 400 * time.Millisecond}
}

// Ready makes the services over a fresh database that can charge Action: one credit a unit.
func Ready(t testing.TB, policy job.Policy) *Models {
	t.Helper()
	m := New(t, DB(t), policy)
	m.Price(t, Action, 1000)
	return m
}

// Envelope is a fresh operation id of a test's API key.
func Envelope() ledger.Envelope {
	return ledger.Envelope{OperationID: ids.New(), Actor: actor.Key("test")}
}

// Price puts a price in force, in thousandths of a credit a unit.
func (m *Models) Price(t testing.TB, action string, unitPrice int64) {
	t.Helper()
	e := Envelope()
	_, err := m.Pricing.SetPrice(context.Background(), pricing.NewRule{OperationID: e.OperationID, Actor: e.Actor, Action: action,
		Unit: "second", UnitPrice: unitPrice, Rounding: credit.RoundHalfEven, Reason: "test"})
	if err != nil {
		t.Fatal(err)
	}
}

// Account makes an account with a balance.
func (m *Models) Account(t testing.TB, id string, balance int64) {
	t.Helper()
	ctx := context.Background()
	if _, err := m.Ledger.PutAccount(ctx, ledger.Profile{Envelope: Envelope(), AccountID: id}); err != nil {
		t.Fatal(err)
	}
	if balance > 0 {
		if _, err := m.Ledger.Grant(ctx, ledger.GrantRequest{Envelope: Envelope(), AccountID: id, Amount: balance, Category: ledger.Paid}); err != nil {
			t.Fatal(err)
		}
	}
}

// Charge charges a managed job of units credits and fails the test when it is refused.
func (m *Models) Charge(t testing.TB, account, id string, units int64) {
	t.Helper()
	_, err := m.Jobs.Charge(context.Background(), job.ChargeRequest{Envelope: Envelope(), AccountID: account, JobID: id, Action: Action, Units: units})
	if err != nil {
		t.Fatal(err)
	}
}

// Claim claims up to max jobs of Action.
func (m *Models) Claim(t testing.TB, max int64) []job.Claimed {
	t.Helper()
	jobs, _, err := m.Jobs.Claim(context.Background(), job.ClaimRequest{Envelope: Envelope(), Actions: []string{Action}, Max: max})
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

// Balance reads an account's balance.
func (m *Models) Balance(t testing.TB, account string) int64 {
	t.Helper()
	a, err := m.Ledger.Account(context.Background(), account)
	if err != nil {
		t.Fatal(err)
	}
	return a.Balance
}
