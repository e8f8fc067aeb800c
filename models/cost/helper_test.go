package cost_test

import (
	"context"
	"os"
	"testing"
	"time"

	"recoup/models/actor"
	"recoup/models/cost"
	"recoup/models/decimal"
	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

// books is a database with an account that has charged jobs, and the costs over it.
type books struct {
	*modeltest.Models
	t     testing.TB
	costs *cost.Service
}

func newBooks(t testing.TB) *books {
	t.Helper()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "acct_7", 1000)
	m.Charge(t, "acct_7", "j1", 40)
	return &books{Models: m, t: t, costs: cost.New(m.Ops)}
}

func amount(t testing.TB, s string) decimal.Decimal {
	t.Helper()
	d, err := decimal.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// rec is a record of one unit of USD.
func rec(id, value string, change ...func(*cost.NewRecord)) cost.NewRecord {
	d, err := decimal.Parse(value)
	if err != nil {
		panic(err)
	}
	r := cost.NewRecord{ExternalID: id, Amount: d, Currency: "USD", Time: noon}
	for _, c := range change {
		c(&r)
	}
	return r
}

func ofJob(account, id string) func(*cost.NewRecord) {
	return func(r *cost.NewRecord) { r.AccountID, r.JobID = account, id }
}

func ofAction(action string) func(*cost.NewRecord) {
	return func(r *cost.NewRecord) { r.Action = action }
}

func person() ledger.Envelope {
	e := modeltest.Envelope()
	e.Actor = actor.Staff("mika")
	return e
}

func (b *books) record(source string, records ...cost.NewRecord) cost.BatchResult {
	b.t.Helper()
	out, err := b.costs.Record(context.Background(), cost.Batch{Envelope: modeltest.Envelope(), Source: source, Records: records})
	if err != nil {
		b.t.Fatal(err)
	}
	var r cost.BatchResult
	if err := out.Decode(&r); err != nil {
		b.t.Fatal(err)
	}
	return r
}

func (b *books) all(f cost.Filter) []cost.Record {
	b.t.Helper()
	p, err := b.costs.List(context.Background(), f, nil, "older", 1000)
	if err != nil {
		b.t.Fatal(err)
	}
	return p.Rows
}

func (b *books) one(externalID string) cost.Record {
	b.t.Helper()
	for _, r := range b.all(cost.Filter{}) {
		if r.ExternalID == externalID {
			return r
		}
	}
	b.t.Fatalf("no record %s", externalID)
	return cost.Record{}
}

func (b *books) count(query string, args ...any) int64 {
	b.t.Helper()
	var n int64
	if err := b.G.Raw(query, args...).Scan(&n).Error; err != nil {
		b.t.Fatal(err)
	}
	return n
}

// refusedAs checks a fault's code and, where given, the field or detail it names.
func refusedAs(t testing.TB, err error, code, field string) {
	t.Helper()
	f := fault.As(err)
	if f == nil || f.Code != code {
		t.Errorf("got %v, want %s", err, code)
		return
	}
	if field == "" {
		return
	}
	for _, x := range f.Fields {
		if x.Name == field {
			return
		}
	}
	t.Errorf("%v does not name %s", err, field)
}

func (b *books) deliver(account, id string) {
	b.t.Helper()
	_, err := b.Jobs.Signal(context.Background(), job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: account, JobID: id, Signal: job.Signal{Type: job.SignalSucceeded}})
	if err != nil {
		b.t.Fatal(err)
	}
}
