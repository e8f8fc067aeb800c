package present

import (
	"testing"
	"time"

	"recoup/models/job"
)

// A retry that goes well takes the credits back and is not late. What came after the end is.
func TestOnlyLateResultsAreCalledLate(t *testing.T) {
	p := english()
	const ordinary, late = "Attempt 2 succeeded", "Result of attempt 2 arrived late"
	for name, x := range map[string]struct {
		of     *job.State
		before job.State
		found  string
		want   string
	}{
		"in time, after a refund":       {nil, "", job.Reclaimed, ordinary},
		"in time":                       {nil, "", job.NothingToReclaim, ordinary},
		"after the end":                 {ref(job.Dead), job.Dead, job.Reclaimed, late},
		"of an attempt that was over":   {ref(job.Retrying), job.Retrying, job.Reclaimed, late},
		"told again, of a late success": {ref(job.Dead), job.Succeeded, job.AlreadyReclaimed, ordinary},
		"told again":                    {nil, job.Succeeded, job.AlreadyReclaimed, ordinary},
	} {
		d := JobPage{Job: job.Listed{Job: job.Job{State: job.Succeeded, LateSuccessOf: x.of}}}
		got, _ := p.moments(d, job.Event{Kind: job.EventSucceeded, Attempt: ref(2), Outcome: x.found, StateBefore: x.before}, job.Details{})
		if len(got) != 1 || got[0].Attempt == nil || got[0].Attempt.Title != x.want {
			t.Errorf("%s: %+v, want %q", name, got[0].Attempt, x.want)
		}
	}
}

// An attempt that a person ended is canceled; superseded is one beside which another delivered.
func TestHowAttemptsEnded(t *testing.T) {
	ended := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for name, x := range map[string]struct {
		job     job.Job
		attempt job.Attempt
		want    string
	}{
		"canceled":                     {job.Job{State: job.Canceled}, job.Attempt{EndedAt: &ended, Outcome: "canceled"}, "canceled"},
		"canceled, delivered later on": {job.Job{State: job.Succeeded, DeliveredAt: &ended}, job.Attempt{EndedAt: &ended, Outcome: "canceled"}, "superseded"},
		"runs":                         {job.Job{State: job.Running}, job.Attempt{}, "running"},
		"failed":                       {job.Job{State: job.Dead}, job.Attempt{EndedAt: &ended, Outcome: "failed"}, "failed"},
	} {
		if got := english().attempt(job.Listed{Job: x.job}, x.attempt).Outcome; got != x.want {
			t.Errorf("%s: %s, want %s", name, got, x.want)
		}
	}
}
