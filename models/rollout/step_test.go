package rollout_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/modeltest"
	"recoup/models/pricing"
	"recoup/models/rollout"
)

// into brings a fresh rollout into a state.
func (w *world) into(id string, state rollout.State) {
	w.t.Helper()
	w.draft(id, shares(100_000, 100_000)...)
	switch state {
	case rollout.Draft:
		return
	case rollout.Archived:
		w.must(w.rollouts.Archive, id)
		return
	}
	w.must(w.rollouts.Start, id)
	w.charge("acct_42", ids.New())
	switch state {
	case rollout.Paused:
		w.must(w.rollouts.Pause, id)
	case rollout.Halted:
		if _, err := w.rollouts.Halt(context.Background(), id, w.state(id).Version, rollout.Checks{}); err != nil {
			w.t.Fatal(err)
		}
	case rollout.RolledBack:
		w.must(w.rollouts.RollBack, id)
	case rollout.Completed:
		w.must(w.rollouts.Complete, id)
	}
}

// Every step from every state: those of the domain are made, all others are refused and change nothing.
func TestStepsThatThereAre(t *testing.T) {
	steps := map[string]func(*rollout.Service) stepFunc{
		"start":    func(s *rollout.Service) stepFunc { return s.Start },
		"advance":  func(s *rollout.Service) stepFunc { return s.Advance },
		"pause":    func(s *rollout.Service) stepFunc { return s.Pause },
		"resume":   func(s *rollout.Service) stepFunc { return s.Resume },
		"rollback": func(s *rollout.Service) stepFunc { return s.RollBack },
		"complete": func(s *rollout.Service) stepFunc { return s.Complete },
		"archive":  func(s *rollout.Service) stepFunc { return s.Archive },
	}
	allowed := map[rollout.State]map[string]rollout.State{
		rollout.Draft:   {"start": rollout.Running, "archive": rollout.Archived},
		rollout.Running: {"advance": rollout.Running, "pause": rollout.Paused, "rollback": rollout.RolledBack, "complete": rollout.Completed},
		rollout.Paused:  {"resume": rollout.Running, "rollback": rollout.RolledBack},
		rollout.Halted:  {"resume": rollout.Running, "rollback": rollout.RolledBack},
	}
	w := newWorld(t)
	ctx := context.Background()
	for _, from := range rollout.States() {
		for name, pick := range steps {
			if live := w.count(`SELECT count(*) FROM rollouts WHERE state IN ('running', 'paused', 'halted')`); live > 0 {
				var id string
				w.G.Raw(`SELECT id FROM rollouts WHERE state IN ('running', 'paused', 'halted')`).Scan(&id)
				w.must(w.rollouts.RollBack, id)
			}
			if w.count(`SELECT count(*) FROM actions WHERE baseline = ?`, v2) == 1 {
				if _, err := w.Pricing.PutInForce(ctx, forceRequest(v1, v2)); err != nil {
					t.Fatal(err)
				}
			}
			id := "ro_" + ids.New()
			w.into(id, from)
			before := w.state(id)
			err := w.step(pick(w.rollouts), id)
			after := w.state(id)
			want, ok := allowed[from][name]
			switch {
			case ok && (err != nil || after.State != want || after.Version != before.Version+1):
				t.Errorf("%s from %s: %v, now %s version %d", name, from, err, after.State, after.Version)
			case !ok && (!fault.Is(err, fault.CodeStateConflict) || after.State != from || after.Version != before.Version):
				t.Errorf("%s from %s: %v, now %s version %d", name, from, err, after.State, after.Version)
			}
			if events := w.count(`SELECT count(*) FROM rollout_events WHERE rollout_id = ?`, id); events != after.Version {
				t.Errorf("%s from %s: %d events at version %d", name, from, events, after.Version)
			}
		}
	}
	// The database keeps the edges, too.
	if err := w.G.Exec(`UPDATE rollouts SET state = 'running', version = version + 1, ended_at = NULL WHERE state = 'rolled_back'`).Error; db.Code(err) != "RC002" {
		t.Errorf("from rolled back to running by hand: %v", err)
	}
	for _, statement := range []string{`DELETE FROM rollouts`, `DELETE FROM enrolments`, `UPDATE enrolments SET stage = 9`, `UPDATE rollout_events SET reason = 'x'`,
		`UPDATE rollout_stages SET threshold = 0`, `UPDATE rollouts SET candidate = baseline`, `DELETE FROM rollout_findings`} {
		if err := w.G.Exec(statement).Error; db.Code(err) != "RC002" {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// Paused and halted: whoever is enrolled keeps the candidate, nobody new enters.
func TestPausedAndHaltedLetNobodyIn(t *testing.T) {
	for _, state := range []rollout.State{rollout.Paused, rollout.Halted} {
		w := newWorld(t)
		w.into(discount, state) // acct_42 is enrolled
		if _, v := w.charge("acct_42", "c1"); under(v) != candidate {
			t.Errorf("%s, enrolled: %s", state, under(v))
		}
		if _, v := w.charge("acct_1", "c2"); under(v) != baseline {
			t.Errorf("%s, not enrolled: %s", state, under(v))
		}
		w.must(w.rollouts.Resume, discount)
		if _, v := w.charge("acct_1", "c3"); under(v) != candidate {
			t.Errorf("resumed: %s", under(v))
		}
		w.sound()
	}
}

// An account that is enrolled stays, whatever becomes of its plan.
func TestEnrolledAccountsStay(t *testing.T) {
	w := newWorld(t)
	w.draft(discount, pricing.Stage{Threshold: 100_000, Segment: pricing.Segment{Attributes: map[string]string{"beta": "yes"}}})
	w.must(w.rollouts.Start, discount)
	put := func(value string) {
		t.Helper()
		if err := w.G.Exec(`UPDATE accounts SET attributes = jsonb_build_object('beta', ?::text, 'odd', 5) WHERE id = 'acct_1'`, value).Error; err != nil {
			t.Fatal(err)
		}
	}
	if _, v := w.charge("acct_1", "c1"); under(v) != baseline {
		t.Errorf("outside the segment: %s", under(v))
	}
	put("yes")
	if _, v := w.charge("acct_1", "c2"); under(v) != candidate {
		t.Errorf("inside: %s", under(v))
	}
	put("no")
	if _, v := w.charge("acct_1", "c3"); under(v) != candidate {
		t.Errorf("enrolled: %s", under(v))
	}
	w.sound()
}

// TestCase_F24: two processes fire the same step; the stage moves once.
func TestCase_F24_OneAdvance(t *testing.T) {
	w := newWorld(t)
	w.into(discount, rollout.Running)
	other := w.service(modeltest.New(t, w.G, modeltest.Fast()))
	ctx, version := context.Background(), w.state(discount).Version
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		s := []*rollout.Service{w.rollouts, other}[i%2]
		wg.Go(func() {
			_, errs[i] = s.Advance(ctx, rollout.StepRequest{Envelope: by(ids.New()), RolloutID: discount, Version: version, Reason: "due"})
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		switch {
		case err == nil:
			won++
		case !fault.Is(err, fault.CodeStateConflict):
			t.Error(err)
		}
	}
	if r := w.state(discount); won != 1 || r.Stage != 2 || r.Version != version+1 {
		t.Errorf("%d won, stage %d, version %d", won, r.Stage, r.Version)
	}
}

// TestCase_F26: a page that is stale changes nothing and is told the state as it is; a double click is a replay.
func TestCase_F26_AStalePageChangesNothing(t *testing.T) {
	w := newWorld(t)
	w.into(discount, rollout.Running)
	ctx := context.Background()
	r := rollout.StepRequest{Envelope: by("click"), RolloutID: discount, Version: w.state(discount).Version, Reason: "enough"}
	if _, err := w.rollouts.Pause(ctx, r); err != nil {
		t.Fatal(err)
	}
	if out, err := w.rollouts.Pause(ctx, r); err != nil || !out.Replayed {
		t.Errorf("a double click: replayed %t, %v", out.Replayed, err)
	}
	stale := r
	stale.OperationID = "stale"
	_, err := w.rollouts.RollBack(ctx, stale)
	if f := fault.As(err); f == nil || f.Code != fault.CodeStateConflict || f.Detail["state"] != "paused" {
		t.Errorf("stale: %v", err)
	}
	if s := w.state(discount); s.State != rollout.Paused || s.Version != r.Version+1 {
		t.Errorf("state %s, version %d", s.State, s.Version)
	}
}

func TestAdvanceWaits(t *testing.T) {
	w := newWorld(t)
	w.draft(discount, pricing.Stage{Threshold: 100_000, MinDwellS: 3600}, pricing.Stage{Threshold: 100_000})
	w.must(w.rollouts.Start, discount)
	if err := w.step(w.rollouts.Advance, discount); !fault.Is(err, fault.CodeChecksNotPassed) {
		t.Errorf("without a charge: %v", err)
	}
	w.charge("acct_42", "c1")
	if err := w.step(w.rollouts.Advance, discount); !fault.Is(err, fault.CodeDwellNotOver) {
		t.Errorf("before the stage has lasted: %v", err)
	}
	if r := w.state(discount); r.Stage != 1 || !r.DwellUntil().After(time.Now().Add(50*time.Minute)) {
		t.Errorf("stage %d until %v", r.Stage, r.DwellUntil())
	}
	if err := w.G.Exec(`ALTER TABLE rollouts DISABLE TRIGGER ALL; UPDATE rollouts SET stage_since = stage_since - interval '1 hour'; ALTER TABLE rollouts ENABLE ALWAYS TRIGGER rollouts_step`).Error; err != nil {
		t.Fatal(err)
	}
	w.must(w.rollouts.Advance, discount)
	if err := w.step(w.rollouts.Advance, discount); !fault.Is(err, fault.CodeStateConflict) {
		t.Errorf("past the last stage: %v", err)
	}
}

func TestCreateRefuses(t *testing.T) {
	w := newWorld(t)
	w.Price(t, "ocr", 1000)
	w.draft(discount, shares(10_000)...)
	good := func() rollout.NewRollout {
		return rollout.NewRollout{Envelope: by(ids.New()), ID: "new", Action: modeltest.Action, Candidate: v2, Stages: shares(1), Reason: "x"}
	}
	big := int64(10_001)
	for field, change := range map[string]func(*rollout.NewRollout){
		"id":                  func(n *rollout.NewRollout) { n.ID = discount },
		"candidate":           func(n *rollout.NewRollout) { n.Candidate = "ocr@v1" },
		"baseline":            func(n *rollout.NewRollout) { n.Baseline = v2 },
		"stages":              func(n *rollout.NewRollout) { n.Stages = nil },
		"stages[2].threshold": func(n *rollout.NewRollout) { n.Stages = shares(1, 100_001) },
		"stages[3].threshold": func(n *rollout.NewRollout) { n.Stages = shares(1, 50_000, 10_000) },
		"reason":              func(n *rollout.NewRollout) { n.Reason = " " },
		"min_costs_bps":       func(n *rollout.NewRollout) { n.MinCostsBps = &big },
		"title":               func(n *rollout.NewRollout) { n.Title = "a\x00" },
	} {
		n := good()
		change(&n)
		_, err := w.rollouts.Create(context.Background(), n)
		if f := fault.As(err); f == nil || f.Code != fault.CodeInvalid || len(f.Fields) != 1 || f.Fields[0].Name != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := w.rollouts.Create(context.Background(), good()); err != nil {
		t.Error(err)
	}
	for _, id := range []string{"nobody", "a b", ""} {
		if _, err := w.rollouts.Start(context.Background(), rollout.StepRequest{Envelope: by(ids.New()), RolloutID: id, Version: 1, Reason: "x"}); !fault.Is(err, fault.CodeRolloutNotFound) {
			t.Errorf("rollout %q: %v", id, err)
		}
	}
}

// A completion cannot be undone: like an advance it waits for the stage's shortest time and for all checks, made again now.
func TestCompleteWaits(t *testing.T) {
	w := newWorld(t)
	w.draft(discount, pricing.Stage{Threshold: pricing.Buckets, MinDwellS: 3600})
	w.must(w.rollouts.Start, discount)
	if err := w.step(w.rollouts.Complete, discount); !fault.Is(err, fault.CodeChecksNotPassed) {
		t.Errorf("without a charge: %v", err)
	}
	w.charge("acct_42", "c1")
	if err := w.step(w.rollouts.Complete, discount); !fault.Is(err, fault.CodeDwellNotOver) {
		t.Errorf("before its stage is over: %v", err)
	}
	w.damage(`ALTER TABLE rollouts DISABLE TRIGGER USER`, `UPDATE rollouts SET stage_since = stage_since - interval '1 hour'`)
	w.costs = rollout.Costs{Delivered: 10, Known: 10, Unattributed: 1, Names: []string{"farm/x"}}
	if err := w.step(w.rollouts.Complete, discount); !fault.Is(err, fault.CodeChecksNotPassed) || w.state(discount).State != rollout.Halted {
		t.Errorf("over a red check: %v, %s", err, w.state(discount).State)
	}
	w.costs.Unattributed = 0
	w.must(w.rollouts.Resume, discount)
	w.must(w.rollouts.Complete, discount)
}
