package drill

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// The whole program with a rollout under way: every step is made, both prices apply, quotes outlive the rollback, and nothing is wrong.
func TestDrillOfARollout(t *testing.T) {
	t.Parallel() // it waits much of its time
	if testing.Short() {
		t.Skip("starts the whole system")
	}
	faults, err := ParseFaults("duplicate,race,drop,late,kill-worker,kill-server")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = Run(t.Context(), Options{JobsFile: writeTrace(t, 300), Workers: 16, Seed: 11, Faults: faults, Rollout: true, Out: &out, Start: starter(t)})
	text := out.String()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for name, want := range map[string]string{"wrong": "0", "verify": "clean", "jobs": "300", "rollout": "6"} {
		if got := row(t, text, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"by the candidate", "quotes", "late retries"} {
		if number(t, text, name) == 0 {
			t.Errorf("%s: none", name)
		}
	}
	if !strings.Contains(text, "start, advance, pause, resume, halt, roll-back") || strings.Contains(text, " 0 of them charged after the rollback") {
		t.Error("not every step was made, or no quote outlived the rollback")
	}
	if t.Failed() {
		t.Log(text)
	}
}

// A timeline of known times: start at 10, advance at 30, pause at 40, resume at 50, halt at 60 to 70, rolled back at 80 to 90. Stage 1 admits
// buckets below 100, stage 2 below 200.
func TestJudge(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(1_000_000, 0).Add(time.Duration(s) * time.Second) }
	running := func(stage int) phase { return phase{live: true, open: true, stage: stage} }
	line := &timeline{thresholds: []int{100, 200}, steps: []taken{
		{"start", at(10), at(11), running(1)}, {"advance", at(30), at(31), running(2)}, {"pause", at(40), at(41), phase{live: true, stage: 2}},
		{"resume", at(50), at(51), running(2)}, {"halt", at(60), at(70), phase{live: true, stage: 2}}, {"roll-back", at(80), at(90), phase{}}}}
	candidate := func(bucket, from, to int) priced {
		return priced{bucket: bucket, candidate: true, attributed: true, from: at(from), to: at(to)}
	}
	baseline := func(bucket, from, to int) priced {
		return priced{bucket: bucket, attributed: true, from: at(from), to: at(to)}
	}
	outside := func(bucket, from, to int) priced { return priced{bucket: bucket, from: at(from), to: at(to)} }
	for name, c := range map[string]struct {
		d      priced
		before history
		right  bool
	}{
		"before the start":                     {outside(50, 1, 2), nil, true},
		"candidate before the start":           {candidate(50, 1, 2), nil, false},
		"attributed before the start":          {baseline(50, 1, 2), nil, false},
		"candidate while it starts":            {candidate(50, 9, 10), nil, true},
		"baseline while it starts":             {outside(50, 10, 11), nil, true},
		"candidate in stage 1":                 {candidate(50, 15, 16), nil, true},
		"baseline in stage 1":                  {baseline(50, 15, 16), nil, false},
		"without attribution in stage 1":       {outside(150, 15, 16), nil, false},
		"candidate of stage 2 in stage 1":      {candidate(150, 15, 16), nil, false},
		"baseline of stage 2 in stage 1":       {baseline(150, 15, 16), nil, true},
		"candidate of stage 2 at the advance":  {candidate(150, 29, 30), nil, true},
		"baseline of stage 2 at the advance":   {baseline(150, 30, 31), nil, true},
		"baseline of stage 2 in stage 2":       {baseline(150, 32, 33), nil, false},
		"candidate of nobody":                  {candidate(250, 32, 33), nil, false},
		"new while paused":                     {candidate(50, 42, 43), nil, false},
		"baseline of a new one while paused":   {baseline(50, 42, 43), nil, true},
		"enrolled while paused":                {candidate(50, 42, 43), history{candidate(50, 15, 16)}, true},
		"enrolled and thrown out while paused": {baseline(50, 42, 43), history{candidate(50, 15, 16)}, false},
		"enrolled while being asked":           {candidate(50, 42, 43), history{candidate(50, 39, 45)}, true},
		"perhaps enrolled, baseline":           {baseline(50, 42, 43), history{candidate(50, 39, 45)}, true},
		"enrolled by one that was not let in":  {candidate(50, 44, 45), history{candidate(50, 42, 43)}, false},
		"enrolled later":                       {candidate(50, 42, 43), history{candidate(50, 52, 53)}, false},
		"while it halts":                       {candidate(50, 61, 62), nil, true},
		"after the halt":                       {candidate(50, 71, 72), nil, false},
		"baseline after the halt":              {baseline(50, 71, 72), nil, true},
		"enrolled after the halt":              {candidate(50, 71, 72), history{candidate(50, 15, 16)}, true},
		"enrolled while it is rolled back":     {candidate(50, 85, 86), history{candidate(50, 15, 16)}, true},
		"new while it is rolled back":          {candidate(50, 85, 86), nil, false},
		"enrolled after the rollback":          {candidate(50, 91, 92), history{candidate(50, 15, 16)}, false},
		"baseline after the rollback":          {outside(50, 91, 92), history{candidate(50, 15, 16)}, true},
		"attributed after the rollback":        {baseline(50, 91, 92), nil, false},
		"candidate without attribution":        {priced{bucket: 50, candidate: true, from: at(15), to: at(16)}, nil, false},
	} {
		if wrong := line.judge(c.d, append(c.before, c.d)); (wrong == "") != c.right {
			t.Errorf("%s: %q", name, wrong)
		}
	}
}

