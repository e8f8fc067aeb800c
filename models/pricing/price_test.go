package pricing_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"recoup/models/actor"
	"recoup/models/credit"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/pricing"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

func rule(action string, unitPrice int64) pricing.NewRule {
	return pricing.NewRule{OperationID: ids.New(), Actor: actor.Staff("pm"), Action: action, Unit: "second", UnitPrice: unitPrice,
		Rounding: credit.RoundHalfEven, Reason: "test"}
}

func TestSetPriceAppendsVersions(t *testing.T) {
	ctx := context.Background()
	m := modeltest.New(t, modeltest.DB(t), modeltest.Fast())
	for i, want := range []pricing.RuleResult{{RuleVersion: "ocr@v1"}, {RuleVersion: "ocr@v2", Previous: "ocr@v1"}} {
		r := rule("ocr", int64(1000*(i+1)))
		first, err := m.Pricing.SetPrice(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		var got pricing.RuleResult
		if err := first.Decode(&got); err != nil || got != want {
			t.Fatalf("version %d: %+v, %v", i+1, got, err)
		}
		again, err := m.Pricing.SetPrice(ctx, r)
		if err != nil || !again.Replayed || string(again.Result) != string(first.Result) {
			t.Fatalf("replay: %s %v", again.Result, err)
		}
	}
	actions, err := m.Pricing.Actions(ctx)
	if err != nil || len(actions) != 1 || actions[0].Rule.ID != "ocr@v2" || actions[0].Rule.UnitPrice != 2000 {
		t.Fatalf("actions %+v, %v", actions, err)
	}
}

// TestSetPriceConcurrently sends new prices of one action at the same time: each gets a version of its
// own and the newest is in force.
func TestSetPriceConcurrently(t *testing.T) {
	ctx := context.Background()
	m := modeltest.New(t, modeltest.DB(t), modeltest.Fast())
	const n = 12
	var wg sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		wg.Go(func() { _, errs[i] = m.Pricing.SetPrice(ctx, rule("ocr", int64(i))) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	var versions, last int
	var baseline string
	row := m.G.Raw(`SELECT count(*), max(version), (SELECT baseline FROM actions WHERE id = 'ocr') FROM rule_versions WHERE action = 'ocr'`).Row()
	if err := row.Scan(&versions, &last, &baseline); err != nil || versions != n || last != n || baseline != fmt.Sprintf("ocr@v%d", n) {
		t.Fatalf("%d versions up to %d, in force %s, %v", versions, last, baseline, err)
	}
}

func TestSetPriceRefuses(t *testing.T) {
	ctx := context.Background()
	m := modeltest.New(t, modeltest.DB(t), modeltest.Fast())
	if _, err := m.Pricing.SetPrice(ctx, rule("ocr", 1)); err != nil {
		t.Fatal(err)
	}
	for field, change := range map[string]func(*pricing.NewRule){
		"action":       func(r *pricing.NewRule) { r.Action = "Ocr" },
		"unit":         func(r *pricing.NewRule) { r.Unit = "page" },
		"unit_price":   func(r *pricing.NewRule) { r.UnitPrice = -1 },
		"minimum":      func(r *pricing.NewRule) { r.Minimum = -1 },
		"discount_bps": func(r *pricing.NewRule) { r.DiscountBps = 10001 },
		"rounding":     func(r *pricing.NewRule) { r.Rounding = "half_up" },
		"reason":       func(r *pricing.NewRule) { r.Reason = "" },
	} {
		r := rule("ocr", 1)
		change(&r)
		_, err := m.Pricing.SetPrice(ctx, r)
		if f := fault.As(err); f == nil || f.Code != fault.CodeInvalid || len(f.Fields) != 1 || f.Fields[0].Name != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	for name, change := range map[string]func(*pricing.NewRule){
		"NUL in a reason":      func(r *pricing.NewRule) { r.Reason = "a\x00b" },
		"bad UTF-8 in a unit":  func(r *pricing.NewRule) { r.Action, r.Unit = "new", "\xff" },
		"a reason of any size": func(r *pricing.NewRule) { r.Reason = strings.Repeat("x", 501) },
	} {
		r := rule("ocr", 1)
		change(&r)
		if _, err := m.Pricing.SetPrice(ctx, r); !fault.Is(err, fault.CodeInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var n int
	if m.G.Raw(`SELECT count(*) FROM rule_versions`).Scan(&n); n != 1 {
		t.Errorf("%d rule versions after refusals", n)
	}
}

// TestChargeThatCostsTooMuch refuses a cost beyond 64 bits and an action without a price.
func TestChargeThatCostsTooMuch(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Price(t, "huge", 1<<62)
	m.Account(t, "a", 10)
	_, err := m.Jobs.Charge(ctx, job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j", Action: "huge", Units: 1 << 62})
	if f := fault.As(err); f == nil || f.Code != fault.CodeInvalid || f.Fields[0].Name != "units" {
		t.Errorf("too large: %v", err)
	}
	for _, action := range []string{"unknown", "a\x00b", "\xff"} {
		_, err = m.Jobs.Charge(ctx, job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j", Action: action, Units: 1})
		if f := fault.As(err); f == nil || f.Kind != fault.Invalid {
			t.Errorf("action %q: %v", action, err)
		}
	}
}
