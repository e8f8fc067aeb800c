package costimport_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"recoup/models/actor"
	"recoup/models/cost"
	"recoup/models/costimport"
	"recoup/models/fault"
	"recoup/models/modeltest"
	"recoup/models/operation"
	"recoup/models/task"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

type world struct {
	*modeltest.Models
	t       testing.TB
	costs   *cost.Service
	tasks   *task.Store
	imports *costimport.Service
}

func newWorld(t testing.TB) *world {
	t.Helper()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "acct_7", 100)
	m.Charge(t, "acct_7", "j1", 1)
	w := &world{Models: m, t: t, costs: cost.New(m.Ops), tasks: task.New(m.G, nil)}
	w.imports = costimport.New(m.Ops, w.costs, w.tasks)
	return w
}

func (w *world) upload(content string, m costimport.Mapping) string {
	w.t.Helper()
	out, err := w.imports.Upload(context.Background(), costimport.UploadRequest{Envelope: modeltest.Envelope(), Source: "aws", Mapping: m, FileName: "bill.csv", Content: []byte(content)})
	if err != nil {
		w.t.Fatal(err)
	}
	var r costimport.UploadResult
	if err := out.Decode(&r); err != nil {
		w.t.Fatal(err)
	}
	return r.ImportID
}

func (w *world) start(id string) (operation.Outcome, error) {
	return w.imports.Start(context.Background(), costimport.StartRequest{Envelope: modeltest.Envelope(), ImportID: id})
}

