package rollout_test

import (
	"context"
	"sync"
	"testing"

	"recoup/models/actor"
	"recoup/models/approval"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/operation"
	"recoup/models/pricing"
	"recoup/models/rollout"
)

// agreed makes a running rollout at its first stage whose steps need what second says, with a charge under the candidate.
func (w *world) agreed(second rollout.Second, stages ...pricing.Stage) {
	w.t.Helper()
	one := int64(1)
	_, err := w.rollouts.Create(context.Background(), rollout.NewRollout{Envelope: by(ids.New()), ID: discount, Action: modeltest.Action, Candidate: v2,
		Stages: stages, MinCharges: &one, Second: &second, Reason: "test"})
	if err != nil {
		w.t.Fatal(err)
	}
}

// asks makes a step that has to wait, and returns its change request.
func (w *world) asks(do stepFunc, op string, replaces *approval.Replaced) approval.Request {
	w.t.Helper()
	ctx := context.Background()
	out, err := do(ctx, rollout.StepRequest{Envelope: by(op), RolloutID: discount, Version: w.state(discount).Version, Reason: "wider", Replaces: replaces})
	var required approval.Required
	if err != nil || !out.Waiting || out.Decode(&required) != nil {
		w.t.Fatalf("waiting %t: %s %v", out.Waiting, out.Result, err)
	}
	r, err := w.Requests.Find(ctx, required.ChangeRequest.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func (w *world) approve(r approval.Request, who string) (operation.Outcome, error) {
	return w.desk().Approve(context.Background(), approval.Decision{OperationID: ids.New(), Actor: actor.Staff(who), ID: r.ID, Version: r.Version, Digest: r.Digest, Reason: "seen"})
}

func (w *world) desk() *approval.Desk { return approval.NewDesk(w.Ops, w.rollouts.Executors()) }

func (w *world) standing(r approval.Request) approval.State {
	w.t.Helper()
	now, err := w.Requests.Find(context.Background(), r.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return now.State
}

func above(n int) rollout.Second { return rollout.Second{Above: &n} }

func TestWhichStepsNeedASecondPerson(t *testing.T) {
	w := newWorld(t)
	w.agreed(rollout.Second{Start: true, Above: ptr(25_000), Complete: true}, shares(10_000, 25_000, 50_000, 100_000)...)
	first := w.asks(w.rollouts.Start, "start", nil)
	if w.state(discount).State != rollout.Draft {
		t.Fatal("a start that waits has started")
	}
	if _, err := w.approve(first, "pm"); !fault.Is(err, approval.CodeOwnRequest) {
		t.Errorf("the requester approves: %v", err)
	}
	if _, err := w.approve(first, "lena"); err != nil {
		t.Fatal(err)
	}
	w.charge("acct_42", "c1")
	// Up to the threshold one person is enough.
	w.must(w.rollouts.Advance, discount)
	third := w.asks(w.rollouts.Advance, "third", nil)
	if _, err := w.approve(third, "lena"); err != nil {
		t.Fatal(err)
	}
	// The retry of whoever asked is a replay of the step itself, and the history says who agreed.
	out, err := w.rollouts.Advance(context.Background(), rollout.StepRequest{Envelope: by("third"), RolloutID: discount, Version: 3, Reason: "wider"})
	var made rollout.Result
	if err != nil || !out.Replayed || out.Waiting || out.Decode(&made) != nil || made.Stage != 3 {
		t.Errorf("retry: %+v %v", out, err)
	}
	history, err := w.rollouts.History(context.Background(), discount)
	if err != nil || history[0].Kind != "advanced" || history[0].Actor != "staff:pm" || history[0].Code != rollout.CodeAgreed || history[0].Reason != "wider" || history[0].Checks == nil {
		t.Errorf("history: %+v %v", history[0], err)
	}
	// What stops or takes back never waits.
	w.must(w.rollouts.Pause, discount)
	w.must(w.rollouts.Resume, discount)
	if _, err := w.approve(w.asks(w.rollouts.Advance, "last", nil), "lena"); err != nil {
		t.Fatal(err)
	}
	done := w.asks(w.rollouts.Complete, "done", nil)
	w.must(w.rollouts.RollBack, discount)
	if s := w.standing(done); s != approval.Voided {
		t.Errorf("after the rollback the completion is %s", s)
	}
	w.sound()
}

// TestCase_F25: whoever edits what was proposed takes it back; an approval of what was there before changes nothing.
func TestCase_F25_AnEditOfAStepVoidsIt(t *testing.T) {
	w := newWorld(t)
	w.agreed(above(10_000), shares(10_000, 100_000)...)
	w.must(w.rollouts.Start, discount)
	w.charge("acct_42", "c1")
	old := w.asks(w.rollouts.Advance, "first", nil)
	// A second proposal beside the first is refused: it has to say what it replaces.
	_, err := w.rollouts.Advance(context.Background(), rollout.StepRequest{Envelope: by("beside"), RolloutID: discount, Version: 2, Reason: "wider"})
	if f := fault.As(err); f == nil || f.Code != fault.CodeStateConflict || f.Detail["change_request"] != old.ID {
		t.Errorf("beside: %v", err)
	}
	fresh := w.asks(w.rollouts.Advance, "second", &approval.Replaced{ID: old.ID, Version: old.Version, Digest: old.Digest})
	if _, err := w.approve(old, "lena"); !fault.Is(err, fault.CodeStateConflict) {
		t.Errorf("the old proposal was approved: %v", err)
	}
	if r := w.state(discount); r.Stage != 1 || r.Version != 2 {
		t.Errorf("stage %d, version %d", r.Stage, r.Version)
	}
	if s := w.standing(old); s != approval.Withdrawn {
		t.Errorf("the old proposal is %s", s)
	}
	if _, err := w.approve(fresh, "lena"); err != nil {
		t.Fatal(err)
	}
	if r := w.state(discount); r.Stage != 2 {
		t.Errorf("stage %d", r.Stage)
	}
}

// TestCase_F26: a proposal is for one version of the rollout. Whatever moves it voids the proposal, and an expired one is void.
func TestCase_F26_AProposalOfAnOlderVersionIsVoid(t *testing.T) {
	w := newWorld(t)
	w.agreed(above(10_000), shares(10_000, 100_000)...)
	w.must(w.rollouts.Start, discount)
	w.charge("acct_42", "c1")
	stale := w.asks(w.rollouts.Advance, "stale", nil)
	w.must(w.rollouts.Pause, discount)
	w.must(w.rollouts.Resume, discount)
	if _, err := w.approve(stale, "lena"); !fault.Is(err, fault.CodeStateConflict) {
		t.Errorf("approved though the rollout has moved: %v", err)
	}
	if s := w.standing(stale); s != approval.Voided || w.state(discount).Stage != 1 {
		t.Errorf("%s, stage %d", s, w.state(discount).Stage)
	}
	// Its id is used up, and says why.
	_, err := w.rollouts.Advance(context.Background(), rollout.StepRequest{Envelope: by("stale"), RolloutID: discount, Version: 2, Reason: "wider"})
	if !fault.Is(err, approval.CodeVoided) {
		t.Errorf("the void operation again: %v", err)
	}
	expired := w.asks(w.rollouts.Advance, "late", nil)
	err = w.G.Exec(`ALTER TABLE change_requests DISABLE TRIGGER USER; UPDATE change_requests SET requested_at = requested_at - interval '30 days', expires_at = expires_at - interval '30 days'
		WHERE state = 'open'; ALTER TABLE change_requests ENABLE TRIGGER USER`).Error
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.approve(expired, "lena"); !fault.Is(err, fault.CodeStateConflict) || w.state(discount).Stage != 1 {
		t.Errorf("an expired proposal: %v, stage %d", err, w.state(discount).Stage)
	}
	// Nor does an approval go over a check that has turned red since.
	red := w.asks(w.rollouts.Advance, "red", nil)
	w.red()
	if _, err := w.approve(red, "lena"); !fault.Is(err, fault.CodeChecksNotPassed) || w.state(discount).Stage != 1 {
		t.Errorf("over a red check: %v, stage %d", err, w.state(discount).Stage)
	}
	if _, err := w.rollouts.Check(context.Background(), discount); err != nil {
		t.Fatal(err)
	}
	if s := w.standing(red); s != approval.Voided {
		t.Errorf("after the halt the proposal is %s", s)
	}
}

// An approval and a step of the rollout at once: one of them happens, and the other is told.
func TestAnApprovalRacesAStep(t *testing.T) {
	w := newWorld(t)
	w.agreed(above(10_000), shares(10_000, 10_000, 10_000, 10_000, 10_000, 10_000, 10_000, 10_000, 100_000)...)
	w.must(w.rollouts.Start, discount)
	w.charge("acct_42", "c1")
	for range 7 {
		w.must(w.rollouts.Advance, discount)
	}
	for range 12 {
		cr := w.asks(w.rollouts.Advance, ids.New(), nil)
		version := w.state(discount).Version
		var wg sync.WaitGroup
		var approved, paused error
		wg.Go(func() { _, approved = w.approve(cr, "lena") })
		wg.Go(func() {
			_, paused = w.rollouts.Pause(context.Background(), rollout.StepRequest{Envelope: ledger.Envelope{OperationID: ids.New(), Actor: actor.Staff("mei")}, RolloutID: discount, Version: version, Reason: "stop"})
		})
		wg.Wait()
		r, s := w.state(discount), w.standing(cr)
		switch {
		case approved == nil && fault.Is(paused, fault.CodeStateConflict) && r.Stage == 9 && s == approval.Approved:
			return // it stands at its last stage: there is nothing to race for any more
		case paused == nil && fault.Is(approved, fault.CodeStateConflict) && r.State == rollout.Paused && s == approval.Voided:
		default:
			t.Fatalf("approve: %v; pause: %v; %s at stage %d, request %s", approved, paused, r.State, r.Stage, s)
		}
		w.must(w.rollouts.Resume, discount)
	}
}

func ptr(n int) *int { return &n }
