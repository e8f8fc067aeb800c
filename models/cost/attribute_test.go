package cost_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"recoup/models/cost"
	"recoup/models/fault"
	"recoup/models/modeltest"
	"recoup/models/page"
)

func (b *books) attribute(r cost.Record, account, id, reason string) error {
	_, err := b.costs.Attribute(context.Background(), cost.AttributeRequest{Envelope: person(), RecordKey: r.Key, Seq: r.Seq, AccountID: account, JobID: id, Reason: reason})
	return err
}

func TestAttributionByHand(t *testing.T) {
	b := newBooks(t)
	b.record("farm", rec("a", "1"))
	r := b.one("a")
	if err := b.attribute(r, "acct_7", "j1", "the invoice says so"); err != nil {
		t.Fatal(err)
	}
	now := b.one("a")
	if now.State != cost.Attributed || *now.ToJobID != "j1" || now.Seq != 2 || *now.KnownAction != modeltest.Action {
		t.Errorf("%+v", now)
	}
	// Who looked at the record before does not overwrite it.
	err := b.attribute(r, "", "", "nobody after all")
	refusedAs(t, err, fault.CodeStateConflict, "")
	if f := fault.As(err); f == nil || f.Detail["state"] != "attributed" {
		t.Errorf("%v", err)
	}
	if err := b.attribute(now, "", "", "it was the other customer"); err != nil {
		t.Fatal(err)
	}
	history, err := b.costs.History(context.Background(), r.Key)
	if err != nil || len(history) != 3 {
		t.Fatalf("%v %v", history, err)
	}
	if h := history[0]; h.State != cost.Unattributed || h.Reason != "it was the other customer" || h.Actor != "staff:mika" || h.Cause != "person" {
		t.Errorf("%+v", h)
	}
	if h := history[1]; h.State != cost.Attributed || *h.JobID != "j1" {
		t.Errorf("%+v", h)
	}
	if n := b.count(`SELECT count(*) FROM audit_log WHERE action = 'cost_attribute' AND outcome = 'done' AND reason <> '' AND before IS NOT NULL AND after IS NOT NULL`); n != 2 {
		t.Errorf("%d audit rows", n)
	}
	for field, req := range map[string]cost.AttributeRequest{
		"job":          {AccountID: "acct_7", JobID: "nobody", Reason: "x"},
		"to_operation": {AccountID: "acct_7", ToOperationID: "nothing", Reason: "x"},
		"reason":       {AccountID: "acct_7", JobID: "j1", Reason: " "},
		"account":      {JobID: "j1", Reason: "x"},
	} {
		req.Envelope, req.RecordKey, req.Seq = person(), r.Key, 3
		_, err := b.costs.Attribute(context.Background(), req)
		refusedAs(t, err, fault.CodeInvalid, field)
	}
	_, err = b.costs.Attribute(context.Background(), cost.AttributeRequest{Envelope: person(), RecordKey: 999, Seq: 1, Reason: "x"})
	refusedAs(t, err, cost.CodeRecordNotFound, "")
}

