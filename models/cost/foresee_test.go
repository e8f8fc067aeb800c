package cost_test

import (
	"context"
	"testing"
	"time"

	"recoup/models/cost"
	"recoup/models/modeltest"
)

// What is foreseen of a batch is what recording it comes to, and nothing is recorded by looking.
func TestForeseenIsWhatRecordingComesTo(t *testing.T) {
	b := newBooks(t)
	if _, err := b.costs.AddRule(context.Background(), cost.RuleRequest{Envelope: person(), Match: cost.Match{Description: "rent"}, Reason: "no job"}); err != nil {
		t.Fatal(err)
	}
	b.record("farm", rec("old", "1"))
	described := func(s string) func(*cost.NewRecord) { return func(r *cost.NewRecord) { r.Description = s } }
	batch := []cost.NewRecord{rec("old", "1"), rec("a", "1", ofJob("acct_7", "j1")), rec("b", "1", ofJob("acct_7", "nobody")), rec("c", "1", described("Office rent")), rec("d", "1", ofAction(modeltest.Action))}
	f, err := b.costs.Foresee(context.Background(), "farm", batch)
	if err != nil || f.Attributed != 1 || f.Overhead != 1 || f.Unattributed != 2 || f.Known != 1 {
		t.Errorf("%+v %v", f, err)
	}
	if !f.Concerns("anything", noon) || f.Concerns("anything", noon.Add(time.Second)) {
		t.Error("a record without an action concerns every action of its time, and none that begins later")
	}
	if n := b.count(`SELECT count(*) FROM cost_records`); n != 1 {
		t.Errorf("%d records", n)
	}
	if got := b.record("farm", batch...); got.Attributed != f.Attributed || got.Overhead != f.Overhead || got.Unattributed != f.Unattributed || got.Replayed != f.Known {
		t.Errorf("foreseen %+v, recorded %+v", f, got)
	}
	period := func(r *cost.NewRecord) { r.Until = noon.Add(time.Hour) }
	f, err = b.costs.Foresee(context.Background(), "farm", []cost.NewRecord{rec("p", "1", period)})
	if err != nil || !f.Concerns("anything", noon.Add(time.Hour-time.Microsecond)) || f.Concerns("anything", noon.Add(time.Hour)) {
		t.Errorf("a record of a period concerns what began before its end: %+v %v", f, err)
	}
	f, err = b.costs.Foresee(context.Background(), "farm", []cost.NewRecord{rec("e", "1", ofAction(modeltest.Action))})
	if err != nil || !f.Concerns(modeltest.Action, noon) || f.Concerns("another", noon) {
		t.Errorf("%+v %v", f, err)
	}
}