// work does the task of an import as a worker would.
func (w *world) work(id string) (costimport.Result, error) {
	w.t.Helper()
	var r costimport.Result
	i, err := w.imports.Get(context.Background(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	run, err := w.tasks.Take(context.Background(), i.Task.Key, "test")
	if err != nil || run == nil {
		w.t.Fatalf("%v %v", run, err)
	}
	result, err := w.imports.Run(context.Background(), run)
	if err != nil {
		return r, err
	}
	if err := run.Finish(context.Background(), result); err != nil {
		w.t.Fatal(err)
	}
	i, err = w.imports.Get(context.Background(), id)
	if err != nil || i.Task.State != task.Done {
		w.t.Fatalf("%+v %v", i.Task, err)
	}
	if err := json.Unmarshal(i.Task.Result, &r); err != nil {
		w.t.Fatal(err)
	}
	return r, nil
}

func (w *world) records() int64 {
	w.t.Helper()
	var n int64
	if err := w.G.Raw(`SELECT count(*) FROM cost_records`).Scan(&n).Error; err != nil {
		w.t.Fatal(err)
	}
	return n
}

const bill = "external_id,amount,currency,time,account_id,job_id\na,1.5E-07,USD,2026-11-30T12:00:00Z,acct_7,j1\nb,2,USD,2026-11-30T12:00:00Z,,\n"

func TestUploadPreviewImport(t *testing.T) {
	w := newWorld(t)
	id := w.upload(bill, own())
	f, err := w.imports.Preview(context.Background(), id)
	if err != nil || !f.Sound() || f.Count != 2 || w.records() != 0 {
		t.Fatalf("%+v %v", f, err)
	}
	if _, err := w.start(id); err != nil {
		t.Fatal(err)
	}
	if _, err := w.start(id); !fault.Is(err, fault.CodeStateConflict) {
		t.Errorf("started twice: %v", err)
	}
	r, err := w.work(id)
	if err != nil || r.Recorded != 2 || r.Attributed != 1 || r.Unattributed != 1 || r.Again {
		t.Fatalf("%+v %v", r, err)
	}
	// The file is gone, the records know where they came from.
	if _, err := w.imports.Preview(context.Background(), id); !fault.Is(err, costimport.CodeFileGone) {
		t.Errorf("%v", err)
	}
	p, err := w.costs.List(context.Background(), cost.Filter{ImportID: id}, nil, "older", 10)
	if err != nil || len(p.Rows) != 2 {
		t.Errorf("%+v %v", p, err)
	}
	if _, err := w.imports.Find(context.Background(), "no/such"); !fault.Is(err, costimport.CodeNotFound) {
		t.Errorf("%v", err)
	}
}

// The same file twice has one effect, through the same way and another.
func TestSameFileTwice(t *testing.T) {
	w := newWorld(t)
	content := focusFile(`1,1,USD,2024-09-18 22:00:00,a,,,,`, `1,1,USD,2024-09-18 22:00:00,a,,,,`)
	for i := range 3 {
		id := w.upload(content, focus())
		if _, err := w.start(id); err != nil {
			t.Fatal(err)
		}
		r, err := w.work(id)
		if err != nil || r.Again != (i > 0) || r.Recorded != 2 || w.records() != 2 {
			t.Errorf("time %d: %+v %v, %d records", i, r, err, w.records())
		}
	}
	// Longer than before: what was there is there once.
	longer := content + `1,1,USD,2024-09-18 22:00:00,a,,,,` + "\n" + `5,1,USD,2024-09-18 22:00:00,b,,,,` + "\n"
	f := read(t, longer, focus())
	r, err := w.imports.Import(context.Background(), costimport.ImportRequest{Actor: actor.Key("test"), Source: "aws", ImportID: "x", Digest: costimport.Digest([]byte(longer), focus()), File: f})
	if err != nil || r.Recorded != 2 || r.Replayed != 2 || r.Again || w.records() != 4 {
		t.Errorf("%+v %v", r, err)
	}
	// Another amount column under the same ids is another content, and nothing is imported.
	other := focus(func(m *costimport.Mapping) { m.Amount = costimport.EffectiveCost })
	_, err = w.imports.Import(context.Background(), costimport.ImportRequest{Actor: actor.Key("test"), Source: "aws", ImportID: "y", Digest: costimport.Digest([]byte(longer), other), File: read(t, longer, other)})
	if !fault.Is(err, cost.CodeConflict) || w.records() != 4 {
		t.Errorf("%v, %d records", err, w.records())
	}
}

func TestBrokenFileImportsNothing(t *testing.T) {
	w := newWorld(t)
	id := w.upload(bill+"c,x,USD,2026-11-30T12:00:00Z,,\n", own())
	_, err := w.start(id)
	f := fault.As(err)
	if f == nil || f.Code != fault.CodeInvalid || !strings.Contains(f.Fields[0].Message, "line 4: amount") {
		t.Errorf("%v", err)
	}
	if i, err := w.imports.Get(context.Background(), id); err != nil || i.Task != nil || w.records() != 0 {
		t.Errorf("%+v %v", i, err)
	}
	for field, r := range map[string]costimport.UploadRequest{
		"file":   {Source: "aws", Mapping: own()},
		"source": {Source: "a b", Mapping: own(), Content: []byte(bill)},
		"format": {Source: "aws", Content: []byte(bill)},
	} {
		r.Envelope = modeltest.Envelope()
		_, err := w.imports.Upload(context.Background(), r)
		if f := fault.As(err); f == nil || f.Fields[0].Name != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// An import that is stopped on its way leaves nothing, and can be done again.
func TestStoppedImportLeavesNothing(t *testing.T) {
	w := newWorld(t)
	var b strings.Builder
	b.WriteString("external_id,amount,currency,time\n")
	for i := range 2500 {
		b.WriteString(strings.Repeat("i", 1+i%7))
		b.WriteString(string(rune('0'+i%10)) + "-" + strings.Repeat("x", i/100) + "-" + string(rune('a'+i/10%26)) + "-")
		b.WriteString(strings.Repeat("y", i%100) + ",0.1,USD,2026-11-30T12:00:00Z\n")
	}
	f := read(t, b.String(), own())
	if !f.Sound() {
		t.Fatal(problems(f))
	}
	r := costimport.ImportRequest{Actor: actor.Key("test"), Source: "aws", ImportID: "x", Digest: "d", File: f,
		Progress: func(written int) error {
			if written > 1500 {
				return task.ErrStopped
			}
			return nil
		}}
	if _, err := w.imports.Import(context.Background(), r); err == nil || w.records() != 0 {
		t.Fatalf("%v, %d records", err, w.records())
	}
	var seen []int
	r.Progress = func(written int) error { seen = append(seen, written); return nil }
	if got, err := w.imports.Import(context.Background(), r); err != nil || got.Recorded != 2500 || len(seen) != 3 || seen[2] != 2500 {
		t.Errorf("%+v %v %v", got, err, seen)
	}
}
