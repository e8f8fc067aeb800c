package cost_test

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/models/cost"
	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/modeltest"
)

func TestRecordsAreKeptOnce(t *testing.T) {
	b := newBooks(t)
	got := b.record("farm", rec("a", "1.10", ofJob("acct_7", "j1")), rec("b", "-0.5"), rec("c", "0", ofJob("acct_7", "nobody")))
	if got.Recorded != 3 || got.Attributed != 1 || got.Unattributed != 2 || got.Replayed != 0 {
		t.Errorf("%+v", got)
	}
	// The same records in another batch: 1.1 is 1.10, and the order does not matter.
	got = b.record("farm", rec("c", "0.000", ofJob("acct_7", "nobody")), rec("a", "1.1", ofJob("acct_7", "j1")), rec("d", "2"))
	if got.Recorded != 1 || got.Replayed != 2 || strings.Join(got.Replays, ",") != "a,c" {
		t.Errorf("%+v", got)
	}
	// The id is unique in its source only.
	if got = b.record("other", rec("a", "7")); got.Recorded != 1 {
		t.Errorf("%+v", got)
	}
	a := b.one("d")
	if a.Amount.String() != "2" || a.State != cost.Unattributed || a.Seq != 1 || !a.OccurredAt.Equal(noon) {
		t.Errorf("%+v", a)
	}
	for _, r := range b.all(cost.Filter{Source: "farm"}) {
		if r.ExternalID == "a" && (r.State != cost.Attributed || *r.ToJobID != "j1" || *r.ToAccountID != "acct_7" || *r.KnownAction != modeltest.Action) {
			t.Errorf("%+v", r)
		}
	}
}

