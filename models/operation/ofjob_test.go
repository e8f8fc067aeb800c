package operation_test

import (
	"context"
	"slices"
	"testing"

	"recoup/models/job"
	"recoup/models/modeltest"
)

// A job's page lists what was asked about it, and nothing that was asked about another.
func TestOfJobListsItsOperationsInOrder(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	ctx := context.Background()
	m.Account(t, "acct_1", 100)
	m.Charge(t, "acct_1", "j1", 10)
	m.Charge(t, "acct_1", "j2", 10)
	m.Claim(t, 2)
	first := int64(1)
	for _, s := range []job.Signal{{Type: job.SignalFailed, Class: job.Permanent}, {Type: job.SignalSucceeded}} {
		s.Attempt = &first
		if _, err := m.Jobs.Signal(ctx, job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: "acct_1", JobID: "j1", Signal: s}); err != nil {
			t.Fatal(err)
		}
	}
	for id, want := range map[string][]string{"j1": {"charge", "signal", "signal"}, "j2": {"charge"}} {
		var j struct{ AccountKey, Key int64 }
		if err := m.G.Raw(`SELECT account_key, key FROM jobs WHERE id = ?`, id).Scan(&j).Error; err != nil {
			t.Fatal(err)
		}
		rows, err := m.Ops.OfJob(ctx, j.AccountKey, j.Key)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range rows {
			got = append(got, r.Kind)
			if r.JobID == nil || *r.JobID != id || r.Result == nil {
				t.Errorf("operation of %s: %+v", id, r)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("operations of %s: %v, want %v", id, got, want)
		}
	}
}
