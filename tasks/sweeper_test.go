package tasks

import (
	"context"
	"fmt"
	"testing"
	"time"

	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/process"
)

// F42: a worker dies in the middle of a job. After its lease the sweep ends the attempt, refunds, and the job
// can be claimed again; the attempt is counted.
func TestCase_F42_KilledWorker(t *testing.T) {
	t.Parallel()
	w := ready(t, lasting, false)
	w.Charge(t, "acct_1", "j1", 40)
	if c := w.Claim(t, 1); len(c) != 1 || c[0].Attempt != 1 {
		t.Fatalf("claimed %+v", c)
	}
	// The worker is gone: nothing is said any more.
	eventually(t, 5*time.Second, "swept", func() bool { return w.row(t, "j1").State == job.Retrying })
	if b := w.Balance(t, "acct_1"); b != 1000 {
		t.Errorf("balance %d after the sweep, want 1000", b)
	}
	var claimed []job.Claimed
	eventually(t, 10*time.Second, "claimable again", func() bool { claimed = w.Claim(t, 1); return len(claimed) == 1 })
	if claimed[0].Attempt != 2 || claimed[0].Generation != 0 {
		t.Errorf("claimed %+v, want attempt 2", claimed[0])
	}
	if _, err := w.Jobs.Complete(context.Background(), job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: claimed[0].LeaseToken}); err != nil {
		t.Fatal(err)
	}
	if b := w.Balance(t, "acct_1"); b != 960 {
		t.Errorf("balance %d after delivery, want 960", b)
	}
	if n := w.events(t, "j1", job.EventTimedOut); n != 1 {
		t.Errorf("timed out %d times", n)
	}
	if s := w.run.sweeper.Status(); s.Swept != 1 || s.SinceLast == nil || *s.SinceLast > 5*time.Second {
		t.Errorf("status %+v", s)
	}
}

// A worker that dies again and again uses up the budget; the dead letter is then left alone.
func TestSweeperNeverTouchesDead(t *testing.T) {
	t.Parallel()
	policy := modeltest.Fast()
	policy.MaxAttempts = 1
	w := build(t, modeltest.Ready(t, policy), policy, 100*time.Millisecond, true)
	w.Account(t, "acct_1", 10)
	w.Charge(t, "acct_1", "j1", 1)
	w.Claim(t, 1)
	w.start(t)
	eventually(t, 5*time.Second, "dead", func() bool { return w.row(t, "j1").State == job.Dead })
	if err := w.G.Exec(`UPDATE jobs SET not_before = '2000-01-01', expires_at = '2000-01-01'`).Error; err != nil {
		t.Fatal(err)
	}
	before := w.row(t, "j1")
	swept := w.run.sweeper.swept.Load()
	time.Sleep(time.Second)
	if after := w.row(t, "j1"); after != before || w.run.sweeper.swept.Load() != swept || w.Balance(t, "acct_1") != 10 {
		t.Errorf("%+v became %+v", before, after)
	}
}

// A job that nobody ever claimed expires and is refunded, once, whoever sweeps. More jobs than a batch holds
// are done in one go.
func TestExpireManyWithTwoSweepers(t *testing.T) {
	t.Parallel()
	const n = 2*sweepBatch + 20
	w := build(t, modeltest.Ready(t, modeltest.Fast()), modeltest.Fast(), lasting, true)
	w.Account(t, "acct_1", n)
	for i := range n {
		w.Charge(t, "acct_1", fmt.Sprintf("j%d", i), 1)
	}
	past := `UPDATE %s SET expires_at = clock_timestamp() - interval '1 second'`
	for _, table := range []string{"jobs", "waiting_line"} {
		if err := w.G.Exec(fmt.Sprintf(past, table)).Error; err != nil {
			t.Fatal(err)
		}
	}
	second, err := NewSweeper(w.run.sweeper.o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go second.Run(ctx)
	w.run.sweeper.Run(func() context.Context {
		c, stop := context.WithCancel(ctx)
		go func() {
			defer stop()
			for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline) && second.swept.Load()+w.run.sweeper.swept.Load() < n; {
				time.Sleep(50 * time.Millisecond)
			}
		}()
		return c
	}())
	if got := second.swept.Load() + w.run.sweeper.swept.Load(); got != n {
		t.Errorf("swept %d, want %d: each once", got, n)
	}
	if b := w.Balance(t, "acct_1"); b != n {
		t.Errorf("balance %d, want %d", b, n)
	}
}

