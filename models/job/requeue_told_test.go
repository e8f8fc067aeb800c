package job_test

import (
	"context"
	"testing"

	"recoup/models/job"
	"recoup/models/modeltest"
)

// The caller of an external job told of attempt 2 after attempt 1 had died for good. Put back, the job runs its attempt 3: of
// attempt 2 everything is known, and what is said of it once more would be about the past.
func TestRequeueGoesBeyondWhatWasTold(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 100)
	if _, err := m.Jobs.Charge(ctx, job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j", Action: modeltest.Action, Units: 10, Mode: job.External}); err != nil {
		t.Fatal(err)
	}
	fail := func(attempt int64, class string) {
		t.Helper()
		if _, err := m.Jobs.Signal(ctx, job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j", Signal: job.Signal{Type: job.SignalFailed, Attempt: n(attempt), Class: class}}); err != nil {
			t.Fatal(err)
		}
	}
	fail(1, job.Permanent)
	fail(2, job.Throttled)
	if _, err := m.Jobs.Requeue(ctx, job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j", Reason: "the codec is there now"}); err != nil {
		t.Fatal(err)
	}
	due(t, m, "j", "not_before")
	var at job.Bell
	if err := m.G.Raw(`SELECT account_key, key AS job_key, attempt, generation FROM jobs WHERE id = 'j'`).Scan(&at).Error; err != nil {
		t.Fatal(err)
	}
	if woken, err := m.Jobs.Wake(ctx, at); err != nil || !woken {
		t.Fatalf("woken %t, %v", woken, err)
	}
	var row struct {
		State   job.State
		Attempt int
		Open    int
	}
	read := func() {
		t.Helper()
		err := m.G.Raw(`SELECT state, attempt, (SELECT count(*) FROM attempts t WHERE t.account_key = j.account_key AND t.job_key = j.key AND t.attempt = j.attempt AND t.ended_at IS NULL) AS open
			FROM jobs j WHERE id = 'j'`).Scan(&row).Error
		if err != nil {
			t.Fatal(err)
		}
	}
	if read(); row.State != job.Running || row.Attempt != 3 || row.Open != 1 {
		t.Errorf("put back: %+v", row)
	}
	fail(3, job.Permanent)
	if read(); row.State != job.Dead {
		t.Errorf("what is told of the attempt that runs counts: %+v", row)
	}
	if got := m.Balance(t, "a"); got != 100 {
		t.Errorf("balance %d", got)
	}
}
