package job_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/operation"
)

// sent is one operation that a client sent, with what it knows of it.
type sent struct {
	do func() (operation.Outcome, error)
	// result is the answer's bytes, "" while no answer came.
	result string
}

// TestCase_F14 kills PostgreSQL, all its processes with SIGKILL, while clients charge, fail and deliver. What was
// acknowledged is in the ledger after the restart, byte for byte; what was not is there whole or not at all, and
// goes through when it is sent again.
func TestCase_F14(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	pg, url := modeltest.OwnPostgres(t)
	m := modeltest.New(t, modeltest.Open(t, url, nil), modeltest.Fast())
	m.Price(t, modeltest.Action, 1000)
	const clients = 8
	for c := range clients {
		m.Account(t, fmt.Sprintf("a%d", c%3), 0)
	}
	var acknowledged, unanswered int
	for round := range 2 {
		for a := range 3 {
			grantTo(t, m, fmt.Sprintf("a%d", a), 100_000)
		}
		logs := make([][]*sent, clients)
		var wg sync.WaitGroup
		for c := range clients {
			wg.Go(func() { logs[c] = client(ctx, t, m, round, c) })
		}
		time.Sleep(time.Duration(400+round*150) * time.Millisecond)
		pg.Kill()
		wg.Wait()
		if err := pg.Restart(ctx); err != nil {
			t.Fatal(err)
		}
		consistentAfterRestart(ctx, t, m)
		for _, log := range logs {
			for _, s := range log {
				out, err := s.do()
				if err != nil {
					t.Fatalf("sent again after the crash: %v", err)
				}
				if s.result == "" {
					unanswered++
					continue
				}
				acknowledged++
				if !out.Replayed || string(out.Result) != s.result {
					t.Fatalf("acknowledged and not kept (replayed %t): %s, the answer was %s", out.Replayed, out.Result, s.result)
				}
			}
		}
		consistent(t, m)
	}
	t.Logf("%d acknowledged operations survived, %d had no answer", acknowledged, unanswered)
	if acknowledged < 50 || unanswered < 3 {
		t.Errorf("the crashes met too little: %d acknowledged, %d unanswered", acknowledged, unanswered)
	}
}

// client charges, fails and delivers jobs until its database is gone.
func client(ctx context.Context, t *testing.T, m *modeltest.Models, round, c int) (log []*sent) {
	account := fmt.Sprintf("a%d", c%3)
	for i := 0; ; i++ {
		id := fmt.Sprintf("j%d-%d-%d", round, c, i)
		charge := job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: account, JobID: id, Action: modeltest.Action, Units: 3, Mode: job.External}
		failed := job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: account, JobID: id,
			Signal: job.Signal{Type: job.SignalFailed, Class: job.Transient, Attempt: n(1)}}
		late := job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: account, JobID: id, Signal: job.Signal{Type: job.SignalSucceeded, Attempt: n(1)}}
		for _, s := range []*sent{
			{do: func() (operation.Outcome, error) { return m.Jobs.Charge(ctx, charge) }},
			{do: func() (operation.Outcome, error) { return m.Jobs.Signal(ctx, failed) }},
			{do: func() (operation.Outcome, error) { return m.Jobs.Signal(ctx, late) }},
		} {
			log = append(log, s)
			out, err := s.do()
			if err != nil {
				if f := fault.As(err); f != nil && f.Kind != fault.Busy {
					t.Errorf("refused: %v", err)
				}
				return log
			}
			s.result = string(out.Result)
		}
	}
}

// consistentAfterRestart checks the rows once the pool has replaced the connections that the crash has ended.
func consistentAfterRestart(ctx context.Context, t *testing.T, m *modeltest.Models) {
	t.Helper()
	pool, err := m.G.DB()
	if err != nil {
		t.Fatal(err)
	}
	for pool.PingContext(ctx) != nil {
		if ctx.Err() != nil {
			t.Fatal(ctx.Err())
		}
		time.Sleep(20 * time.Millisecond)
	}
	consistent(t, m)
}
