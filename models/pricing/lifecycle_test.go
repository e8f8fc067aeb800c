package pricing_test

import (
	"context"
	"testing"

	"recoup/models/actor"
	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/modeltest"
	"recoup/models/pricing"
)

func force(rule, expected string) pricing.ForceRequest {
	return pricing.ForceRequest{OperationID: ids.New(), Actor: actor.Staff("pm"), RuleVersion: rule, Expected: expected, Reason: "test"}
}

func retire(id string) pricing.RetireRequest {
	return pricing.RetireRequest{OperationID: ids.New(), Actor: actor.Staff("pm"), ID: id, Reason: "test"}
}

func inForce(t *testing.T, m *modeltest.Models, action string) string {
	t.Helper()
	a, err := m.Pricing.Action(context.Background(), action)
	if err != nil {
		t.Fatal(err)
	}
	return a.Rule.ID
}

// A rule version that is made changes no price until it is put in force, and only from the price that the
// person saw.
func TestARuleVersionComesIntoForceByItself(t *testing.T) {
	ctx := context.Background()
	m := modeltest.New(t, modeltest.DB(t), modeltest.Fast())
	m.Price(t, "video_render", 667)
	n := rule("video_render", 667)
	n.DiscountBps, n.ExampleUnits = 1000, 60
	if _, err := m.Pricing.CreateRule(ctx, n); err != nil {
		t.Fatal(err)
	}
	if got := inForce(t, m, "video_render"); got != "video_render@v1" {
		t.Fatalf("in force after making v2: %s", got)
	}
	v2, err := m.Pricing.Version(ctx, "video_render@v2")
	if err != nil || v2.InForce || v2.ForcedAt != nil || v2.ComparedWith == nil {
		t.Fatalf("v2: %+v, %v", v2, err)
	}
	was, err := m.Pricing.Version(ctx, *v2.ComparedWith)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := v2.Example(&was.Rule); err != nil || e.Units != 60 || e.Cost != 36 || e.Was == nil || *e.Was != 40 {
		t.Errorf("60 s = %d, was %v, %v; want 36, was 40", e.Cost, e.Was, err)
	}

	if _, err := m.Pricing.PutInForce(ctx, force("video_render@v2", "")); !fault.Is(err, fault.CodeStateConflict) {
		t.Errorf("from a page that saw no price: %v", err)
	}
	r := force("video_render@v2", "video_render@v1")
	first, err := m.Pricing.PutInForce(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := m.Pricing.PutInForce(ctx, r); err != nil || !again.Replayed || string(again.Result) != string(first.Result) {
		t.Errorf("a double click: %s, %v", again.Result, err)
	}
	if got := inForce(t, m, "video_render"); got != "video_render@v2" {
		t.Errorf("in force: %s", got)
	}
	if _, err := m.Pricing.PutInForce(ctx, force("video_render@v9", "video_render@v2")); !fault.Is(err, fault.CodeRuleNotFound) {
		t.Errorf("a version that is not there: %v", err)
	}
	var history int
	if m.G.Raw(`SELECT count(*) FROM price_changes WHERE action = 'video_render'`).Scan(&history); history != 2 {
		t.Errorf("%d changes of the price in the history, want 2", history)
	}
}

// TestCase_F27: what is retired stays with its name for ever; nothing takes the name again, nothing is deleted.
func TestCase_F27_ANameIsNeverReused(t *testing.T) {
	ctx := context.Background()
	m := modeltest.New(t, modeltest.DB(t), modeltest.Fast())
	m.Price(t, "ocr", 1000)
	m.Price(t, "ocr", 2000)
	if _, err := m.Pricing.RetireRule(ctx, retire("ocr@v2")); !fault.Is(err, fault.CodeStateConflict) {
		t.Errorf("retiring the price in force: %v", err)
	}
	if _, err := m.Pricing.RetireRule(ctx, retire("ocr@v1")); err != nil {
		t.Fatal(err)
	}
	for name, try := range map[string]func() error{
		"retired again":  func() error { _, err := m.Pricing.RetireRule(ctx, retire("ocr@v1")); return err },
		"put in force":   func() error { _, err := m.Pricing.PutInForce(ctx, force("ocr@v1", "ocr@v2")); return err },
		"deleted":        func() error { return m.G.Exec(`DELETE FROM rule_versions WHERE id = 'ocr@v1'`).Error },
		"un-retired":     func() error { return m.G.Exec(`DELETE FROM rule_retirements`).Error },
		"action deleted": func() error { return m.G.Exec(`DELETE FROM actions WHERE id = 'ocr'`).Error },
	} {
		if err := try(); !fault.Is(err, fault.CodeStateConflict) && db.Code(err) != "RC002" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := m.Pricing.CreateRule(ctx, rule("ocr", 3000)); err != nil {
		t.Fatal(err)
	}
	versions, err := m.Pricing.Versions(ctx, "ocr")
	if err != nil || len(versions) != 3 || versions[0].ID != "ocr@v3" || versions[2].RetiredAt == nil || versions[2].UnitPrice != 1000 {
		t.Fatalf("versions %+v, %v", versions, err)
	}

	if _, err := m.Pricing.RetireAction(ctx, retire("ocr")); err != nil {
		t.Fatal(err)
	}
	for name, try := range map[string]func() error{
		"priced anew":      func() error { _, err := m.Pricing.SetPrice(ctx, rule("ocr", 1)); return err },
		"given a version":  func() error { _, err := m.Pricing.CreateRule(ctx, rule("ocr", 1)); return err },
		"retired again":    func() error { _, err := m.Pricing.RetireAction(ctx, retire("ocr")); return err },
		"version in force": func() error { _, err := m.Pricing.PutInForce(ctx, force("ocr@v3", "ocr@v2")); return err },
	} {
		if err := try(); !fault.Is(err, fault.CodeStateConflict) {
			t.Errorf("a retired action %s: %v", name, err)
		}
	}
}