// A record keeps the period that it is for, and its end is a part of its content. One that was kept before ends were is the same
// bill with its end, and stays as it is.
func TestAPeriodIsKept(t *testing.T) {
	b := newBooks(t)
	until := func(d time.Duration) func(*cost.NewRecord) {
		return func(r *cost.NewRecord) { r.Until = noon.Add(d) }
	}
	b.record("farm", rec("a", "1", until(time.Hour)), rec("d", "1"))
	_, err := b.costs.Record(context.Background(), cost.Batch{Envelope: modeltest.Envelope(), Source: "farm", Records: []cost.NewRecord{rec("b", "1")}, ImportID: "imp", FileDigest: "1", Reason: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.record("farm", rec("a", "1", until(time.Hour)), rec("b", "1", until(time.Hour))); got.Replayed != 2 {
		t.Errorf("%+v", got)
	}
	if a, old := b.one("a"), b.one("b"); a.OccurredUntil == nil || !a.OccurredUntil.Equal(noon.Add(time.Hour)) || old.OccurredUntil != nil {
		t.Errorf("%v %v", a.OccurredUntil, old.OccurredUntil)
	}
	for _, other := range []cost.NewRecord{rec("a", "1", until(2*time.Hour)), rec("a", "1"), rec("b", "2", until(time.Hour)), rec("d", "1", until(time.Hour))} {
		_, err := b.costs.Record(context.Background(), cost.Batch{Envelope: modeltest.Envelope(), Source: "farm", Records: []cost.NewRecord{other}})
		refusedAs(t, err, cost.CodeConflict, "")
	}
	_, err = b.costs.Record(context.Background(), cost.Batch{Envelope: modeltest.Envelope(), Source: "farm", Records: []cost.NewRecord{rec("c", "1", until(0))}})
	refusedAs(t, err, fault.CodeInvalid, "records[0].until")
}

func TestRecordOfAnOperation(t *testing.T) {
	b := newBooks(t)
	charge := modeltest.Envelope()
	if _, err := b.Jobs.Charge(context.Background(), job.ChargeRequest{Envelope: charge, AccountID: "acct_7", JobID: "j2", Action: modeltest.Action, Units: 1}); err != nil {
		t.Fatal(err)
	}
	b.record("farm", rec("a", "1", func(r *cost.NewRecord) { r.AccountID, r.OperationID = "acct_7", charge.OperationID }))
	if r := b.one("a"); r.State != cost.Attributed || *r.ToJobID != "j2" || *r.ToOperationID != charge.OperationID || *r.KnownAction != modeltest.Action {
		t.Errorf("%+v", r)
	}
}

// All of a batch or nothing, and the refusal names the record.
func TestConflictNamesTheRecordAndRecordsNothing(t *testing.T) {
	b := newBooks(t)
	b.record("farm", rec("m", "1"))
	for _, other := range []cost.NewRecord{
		rec("m", "1.000000000000000000000000000001"), rec("m", "1", ofAction(modeltest.Action)), rec("m", "1", func(r *cost.NewRecord) { r.Currency = "EUR" }),
		rec("m", "1", func(r *cost.NewRecord) { r.Time = noon.Add(time.Microsecond) }), rec("m", "1", ofJob("acct_7", "j1")),
		rec("m", "1", func(r *cost.NewRecord) { r.Dimensions = map[string]string{"k": "v"} }), rec("m", "1", func(r *cost.NewRecord) { r.Description = "x" }),
	} {
		_, err := b.costs.Record(context.Background(), cost.Batch{Envelope: modeltest.Envelope(), Source: "farm", Records: []cost.NewRecord{rec("a", "5"), other, rec("z", "5")}})
		refusedAs(t, err, cost.CodeConflict, "")
		if f := fault.As(err); f != nil && f.Detail["external_id"] != "m" {
			t.Errorf("%v", f.Detail)
		}
	}
	if n := b.count(`SELECT count(*) FROM cost_records`); n != 1 {
		t.Errorf("%d records", n)
	}
}

func TestBadRecordsAreNamed(t *testing.T) {
	b := newBooks(t)
	long := strings.Repeat("x", 600)
	for field, bad := range map[string]func(*cost.NewRecord){
		"external_id":  func(r *cost.NewRecord) { r.ExternalID = "" },
		"currency":     func(r *cost.NewRecord) { r.Currency = "usd" },
		"time":         func(r *cost.NewRecord) { r.Time = time.Time{} },
		"account_id":   func(r *cost.NewRecord) { r.JobID = "j1" },
		"job_id":       func(r *cost.NewRecord) { r.AccountID = "acct_7" },
		"operation_id": func(r *cost.NewRecord) { r.AccountID, r.JobID, r.OperationID = "acct_7", "j1", "op" },
		"action":       ofAction("no_such_action"),
		"description":  func(r *cost.NewRecord) { r.Description = long },
		"dimensions":   func(r *cost.NewRecord) { r.Dimensions = map[string]string{"k": long} },
	} {
		_, err := b.costs.Record(context.Background(), cost.Batch{Envelope: modeltest.Envelope(), Source: "farm", Records: []cost.NewRecord{rec("good", "1"), rec("bad", "1", bad)}})
		refusedAs(t, err, fault.CodeInvalid, "records[1]."+field)
	}
	for _, code := range []string{"", "US", "USDX", "XXX", "ABC", "U$D", "ＵＳＤ"} {
		if cost.CheckCurrency(code) {
			t.Errorf("%q is taken for a currency", code)
		}
	}
	_, err := b.costs.Record(context.Background(), cost.Batch{Envelope: modeltest.Envelope(), Source: "farm", Records: []cost.NewRecord{rec("a", "1"), rec("a", "1")}})
	refusedAs(t, err, fault.CodeInvalid, "records[1].external_id")
	_, err = b.costs.Record(context.Background(), cost.Batch{Envelope: modeltest.Envelope(), Source: "a b", Records: []cost.NewRecord{rec("a", "1")}})
	refusedAs(t, err, fault.CodeInvalid, "source")
	_, err = b.costs.Record(context.Background(), cost.Batch{Envelope: modeltest.Envelope(), Source: "farm"})
	refusedAs(t, err, fault.CodeInvalid, "records")
	if n := b.count(`SELECT count(*) FROM cost_records`); n != 0 {
		t.Errorf("%d records", n)
	}
}

func TestSameOperationIsReplayed(t *testing.T) {
	b := newBooks(t)
	e := modeltest.Envelope()
	batch := cost.Batch{Envelope: e, Source: "farm", Records: []cost.NewRecord{rec("a", "1"), rec("b", "2")}}
	first, err := b.costs.Record(context.Background(), batch)
	if err != nil {
		t.Fatal(err)
	}
	again, err := b.costs.Record(context.Background(), batch)
	if err != nil || !again.Replayed || string(again.Result) != string(first.Result) {
		t.Errorf("%+v %v", again, err)
	}
	batch.Records[1] = rec("b", "3")
	_, err = b.costs.Record(context.Background(), batch)
	refusedAs(t, err, fault.CodeOperationConflict, "records")
}

// Batches that hold the same records in other orders, under other operation ids, all at once: each record is there
// once, nobody deadlocks and nobody fails.
func TestDuplicateBatchesAtOnce(t *testing.T) {
	b := newBooks(t)
	const clients, records = 12, 60
	var wait sync.WaitGroup
	var mu sync.Mutex
	var recorded, replayed int64
	for c := range clients {
		wait.Go(func() {
			var batch []cost.NewRecord
			for i := range records {
				at := (i*7 + c*13) % records
				batch = append(batch, rec(fmt.Sprintf("r%02d", at), "0.1", ofJob("acct_7", "j1")))
			}
			out, err := b.costs.Record(context.Background(), cost.Batch{Envelope: modeltest.Envelope(), Source: "farm", Records: batch})
			if err != nil {
				t.Errorf("client %d: %v", c, err)
				return
			}
			var r cost.BatchResult
			if err := out.Decode(&r); err != nil {
				t.Error(err)
			}
			mu.Lock()
			recorded, replayed = recorded+r.Recorded, replayed+r.Replayed
			mu.Unlock()
		})
	}
	wait.Wait()
	if recorded != records || replayed != records*(clients-1) {
		t.Errorf("%d recorded, %d replayed", recorded, replayed)
	}
	totals, err := b.costs.Totals(context.Background(), cost.Filter{})
	if err != nil || len(totals) != 1 || totals[0].Amount.String() != "6.0" || totals[0].Count != records {
		t.Errorf("%+v %v", totals, err)
	}
	if n := b.count(`SELECT count(*) FROM cost_attributions`); n != records {
		t.Errorf("%d attributions", n)
	}
}

// Of two batches that give one record other content, one is kept and the other is told.
func TestConflictingBatchesAtOnce(t *testing.T) {
	b := newBooks(t)
	var wait sync.WaitGroup
	var mu sync.Mutex
	kept, told := 0, 0
	for i := range 8 {
		wait.Go(func() {
			_, err := b.costs.Record(context.Background(), cost.Batch{Envelope: modeltest.Envelope(), Source: "farm",
				Records: []cost.NewRecord{rec("same", fmt.Sprint(i)), rec(fmt.Sprintf("own%d", i), "1")}})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				kept++
			case fault.Is(err, cost.CodeConflict):
				told++
			default:
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if kept != 1 || told != 7 || b.count(`SELECT count(*) FROM cost_records`) != 2 {
		t.Errorf("%d kept, %d told", kept, told)
	}
}

// Sums are exact, whatever the scales, and never go across currencies.
func TestTotalsAreExact(t *testing.T) {
	b := newBooks(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		source := fmt.Sprintf("s%d", n)
		want, scale := map[string]*big.Rat{}, map[string]int{}
		var batch []cost.NewRecord
		for i := range rapid.IntRange(1, 20).Draw(rt, "records") {
			value := rapid.StringMatching(`-?[0-9]{1,18}(\.[0-9]{1,40})?`).Draw(rt, "amount")
			code := rapid.SampledFrom([]string{"USD", "EUR", "JPY"}).Draw(rt, "currency")
			r, _ := new(big.Rat).SetString(value)
			if want[code] == nil {
				want[code] = new(big.Rat)
			}
			want[code].Add(want[code], r)
			batch = append(batch, rec(fmt.Sprint(i), value, func(x *cost.NewRecord) { x.Currency = code }))
			if rapid.IntRange(0, 3).Draw(rt, "credited") == 0 {
				// What cancels out leaves a zero that has digits too.
				want[code].Sub(want[code], r)
				batch = append(batch, rec(fmt.Sprint(i, "-"), strings.TrimPrefix("-"+value, "--"), func(x *cost.NewRecord) { x.Currency = code }))
			}
			if _, fraction, _ := strings.Cut(value, "."); len(fraction) > scale[code] {
				scale[code] = len(fraction)
			}
		}
		b.record(source, batch...)
		totals, err := b.costs.Totals(context.Background(), cost.Filter{Source: source})
		if err != nil || len(totals) != len(want) {
			rt.Fatalf("%v, %v", totals, err)
		}
		for _, x := range totals {
			got, ok := new(big.Rat).SetString(x.Amount.String())
			if !ok || got.Cmp(want[x.Currency]) != 0 {
				rt.Fatalf("%s: %s, want %s", x.Currency, x.Amount, want[x.Currency].FloatString(50))
			}
			if x.Amount.Scale() != scale[x.Currency] {
				rt.Fatalf("%s is written %s, its finest record has %d digits", x.Currency, x.Amount, scale[x.Currency])
			}
		}
	})
}
