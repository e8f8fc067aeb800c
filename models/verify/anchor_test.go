package verify_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"recoup/models/modeltest"
	"recoup/models/verify"
)

// TestAnchorFindsACutTail anchors a ledger, cuts the newest entry off so well that nothing inside the
// database tells, and sees the anchor tell.
func TestAnchorFindsACutTail(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 100)
	m.Charge(t, "a", "j", 40)
	ctx := context.Background()
	owner := func(sql string) {
		t.Helper()
		if err := m.G.Exec(sql).Error; err != nil {
			t.Fatal(err)
		}
	}
	// An anchor's moment lies minutes back, so the past is moved there.
	owner(`ALTER TABLE entries DISABLE TRIGGER USER`)
	owner(`UPDATE entries SET created_at = created_at - interval '1 hour'`)
	v := verify.New(m.G)
	moment := time.Now().Add(-10 * time.Minute).UTC().Truncate(time.Microsecond)
	var kept []string
	a, err := v.Anchor(ctx, moment, func(x verify.Anchor) error { kept = append(kept, x.String()); return nil })
	if err != nil {
		t.Fatal(err)
	}
	if done, err := v.Anchored(ctx, moment); err != nil || !done {
		t.Fatalf("anchored %v %v", done, err)
	}
	read, err := verify.ReadAnchors(strings.NewReader(strings.Join(kept, "\n") + "\n"))
	if err != nil || len(read) != 1 || read[0].Digest != a.Digest || !read[0].Moment.Equal(moment) {
		t.Fatalf("read back %+v %v", read, err)
	}
	if problems, err := v.CheckAnchors(ctx, read); err != nil || len(problems) != 0 {
		t.Fatalf("untouched: %v %v", problems, err)
	}
	owner(`DELETE FROM entries WHERE type = 'charge'`)
	problems, err := v.CheckAnchors(ctx, read)
	if err != nil || len(problems) != 1 || problems[0].Check != verify.CheckAnchor {
		t.Fatalf("after the cut: %v %v", problems, err)
	}
	if _, err := v.Anchor(ctx, time.Now(), func(verify.Anchor) error { return nil }); err == nil {
		t.Fatal("an anchor of this moment was taken, though older transactions may still commit")
	}
	if _, err := verify.ReadAnchors(strings.NewReader("yesterday abc\n")); err == nil {
		t.Fatal("a line that is no anchor was taken for one")
	}
}

// Two who close a month at once both anchor it; it is kept once.
func TestAnAnchorIsKeptOnce(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	v := verify.New(m.G)
	moment := time.Now().Add(-10 * time.Minute).UTC().Truncate(time.Microsecond)
	var kept atomic.Int32
	errs := make(chan error, 4)
	for range cap(errs) {
		go func() {
			_, err := v.Anchor(context.Background(), moment, func(verify.Anchor) error { kept.Add(1); return nil })
			errs <- err
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if kept.Load() != 1 {
		t.Errorf("kept %d times", kept.Load())
	}
	// What could not be kept is not known either.
	moment = moment.Add(-time.Minute)
	if _, err := v.Anchor(context.Background(), moment, func(verify.Anchor) error { return errors.New("full") }); err == nil {
		t.Error("an anchor that was not kept was taken")
	}
	if known, err := v.Anchored(context.Background(), moment); known || err != nil {
		t.Errorf("known: %v %v", known, err)
	}
}
