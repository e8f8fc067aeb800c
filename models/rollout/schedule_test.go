package rollout_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gorm.io/gorm"

	"recoup/models/approval"
	"recoup/models/calendar"
	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/modeltest"
	"recoup/models/operation"
	"recoup/models/rollout"
)

// tomorrow is a time of the clock in Tokyo that is surely ahead.
func tomorrow() string { return time.Now().UTC().AddDate(0, 0, 2).Format(rollout.WallLayout) }

func (w *world) schedule(step rollout.StepName, stage int) (operation.Outcome, error) {
	return w.rollouts.AtTime(context.Background(), rollout.ScheduleRequest{Envelope: by(ids.New()), RolloutID: discount, Step: step, Stage: stage,
		Local: tomorrow(), Zone: "Asia/Tokyo", Reason: "in the quiet hours"})
}

// planned schedules a step, and returns its key.
func (w *world) planned(step rollout.StepName, stage int) int64 {
	w.t.Helper()
	out, err := w.schedule(step, stage)
	var made rollout.ScheduledResult
	if err != nil || out.Decode(&made) != nil || made.Scheduled == 0 {
		w.t.Fatalf("%s of stage %d: %s %v", step, stage, out.Result, err)
	}
	return made.Scheduled
}

// due lets the time of all that waits come.
func (w *world) due() {
	w.t.Helper()
	err := w.G.Exec(`ALTER TABLE rollout_schedule DISABLE TRIGGER USER; UPDATE rollout_schedule SET at = clock_timestamp() - interval '1 second' WHERE state = 'waiting';
		ALTER TABLE rollout_schedule ENABLE ALWAYS TRIGGER rollout_schedule_end; ALTER TABLE rollout_schedule ENABLE ALWAYS TRIGGER rollout_schedule_keep`).Error
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) fire() int {
	w.t.Helper()
	n, err := w.rollouts.FireDue(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

func (w *world) stands(key int64) rollout.Scheduled {
	w.t.Helper()
	s, err := w.rollouts.FindScheduled(context.Background(), discount, key)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// A rollout that runs by the clock from its start to its completion.
func TestAScheduleFromStartToEnd(t *testing.T) {
	w := newWorld(t)
	w.draft(discount, shares(10_000, 100_000)...)
	start, wider, done := w.planned(rollout.StepStart, 0), w.planned(rollout.StepAdvance, 2), w.planned(rollout.StepComplete, 0)
	if n := w.fire(); n != 0 || w.state(discount).State != rollout.Draft {
		t.Fatalf("%d fired before their time", n)
	}
	if err := w.G.Exec(`UPDATE rollout_schedule SET state = 'fired', ended_at = clock_timestamp(), ended_by = 'x', end_scope = 'x', end_operation_id = 'x'`).Error; err == nil {
		t.Error("the database lets a step fire before its time")
	}
	at := func(key int64) {
		t.Helper()
		err := w.G.Exec(`ALTER TABLE rollout_schedule DISABLE TRIGGER USER; UPDATE rollout_schedule SET at = clock_timestamp() - interval '1 second' WHERE state = 'waiting' AND step = '` + string(w.stands(key).Step) + `';
			ALTER TABLE rollout_schedule ENABLE ALWAYS TRIGGER rollout_schedule_end; ALTER TABLE rollout_schedule ENABLE ALWAYS TRIGGER rollout_schedule_keep`).Error
		if err != nil {
			t.Fatal(err)
		}
		if n := w.fire(); n != 1 {
			t.Fatalf("%d ended", n)
		}
	}
	at(start)
	w.charge("acct_42", "c1")
	at(wider)
	at(done)
	if r := w.state(discount); r.State != rollout.Completed || r.Version != 4 {
		t.Errorf("%s, version %d", r.State, r.Version)
	}
	for _, key := range []int64{start, wider, done} {
		s := w.stands(key)
		if s.State != rollout.Fired || s.EndedBy != "system" || s.EndScope != "rollout-system:"+discount {
			t.Errorf("%+v", s)
		}
		if _, _, err := w.Ops.Find(context.Background(), operation.ParseScope(s.EndScope), s.EndOperationID); err != nil {
			t.Error(err)
		}
	}
	history, err := w.rollouts.History(context.Background(), discount)
	if err != nil || history[0].Code != rollout.CodeScheduled || history[0].Actor != "system" || history[0].Reason != "in the quiet hours" || !strings.Contains(*history[0].Detail, "staff:pm") {
		t.Errorf("%+v %v", history[0], err)
	}
	if err := w.G.Exec(`DELETE FROM rollout_schedule`).Error; db.Code(err) != "RC002" {
		t.Errorf("a scheduled step was deleted: %v", err)
	}
	w.sound()
}

// TestCase_F24: many workers see the same due step; it is made once.
func TestCase_F24_ADueStepFiresOnce(t *testing.T) {
	w := newWorld(t)
	w.into(discount, rollout.Running)
	key := w.planned(rollout.StepAdvance, 2)
	w.due()
	version := w.state(discount).Version
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
	r := w.state(discount)
	if ended.Load() != 1 || r.Stage != 2 || r.Version != version+1 || w.stands(key).State != rollout.Fired {
		t.Errorf("%d say that they made it; stage %d, version %d, %s", ended.Load(), r.Stage, r.Version, w.stands(key).State)
	}
	if n := w.count(`SELECT count(*) FROM rollout_events WHERE rollout_id = ? AND kind = 'advanced'`, discount); n != 1 {
		t.Errorf("%d advances", n)
	}
	if n := w.fire(); n != 0 {
		t.Errorf("%d fired again", n)
	}
}

// Never over a check that is red or has no data: it is refused where everybody sees it, and a red one halts.
func TestADueStepIsRefusedVisibly(t *testing.T) {
	w := newWorld(t)
	w.into(discount, rollout.Running)
	missing := w.planned(rollout.StepAdvance, 2)
	w.costs = rollout.Costs{Delivered: 10, Known: 0}
	w.due()
	w.fire()
	s := w.stands(missing)
	if s.State != rollout.Refused || s.EndCode != fault.CodeChecksNotPassed || s.EndDetail == nil || !strings.Contains(*s.EndDetail, `"missing"`) || w.state(discount).Stage != 1 {
		t.Errorf("without data: %+v, stage %d", s, w.state(discount).Stage)
	}
	// It can be scheduled again.
	w.costs = rollout.Costs{Delivered: 10, Known: 10}
	red, done := w.planned(rollout.StepAdvance, 2), w.planned(rollout.StepComplete, 0)
	w.red()
	err := w.G.Exec(`ALTER TABLE rollout_schedule DISABLE TRIGGER USER; UPDATE rollout_schedule SET at = clock_timestamp() - interval '1 second' WHERE state = 'waiting' AND step = 'advance';
		ALTER TABLE rollout_schedule ENABLE ALWAYS TRIGGER rollout_schedule_end; ALTER TABLE rollout_schedule ENABLE ALWAYS TRIGGER rollout_schedule_keep`).Error
	if err != nil {
		t.Fatal(err)
	}
	w.fire()
	if s := w.stands(red); s.State != rollout.Refused || s.EndCode != fault.CodeChecksNotPassed || !strings.Contains(*s.EndDetail, `"fail"`) {
		t.Errorf("over a red check: %+v", s)
	}
	if r := w.state(discount); r.State != rollout.Halted || r.Stage != 1 {
		t.Errorf("%s at stage %d", r.State, r.Stage)
	}
	if s := w.stands(done); s.State != rollout.Cancelled || s.EndCode != rollout.EndHalted || s.EndedBy != "system" {
		t.Errorf("the halt left %+v", s)
	}
	if _, err := w.schedule(rollout.StepAdvance, 2); !fault.Is(err, fault.CodeStateConflict) {
		t.Errorf("scheduled while halted: %v", err)
	}
}

// A pause lets scheduled steps wait, whatever their time; then they are made. What people do in between is told.
func TestWhatEndsAScheduledStep(t *testing.T) {
	w := newWorld(t)
	w.draft(discount, shares(100_000, 100_000, 100_000)...)
	w.must(w.rollouts.Start, discount)
	w.charge("acct_42", "c1")
	second, third := w.planned(rollout.StepAdvance, 2), w.planned(rollout.StepAdvance, 3)
	if _, err := w.schedule(rollout.StepAdvance, 2); !fault.Is(err, fault.CodeStateConflict) {
		t.Errorf("scheduled twice: %v", err)
	}
	w.must(w.rollouts.Pause, discount)
	w.due()
	if n := w.fire(); n != 0 || w.stands(second).State != rollout.Waiting {
		t.Errorf("%d fired while paused", n)
	}
	w.must(w.rollouts.Resume, discount)
	if n := w.fire(); n != 2 || w.state(discount).Stage != 3 {
		t.Errorf("%d fired after the resume, stage %d", n, w.state(discount).Stage)
	}
	if w.stands(second).State != rollout.Fired || w.stands(third).State != rollout.Fired {
		t.Errorf("%+v %+v", w.stands(second), w.stands(third))
	}
	done := w.planned(rollout.StepComplete, 0)
	cancel := rollout.CancelRequest{Envelope: by("cancel"), RolloutID: discount, Key: done, Reason: "not yet"}
	if _, err := w.rollouts.CancelScheduled(context.Background(), cancel); err != nil {
		t.Fatal(err)
	}
	if out, err := w.rollouts.CancelScheduled(context.Background(), cancel); err != nil || !out.Replayed {
		t.Errorf("a double click: %v", err)
	}
	cancel.OperationID = "again"
	if _, err := w.rollouts.CancelScheduled(context.Background(), cancel); !fault.Is(err, fault.CodeStateConflict) {
		t.Errorf("cancelled twice: %v", err)
	}
	if s := w.stands(done); s.State != rollout.Cancelled || s.EndCode != rollout.EndByPerson || s.EndReason != "not yet" || s.EndedBy != "staff:pm" {
		t.Errorf("%+v", s)
	}
	w.due()
	if n := w.fire(); n != 0 || w.state(discount).State != rollout.Running {
		t.Errorf("a cancelled step fired: %d", n)
	}
	again := w.planned(rollout.StepComplete, 0)
	w.must(w.rollouts.RollBack, discount)
	if s := w.stands(again); s.State != rollout.Cancelled || s.EndCode != rollout.EndRolledBack {
		t.Errorf("%+v", s)
	}
}

func TestAScheduledStepThatCameTooLateOrTooEarly(t *testing.T) {
	w := newWorld(t)
	w.draft(discount, shares(100_000, 100_000, 100_000)...)
	w.must(w.rollouts.Start, discount)
	w.charge("acct_42", "c1")
	second, third := w.planned(rollout.StepAdvance, 2), w.planned(rollout.StepAdvance, 3)
	w.must(w.rollouts.Advance, discount)
	if s := w.stands(second); s.State != rollout.Cancelled || s.EndCode != rollout.EndReached {
		t.Errorf("made by hand before its time: %+v", s)
	}
	if s := w.stands(third); s.State != rollout.Waiting {
		t.Errorf("%+v", s)
	}
	w.must(w.rollouts.RollBack, discount)
	w.draft("other", shares(1, 2, 3)...)
	out, err := w.rollouts.AtTime(context.Background(), rollout.ScheduleRequest{Envelope: by(ids.New()), RolloutID: "other", Step: rollout.StepAdvance, Stage: 3, Local: tomorrow(), Zone: "UTC", Reason: "x"})
	var made rollout.ScheduledResult
	if err != nil || out.Decode(&made) != nil {
		t.Fatal(err)
	}
	w.due()
	w.fire()
	if s, err := w.rollouts.FindScheduled(context.Background(), "other", made.Scheduled); err != nil || s.State != rollout.Refused || s.EndCode != rollout.EndNotReached {
		t.Errorf("%+v %v", s, err)
	}
}

// What is cancelled while it fires is either made or cancelled, never both.
func TestACancelRacesTheClock(t *testing.T) {
	w := newWorld(t)
	w.draft(discount, shares(1, 1, 1, 1, 1, 1, 1, 1, 1, 100_000)...)
	w.must(w.rollouts.Start, discount)
	w.rollouts = rollout.New(w.Ops, rollout.Options{Gate: func(context.Context, *gorm.DB, rollout.Rollout) (rollout.Checks, error) {
		return rollout.Checks{All: []rollout.Check{{Outcome: rollout.Pass}, {Outcome: rollout.Pass}, {Outcome: rollout.Pass}}}, nil
	}})
	for range 9 {
		before := w.state(discount)
		key := w.planned(rollout.StepAdvance, before.Stage+1)
		w.due()
		var wg sync.WaitGroup
		var cancelled error
		wg.Go(func() { w.fire() })
		wg.Go(func() {
			_, cancelled = w.rollouts.CancelScheduled(context.Background(), rollout.CancelRequest{Envelope: by(ids.New()), RolloutID: discount, Key: key, Reason: "stop"})
		})
		wg.Wait()
		moved := w.state(discount).Stage == before.Stage+1
		if s := w.stands(key).State; moved != (s == rollout.Fired) || moved == (cancelled == nil) {
			t.Fatalf("moved %t, %s, cancel: %v", moved, s, cancelled)
		}
	}
}

// The second person is asked when a step is scheduled, and not again when its time comes.
func TestASecondPersonForAScheduledStep(t *testing.T) {
	w := newWorld(t)
	w.agreed(above(10_000), shares(10_000, 100_000)...)
	w.must(w.rollouts.Start, discount)
	w.charge("acct_42", "c1")
	asks := func(replaces *approval.Replaced) approval.Request {
		t.Helper()
		out, err := w.rollouts.AtTime(context.Background(), rollout.ScheduleRequest{Envelope: by(ids.New()), RolloutID: discount, Step: rollout.StepAdvance, Stage: 2,
			Local: tomorrow(), Zone: "America/New_York", Reason: "at night", Replaces: replaces})
		var required approval.Required
		if err != nil || !out.Waiting || out.Decode(&required) != nil {
			t.Fatal(out, err)
		}
		r, err := w.Requests.Find(context.Background(), required.ChangeRequest.ID)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := asks(nil)
	// It can be decided until its time, and no longer, though other requests stay open for a week.
	if at, err := time.Parse(rollout.WallLayout, tomorrow()); err != nil || first.ExpiresAt.Before(at) || first.ExpiresAt.After(at.Add(6*time.Hour)) {
		t.Errorf("a step at %s of New York can be decided until %s, %v", tomorrow(), first.ExpiresAt, err)
	}
	second := asks(&approval.Replaced{ID: first.ID, Version: first.Version, Digest: first.Digest})
	if _, err := w.approve(first, "lena"); !fault.Is(err, fault.CodeStateConflict) {
		t.Errorf("the time that was edited is approved: %v", err)
	}
	// A pause is no reason to ask again: only what makes the step impossible is.
	w.must(w.rollouts.Pause, discount)
	w.must(w.rollouts.Resume, discount)
	if _, err := w.approve(second, "lena"); err != nil {
		t.Fatal(err)
	}
	list, err := w.rollouts.Schedule(context.Background(), discount, 10)
	if err != nil || len(list) != 1 || *list[0].ChangeRequest != second.ID || list[0].CreatedBy != "staff:pm" || list[0].State != rollout.Waiting {
		t.Fatalf("%+v %v", list, err)
	}
	w.due()
	w.fire()
	if r := w.state(discount); r.Stage != 2 {
		t.Errorf("stage %d: %+v", r.Stage, w.stands(list[0].Key))
	}
	// A halt voids what is asked for.
	w.must(w.rollouts.RollBack, discount)
	w.draft("other", shares(10_000, 100_000)...)
	if s := w.standing(second); s != approval.Approved {
		t.Errorf("%s", s)
	}
}

// Times about a change of the clock, as they are stored and said.
func TestScheduledAboutAChangeOfTheClock(t *testing.T) {
	w := newWorld(t)
	w.draft(discount, shares(1, 2, 3, 4, 100_000)...)
	// The next autumn and spring in New York, whatever the year: the days of 25 and 23 hours.
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	var long, short time.Time
	for day := time.Now().In(zone).AddDate(0, 0, 2); long.IsZero() || short.IsZero(); day = day.AddDate(0, 0, 1) {
		begin := calendar.Day(day.Year(), day.Month(), day.Day(), zone)
		switch calendar.Day(day.Year(), day.Month(), day.Day()+1, zone).Sub(begin) {
		case 25 * time.Hour:
			long = begin
		case 23 * time.Hour:
			short = begin
		}
	}
	for i, x := range []struct {
		day     time.Time
		clock   string
		after   time.Duration
		reading calendar.Reading
	}{{long, "T01:30", 90 * time.Minute, calendar.Twice}, {long, "T03:00", 4 * time.Hour, calendar.Once}, {short, "T02:30", 150 * time.Minute, calendar.LeftOut}, {short, "T03:00", 2 * time.Hour, calendar.Once}} {
		out, err := w.rollouts.AtTime(context.Background(), rollout.ScheduleRequest{Envelope: by(ids.New()), RolloutID: discount, Step: rollout.StepAdvance, Stage: i + 2,
			Local: x.day.Format("2006-01-02") + x.clock, Zone: "America/New_York", Reason: "x"})
		var made rollout.ScheduledResult
		if err != nil || out.Decode(&made) != nil {
			t.Fatal(err)
		}
		s := w.stands(made.Scheduled)
		if !s.At.Equal(x.day.Add(x.after)) || s.Reading != x.reading || s.LocalTime.Format("T15:04") != x.clock || s.Zone != "America/New_York" {
			t.Errorf("%s%s: %+v", x.day.Format("2006-01-02"), x.clock, s)
		}
	}
	for name, change := range map[string]func(*rollout.ScheduleRequest){
		"local": func(r *rollout.ScheduleRequest) { r.Local = "2020-01-01T00:00" },
		"zone":  func(r *rollout.ScheduleRequest) { r.Zone = "Mars/Base" },
		"step":  func(r *rollout.ScheduleRequest) { r.Step = "pause" },
	} {
		r := rollout.ScheduleRequest{Envelope: by(ids.New()), RolloutID: discount, Step: rollout.StepStart, Local: tomorrow(), Zone: "UTC", Reason: "x"}
		change(&r)
		_, err := w.rollouts.AtTime(context.Background(), r)
		if f := fault.As(err); f == nil || f.Code != fault.CodeInvalid || f.Fields[0].Name != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}
