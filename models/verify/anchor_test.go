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
	compare := func() []verify.Compared {
		t.Helper()
		out, err := v.CompareAnchors(ctx, []verify.AnchorList{{Check: verify.CheckAnchor}, {Check: verify.CheckAnchorFile, Anchors: read}}, verify.AnchorChoice{})
		if err != nil || len(out) != 1 || out[0].Check != verify.CheckAnchorFile || out[0].Kept != 1 || out[0].Looked != 1 {
			t.Fatalf("%+v %v", out, err)
		}
		return out
	}
	if found := compare()[0].Problems; len(found) != 0 {
		t.Fatalf("untouched: %v", found)
	}
	owner(`DELETE FROM entries WHERE type = 'charge'`)
	if found := compare()[0].Problems; len(found) != 1 || found[0].Check != verify.CheckAnchorFile {
		t.Fatalf("after the cut: %v", found)
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

// Every kept anchor is compared within a few nights, and one that did not hold is compared by every run from then on, however many
// newer ones hold.
func TestABadAnchorStaysFound(t *testing.T) {
	m := modeltest.Ready(t, modeltest.Fast())
	ctx, v := context.Background(), verify.New(m.G)
	night := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -200)
	empty, err := v.HeadsDigest(ctx, night)
	if err != nil {
		t.Fatal(err)
	}
	var list []verify.Anchor
	for i := range 100 {
		list = append(list, verify.Anchor{Moment: night.AddDate(0, 0, i), Digest: empty})
	}
	list[50].Digest = strings.Repeat("0", 64)
	bad := list[50].Moment
	// run compares as the run of a night does, and is recorded.
	run := func(at time.Time) (looked, found int) {
		t.Helper()
		out, err := v.CompareAnchors(ctx, []verify.AnchorList{{Check: verify.CheckAnchor, Anchors: list}}, verify.AnchorChoice{At: at})
		if err != nil || len(out) != 1 {
			t.Fatal(out, err)
		}
		report, evidence := verify.Report{ByCheck: map[verify.Check]int64{}, Took: map[verify.Check]time.Duration{}}, verify.Evidence{}
		report.Add(out[0])
		for _, p := range out[0].Problems {
			if !strings.Contains(p.Message, bad.Format(time.RFC3339Nano)) {
				t.Errorf("%v", p)
			}
			if err := evidence.Add(p); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := v.Keep(ctx, verify.Record{Report: report, Evidence: &evidence}); err != nil {
			t.Fatal(err)
		}
		return out[0].Looked, len(out[0].Problems)
	}
	// 93 older ones take four nights.
	at, first := time.Now(), -1
	for n := range 4 {
		looked, found := run(at.AddDate(0, 0, n))
		if looked > 7+24+24 {
			t.Errorf("%d compared in one night", looked)
		}
		if found == 1 && first < 0 {
			first = n
		}
		if first >= 0 && found != 1 {
			t.Errorf("night %d: no longer found", n)
		}
	}
	if first < 0 {
		t.Fatal("no night found it")
	}
	// More than a week later it is found whoever's turn it is.
	for n := range 4 {
		if _, found := run(at.AddDate(0, 0, 20+n)); found != 1 {
			t.Errorf("night %d: no longer found", 20+n)
		}
	}
	all, err := v.CompareAnchors(ctx, []verify.AnchorList{{Check: verify.CheckAnchorFile, Anchors: list}}, verify.AnchorChoice{All: true})
	if err != nil || all[0].Looked != 100 || len(all[0].Problems) != 1 {
		t.Errorf("%+v %v", all, err)
	}
	// Put right, it is compared once more and then takes its turn again.
	list[50].Digest = empty
	if _, found := run(at.AddDate(0, 0, 30)); found != 0 {
		t.Error("found though it holds")
	}
}
