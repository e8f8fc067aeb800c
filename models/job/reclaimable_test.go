package job_test

import (
	"fmt"
	"testing"

	"recoup/models/job"
	"recoup/models/modeltest"
)

// What could still be reclaimed is added up as far as was asked for; beyond that nothing is said rather than a part.
func TestReclaimableSaysAllOrNothing(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "acct_1", 100)
	first := int64(1)
	for _, id := range []string{"a", "b", "c"} {
		_, err := m.Jobs.Charge(t.Context(), job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "acct_1", JobID: id, Action: modeltest.Action, Units: 10, Mode: job.External})
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Jobs.Signal(t.Context(), job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: "acct_1", JobID: id,
			Signal: job.Signal{Type: job.SignalFailed, Attempt: &first, Class: job.Transient, Code: "x"}})
		if err != nil {
			t.Fatal(err)
		}
	}
	for most, want := range map[int]string{0: "3 30 false", 3: "3 30 false", 2: "0 0 true"} {
		got, err := m.Jobs.Reclaimable(t.Context(), "acct_1", most)
		if err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprint(got.Jobs, " ", got.Credits.String(), " ", got.More); text != want {
			t.Errorf("at most %d: %s, want %s", most, text, want)
		}
	}
}
