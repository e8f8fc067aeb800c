package job_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/modeltest"
)

// given makes a dead letter of 40 credits with a payload.
func given(t *testing.T, m *modeltest.Models, id string) {
	t.Helper()
	ctx := context.Background()
	_, err := m.Jobs.Charge(ctx, job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: id, Action: modeltest.Action, Units: 40,
		Payload: json.RawMessage(`{"source":"s3://a","frames":9007199254740993,"token":"secret"}`)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range m.Claim(t, 10) {
		if _, err := m.Jobs.Fail(ctx, job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: c.LeaseToken, Class: job.Permanent, Code: "codec"}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRecoverByHand: delivers and reclaims once through the guards of every success, whoever else does the same.
func TestRecoverByHand(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 1000)
	given(t, m, "j")
	if m.Balance(t, "a") != 1000 {
		t.Fatalf("balance %d", m.Balance(t, "a"))
	}
	zero, one := int64(0), int64(1)
	ask := func(result, reason string, generation *int64) job.PersonRequest {
		return job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j", Reason: reason, Result: result, Generation: generation}
	}
	for _, bad := range []job.PersonRequest{ask("", "found it", nil), ask("\u200b", "found it", nil), ask("s3://x", "", nil), ask("s3://x\x00", "found it", nil), ask(strings.Repeat("x", 2001), "found it", nil)} {
		if _, err := m.Jobs.Recover(ctx, bad); !fault.Is(err, fault.CodeInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if _, err := m.Jobs.Recover(ctx, ask("s3://x", "found it", &one)); !fault.Is(err, fault.CodeStateConflict) {
		t.Errorf("another generation: %v", err)
	}
	// Two people and the late worker at once.
	var wg sync.WaitGroup
	results := make([]job.SignalResult, 4)
	errs := make([]error, 4)
	for i := range results {
		wg.Go(func() {
			if i == 3 {
				out, err := m.Jobs.Signal(ctx, job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j", Signal: job.Signal{Type: job.SignalSucceeded, Result: "s3://late"}})
				if errs[i] = err; err == nil {
					errs[i] = out.Decode(&results[i])
				}
				return
			}
			out, err := m.Jobs.Recover(ctx, ask("s3://by-hand", "found in the store", &zero))
			if errs[i] = err; err == nil {
				errs[i] = out.Decode(&results[i])
			}
		})
	}
	wg.Wait()
	reclaimed := 0
	for i, err := range errs {
		switch {
		case err != nil:
			if f := fault.As(err); f == nil || f.Code != fault.CodeStateConflict || f.Detail["state"] != "succeeded" || f.Detail["by"] == nil {
				t.Errorf("%d: %v", i, err)
			}
		case results[i].Outcome == job.Reclaimed:
			reclaimed++
			if results[i].Entry == nil || results[i].Entry.BalanceAfter != 960 {
				t.Errorf("entry %+v", results[i].Entry)
			}
		}
	}
	if reclaimed != 1 || m.Balance(t, "a") != 960 {
		t.Errorf("%d reclaims, balance %d", reclaimed, m.Balance(t, "a"))
	}
	consistent(t, m)
	// What is delivered cannot be recovered; what still runs neither.
	m.Charge(t, "a", "runs", 1)
	late := ask("s3://x", "found it", nil)
	late.JobID = "runs"
	if _, err := m.Jobs.Recover(ctx, late); !fault.Is(err, fault.CodeStateConflict) {
		t.Errorf("a queued job: %v", err)
	}
}

// TestRecoverLeavesItsTrace: the event of a person with the reason, the audit row, and the money.
func TestRecoverLeavesItsTrace(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 1000)
	given(t, m, "j")
	if _, err := m.Jobs.Discard(ctx, job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j", Reason: "too_old"}); err != nil {
		t.Fatal(err)
	}
	r := job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j", Reason: "found in the store", Result: "s3://by-hand"}
	for range 2 {
		if _, err := m.Jobs.Recover(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	j, err := m.Jobs.Find(ctx, "a", "j")
	if err != nil || j.State != job.Succeeded || j.Result != "s3://by-hand" || j.Deliveries != 1 || *j.LateSuccessOf != job.Discarded || !j.IsReclaimed {
		t.Fatalf("%+v, %v", j, err)
	}
	events, err := m.Jobs.Timeline(ctx, j.AccountKey, j.Key)
	if err != nil {
		t.Fatal(err)
	}
	last := events[len(events)-1]
	d, err := last.Details()
	if err != nil || last.Kind != job.EventRecovered || last.Outcome != job.Reclaimed || last.EntrySeq == nil || d.Reason != r.Reason || d.Result != r.Result {
		t.Errorf("%+v, %+v, %v", last, d, err)
	}
	e, err := m.Jobs.Evidence(ctx, j.AccountKey, j.Key)
	if err != nil || e.ReclaimSignals != 1 || e.ReclaimsApplied != 1 {
		t.Errorf("%+v, %v", e, err)
	}
	var audits int64
	if err := m.G.Raw(`SELECT count(*) FROM audit_log WHERE action = 'recover' AND outcome = 'done' AND reason = ?`, r.Reason).Scan(&audits).Error; err != nil || audits != 1 {
		t.Errorf("%d audit rows, %v", audits, err)
	}
	consistent(t, m)
}

// TestRequeueWithEditedPayload: the worker gets the edited one, the old one is kept, the cost is what it was.
func TestRequeueWithEditedPayload(t *testing.T) {
	ctx := context.Background()
	m := modeltest.Ready(t, modeltest.Fast())
	m.Account(t, "a", 1000)
	given(t, m, "j")
	ask := func(payload string) job.PersonRequest {
		return job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j", Reason: "other source", Payload: json.RawMessage(payload)}
	}
	for _, bad := range []string{"{", `{"a":1,"a":2}`, "{} {}", `{"a":"\u0000"}`, `{"x":"` + strings.Repeat("x", 1<<20) + `"}`, `{"other":"••••••••"}`} {
		if _, err := m.Jobs.Requeue(ctx, ask(bad)); !fault.Is(err, fault.CodeInvalid) {
			t.Errorf("%.40s: %v", bad, err)
		}
	}
	edit := ask(`{"source":"s3://b","frames":9007199254740993,"token":"••••••••"}`)
	for range 2 {
		if _, err := m.Jobs.Requeue(ctx, edit); err != nil {
			t.Fatal(err)
		}
	}
	j, err := m.Jobs.Find(ctx, "a", "j")
	if err != nil || j.Generation != 1 || j.Cost != 40 {
		t.Fatalf("%+v, %v", j, err)
	}
	edits, err := m.Jobs.PayloadEdits(ctx, j.AccountKey, j.Key)
	if err != nil || len(edits) != 1 || edits[0].Generation != 0 || string(edits[0].Payload) != `{"source":"s3://a","frames":9007199254740993,"token":"secret"}` {
		t.Fatalf("%+v, %v", edits, err)
	}
	wake(t, m, "j")
	c := m.Claim(t, 1)[0]
	if string(c.Payload) != `{"source":"s3://b","frames":9007199254740993,"token":"secret"}` {
		t.Errorf("the worker got %s", c.Payload)
	}
	events, err := m.Jobs.Timeline(ctx, j.AccountKey, j.Key)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if d, err := e.Details(); e.Kind == job.EventRequeued && (err != nil || fmt.Sprint(d.Payload) != "[source]") {
			t.Errorf("%+v, %v", d, err)
		}
	}
	if f := complete(t, m, c.LeaseToken); f.Signal.Outcome != job.Reclaimed || m.Balance(t, "a") != 960 {
		t.Errorf("%+v, balance %d", f, m.Balance(t, "a"))
	}
	// The same payload again is no edit.
	given(t, m, "k")
	same := ask(`{"source":"s3://a","frames":9007199254740993,"token":"••••••••"}`)
	same.JobID = "k"
	if _, err := m.Jobs.Requeue(ctx, same); err != nil {
		t.Fatal(err)
	}
	k, err := m.Jobs.Find(ctx, "a", "k")
	if err != nil {
		t.Fatal(err)
	}
	if edits, err := m.Jobs.PayloadEdits(ctx, k.AccountKey, k.Key); err != nil || len(edits) != 0 {
		t.Errorf("%+v, %v", edits, err)
	}
	consistent(t, m)
}