// Jobs that cannot be moved do not hold up the others, and are not tried without end.
func TestSweeperPassesOverBrokenAccount(t *testing.T) {
	t.Parallel()
	const broken = sweepBatch + 30
	w := build(t, modeltest.Ready(t, modeltest.Fast()), modeltest.Fast(), lasting, true)
	w.Account(t, "broken", broken)
	w.Account(t, "acct_1", 10)
	for i := range broken {
		w.Charge(t, "broken", fmt.Sprintf("b%d", i), 1)
	}
	for len(w.Claim(t, 100)) > 0 {
	}
	// The head differs from the entries: the account takes no entry until it is rebuilt.
	if err := w.G.Exec(`UPDATE accounts SET balance = balance + 7 WHERE id = 'broken'`).Error; err != nil {
		t.Fatal(err)
	}
	w.Charge(t, "acct_1", "good", 1)
	w.Claim(t, 1)
	w.start(t)
	eventually(t, 10*time.Second, "the good job is swept", func() bool { return w.row(t, "good").State == job.Retrying })
	if s := w.row(t, "b0").State; s != job.Running {
		t.Fatalf("a job of the broken account is %s: the test proves nothing", s)
	}
	time.Sleep(2 * time.Second)
	var refusals int64
	if err := w.G.Raw(`SELECT count(*) FROM audit_log WHERE code = 'account_inconsistent' AND object = 'account:broken'`).Scan(&refusals).Error; err != nil {
		t.Fatal(err)
	}
	if refusals < broken || refusals > 5*broken {
		t.Errorf("%d refusals of %d jobs: want each tried, but not at every sweep", refusals, broken)
	}
	if err := w.G.Exec(`UPDATE accounts SET balance = balance - 7 WHERE id = 'broken'`).Error; err != nil {
		t.Fatal(err)
	}
	eventually(t, 20*time.Second, "all are swept once the account is right", func() bool { return w.Balance(t, "broken") == broken })
}

// An error of the database ends neither loop, and is told once.
func TestLoopsSurviveDatabaseErrors(t *testing.T) {
	t.Parallel()
	w := ready(t, lasting, true)
	w.Charge(t, "acct_1", "j1", 1)
	w.failClaimed(t, job.Transient)
	rename := func(from, to string) {
		t.Helper()
		if err := w.G.Exec(fmt.Sprintf(`ALTER TABLE %s RENAME TO %s`, from, to)).Error; err != nil {
			t.Fatal(err)
		}
	}
	rename("waiting_line", "gone_line")
	rename("outbox", "gone_outbox")
	time.Sleep(2500 * time.Millisecond)
	rename("gone_line", "waiting_line")
	rename("gone_outbox", "outbox")
	eventually(t, 10*time.Second, "both work again", func() bool {
		return w.logs.count("the sweeper works again") == 1 && w.logs.count("the relay reads what is owed again") >= 1
	})
	if w.logs.count("the sweeper cannot work") != 1 || w.logs.count("the relay cannot read what is owed") != 1 {
		t.Error("not one line a change")
	}
	w.Charge(t, "acct_1", "j2", 1)
	eventually(t, 10*time.Second, "j2 is claimed and lost", func() bool { return len(w.Claim(t, 5)) > 0 && w.row(t, "j2").Attempt > 0 })
	eventually(t, 10*time.Second, "and swept", func() bool { return w.row(t, "j2").State == job.Retrying })
}

// A process shows while it runs and is gone when it ended in order; one that only serves neither sweeps nor
// answers bells, but relays.
func TestProcessesTell(t *testing.T) {
	t.Parallel()
	w := build(t, modeltest.Ready(t, modeltest.Fast()), modeltest.Fast(), lasting, true)
	w.Account(t, "acct_1", 10)
	serve, err := New(Options{Kind: process.Serve, G: w.G, Relay: w.relay, Log: w.run.o.Log,
		TracerProvider: w.run.o.TracerProvider, MeterProvider: w.run.o.MeterProvider})
	if err != nil {
		t.Fatal(err)
	}
	w.run = serve
	stop := w.start(t)
	list := func() []process.Process {
		all, err := process.New(w.G).List(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	eventually(t, 5*time.Second, "it shows", func() bool { return len(list()) == 1 })
	if p := list()[0]; p.ID != serve.ProcessID() || p.Kind != process.Serve || !p.Alive || !p.RedisOK || p.LastSweepAt != nil {
		t.Errorf("%+v", p)
	}
	w.Charge(t, "acct_1", "j1", 1)
	w.failClaimed(t, job.Transient)
	eventually(t, 3*time.Second, "relayed", func() bool { return w.owed(t) == 0 })
	time.Sleep(2500 * time.Millisecond)
	if s := w.row(t, "j1").State; s != job.Retrying {
		t.Errorf("%s: a process that only serves answered a bell", s)
	}
	stop()
	if n := len(list()); n != 0 {
		t.Errorf("%d processes after the end", n)
	}
	if _, err := New(Options{Kind: process.Work, G: w.G, Relay: w.relay}); err == nil {
		t.Error("a worker without jobs was made")
	}
}
