package verify_test

import (
	"context"
	"os"
	"regexp"
	"slices"
	"testing"

	"recoup/models/actor"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/modeltest"
	"recoup/models/page"
	"recoup/models/task"
	"recoup/models/verify"
)

func ask() verify.RunRequest {
	return verify.RunRequest{OperationID: ids.New(), Actor: actor.Staff("st_0123456789abcdef")}
}

// One run waits or is on at a time, however many ask; the same request twice is one run; one that was ended makes way.
func TestOneRunAtATime(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, patient())
	tasks := task.New(m.G, nil)
	desk := verify.NewDesk(m.Ops, tasks)
	first := ask()
	out, err := desk.Start(ctx, first)
	if err != nil {
		t.Fatal(err)
	}
	var r verify.RunResult
	if err := out.Decode(&r); err != nil {
		t.Fatal(err)
	}
	if again, err := desk.Start(ctx, first); err != nil || !again.Replayed {
		t.Errorf("the same request: %+v, %v", again, err)
	}
	if _, err := desk.Start(ctx, ask()); !fault.Is(err, fault.CodeStateConflict) {
		t.Errorf("a second run: %v", err)
	}
	cancel := ask()
	cancel.TaskID = r.Task
	if _, err := desk.Cancel(ctx, cancel); err != nil {
		t.Fatal(err)
	}
	late := ask()
	late.TaskID = r.Task
	if _, err := desk.Cancel(ctx, late); !fault.Is(err, fault.CodeStateConflict) {
		t.Errorf("ended twice: %v", err)
	}
	if asked, err := desk.Asked(ctx); err != nil || asked == nil || asked.State != task.Canceled {
		t.Errorf("%+v, %v", asked, err)
	}
	if _, err := desk.Start(ctx, ask()); err != nil {
		t.Errorf("after the end: %v", err)
	}
	var rows int64
	if err := m.G.Raw(`SELECT count(*) FROM audit_log WHERE object = 'integrity' AND outcome = 'done'`).Scan(&rows).Error; err != nil || rows != 3 {
		t.Errorf("%d audit rows, %v", rows, err)
	}
}

// A recorded run keeps its problems row by row; recorded again for the same task it is the same run.
func TestEvidenceIsKept(t *testing.T) {
	ctx := context.Background()
	m := seed(t)
	damage(t, m.G, "UPDATE accounts SET balance = balance + 5 WHERE id = 'many'", "UPDATE jobs SET cost = 9 WHERE id = 'queued'")
	v := verify.New(m.G)
	var evidence verify.Evidence
	report, err := v.Run(ctx, verify.Options{OnProblem: evidence.Add})
	if err != nil {
		t.Fatal(err)
	}
	rec := verify.Record{Report: report, Evidence: &evidence, TaskID: "task-1", RequestedBy: "staff:st_1"}
	id, err := v.Keep(ctx, rec)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := v.Keep(ctx, rec); err != nil || again != id {
		t.Errorf("recorded again: run %d, want %d, %v", again, id, err)
	}
	run, err := v.FindRun(ctx, id)
	if err != nil || run.Problems != report.Problems || run.TaskID != "task-1" || run.RequestedBy != "staff:st_1" {
		t.Errorf("%+v, %v", run, err)
	}
	if slices.Contains(run.Checks, verify.CheckAnchor) || !slices.Contains(run.Checks, verify.CheckTriggers) {
		t.Errorf("checks %v", run.Checks)
	}
	var seen []string
	var from *verify.ProblemPosition
	for {
		p, err := v.Problems(ctx, id, "", from, page.Older, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range p.Rows {
			seen = append(seen, string(x.Check)+" "+x.AccountID+"/"+x.JobID)
		}
		if from = p.Older; from == nil {
			break
		}
	}
	if want := []string{"amount many/queued", "decision many/queued", "head many/"}; !slices.Equal(seen, want) {
		t.Errorf("evidence %q, want %q", seen, want)
	}
	if p, err := v.Problems(ctx, id, verify.CheckHead, nil, page.Older, 10); err != nil || len(p.Rows) != 1 || p.Rows[0].Found == "" {
		t.Errorf("%+v, %v", p.Rows, err)
	}
	if _, err := v.FindRun(ctx, id+1); !fault.Is(err, fault.CodeNotFound) {
		t.Errorf("no such run: %v", err)
	}
	if runs, err := v.Runs(ctx, nil, page.Older, 10); err != nil || len(runs.Rows) != 1 {
		t.Errorf("%d runs, %v", len(runs.Rows), err)
	}
}

// The page of invariants has every rule of the document, in its order, and says of each what keeps it.
func TestEveryRuleOfTheDocumentIsAnInvariant(t *testing.T) {
	text, err := os.ReadFile("../../docs/domain.md")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, m := range regexp.MustCompile(`(?m)^\| ([A-Z]\d+) \|`).FindAllSubmatch(text, -1) {
		want = append(want, string(m[1]))
	}
	for _, in := range verify.Invariants() {
		got = append(got, in.Rule)
		if (in.Held == "") != (len(in.Checks)+len(in.Kept) > 0) {
			t.Errorf("%s: checks %v, kept by %v, held %q", in.Rule, in.Checks, in.Kept, in.Held)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the invariants are\n%v, the rules of the document\n%v", got, want)
	}
}

// Every check belongs to exactly one rule.
func TestEveryCheckHasARule(t *testing.T) {
	count := map[verify.Check]int{}
	for _, in := range verify.Invariants() {
		for _, c := range in.Checks {
			count[c]++
		}
	}
	for _, c := range verify.Checks() {
		if count[c] != 1 {
			t.Errorf("%s stands in %d rules", c, count[c])
		}
		delete(count, c)
	}
	for c := range count {
		t.Errorf("%s is no check", c)
	}
}
