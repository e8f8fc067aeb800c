package pricing_test

import (
	"context"
	"sync"
	"testing"

	"recoup/models/actor"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/operation"
	"recoup/models/pricing"
)

func quote(m *modeltest.Models, account, op string, units int64) (operation.Outcome, pricing.QuoteResult, error) {
	out, err := m.Pricing.Quote(context.Background(), pricing.QuoteRequest{OperationID: op, AccountID: account, Action: modeltest.Action, Units: units})
	var r pricing.QuoteResult
	if err == nil {
		err = out.Decode(&r)
	}
	return out, r, err
}

func charge(m *modeltest.Models, account, op, id string, units int64) (operation.Outcome, job.ChargeResult, error) {
	out, err := m.Jobs.Charge(context.Background(), job.ChargeRequest{Envelope: ledger.Envelope{OperationID: op, Actor: actor.Key("test")},
		AccountID: account, JobID: id, Action: modeltest.Action, Units: units})
	var r job.ChargeResult
	if err == nil {
		err = out.Decode(&r)
	}
	return out, r, err
}

// A quote freezes the price of the charge of the same operation id, whatever becomes of the price in force.
func TestAQuoteFreezesThePrice(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 1000)
	first, q, err := quote(m, "a", "op-1", 40)
	if err != nil || q.Price != 40 || q.ExpiresAt == nil || q.Reason != pricing.NoRollout || first.Replayed {
		t.Fatalf("quote %+v, %v", q, err)
	}
	m.Price(t, modeltest.Action, 2000)
	if again, _, err := quote(m, "a", "op-1", 40); err != nil || !again.Replayed || string(again.Result) != string(first.Result) {
		t.Errorf("asked again: %s, %v; first %s", again.Result, err, first.Result)
	}
	if _, r, err := charge(m, "a", "op-1", "j1", 40); err != nil || r.Job.Cost != 40 || r.Job.RuleVersion != q.RuleVersion {
		t.Errorf("charged %+v, %v", r.Job, err)
	}
	if again, _, err := quote(m, "a", "op-1", 40); err != nil || string(again.Result) != string(first.Result) {
		t.Errorf("asked again after the charge: %s, %v", again.Result, err)
	}
	if _, r, err := charge(m, "a", "op-2", "j2", 40); err != nil || r.Job.Cost != 80 {
		t.Errorf("without a quote: %+v, %v", r.Job, err)
	}
	if out, q, err := quote(m, "a", "op-2", 40); err != nil || !out.Replayed || q.Price != 80 || q.ExpiresAt != nil {
		t.Errorf("quote of what is charged: %+v, %v", q, err)
	}
}

func TestQuotesRefuse(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	ctx := context.Background()
	m.Account(t, "a", 1000)
	if _, _, err := quote(m, "a", "op-1", 40); err != nil {
		t.Fatal(err)
	}
	if _, _, err := charge(m, "a", "op-1", "j1", 41); !fault.Is(err, fault.CodeOperationConflict) || fault.As(err).Fields[0].Name != "units" {
		t.Errorf("charge of other units: %v", err)
	}
	if _, _, err := quote(m, "a", "op-1", 41); !fault.Is(err, fault.CodeOperationConflict) {
		t.Errorf("quote of other units: %v", err)
	}
	if _, _, err := quote(m, "nobody", "op-1", 40); !fault.Is(err, fault.CodeAccountNotFound) {
		t.Errorf("nobody's quote: %v", err)
	}
	if _, _, err := quote(m, "a", "op-9", 0); !fault.Is(err, fault.CodeInvalid) {
		t.Errorf("no units: %v", err)
	}
	if _, err := m.Pricing.Quote(ctx, pricing.QuoteRequest{OperationID: "op-9", AccountID: "a", Action: "unknown", Units: 1}); !fault.Is(err, fault.CodeActionNotFound) {
		t.Errorf("unknown action: %v", err)
	}
	if _, err := m.Ledger.Grant(ctx, ledger.GrantRequest{Envelope: ledger.Envelope{OperationID: "op-3", Actor: actor.Key("test")}, AccountID: "a", Amount: 1, Category: ledger.Paid}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := quote(m, "a", "op-3", 40); !fault.Is(err, fault.CodeOperationConflict) {
		t.Errorf("quote under a grant's id: %v", err)
	}

	// Fifteen minutes later; only the owner of the table can move the time.
	if err := m.G.Exec(`ALTER TABLE decisions DISABLE TRIGGER ALL; UPDATE decisions SET expires_at = clock_timestamp() - interval '1 second';
		ALTER TABLE decisions ENABLE ALWAYS TRIGGER decisions_append_only_row; ALTER TABLE decisions ENABLE ALWAYS TRIGGER decisions_append_only`).Error; err != nil {
		t.Fatal(err)
	}
	if _, _, err := charge(m, "a", "op-1", "j1", 40); !fault.Is(err, fault.CodeQuoteExpired) {
		t.Errorf("late charge: %v", err)
	}
	if _, _, err := quote(m, "a", "op-1", 40); !fault.Is(err, fault.CodeQuoteExpired) {
		t.Errorf("late quote: %v", err)
	}
	if got := m.Balance(t, "a"); got != 1001 {
		t.Errorf("balance %d after refusals", got)
	}
	if err := m.G.Exec(`DELETE FROM decisions`).Error; err == nil {
		t.Error("decisions can be deleted")
	}
}

// Quotes and charges of the same operation at the same time come to one decision, and every charge has the price
// that the quote says.
func TestQuoteBesideCharge(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 1_000_000)
	for round := range 25 {
		op := ids.New()
		var wg sync.WaitGroup
		var q pricing.QuoteResult
		var c job.ChargeResult
		var quoteErr, chargeErr, priceErr error
		wg.Go(func() { _, q, quoteErr = quote(m, "a", op, 10) })
		wg.Go(func() { _, c, chargeErr = charge(m, "a", op, op, 10) })
		wg.Go(func() {
			_, priceErr = m.Pricing.SetPrice(context.Background(), rule(modeltest.Action, int64(1000+1000*(round%2))))
		})
		wg.Wait()
		if quoteErr != nil || chargeErr != nil || priceErr != nil {
			t.Fatal(quoteErr, chargeErr, priceErr)
		}
		if q.Price != c.Job.Cost || q.RuleVersion != c.Job.RuleVersion {
			t.Fatalf("quoted %d under %s, charged %d under %s", q.Price, q.RuleVersion, c.Job.Cost, c.Job.RuleVersion)
		}
	}
}