func TestAttributionsAtOnce(t *testing.T) {
	b := newBooks(t)
	b.record("farm", rec("a", "1"))
	r := b.one("a")
	var wait sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for range 8 {
		wait.Go(func() {
			err := b.attribute(r, "acct_7", "j1", "me first")
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won++
			} else if !fault.Is(err, fault.CodeStateConflict) {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if won != 1 || b.one("a").Seq != 2 {
		t.Errorf("%d won", won)
	}
}

func (b *books) rule(m cost.Match) cost.RuleResult {
	b.t.Helper()
	out, err := b.costs.AddRule(context.Background(), cost.RuleRequest{Envelope: person(), Match: m, Reason: "rent of the office"})
	if err != nil {
		b.t.Fatal(err)
	}
	var r cost.RuleResult
	if err := out.Decode(&r); err != nil {
		b.t.Fatal(err)
	}
	return r
}

func TestOverheadRules(t *testing.T) {
	b := newBooks(t)
	network := func(r *cost.NewRecord) { r.Dimensions = map[string]string{"service": "network"} }
	nat := func(r *cost.NewRecord) { r.Description = "NAT gateway hours" }
	b.record("cloud", rec("a", "1", network), rec("b", "1", network, ofJob("acct_7", "j1")), rec("c", "1", nat), rec("d", "1"))
	ahead := func(m cost.Match) string {
		t.Helper()
		p, err := b.costs.PreviewRule(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		out := fmt.Sprint(p.Records)
		for _, x := range p.Totals {
			out += fmt.Sprint(" ", x.Count, " ", x.Amount, " ", x.Currency)
		}
		return out
	}
	// What a rule would claim is said before, and is what it claims.
	if got := ahead(cost.Match{Source: "cloud", Dimension: "service", DimensionValue: "network"}) + ", " + ahead(cost.Match{Description: "nat GATEWAY"}) + ", " +
		ahead(cost.Match{Source: "cloud"}) + ", " + ahead(cost.Match{Source: "nobody"}); got != "1 1 1 USD, 1 1 1 USD, 3 3 3 USD, 0" {
		t.Errorf("ahead: %s", got)
	}
	_, err := b.costs.PreviewRule(context.Background(), cost.Match{Dimension: "service"})
	refusedAs(t, err, fault.CodeInvalid, "dimension_value")
	got := b.rule(cost.Match{Source: "cloud", Dimension: "service", DimensionValue: "network"})
	if got.Matched != 1 || b.one("a").State != cost.Overhead || *b.one("a").RuleID != got.RuleID || b.one("b").State != cost.Attributed {
		t.Errorf("%+v, a %+v", got, b.one("a"))
	}
	if got := b.rule(cost.Match{Description: "nat GATEWAY"}); got.Matched != 1 || b.one("c").State != cost.Overhead {
		t.Errorf("%+v", got)
	}
	// Later records meet the rules when they come.
	if r := b.record("cloud", rec("e", "1", network)); r.Overhead != 1 || b.one("e").State != cost.Overhead {
		t.Errorf("%+v", r)
	}
	if r := b.record("elsewhere", rec("f", "1", network)); r.Unattributed != 1 {
		t.Errorf("%+v", r)
	}
	retire := cost.RetireRequest{Envelope: person(), RuleID: got.RuleID, Reason: "moved out"}
	if _, err := b.costs.RetireRule(context.Background(), retire); err != nil {
		t.Fatal(err)
	}
	retire.Envelope = person()
	_, err = b.costs.RetireRule(context.Background(), retire)
	refusedAs(t, err, fault.CodeStateConflict, "")
	retire.Envelope, retire.RuleID = person(), "none"
	_, err = b.costs.RetireRule(context.Background(), retire)
	refusedAs(t, err, cost.CodeRuleNotFound, "")
	// A retired rule matches no more; what it matched stays.
	if r := b.record("cloud", rec("g", "1", network)); r.Unattributed != 1 || b.one("a").State != cost.Overhead {
		t.Errorf("%+v", r)
	}
	rules, err := b.costs.Rules(context.Background(), 10)
	if err != nil || len(rules) != 2 || rules[0].RetiredAt != nil || rules[1].RetiredBy != "staff:mika" || rules[1].Records != 2 {
		t.Errorf("%+v %v", rules, err)
	}
	for field, m := range map[string]cost.Match{"source": {}, "dimension_value": {Dimension: "service"}} {
		_, err := b.costs.AddRule(context.Background(), cost.RuleRequest{Envelope: person(), Match: m, Reason: "x"})
		refusedAs(t, err, fault.CodeInvalid, field)
	}
}

// A rule made while batches come misses none of them, and none of them misses the rule.
func TestRuleRacesBatches(t *testing.T) {
	b := newBooks(t)
	var wait sync.WaitGroup
	for i := range 10 {
		wait.Go(func() {
			if i == 5 {
				b.rule(cost.Match{Source: "cloud"})
				return
			}
			b.record("cloud", rec(string(rune('a'+i)), "1"))
		})
	}
	wait.Wait()
	for _, r := range b.all(cost.Filter{}) {
		if r.State != cost.Overhead {
			t.Errorf("%s is %s", r.ExternalID, r.State)
		}
	}
}

// C1: without a known action a record concerns every action of its period.
func TestUnattributedFor(t *testing.T) {
	b := newBooks(t)
	b.Price(t, "transcription", 500)
	at := func(d time.Duration) func(*cost.NewRecord) {
		return func(r *cost.NewRecord) { r.Time = noon.Add(d) }
	}
	b.record("farm", rec("render", "1", ofAction(modeltest.Action)), rec("any", "2", at(time.Hour)), rec("known", "3", ofJob("acct_7", "j1")),
		rec("speech", "4", ofAction("transcription")), rec("before", "5", at(-time.Microsecond)), rec("after", "6", at(2*time.Hour)))
	count, examples, err := cost.UnattributedFor(context.Background(), b.G, modeltest.Action, noon, noon.Add(2*time.Hour))
	if err != nil || count != 2 || len(examples) != 2 || examples[0].ExternalID != "render" || examples[1].ExternalID != "any" || examples[1].Action != nil {
		t.Errorf("%d %+v %v", count, examples, err)
	}
	// A line for a period concerns all rollouts that began before its end.
	until := func(d time.Duration) func(*cost.NewRecord) {
		return func(r *cost.NewRecord) { r.Until = noon.Add(d) }
	}
	b.record("farm", rec("over", "8", at(-2*time.Hour), until(0)), rec("period", "9", at(-time.Hour), until(time.Microsecond)))
	count, examples, err = cost.UnattributedFor(context.Background(), b.G, modeltest.Action, noon, noon.Add(2*time.Hour))
	if err != nil || count != 3 || examples[0].ExternalID != "period" {
		t.Errorf("%d %+v %v", count, examples, err)
	}
	if err := b.attribute(b.one("period"), "acct_7", "j1", "found"); err != nil {
		t.Fatal(err)
	}
	// One of a known action concerns it whenever it arose: a bill dates a line by the day that it is for.
	b.record("farm", rec("day", "7", ofAction(modeltest.Action), at(-24*time.Hour)))
	if count, examples, err = cost.UnattributedFor(context.Background(), b.G, modeltest.Action, noon, noon.Add(2*time.Hour)); err != nil || count != 3 || examples[0].ExternalID != "day" {
		t.Errorf("%d %+v %v", count, examples, err)
	}
	if err := b.attribute(b.one("day"), "acct_7", "j1", "found"); err != nil {
		t.Fatal(err)
	}
	// To put it down to where it is, or an unattributed one to nobody, corrects nothing.
	refusedAs(t, b.attribute(b.one("day"), "acct_7", "j1", "again"), fault.CodeInvalid, "account")
	refusedAs(t, b.attribute(b.one("any"), "", "", "no idea"), fault.CodeInvalid, "account")
	if err := b.attribute(b.one("any"), "acct_7", "j1", "found"); err != nil {
		t.Fatal(err)
	}
	if err := b.attribute(b.one("render"), "acct_7", "j1", "found"); err != nil {
		t.Fatal(err)
	}
	if count, examples, err = cost.UnattributedFor(context.Background(), b.G, modeltest.Action, noon, noon.Add(2*time.Hour)); err != nil || count != 0 || examples != nil {
		t.Errorf("%d %+v %v", count, examples, err)
	}
	if count, _, _ = cost.UnattributedFor(context.Background(), b.G, "transcription", noon, noon.Add(2*time.Hour)); count != 1 {
		t.Errorf("%d", count)
	}
}

func TestCoverage(t *testing.T) {
	b := newBooks(t)
	for _, id := range []string{"j2", "j3", "j4"} {
		b.Charge(t, "acct_7", id, 1)
	}
	b.deliver("acct_7", "j1")
	b.deliver("acct_7", "j2")
	b.deliver("acct_7", "j3")
	b.record("farm", rec("a", "1", ofJob("acct_7", "j1")), rec("b", "1", ofJob("acct_7", "j1")), rec("c", "1", ofJob("acct_7", "j4")))
	from, to := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	for of, want := range map[cost.Jobs]cost.Coverage{{}: {Delivered: 3, Known: 1}, {Action: modeltest.Action, Cohort: "baseline"}: {Delivered: 3, Known: 1}, {Action: "other"}: {}} {
		if got, err := cost.CoverageOf(context.Background(), b.G, of, from, to); err != nil || got != want {
			t.Errorf("%+v: %+v %v", of, got, err)
		}
	}
	if got, err := cost.CoverageOf(context.Background(), b.G, cost.Jobs{}, from.Add(-time.Hour), from); err != nil || got != (cost.Coverage{}) {
		t.Errorf("%+v %v", got, err)
	}
}

// The database refuses what the program never does.
func TestDatabaseRefusesChangeOfCosts(t *testing.T) {
	b := newBooks(t)
	b.record("farm", rec("a", "1"))
	b.rule(cost.Match{Source: "nobody"})
	if err := b.attribute(b.one("a"), "acct_7", "j1", "x"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.costs.SetValue(context.Background(), cost.ValueRequest{Envelope: person(), Currency: "USD", Value: amount(t, "0.01"), ValidFrom: noon, Reason: "list price"}); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"UPDATE cost_records SET amount = 2", "DELETE FROM cost_records", "TRUNCATE cost_records CASCADE",
		"UPDATE cost_attributions SET reason = 'y'", "DELETE FROM cost_attributions", "TRUNCATE cost_attributions",
		"UPDATE cost_states SET state = 'overhead'", "DELETE FROM cost_states", "TRUNCATE cost_states",
		"INSERT INTO cost_states (record_key, seq, state, occurred_at) SELECT key, 1, 'overhead', now() FROM cost_records",
		"UPDATE cost_rules SET source = 'x'", "DELETE FROM cost_rules", "TRUNCATE cost_rules CASCADE",
		"UPDATE credit_values SET value = 2", "DELETE FROM credit_values", "TRUNCATE credit_values",
		"INSERT INTO cost_attributions (record_key, seq, state, cause, reason, actor, operation_id) SELECT record_key, seq + 2, 'unattributed', 'person', 'x', 'x', 'x' FROM cost_states",
		"INSERT INTO cost_records (source, external_id, amount, currency, occurred_at, digest, actor, operation_id) VALUES ('s', 'n', 'NaN', 'USD', now(), sha256(''), 'x', 'x')",
		"INSERT INTO cost_records (source, external_id, amount, currency, occurred_at, digest, actor, operation_id) VALUES ('s', 'n', 'Infinity', 'USD', now(), sha256(''), 'x', 'x')",
	} {
		if err := b.G.Exec(statement).Error; err == nil || !strings.Contains(err.Error(), "SQLSTATE") {
			t.Errorf("%s: %v", statement, err)
		}
	}
	if r := b.one("a"); r.Amount.String() != "1" || r.State != cost.Attributed {
		t.Errorf("%+v", r)
	}
}

func TestListPagesAndFilters(t *testing.T) {
	b := newBooks(t)
	var batch []cost.NewRecord
	for i := range 25 {
		batch = append(batch, rec(string(rune('a'+i)), "1", func(r *cost.NewRecord) { r.Time = noon.Add(time.Duration(i/3) * time.Minute) }))
	}
	batch[3].JobID, batch[3].AccountID, batch[4].Description, batch[5].Currency = "j1", "acct_7", "Storage of MASTERS", "EUR"
	b.record("farm", batch...)
	var seen []string
	var from *cost.Position
	for {
		p, err := b.costs.List(context.Background(), cost.Filter{Source: "farm"}, from, page.Older, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range p.Rows {
			seen = append(seen, r.ExternalID)
		}
		if p.Older == nil {
			// And back.
			back, err := b.costs.List(context.Background(), cost.Filter{Source: "farm"}, p.Newer, page.Newer, 10)
			if err != nil || len(back.Rows) != 10 || back.Rows[9].ExternalID != seen[19] {
				t.Errorf("%+v %v", back, err)
			}
			break
		}
		from = p.Older
	}
	if got := strings.Join(seen, ""); got != "yxwvutsrqponmlkjihgfedcba" {
		t.Error(got)
	}
	to := noon.Add(time.Minute)
	for want, f := range map[string]cost.Filter{
		"d": {States: []cost.State{cost.Attributed}}, "e": {Text: "masters"}, "f": {Currency: "EUR"}, "cba": {To: &to}, "": {Action: "none"},
		"dcba": {To: ptr(to.Add(time.Microsecond)), States: []cost.State{cost.Attributed, cost.Unattributed}, Text: ""},
	} {
		got := ""
		for _, r := range b.all(f) {
			got += r.ExternalID
		}
		if want == "dcba" {
			want = "fedcba"
		}
		if got != want {
			t.Errorf("%+v: %s, want %s", f, got, want)
		}
		n := 0
		if err := b.costs.Each(context.Background(), f, func(cost.Record) error { n++; return nil }); err != nil || n != len(want) {
			t.Errorf("export of %+v: %d rows, %v", f, n, err)
		}
	}
	if s, err := b.costs.Sources(context.Background()); err != nil || strings.Join(s, ",") != "farm" {
		t.Errorf("%v %v", s, err)
	}
}

func ptr(t time.Time) *time.Time { return &t }
