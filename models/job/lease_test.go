package job_test

import (
	"context"
	"encoding/base64"
	"testing"

	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/modeltest"
)

// TestForgedLease shows changed tokens: each is refused by name and nothing is written.
func TestForgedLease(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 100)
	m.Charge(t, "a", "j", 40)
	token := m.Claim(t, 1)[0].LeaseToken
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, m)
	for bit := range len(raw) * 8 {
		changed := append([]byte(nil), raw...)
		changed[bit/8] ^= 1 << (bit % 8)
		forged := base64.RawURLEncoding.EncodeToString(changed)
		_, err := m.Jobs.Complete(ctx, job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: forged})
		if f := fault.As(err); f == nil || f.Code != fault.CodeLeaseUnknown && f.Code != fault.CodeInvalid {
			t.Errorf("complete with bit %d flipped: %v", bit, err)
		}
		if bit%16 != 0 {
			continue
		}
		if _, err := m.Jobs.Heartbeat(ctx, forged); fault.As(err) == nil {
			t.Errorf("heartbeat with bit %d flipped: %v", bit, err)
		}
	}
	if after := snapshot(t, m); after != before {
		t.Errorf("rows changed:\n%s\nto:\n%s", before, after)
	}
	if _, err := m.Jobs.Complete(ctx, job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: token}); err != nil {
		t.Errorf("the true token: %v", err)
	}
}

// TestExternalJobsHaveNoLease tries to guess a token of an attempt that was never handed out.
func TestExternalJobsHaveNoLease(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 100)
	_, err := m.Jobs.Charge(ctx, job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j", Action: modeltest.Action, Units: 1, Mode: job.External})
	if err != nil {
		t.Fatal(err)
	}
	guess := make([]byte, 36)
	guess[7], guess[15], guess[19] = 1, 1, 1
	_, err = m.Jobs.Complete(ctx, job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: base64.RawURLEncoding.EncodeToString(guess)})
	if !fault.Is(err, fault.CodeLeaseUnknown) {
		t.Fatal(err)
	}
}
