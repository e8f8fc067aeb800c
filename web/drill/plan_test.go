package drill

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func trace(n int) []TraceJob {
	phases := []Phase{Succeeded, Failed, Running, Pending}
	actions := []string{"video_render", "transcription"}
	jobs := make([]TraceJob, n)
	for i := range jobs {
		jobs[i] = TraceJob{JobID: fmt.Sprintf("job-%d", i), AccountID: fmt.Sprintf("tenant-%d", i%40), Action: actions[i%2],
			Units: int64(1 + i%500), Phase: phases[i%4], CreatedS: float64(n - i)}
	}
	return jobs
}

var prefixes = Prefixes{Account: "drill-abc-", Unclaimed: "drill_unclaimed"}

func TestPlanFollowsTheTrace(t *testing.T) {
	jobs := trace(4000)
	plan := MakePlan(jobs, 7, prefixes, all())
	if len(plan.Jobs) != len(jobs) || len(plan.Accounts) != 40 {
		t.Fatalf("%d jobs, %d accounts", len(plan.Jobs), len(plan.Accounts))
	}
	// The trace above is in reverse order of arrival.
	if plan.Jobs[0].JobID != "job-3999" || plan.Jobs[3999].JobID != "job-0" {
		t.Errorf("not in order of arrival: %s … %s", plan.Jobs[0].JobID, plan.Jobs[3999].JobID)
	}
	n := plan.count()
	if n[FateSucceeds] != 1000 || n[FateAbandoned] != 1000 || n[FateUnclaimed] != 1000 || n[FateFails]+n[FateLate] != 1000 {
		t.Errorf("fates %v", n)
	}
	if n[FateLate] < 430 || n[FateLate] > 570 {
		t.Errorf("%d of 1000 failed jobs succeed late, want half", n[FateLate])
	}
	if len(plan.Short) == 0 || len(plan.Short) > 20 {
		t.Errorf("%d short accounts of 40", len(plan.Short))
	}
	ways, external := map[LateWay]int{}, 0
	for _, j := range plan.Jobs {
		if !strings.HasPrefix(j.Account, "drill-abc-tenant-") {
			t.Fatalf("account %q", j.Account)
		}
		if j.Fate == FateLate {
			ways[j.Late]++
			if j.Late == LateWhileRetrying && (j.Permanent || j.MaxAttempts < 2) {
				t.Errorf("%s can never be retrying: %+v", j.JobID, j)
			}
			if j.External && (j.Late == LateAfterDeath || j.Late == LateRequeue) {
				t.Errorf("%s is external and cannot be claimed: %+v", j.JobID, j)
			}
		}
		if j.Fate == FateUnclaimed {
			if j.ExpiresInS < 1 {
				t.Errorf("%s never expires", j.JobID)
			}
			if j.External == (j.Action == "drill_unclaimed") {
				t.Errorf("%s could be claimed: %+v", j.JobID, j)
			}
		}
		if j.External {
			external++
		}
	}
	if len(ways) != 4 || external == 0 {
		t.Errorf("late ways %v, %d external jobs", ways, external)
	}
	if want := []string{"transcription", "video_render"}; !reflect.DeepEqual(plan.Actions, want) {
		t.Errorf("actions %v", plan.Actions)
	}
}

func TestPlanIsDecidedBySeed(t *testing.T) {
	jobs := trace(400)
	one, same, other := MakePlan(jobs, 7, prefixes, all()), MakePlan(jobs, 7, prefixes, all()), MakePlan(jobs, 8, prefixes, all())
	if !reflect.DeepEqual(one, same) {
		t.Error("the same seed gave another plan")
	}
	if reflect.DeepEqual(one, other) {
		t.Error("another seed gave the same plan")
	}
	// The prefix is new at every drill and must not change a job's fate.
	renamed := MakePlan(jobs, 7, Prefixes{Account: "drill-xyz-", Unclaimed: "drill_unclaimed"}, all())
	for i := range one.Jobs {
		a, b := one.Jobs[i], renamed.Jobs[i]
		a.Account, b.Account = "", ""
		if a != b {
			t.Fatalf("job %d: %+v and %+v", i, a, b)
		}
	}
}

func TestPlanWithoutLate(t *testing.T) {
	n := MakePlan(trace(400), 7, prefixes, Faults{Drop: true}).count()
	if n[FateLate] != 0 || n[FateFails] != 100 {
		t.Errorf("fates %v", n)
	}
}

func TestPlanWithoutUnclaimedAction(t *testing.T) {
	for _, j := range MakePlan(trace(400), 7, Prefixes{Account: "d-", Action: "drill_"}, all()).Jobs {
		if j.Fate == FateUnclaimed && !j.External {
			t.Fatalf("%+v would be claimed", j)
		}
		if !strings.HasPrefix(j.Action, "drill_") {
			t.Fatalf("action %q", j.Action)
		}
	}
}

func TestAccountIDFits(t *testing.T) {
	long, other := strings.Repeat("a", 63)+"b", strings.Repeat("a", 63)+"c"
	a, b := accountID("drill-abc-", long), accountID("drill-abc-", other)
	if len(a) > 64 || len(b) > 64 || a == b {
		t.Errorf("%q and %q", a, b)
	}
}

func TestParseFaults(t *testing.T) {
	for in, want := range map[string]string{
		"none": "none", "safe": "duplicate, race, drop, late, kill-worker, flush-redis", "drop, kill-server": "drop, kill-server",
		"all":                "duplicate, race, drop, late, kill-worker, flush-redis, kill-server, kill-postgres, stop-redis",
		"safe,kill-postgres": "duplicate, race, drop, late, kill-worker, flush-redis, kill-postgres",
	} {
		if got, err := ParseFaults(in); err != nil || got.String() != want {
			t.Errorf("%q: %v, %v", in, got, err)
		}
	}
	if got, err := ParseFaults(" "); got != nil || err != nil {
		t.Errorf("empty: %v, %v", got, err)
	}
	if _, err := ParseFaults("drop,fire"); err == nil || !strings.Contains(err.Error(), `"fire"`) {
		t.Errorf("got %v", err)
	}
}

func TestCostOf(t *testing.T) {
	for _, c := range []struct{ units, price, want int64 }{
		{60, 667, 40}, {1, 499, 0}, {1, 500, 0}, {1, 501, 1}, {3, 500, 2}, {5, 500, 2}, {7, 500, 4}, {7200, 667, 4802}, {0, 667, 0}, {1, 0, 0},
	} {
		if got, ok := costOf(c.units, c.price); !ok || got != c.want {
			t.Errorf("%d × %d: %d, want %d", c.units, c.price, got, c.want)
		}
	}
	if _, ok := costOf(1<<62, 667); ok {
		t.Error("a product beyond 64 bits was accepted")
	}
}
