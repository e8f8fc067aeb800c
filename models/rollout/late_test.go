package rollout_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recoup/models/fault"
	"recoup/models/modeltest"
	"recoup/models/rollout"
)

// moved lets rows of a table that never change lie in the past.
func (w *world) moved(table, update string) {
	w.t.Helper()
	err := w.G.Exec(`ALTER TABLE ` + table + ` DISABLE TRIGGER USER; UPDATE ` + table + ` SET ` + update + `;
		DO $$ DECLARE guard name; BEGIN
			FOR guard IN SELECT tgname FROM pg_trigger WHERE tgrelid = '` + table + `'::regclass AND NOT tgisinternal LOOP
				EXECUTE format('ALTER TABLE ` + table + ` ENABLE ALWAYS TRIGGER %I', guard);
			END LOOP;
		END $$`).Error
	if err != nil {
		w.t.Fatal(err)
	}
}

// A step that nothing made within an hour of its time is not made by whoever comes back, however many they are: it is
// cancelled once, everybody who follows is told, and it can be scheduled anew. One that is a little late is made.
func TestAStepThatIsTooLateIsNotMade(t *testing.T) {
	w := newWorld(t)
	w.into(discount, rollout.Running)
	mei := w.follower()
	key := w.planned(rollout.StepAdvance, 2)
	w.moved("rollout_schedule", `at = clock_timestamp() - interval '61 minutes'`)
	before := w.state(discount)
	workers := []*rollout.Service{w.rollouts}
	for range 3 {
		workers = append(workers, w.service(modeltest.New(t, w.G, modeltest.Fast())))
	}
	var wg sync.WaitGroup
	var ended atomic.Int64
	start := make(chan struct{})
	for i := range 12 {
		wg.Go(func() {
			<-start
			n, err := workers[i%len(workers)].FireDue(context.Background())
			if err != nil && !fault.Is(err, fault.CodeOperationInProgress) {
				t.Error(err)
			}
			ended.Add(int64(n))
		})
	}
	close(start)
	wg.Wait()
	s := w.stands(key)
	if s.State != rollout.Cancelled || s.EndCode != rollout.EndTooLate || s.EndedBy != "system" || s.EndDetail == nil || !strings.Contains(*s.EndDetail, "3600") || ended.Load() != 1 {
		t.Errorf("%+v, %d say that they ended it", s, ended.Load())
	}
	if r := w.state(discount); r.Version != before.Version || r.Stage != before.Stage {
		t.Errorf("it was made: version %d, stage %d", r.Version, r.Stage)
	}
	if got := w.told(mei); !slices.Equal(got, []string{rollout.ToldScheduled + "  cancelled too_late"}) {
		t.Errorf("told %q", got)
	}
	again := w.planned(rollout.StepAdvance, 2)
	w.moved("rollout_schedule", `at = clock_timestamp() - interval '59 minutes' WHERE state = 'waiting'`)
	if w.fire() != 1 || w.stands(again).State != rollout.Fired {
		t.Errorf("59 minutes late: %+v", w.stands(again))
	}
	w.sound()
}

// A paused rollout keeps its steps waiting: how late they are counts from the resume.
func TestAPauseMakesNoStepTooLate(t *testing.T) {
	w := newWorld(t)
	w.into(discount, rollout.Running)
	key := w.planned(rollout.StepAdvance, 2)
	w.must(w.rollouts.Pause, discount)
	w.moved("rollout_schedule", `at = clock_timestamp() - interval '8 hours'`)
	if w.fire() != 0 || w.stands(key).State != rollout.Waiting {
		t.Fatalf("while paused: %+v", w.stands(key))
	}
	w.must(w.rollouts.Resume, discount)
	if w.fire() != 1 || w.stands(key).State != rollout.Fired {
		t.Errorf("after the resume: %+v", w.stands(key))
	}
}

// An installation says how late is too late; then a resume of long ago does not help.
func TestHowLateIsTooLateIsSaid(t *testing.T) {
	w := newWorld(t)
	w.into(discount, rollout.Running)
	w.must(w.rollouts.Pause, discount)
	w.must(w.rollouts.Resume, discount)
	key := w.planned(rollout.StepAdvance, 2)
	w.moved("rollout_events", `at = at - interval '10 minutes' WHERE kind = 'resumed'`)
	w.moved("rollout_schedule", `at = clock_timestamp() - interval '5 minutes'`)
	strict := rollout.New(w.Ops, rollout.Options{Late: 4 * time.Minute})
	if n, err := strict.FireDue(context.Background()); err != nil || n != 1 || w.stands(key).EndCode != rollout.EndTooLate {
		t.Errorf("%d %v %+v", n, err, w.stands(key))
	}
}
