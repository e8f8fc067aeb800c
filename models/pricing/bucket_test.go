package pricing_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"recoup/models/pricing"
)

func TestBucketIsTheSameForEver(t *testing.T) {
	for account, want := range map[string]int{"acct_1": 14307, "acct_42": 8012, "acct_1001": 85415, "Ünïcode-账户": 1614} {
		if got := pricing.Bucket("ro_2026_discount10", account); got != want {
			t.Errorf("bucket of %s: %d, want %d", account, got, want)
		}
	}
}

// TestCase_F21: the last bucket belongs to the last threshold, and a threshold of 0 admits nobody.
func TestCase_F21_TheEdgesOfTheBuckets(t *testing.T) {
	for _, c := range []struct {
		bucket, threshold int
		want              bool
	}{{99999, 100000, true}, {99999, 99999, false}, {0, 0, false}, {0, 1, true}, {1, 1, false}} {
		stage, _ := pricing.Admit([]pricing.Stage{{Number: 1, Threshold: c.threshold}}, 1, pricing.Subject{AccountID: "a"}, c.bucket)
		if (stage == 1) != c.want {
			t.Errorf("bucket %d, threshold %d: admitted by stage %d", c.bucket, c.threshold, stage)
		}
	}
}

// TestCase_F23 refuses thresholds that are no share; the other two of the case, 12.5 and NaN, are no whole
// numbers and end at the border.
func TestCase_F23_ThresholdsThatAreNoShare(t *testing.T) {
	for _, threshold := range []int{100001, -1, math.MaxInt} {
		bad := pricing.CheckStages([]pricing.Stage{{Number: 1, Threshold: threshold}})
		if len(bad) != 1 || bad[0].Name != "stages[1].threshold" {
			t.Errorf("threshold %d: %v", threshold, bad)
		}
	}
	for _, threshold := range []int{0, 1, 100000} {
		if bad := pricing.CheckStages([]pricing.Stage{{Number: 1, Threshold: threshold}}); bad != nil {
			t.Errorf("threshold %d: %v", threshold, bad)
		}
	}
	if pricing.CheckStages(nil) == nil {
		t.Error("a rollout without a stage")
	}
}

func TestAdmit(t *testing.T) {
	pro := pricing.Segment{Plans: []string{"pro", "team"}}
	tokyo := pricing.Segment{Regions: []string{"jp"}, Attributes: map[string]string{"beta": "yes"}}
	named := pricing.Segment{Accounts: []string{"a", "b"}, Plans: []string{"nobody has it"}}
	everybody := pricing.Segment{}
	a := pricing.Subject{AccountID: "a", Plan: "pro", Region: "jp", Attributes: map[string]string{"beta": "yes", "empty": ""}}
	c := pricing.Subject{AccountID: "c", Plan: "free", Region: "jp", Attributes: map[string]string{"beta": "no"}}
	for _, x := range []struct {
		name   string
		stages []pricing.Stage
		upTo   int
		who    pricing.Subject
		bucket int
		stage  int
		why    pricing.Reason
	}{
		{"by name, whatever the bucket and the rest of the segment", []pricing.Stage{{Number: 1, Segment: named}}, 1, a, 99999, 1, pricing.Named},
		{"not named", []pricing.Stage{{Number: 1, Segment: named, Threshold: 100000}}, 1, c, 0, 0, pricing.OutsideSegment},
		{"by plan, below", []pricing.Stage{{Number: 1, Segment: pro, Threshold: 10}}, 1, a, 9, 1, pricing.BelowThreshold},
		{"by plan, above", []pricing.Stage{{Number: 1, Segment: pro, Threshold: 10}}, 1, a, 10, 0, pricing.AboveThreshold},
		{"another plan", []pricing.Stage{{Number: 1, Segment: pro, Threshold: 10}}, 1, c, 9, 0, pricing.OutsideSegment},
		{"by region and attribute", []pricing.Stage{{Number: 1, Segment: tokyo, Threshold: 10}}, 1, a, 9, 1, pricing.BelowThreshold},
		{"another attribute", []pricing.Stage{{Number: 1, Segment: tokyo, Threshold: 10}}, 1, c, 9, 0, pricing.OutsideSegment},
		{"an attribute that is not there is not the empty one", []pricing.Stage{{Number: 1, Segment: pricing.Segment{Attributes: map[string]string{"empty": ""}}, Threshold: 10}}, 1, c, 9, 0, pricing.OutsideSegment},
		{"a stage not reached", []pricing.Stage{{Number: 1}, {Number: 2, Threshold: 100000}}, 1, a, 9, 0, pricing.AboveThreshold},
		{"the first that admits", []pricing.Stage{{Number: 1, Segment: pro, Threshold: 5}, {Number: 2, Threshold: 50, Segment: everybody}, {Number: 3, Threshold: 100}}, 3, a, 9, 2, pricing.BelowThreshold},
		{"a lower threshold later takes nobody out", []pricing.Stage{{Number: 1, Threshold: 50}, {Number: 2, Threshold: 5}}, 2, a, 9, 1, pricing.BelowThreshold},
	} {
		if stage, why := pricing.Admit(x.stages, x.upTo, x.who, x.bucket); stage != x.stage || why != x.why {
			t.Errorf("%s: stage %d, %s; want %d, %s", x.name, stage, why, x.stage, x.why)
		}
	}
}

