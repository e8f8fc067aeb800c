package task_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"recoup/models/actor"
	"recoup/models/bell"
	"recoup/models/fault"
	"recoup/models/modeltest"
	"recoup/models/operation"
	"recoup/models/task"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

var who = actor.Actor{Kind: "staff", ID: "st_1"}

// in runs fn as an operation of its own.
func in(t *testing.T, m *modeltest.Models, id string, fn func(ctx context.Context, tx *operation.Tx) error) error {
	t.Helper()
	_, err := m.Ops.Apply(context.Background(), operation.Request{Scope: operation.Named("settings"), ID: id, Kind: "test",
		Input: operation.Input{"id": id}, Actor: who, RequestID: "req_1"},
		func(ctx context.Context, tx *operation.Tx) (any, error) { return struct{}{}, fn(ctx, tx) })
	return err
}

func start(t *testing.T, m *modeltest.Models, s *task.Store, n task.NewTask) task.Task {
	t.Helper()
	var made task.Task
	err := in(t, m, "start-"+n.Title, func(ctx context.Context, tx *operation.Tx) (err error) {
		made, err = s.Start(ctx, tx, n)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func find(t *testing.T, s *task.Store, id string) task.Task {
	t.Helper()
	got, err := s.Find(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestTaskFromStartToEnd(t *testing.T) {
	m := modeltest.New(t, modeltest.DB(t), modeltest.Fast())
	ctx := context.Background()
	kicked := 0
	s := task.New(m.G, func() { kicked++ })

	made := start(t, m, s, task.NewTask{Kind: "export", Title: "a", Input: map[string]int{"rows": 3}, Total: 3, Keep: time.Hour})
	if kicked != 1 || made.State != task.Waiting || made.RequestedBy != who.String() || made.Total != 3 {
		t.Fatalf("kicked %d, made %+v", kicked, made)
	}
	var input map[string]int
	if err := made.Decode(&input); err != nil || input["rows"] != 3 {
		t.Fatalf("input %v, %v", input, err)
	}
	run, err := s.Take(ctx, made.Key, "w1")
	if err != nil || run == nil || run.Tries != 1 {
		t.Fatalf("take: %+v, %v", run, err)
	}
	if twin, err := s.Take(ctx, made.Key, "w2"); err != nil || twin != nil {
		t.Fatalf("taken twice: %+v, %v", twin, err)
	}
	if err := run.Progress(ctx, 2, 3); err != nil {
		t.Fatal(err)
	}
	if got := find(t, s, made.ID); got.State != task.Running || got.Done != 2 || got.StartedAt == nil {
		t.Errorf("while it runs: %+v", got)
	}
	if err := run.Finish(ctx, map[string]string{"file": "x"}); err != nil {
		t.Fatal(err)
	}
	got := find(t, s, made.ID)
	if got.State != task.Done || got.Done != 3 || string(got.Result) != `{"file":"x"}` || got.FinishedAt == nil ||
		got.ExpiresAt == nil || got.ExpiresAt.Sub(*got.FinishedAt) != time.Hour {
		t.Errorf("at the end: %+v", got)
	}
	if again, err := s.Take(ctx, made.Key, "w2"); err != nil || again != nil {
		t.Errorf("a task that is done was taken: %+v, %v", again, err)
	}
	if _, err := s.Find(ctx, "nope"); !fault.Is(err, task.CodeNotFound) {
		t.Errorf("unknown task: %v", err)
	}
}

// What was refused with its operation leaves no task and no bell.
func TestTaskIsPartOfItsOperation(t *testing.T) {
	m := modeltest.New(t, modeltest.DB(t), modeltest.Fast())
	kicked := 0
	s := task.New(m.G, func() { kicked++ })
	err := in(t, m, "x", func(ctx context.Context, tx *operation.Tx) error {
		if _, err := s.Start(ctx, tx, task.NewTask{Kind: "export", Input: 1}); err != nil {
			return err
		}
		return fault.State("closed", "no")
	})
	if !fault.Is(err, fault.CodeStateConflict) {
		t.Fatal(err)
	}
	all, err := s.List(context.Background(), []task.Kind{"export"}, 10)
	if err != nil || len(all) != 0 || kicked != 0 {
		t.Errorf("left over: %v, %v, kicked %d", all, err, kicked)
	}
}

func TestListIsNewestFirstOfTheKinds(t *testing.T) {
	m := modeltest.New(t, modeltest.DB(t), modeltest.Fast())
	s := task.New(m.G, nil)
	for _, n := range []task.NewTask{{Kind: "a", Title: "1", Input: 1}, {Kind: "b", Title: "2", Input: 1}, {Kind: "a", Title: "3", Input: 1}, {Kind: "c", Title: "4", Input: 1}} {
		start(t, m, s, n)
	}
	all, err := s.List(context.Background(), []task.Kind{"a", "c"}, 2)
	if err != nil || len(all) != 2 || all[0].Title != "4" || all[1].Title != "3" {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestCancelStopsWhoeverRuns(t *testing.T) {
	m := modeltest.New(t, modeltest.DB(t), modeltest.Fast())
	ctx := context.Background()
	s := task.New(m.G, nil)
	made := start(t, m, s, task.NewTask{Kind: "a", Title: "1", Input: 1})
	run, err := s.Take(ctx, made.Key, "w1")
	if err != nil || run == nil {
		t.Fatal(run, err)
	}
	cancel := func(id string) error {
		return in(t, m, id, func(ctx context.Context, tx *operation.Tx) error { return s.Cancel(ctx, tx, made.ID) })
	}
	if err := cancel("c1"); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{"progress": run.Progress(ctx, 1, 1), "extend": run.Extend(ctx), "finish": run.Finish(ctx, 1),
		"fail": run.Fail(ctx, "x", ""), "release": run.Release(ctx, 0)} {
		if !errors.Is(err, task.ErrStopped) {
			t.Errorf("%s after cancel: %v", name, err)
		}
	}
	if err := cancel("c2"); !fault.Is(err, fault.CodeStateConflict) {
		t.Errorf("canceled twice: %v", err)
	}
	if got := find(t, s, made.ID); got.State != task.Canceled || got.Result != nil {
		t.Errorf("%+v", got)
	}
}

// A worker that died loses its task when the lease is over, and is told so when it comes back.
func TestLeaseThatEnds(t *testing.T) {
	m := modeltest.New(t, modeltest.DB(t), modeltest.Fast())
	ctx := context.Background()
	s := task.New(m.G, nil)
	made := start(t, m, s, task.NewTask{Kind: "a", Title: "1", Input: 1})
	old, err := s.Take(ctx, made.Key, "w1")
	if err != nil || old == nil {
		t.Fatal(old, err)
	}
	exec(t, m, `UPDATE tasks SET due_at = clock_timestamp(), ring_at = clock_timestamp()`)
	rang := 0
	if _, err := s.Ring(ctx, 10, func(_ context.Context, b bell.Bell) error { rang++; return nil }); err != nil || rang != 1 {
		t.Fatalf("rang %d, %v", rang, err)
	}
	run, err := s.Take(ctx, made.Key, "w2")
	if err != nil || run == nil || run.Tries != 2 {
		t.Fatalf("taken over: %+v, %v", run, err)
	}
	if err := old.Finish(ctx, "old"); !errors.Is(err, task.ErrStopped) {
		t.Errorf("the old worker finished: %v", err)
	}
	if err := run.Finish(ctx, "new"); err != nil {
		t.Fatal(err)
	}
	if got := find(t, s, made.ID); string(got.Result) != `"new"` {
		t.Errorf("result %s", got.Result)
	}
}

// A task that failed each time is given up, whether its workers told so or died.
func TestTriesEnd(t *testing.T) {
	for _, dies := range []bool{false, true} {
		m := modeltest.New(t, modeltest.DB(t), modeltest.Fast())
		ctx := context.Background()
		s := task.New(m.G, nil)
		made := start(t, m, s, task.NewTask{Kind: "a", Title: "1", Input: 1})
		tries := 0
		for range 10 {
			run, err := s.Take(ctx, made.Key, "w1")
			if err != nil {
				t.Fatal(err)
			}
			if run == nil {
				break
			}
			tries++
			if !dies {
				if _, err := run.Retry(ctx, "no luck"); err != nil {
					t.Fatal(err)
				}
			}
			exec(t, m, `UPDATE tasks SET due_at = clock_timestamp() WHERE state IN ('waiting', 'running')`)
		}
		got := find(t, s, made.ID)
		if tries != 5 || got.State != task.Failed || got.Error != task.CodeGaveUp {
			t.Errorf("dies %v: %d tries, %+v", dies, tries, got)
		}
	}
}

// Many workers that hear the same bell: one has the task.
func TestTakenByOne(t *testing.T) {
	m := modeltest.New(t, modeltest.DB(t), modeltest.Fast())
	s := task.New(m.G, nil)
	made := start(t, m, s, task.NewTask{Kind: "a", Title: "1", Input: 1})
	var mu sync.Mutex
	won := 0
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			run, err := s.Take(context.Background(), made.Key, "w")
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			} else if run != nil {
				won++
			}
		})
	}
	wg.Wait()
	if won != 1 {
		t.Errorf("%d workers have it", won)
	}
}

// Nobody answers: the bell rings again, with another id, at growing intervals; a bell that could not be given
// stays owed.
func TestRing(t *testing.T) {
	m := modeltest.New(t, modeltest.DB(t), modeltest.Fast())
	ctx := context.Background()
	s := task.New(m.G, nil)
	made := start(t, m, s, task.NewTask{Kind: "a", Title: "1", Input: 1})
	var bells []bell.Bell
	ring := func(fail error) (int, error) {
		return s.Ring(ctx, 10, func(_ context.Context, b bell.Bell) error {
			if fail == nil {
				bells = append(bells, b)
			}
			return fail
		})
	}
	away := errors.New("away")
	if n, err := ring(away); n != 0 || !errors.Is(err, away) {
		t.Fatalf("%d, %v", n, err)
	}
	for want := range 3 {
		if n, err := ring(nil); n != 1 || err != nil {
			t.Fatalf("ring %d: %d, %v", want, n, err)
		}
		if n, err := ring(nil); n != 0 || err != nil {
			t.Fatalf("rang at once again: %d, %v", n, err)
		}
		var wait float64
		m.G.Raw(`SELECT extract(epoch FROM ring_at - clock_timestamp()) FROM tasks`).Scan(&wait)
		if most := float64(uint(10) << want); wait > most || wait < most-5 {
			t.Errorf("rings again in %v s, not %v", wait, most)
		}
		exec(t, m, `UPDATE tasks SET ring_at = clock_timestamp()`)
	}
	for i, b := range bells {
		if b.Key != made.Key || b.Rings != i {
			t.Errorf("bell %d: %+v", i, b)
		}
	}
	if b, err := json.Marshal(bells[1]); err != nil || string(b) == "" {
		t.Error(err)
	}
}

func exec(t *testing.T, m *modeltest.Models, sql string) {
	t.Helper()
	if err := m.G.Exec(sql).Error; err != nil {
		t.Fatal(err)
	}
}
