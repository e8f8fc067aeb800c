package bulk_test

import (
	"context"
	"testing"
	"time"

	"recoup/models/actor"
	"recoup/models/bulk"
	"recoup/models/deadletter"
	"recoup/models/fault"
	"recoup/models/ledger"
	"recoup/models/modeltest"
)

// TestUndo: what a work assigned is as it was before, but for what somebody changed since, and it is undone once. One
// that still runs is ended first, and nothing of it is done behind the undo.
func TestUndo(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	lena, mika, noah := w.person(1), w.person(2), w.person(3)
	modeltest.Dead(t, w.G, "a", "j", 5)
	letter := func(id string) deadletter.Request {
		return deadletter.Request{Envelope: envelope(mika), AccountID: "a", JobID: id}
	}
	assign := func(id string, to actor.Actor) {
		t.Helper()
		if _, err := w.Letters.Assign(ctx, deadletter.AssignRequest{Request: letter(id), Assignee: to}); err != nil {
			t.Fatal(err)
		}
	}
	assign("j1", mika)
	has := func(want map[string]actor.Actor) {
		t.Helper()
		for id, who := range want {
			if w.count(`SELECT count(*) FROM dead_letters d JOIN jobs j ON j.key = d.job_key AND j.account_key = d.account_key WHERE j.id = ? AND d.assignee = ?`, id, who.String()) != 1 {
				t.Errorf("%s is not with %q", id, who)
			}
		}
	}
	begin := func(kind bulk.Kind, r bulk.StartRequest) bulk.Work {
		t.Helper()
		set := w.prepare(kind, all())
		r.Envelope, r.ID, r.Count, r.Pace = envelope(lena), set.ID, set.Count, fast()
		if _, err := w.bulk.Start(ctx, r); err != nil {
			t.Fatal(err)
		}
		return w.find(set.ID)
	}
	undo := func(e ledger.Envelope, id string) bulk.Work {
		t.Helper()
		out, err := w.bulk.Undo(ctx, e, id)
		return w.find(decode[bulk.Begun](t, out, err).ID)
	}
	done := begin(bulk.Assign, bulk.StartRequest{Assignee: lena})
	w.until(done.ID)
	has(map[string]actor.Actor{"j1": lena, "j2": lena, "j5": lena})
	assign("j2", noah)
	e := envelope(mika)
	back := undo(e, done.ID)
	if again := undo(e, done.ID); again.ID != back.ID {
		t.Errorf("a replay began %s beside %s", again.ID, back.ID)
	}
	if back.Count != 5 || back.Kind != bulk.Undo || *back.Undoes != done.ID || back.State != bulk.Running {
		t.Errorf("%+v", back)
	}
	w.until(back.ID)
	has(map[string]actor.Actor{"j1": mika, "j2": noah, "j3": {}, "j4": {}, "j5": {}})
	if p := w.progress(back.ID); p.Done != 4 || p.Lost != 1 {
		t.Errorf("%+v", p)
	}
	_, err := w.bulk.Undo(ctx, envelope(noah), done.ID)
	if f := refusal(t, err, fault.CodeStateConflict); f.Detail["state"] != "undone" || f.Detail["by"] != mika.String() {
		t.Errorf("%+v", f.Detail)
	}
	_, err = w.bulk.Undo(ctx, envelope(noah), back.ID)
	if f := refusal(t, err, fault.CodeStateConflict); f.Detail["state"] != "not_undoable" {
		t.Errorf("%+v", f.Detail)
	}

	until := time.Now().Add(time.Hour)
	running := begin(bulk.Snooze, bulk.StartRequest{Until: &until})
	back = undo(envelope(lena), running.ID)
	if now := w.find(running.ID); now.State != bulk.Aborted {
		t.Errorf("%s while it is undone", now.State)
	}
	w.until(back.ID)
	if n := w.count(`SELECT count(*) FROM dead_letters WHERE snoozed_until IS NOT NULL`); n != 0 {
		t.Errorf("%d are snoozed", n)
	}
	snoozed := begin(bulk.Snooze, bulk.StartRequest{Until: &until})
	w.until(snoozed.ID)
	if n := w.count(`SELECT count(*) FROM dead_letters WHERE snoozed_until IS NOT NULL`); n != 5 {
		t.Fatalf("%d of 5 are snoozed", n)
	}
	w.until(undo(envelope(lena), snoozed.ID).ID)
	if n := w.count(`SELECT count(*) FROM dead_letters WHERE snoozed_until IS NOT NULL`); n != 0 {
		t.Errorf("%d are snoozed after the undo", n)
	}
	refusedUndo := begin(bulk.Discard, bulk.StartRequest{Reason: "duplicate"})
	_, err = w.bulk.Undo(ctx, envelope(lena), refusedUndo.ID)
	refused(t, err, fault.CodeStateConflict)
}
