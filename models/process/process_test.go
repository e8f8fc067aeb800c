package process_test

import (
	"context"
	"os"
	"testing"
	"time"

	"recoup/models/modeltest"
	"recoup/models/process"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

func TestBeatListLeave(t *testing.T) {
	g, ctx := modeltest.DB(t), context.Background()
	s := process.New(g)
	beat := process.Beat{ID: "p1", Kind: process.Serve, Host: "h", PID: 7, Version: "v", RedisOK: true, RelayLag: 1500 * time.Millisecond, OutboxRows: 3}
	since := 2 * time.Second
	for _, b := range []process.Beat{beat, {ID: "p2", Kind: process.Work, Host: "h", PID: 8, SinceSweep: &since, Swept: 5}, {ID: "old", Kind: process.Dev, Host: "h", PID: 9}} {
		if err := s.Beat(ctx, b); err != nil {
			t.Fatal(err)
		}
	}
	age := func(id, by string) {
		t.Helper()
		if err := g.Exec(`UPDATE processes SET beat_at = beat_at - ?::interval WHERE id = ?`, by, id).Error; err != nil {
			t.Fatal(err)
		}
	}
	age("p1", "1 minute")
	all, err := s.List(ctx)
	if err != nil || len(all) != 3 {
		t.Fatalf("%d processes, %v", len(all), err)
	}
	byID := map[string]process.Process{}
	for _, p := range all {
		byID[p.ID] = p
	}
	p1, p2 := byID["p1"], byID["p2"]
	if p1.Alive || all[2].ID != "p1" || p1.Kind != process.Serve || p1.PID != 7 || p1.Version != "v" || !p1.RedisOK || p1.RelayLagMs != 1500 || p1.OutboxRows != 3 || p1.LastSweepAt != nil {
		t.Errorf("p1 is %+v", p1)
	}
	if d := p2.BeatAt.Sub(*p2.LastSweepAt); !p2.Alive || p2.Swept != 5 || d < 1900*time.Millisecond || d > 2100*time.Millisecond {
		t.Errorf("p2 is %+v", p2)
	}
	beat.RedisOK = false
	age("old", "25 hours")
	if err := s.Beat(ctx, beat); err != nil {
		t.Fatal(err)
	}
	if err := s.Leave(ctx, "p2"); err != nil {
		t.Fatal(err)
	}
	all, err = s.List(ctx)
	if err != nil || len(all) != 1 || all[0].ID != "p1" || !all[0].Alive || all[0].RedisOK || !all[0].StartedAt.Equal(p1.StartedAt) {
		t.Fatalf("%+v, %v; want p1 alone, alive again", all, err)
	}
}

func TestAlone(t *testing.T) {
	g, ctx := modeltest.DB(t), context.Background()
	s := process.New(g)
	ran, err := s.Alone(ctx, "a", func(ctx context.Context) error {
		nested := func(name string) bool {
			ran, err := s.Alone(ctx, name, func(context.Context) error { return nil })
			if err != nil {
				t.Error(err)
			}
			return ran
		}
		if nested("a") {
			t.Error("a second one ran under the same name")
		}
		if !nested("b") {
			t.Error("another name was held up")
		}
		return nil
	})
	if !ran || err != nil {
		t.Fatalf("ran %v, %v", ran, err)
	}
	if ran, err := s.Alone(ctx, "a", func(context.Context) error { return nil }); !ran || err != nil {
		t.Fatalf("not free afterwards: %v, %v", ran, err)
	}
}
