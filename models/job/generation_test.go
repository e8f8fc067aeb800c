package job_test

import (
	"context"
	"testing"

	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/modeltest"
)

// TestCase_F51_AnOldFormDoesNotActOnANewDeath requeues a dead letter twice by the form of its first death: the
// second time it has died again, of something nobody has looked at yet.
func TestCase_F51_AnOldFormDoesNotActOnANewDeath(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	ctx := context.Background()
	m.Account(t, "a", 100)
	external(t, m, "a", "j", 40, nil)
	die := func() {
		t.Helper()
		signal(t, m, "a", "j", job.Signal{Type: job.SignalFailed, Class: job.Permanent, Attempt: n(9)})
	}
	die()
	form := job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j", Reason: "try again", Generation: n(0)}
	other := form
	other.Envelope = modeltest.Envelope()
	if _, err := m.Jobs.Requeue(ctx, other); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Jobs.Requeue(ctx, form); !fault.Is(err, fault.CodeStateConflict) {
		t.Fatalf("the slower of two: %v", err)
	}
	found, err := m.Jobs.Find(ctx, "a", "j")
	if err != nil {
		t.Fatal(err)
	}
	signal(t, m, "a", "j", job.Signal{Type: job.SignalFailed, Class: job.Permanent, Attempt: n(int64(found.Attempt) + 1)})
	for name, act := range map[string]func(context.Context, job.PersonRequest) error{
		"requeue": func(ctx context.Context, r job.PersonRequest) error { _, err := m.Jobs.Requeue(ctx, r); return err },
		"discard": func(ctx context.Context, r job.PersonRequest) error {
			r.Reason = "too_old"
			_, err := m.Jobs.Discard(ctx, r)
			return err
		},
	} {
		r := form
		if name != "requeue" {
			r.Envelope = modeltest.Envelope()
		}
		err := act(ctx, r)
		if f := fault.As(err); f == nil || f.Code != fault.CodeStateConflict || f.Detail["generation"] != 1 {
			t.Errorf("%s by the old form: %v", name, err)
		}
	}
	now, err := m.Jobs.Find(ctx, "a", "j")
	if err != nil || now.State != job.Dead || now.Generation != 1 {
		t.Fatalf("the job is %s in generation %d (%v), want dead in 1", now.State, now.Generation, err)
	}
	form.Generation = n(1)
	form.Envelope = modeltest.Envelope()
	if _, err := m.Jobs.Requeue(ctx, form); err != nil {
		t.Fatalf("a fresh form: %v", err)
	}
}
