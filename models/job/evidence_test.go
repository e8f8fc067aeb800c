package job_test

import (
	"context"
	"testing"

	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/modeltest"
)

// A job's evidence counts what was sent again of its own operations, and nothing of another job's.
func TestEvidenceCountsTheJobsOwnOperations(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	ctx := context.Background()
	m.Account(t, "acct_1", 100)
	m.Charge(t, "acct_1", "j1", 10)
	m.Charge(t, "acct_1", "j2", 10)
	m.Claim(t, 2)
	first := int64(1)
	send := func(jobID string, s job.Signal, times int) {
		t.Helper()
		s.Attempt = &first
		r := job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: "acct_1", JobID: jobID, Signal: s}
		for range times {
			if _, err := m.Jobs.Signal(ctx, r); err != nil {
				t.Fatal(err)
			}
		}
		r.Result, r.Class = "", job.Throttled
		if r.Type == job.SignalFailed {
			if _, err := m.Jobs.Signal(ctx, r); !fault.Is(err, fault.CodeOperationConflict) {
				t.Fatalf("another input under the same id: %v", err)
			}
		}
	}
	send("j1", job.Signal{Type: job.SignalFailed, Class: job.Permanent}, 3)
	send("j1", job.Signal{Type: job.SignalFailed, Class: job.Permanent}, 1)
	send("j1", job.Signal{Type: job.SignalSucceeded}, 2)
	send("j2", job.Signal{Type: job.SignalSucceeded}, 5)

	for id, want := range map[string]job.Evidence{
		"j1": {RefundSignals: 2, RefundsApplied: 1, ReclaimSignals: 1, ReclaimsApplied: 1, OperationReplays: 3, Conflicts: 2},
		"j2": {ReclaimSignals: 1, OperationReplays: 4},
	} {
		var j struct{ AccountKey, Key int64 }
		if err := m.G.Raw(`SELECT account_key, key FROM jobs WHERE id = ?`, id).Scan(&j).Error; err != nil {
			t.Fatal(err)
		}
		got, err := m.Jobs.Evidence(ctx, j.AccountKey, j.Key)
		if err != nil || got != want {
			t.Errorf("evidence of %s: %+v, %v; want %+v", id, got, err, want)
		}
	}
}