// The check values of the domain: the drill's arithmetic is its own.
func TestBucketOf(t *testing.T) {
	for account, want := range map[string]int{"acct_1": 14307, "acct_42": 8012, "acct_1001": 85415, "Ünïcode-账户": 1614} {
		if got := bucketOf("ro_2026_discount10", account); got != want {
			t.Errorf("%s: %d, want %d", account, got, want)
		}
	}
}

// A trial splits few and uneven accounts, is the same for the same plan and name, and says when there is nothing to show.
func TestPlanTrial(t *testing.T) {
	plan := func(accounts, jobs int) Plan {
		var p Plan
		for i := range jobs {
			p.Jobs = append(p.Jobs, Planned{Account: fmt.Sprintf("a%d", i*i%accounts), JobID: fmt.Sprint(i), Action: "x", Units: 1, Seed: uint64(i),
				Fate: []Fate{FateSucceeds, FateFails}[i%2]})
		}
		return p
	}
	for _, accounts := range []int{5, 11, 200} {
		p := plan(accounts, 400)
		a, err := planTrial(p, "abc")
		if err != nil {
			t.Fatal(err)
		}
		b, err := planTrial(p, "abc")
		if err != nil || a.id != b.id || a.thresholds[0] >= a.thresholds[1] || a.minCharges < 1 {
			t.Errorf("%+v, again %+v, %v", a, b, err)
		}
		in := [3]int{}
		for _, j := range p.Jobs {
			switch bucket := bucketOf(a.id, j.Account); {
			case bucket < a.thresholds[0]:
				in[0]++
			case bucket < a.thresholds[1]:
				in[1]++
			default:
				in[2]++
			}
		}
		if in[0] < 40 || in[1] < 40 || in[2] < 40 {
			t.Errorf("%d accounts: %v jobs in the stages and outside", accounts, in)
		}
	}
	for name, p := range map[string]Plan{"two accounts": plan(2, 400), "few jobs": plan(5, 4), "none": {}} {
		if got, err := planTrial(p, "abc"); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestRolloutLine(t *testing.T) {
	state, version, ok := rolloutLine("uniqueness: fail, 1 found (x)\nro-1 halted stage 2 of 2 version 6\n", "ro-1")
	if state != "halted" || version != 6 || !ok {
		t.Errorf("%s %d %t", state, version, ok)
	}
	if _, _, ok := rolloutLine("ro-2 halted stage 2 of 2 version 6\n", "ro-1"); ok {
		t.Error("another rollout's line was taken")
	}
}

// What an answer says of a price is held against the quote before it, the rule version it names and itself.
func TestBooksOfPrices(t *testing.T) {
	for name, c := range map[string]struct {
		quote  *decided
		cost   int64
		rule   string
		rolls  *string
		cohort string
		want   Kind
	}{
		"right":                  {nil, 6, "x@v1", nil, "baseline", ""},
		"quoted otherwise":       {&decided{rule: "x@v2", cohort: "candidate", rollout: "ro", price: 5}, 6, "x@v1", nil, "baseline", WrongDecision},
		"quoted, another price":  {&decided{rule: "x@v1", cohort: "baseline", price: 5}, 6, "x@v1", nil, "baseline", WrongDecision},
		"price of the other":     {nil, 5, "x@v1", nil, "baseline", WrongCost},
		"an unknown version":     {nil, 6, "x@v3", nil, "baseline", WrongCost},
		"candidate before start": {nil, 5, "x@v2", pointer("ro"), "candidate", WrongDecision},
		"cohort of the other":    {nil, 6, "x@v1", nil, "candidate", WrongDecision},
		"another rollout":        {nil, 6, "x@v1", pointer("ro-2"), "baseline", WrongDecision},
	} {
		plan := Plan{Accounts: []string{"a"}, Jobs: []Planned{{Account: "a", JobID: "j", Action: "x", Units: 6}}}
		b := newBooks(plan)
		b.trial = &trial{timeline: timeline{thresholds: []int{100, 200}}, id: "ro", action: "x", baseline: "x@v1", candidate: "x@v2",
			prices: map[string]int64{"x@v1": 1000, "x@v2": 833}}
		j := b.accounts["a"].jobs["j"]
		j.quote = c.quote
		v := JobView{Cost: c.cost, State: "queued", Net: -c.cost, attribution: attribution{RuleVersion: c.rule, RolloutID: c.rolls, Cohort: c.cohort}}
		result, err := json.Marshal(changed{Entry: &Entry{Seq: 1, Type: "charge", Amount: -c.cost}, Job: &v})
		if err != nil {
			t.Fatal(err)
		}
		o := operation{scope: scopeOf("a"), id: "charge:j", kind: kindCharge, account: "a", job: "j"}
		b.sent(o)
		b.answered(o, answer{status: 201, outcome: "applied", result: result}, false)
		b.judge()
		if _, wrong := b.snapshot(); (wrong > 0) != (c.want != "") || wrong > 0 && b.wrong[0].Kind != c.want {
			t.Errorf("%s: %v, want %q", name, b.wrong, c.want)
		}
	}
}

func pointer(s string) *string { return &s }