// TestCase_F22: whatever stages follow each other, each holds everybody that the ones before it held.
func TestCase_F22_WideningRemovesNobody(t *testing.T) {
	const accounts = 100_000
	plans, regions := []string{"", "free", "pro", "team"}, []string{"", "eu", "jp"}
	all := make([]pricing.Subject, accounts)
	for i := range all {
		all[i] = pricing.Subject{AccountID: fmt.Sprintf("acct_%d", i), Plan: plans[i%4], Region: regions[i%3],
			Attributes: map[string]string{"beta": fmt.Sprint(i % 5)}}
	}
	text := func(t *rapid.T, name string, from []string) []string {
		return rapid.SliceOfN(rapid.SampledFrom(from), 0, 2).Draw(t, name)
	}
	rapid.Check(t, func(t *rapid.T) {
		salt := rapid.String().Draw(t, "salt")
		n := rapid.IntRange(1, 5).Draw(t, "stages")
		stages := make([]pricing.Stage, n)
		for i := range stages {
			stages[i] = pricing.Stage{Number: i + 1, Threshold: rapid.IntRange(0, pricing.Buckets).Draw(t, "threshold"),
				Segment: pricing.Segment{Plans: text(t, "plans", plans), Regions: text(t, "regions", regions),
					Accounts: text(t, "accounts", []string{"acct_1", "acct_99999"})}}
			if rapid.Bool().Draw(t, "attribute") {
				stages[i].Segment.Attributes = map[string]string{"beta": fmt.Sprint(rapid.IntRange(0, 5).Draw(t, "beta"))}
			}
		}
		// Every account in the first draw would take minutes: each draw looks at its own part of them.
		from := rapid.IntRange(0, 9).Draw(t, "part")
		for i := from; i < accounts; i += 10 {
			bucket := pricing.Bucket(salt, all[i].AccountID)
			in := 0
			for upTo := 1; upTo <= n; upTo++ {
				stage, _ := pricing.Admit(stages, upTo, all[i], bucket)
				if in > 0 && stage != in {
					t.Fatalf("%s was admitted by stage %d; after widening to %d it is in stage %d", all[i].AccountID, in, upTo, stage)
				}
				in = stage
			}
		}
	})
}

// TestCase_F22, on all of a hundred thousand accounts: a few sequences of ten widenings, wherever their thresholds lie. None throws anybody
// out, and each stage holds its share of everybody.
func TestCase_F22_AHundredThousandAccountsStay(t *testing.T) {
	const accounts = 100_000
	r := rand.New(rand.NewPCG(22, 100_000))
	for range 5 {
		salt := fmt.Sprintf("ro_%d", r.Uint64())
		stages := make([]pricing.Stage, 10)
		widest := make([]int, len(stages))
		for i := range stages {
			stages[i] = pricing.Stage{Number: i + 1, Threshold: r.IntN(pricing.Buckets + 1)}
			if widest[i] = stages[i].Threshold; i > 0 {
				widest[i] = max(widest[i], widest[i-1])
			}
		}
		in := make([]int, len(stages)+1)
		for n := range accounts {
			who := pricing.Subject{AccountID: fmt.Sprintf("acct_%d", n)}
			bucket, admitted := pricing.Bucket(salt, who.AccountID), false
			for upTo := range len(stages) + 1 {
				stage, _ := pricing.Admit(stages, upTo, who, bucket)
				if admitted && stage == 0 {
					t.Fatalf("%s left when %s was widened to stage %d", who.AccountID, salt, upTo)
				}
				if admitted = stage > 0; admitted {
					in[upTo]++
				}
			}
		}
		for i, threshold := range widest {
			p := float64(threshold) / pricing.Buckets
			if mean, sigma := p*accounts, math.Sqrt(accounts*p*(1-p)); math.Abs(float64(in[i+1])-mean) > 3*sigma {
				t.Errorf("%s admits %d accounts at stage %d, beyond %.0f ± %.0f", salt, in[i+1], i+1, mean, 3*sigma)
			}
		}
		if in[0] != 0 {
			t.Errorf("%d accounts before the first stage", in[0])
		}
	}
}

// A threshold admits its share of all accounts, within three standard deviations, and growing it keeps
// everybody.
func TestSharesOfAHundredThousandAccounts(t *testing.T) {
	const accounts = 100_000
	buckets := make([]int, accounts)
	for i := range buckets {
		buckets[i] = pricing.Bucket("ro_2026_discount10", fmt.Sprintf("acct_%d", i))
	}
	before := make([]bool, accounts)
	for _, threshold := range []int{0, 1, 10, 1000, 10_000, 25_000, 50_000, 99_000, 100_000} {
		stages := []pricing.Stage{{Number: 1, Threshold: threshold}}
		in := 0
		for i, b := range buckets {
			stage, _ := pricing.Admit(stages, 1, pricing.Subject{AccountID: "a"}, b)
			if stage == 1 {
				in++
			} else if before[i] {
				t.Fatalf("acct_%d left at threshold %d", i, threshold)
			}
			before[i] = stage == 1
		}
		p := float64(threshold) / pricing.Buckets
		mean, sigma := p*accounts, math.Sqrt(accounts*p*(1-p))
		if math.Abs(float64(in)-mean) > 3*sigma {
			t.Errorf("threshold %d admits %d of %d accounts, beyond %.0f ± %.0f", threshold, in, accounts, mean, 3*sigma)
		}
	}
}
