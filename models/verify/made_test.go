package verify_test

import (
	"context"
	"slices"
	"testing"

	"recoup/models/verify"
)

// Of each check that a run makes it is known how long it took, also when the run is read again.
func TestARunKeepsWhatEachCheckTook(t *testing.T) {
	m := seed(t)
	v, ctx := verify.New(m.G), context.Background()
	report, _ := check(t, m.G, verify.Options{})
	for _, c := range report.Checks {
		if report.Took[c] <= 0 || report.Took[c] > report.Finished.Sub(report.Started) {
			t.Errorf("%s took %s of %s", c, report.Took[c], report.Finished.Sub(report.Started))
		}
	}
	if err := v.Record(ctx, report); err != nil {
		t.Fatal(err)
	}
	last, err := v.Last(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for c, took := range report.Took {
		if last.Took[c] != took {
			t.Errorf("%s took %s and is kept as %s", c, took, last.Took[c])
		}
	}
}

// A run that did not make a check says nothing against what the last one found that did.
func TestACheckThatWasNotMadeFoundNothing(t *testing.T) {
	m := seed(t)
	v, ctx := verify.New(m.G), context.Background()
	record := func(made ...verify.Compared) []string {
		t.Helper()
		report, _ := check(t, m.G, verify.Options{})
		for _, c := range made {
			report.Add(c)
		}
		if err := v.Record(ctx, report); err != nil {
			t.Fatal(err)
		}
		verified, err := v.Verified(ctx)
		if err != nil || verified == nil {
			t.Fatal(verified, err)
		}
		return verified.Problems
	}
	holds := func(c verify.Check) verify.Compared { return verify.Compared{Check: c, Took: 1} }
	differs := func(c verify.Check) verify.Compared {
		return verify.Compared{Check: c, Took: 1, Problems: []verify.Problem{{Check: c, Expected: "a", Found: "b", Message: "m"}}}
	}
	for _, x := range []struct {
		name string
		got  []string
		want []string
	}{
		{"no anchor yet", record(), nil},
		{"an anchor that does not hold", record(differs(verify.CheckAnchor)), []string{"anchor"}},
		{"a run without anchors after it", record(), []string{"anchor"}},
		{"a run that compared the file's alone", record(holds(verify.CheckAnchorFile)), []string{"anchor"}},
		{"a run whose anchors hold", record(holds(verify.CheckAnchor)), nil},
		{"one of the file that does not", record(differs(verify.CheckAnchorFile), holds(verify.CheckAnchor)), []string{"anchor_file"}},
		{"a run that knows no file", record(holds(verify.CheckAnchor)), []string{"anchor_file"}},
		{"both hold", record(holds(verify.CheckAnchor), holds(verify.CheckAnchorFile)), nil},
	} {
		if !slices.Equal(x.got, x.want) {
			t.Errorf("%s: %v, want %v", x.name, x.got, x.want)
		}
	}
}
