package job_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
)

// deadlocks counts the transactions that PostgreSQL ended because of a deadlock. The program repeats
// those, so that nobody would notice.
type deadlocks struct{ n atomic.Int32 }

func (d *deadlocks) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

func (d *deadlocks) TraceQueryEnd(_ context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	if code := db.Code(data.Err); code == "40P01" || code == "40001" {
		d.n.Add(1)
	}
}

func watchDeadlocks(t *testing.T, policy job.Policy) *modeltest.Models {
	t.Helper()
	d := &deadlocks{}
	m := modeltest.New(t, modeltest.Open(t, modeltest.URL(t), d), policy)
	m.Price(t, modeltest.Action, 1000)
	t.Cleanup(func() {
		if n := d.n.Load(); n > 0 {
			t.Errorf("%d deadlocks or serialization failures", n)
		}
	})
	return m
}

// storm is what one of many goroutines does to one job. It reports a success or a failure that was applied.
type storm struct {
	m                 *modeltest.Models
	account, id       string
	delivered, failed atomic.Bool
	t                 *testing.T
}

func (s *storm) signal(typ job.SignalType, class string, attempt *int64) {
	_, err := s.m.Jobs.Signal(context.Background(), job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: s.account, JobID: s.id,
		Signal: job.Signal{Type: typ, Class: class, Attempt: attempt}})
	switch {
	case err == nil && typ == job.SignalSucceeded:
		s.delivered.Store(true)
	case err == nil:
		s.failed.Store(true)
	case !fault.Is(err, fault.CodeAttemptNotMade):
		s.t.Errorf("signal %s: %v", typ, err)
	}
}

func (s *storm) act(r *rand.Rand, mayDeliver bool) {
	ctx := context.Background()
	attempts := []*int64{nil, n(1), n(1), n(2), n(3)}
	attempt := attempts[r.IntN(len(attempts))]
	classes := []string{job.Transient, job.Throttled, job.Permanent, job.TimedOut}
	switch k := r.IntN(12); {
	case k < 4:
		s.signal(job.SignalFailed, classes[r.IntN(len(classes))], attempt)
	case k < 7 && mayDeliver:
		s.signal(job.SignalSucceeded, "", attempt)
	case k == 7:
		_, err := s.m.Jobs.Cancel(ctx, job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: s.account, JobID: s.id})
		switch {
		case err == nil:
			s.failed.Store(true)
		case !fault.Is(err, fault.CodeStateConflict):
			s.t.Errorf("cancel: %v", err)
		}
	case k == 8:
		_, err := s.m.Jobs.Requeue(ctx, job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: s.account, JobID: s.id, Reason: "storm"})
		if err != nil && !fault.Is(err, fault.CodeStateConflict) {
			s.t.Errorf("requeue: %v", err)
		}
	case k == 9:
		var j job.Job
		if err := s.m.G.Where("id = ?", s.id).Take(&j).Error; err != nil {
			s.t.Error(err)
			return
		}
		if _, err := s.m.Jobs.Wake(ctx, job.Bell{AccountKey: j.AccountKey, JobKey: j.Key, Attempt: j.Attempt, Generation: j.Generation}); err != nil {
			if _, early := err.(job.Early); !early {
				s.t.Errorf("wake: %v", err)
			}
		}
	default:
		jobs, _, err := s.m.Jobs.Claim(ctx, job.ClaimRequest{Envelope: modeltest.Envelope(), Actions: []string{modeltest.Action}, Max: 1})
		if err != nil {
			s.t.Errorf("claim: %v", err)
		}
		for _, c := range jobs {
			finish, delivers := s.m.Jobs.Fail, false
			f := job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: c.LeaseToken, Class: job.Transient}
			if mayDeliver && r.IntN(2) == 0 {
				finish, f.Class, delivers = s.m.Jobs.Complete, "", true
			}
			switch _, err := finish(ctx, f); {
			case err != nil:
				s.t.Errorf("finish: %v", err)
			case delivers:
				s.delivered.Store(true)
			default:
				s.failed.Store(true)
			}
		}
	}
}

// TestStormOnOneJob sends signals of every kind, claims, cancels and requeues of one job at once, job
// after job: each settles at −cost if it was ever delivered, at 0 if it failed and never was.
func TestStormOnOneJob(t *testing.T) {
	m := watchDeadlocks(t, modeltest.Fast())
	const clients, cost = 64, 7
	until := time.Now().Add(5 * time.Second)
	delivered, failed := 0, 0
	for i := 0; i < 300 && (i < 12 || time.Now().Before(until)); i++ {
		account, id := fmt.Sprintf("a%d", i), fmt.Sprintf("j%d", i)
		m.Account(t, account, 100)
		if i%4 == 3 {
			external(t, m, account, id, cost, nil)
		} else {
			m.Charge(t, account, id, cost)
			if i%2 == 0 {
				m.Claim(t, 1)
			}
		}
		s := &storm{m: m, account: account, id: id, t: t}
		var wg sync.WaitGroup
		for c := range clients {
			r := rand.New(rand.NewPCG(uint64(i), uint64(c)))
			wg.Go(func() { s.act(r, i%3 != 0) })
		}
		wg.Wait()
		want := int64(100 - cost)
		switch {
		case s.delivered.Load():
			delivered++
		case s.failed.Load():
			want = 100
			failed++
		}
		if got := m.Balance(t, account); got != want {
			t.Errorf("job %s delivered %t, failed %t: balance %d, want %d", id, s.delivered.Load(), s.failed.Load(), got, want)
		}
		// What the storm left in line must not be claimed in the next one's name.
		if _, err := m.Jobs.Cancel(context.Background(), job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: account, JobID: id}); err != nil && !fault.Is(err, fault.CodeStateConflict) {
			t.Fatal(err)
		}
	}
	consistent(t, m)
	t.Logf("%d jobs delivered, %d failed", delivered, failed)
	if delivered < 4 || failed < 2 {
		t.Errorf("the storms were too one-sided: %d delivered, %d failed", delivered, failed)
	}
}

// TestChargesThatTogetherOverdraw sends 32 charges of 1 on a balance of 7: exactly 7 get through.
func TestChargesThatTogetherOverdraw(t *testing.T) {
	m := watchDeadlocks(t, modeltest.Fast())
	m.Account(t, "a", 7)
	var charged, refused atomic.Int32
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			_, err := m.Jobs.Charge(context.Background(), job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "a",
				JobID: fmt.Sprintf("j%d", i), Action: modeltest.Action, Units: 1})
			switch {
			case err == nil:
				charged.Add(1)
			case fault.Is(err, fault.CodeInsufficientCredits):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if charged.Load() != 7 || refused.Load() != 25 || m.Balance(t, "a") != 0 {
		t.Errorf("%d charged, %d refused, balance %d", charged.Load(), refused.Load(), m.Balance(t, "a"))
	}
	var jobs int
	if err := m.G.Raw(`SELECT count(*) FROM jobs`).Scan(&jobs).Error; err != nil || jobs != 7 {
		t.Errorf("%d jobs, %v", jobs, err)
	}
	consistent(t, m)
}

// TestCase_F15 lets 32 clients charge, refund, reclaim and grant on one account: no error, no deadlock.
func TestCase_F15(t *testing.T) {
	ctx := context.Background()
	m := watchDeadlocks(t, modeltest.Fast())
	m.Account(t, "a", 1_000_000)
	until := time.Now().Add(3 * time.Second)
	var settled atomic.Int64
	var net atomic.Int64
	var wg sync.WaitGroup
	for c := range 32 {
		wg.Go(func() {
			for i := 0; i < 2 || time.Now().Before(until); i++ {
				id := fmt.Sprintf("j%d-%d", c, i)
				send := func(typ job.SignalType, class string) {
					_, err := m.Jobs.Signal(ctx, job.SignalRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: id,
						Signal: job.Signal{Type: typ, Class: class}})
					if err != nil {
						t.Errorf("%s of %s: %v", typ, id, err)
					}
				}
				_, err := m.Jobs.Charge(ctx, job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: id, Action: modeltest.Action, Units: 3})
				if err != nil {
					t.Errorf("charge: %v", err)
					return
				}
				send(job.SignalFailed, job.Transient)
				if c%2 == 0 {
					send(job.SignalSucceeded, "")
					net.Add(-3)
				}
				if c%8 == 0 {
					if _, err := m.Ledger.Grant(ctx, ledger.GrantRequest{Envelope: modeltest.Envelope(), AccountID: "a", Amount: 2, Category: ledger.Goodwill}); err != nil {
						t.Errorf("grant: %v", err)
					}
					net.Add(2)
				}
				settled.Add(1)
			}
		})
	}
	wg.Wait()
	if got, want := m.Balance(t, "a"), 1_000_000+net.Load(); got != want {
		t.Errorf("balance %d, want %d", got, want)
	}
	consistent(t, m)
	t.Logf("%d jobs settled on one account", settled.Load())
}

// TestSameChargeByTwoProcesses races one operation id through two sets of services over one database: one
// charge, everybody gets the same bytes.
func TestSameChargeByTwoProcesses(t *testing.T) {
	ctx := context.Background()
	url := modeltest.URL(t)
	processes := []*modeltest.Models{modeltest.New(t, modeltest.Open(t, url, nil), modeltest.Fast()), modeltest.New(t, modeltest.Open(t, url, nil), modeltest.Fast())}
	processes[0].Price(t, modeltest.Action, 1000)
	processes[0].Account(t, "a", 1000)
	for i := range 8 {
		r := job.ChargeRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: fmt.Sprintf("j%d", i), Action: modeltest.Action, Units: 10}
		const clients = 32
		results, errs := make([]string, clients), make([]error, clients)
		var applied atomic.Int32
		var wg sync.WaitGroup
		for c := range clients {
			wg.Go(func() {
				out, err := processes[c%2].Jobs.Charge(ctx, r)
				results[c], errs[c] = string(out.Result), err
				if err == nil && !out.Replayed {
					applied.Add(1)
				}
			})
		}
		wg.Wait()
		for c := range clients {
			if errs[c] != nil || results[c] != results[0] {
				t.Fatalf("%v: %s, another got %s", errs[c], results[c], results[0])
			}
		}
		if applied.Load() != 1 {
			t.Fatalf("applied %d times", applied.Load())
		}
	}
	if got := processes[1].Balance(t, "a"); got != 920 {
		t.Errorf("balance %d", got)
	}
	consistent(t, processes[0])
}

// TestSameJobUnderManyOperations charges one job under 16 operation ids at once: one is charged, the
// others learn its operation id.
func TestSameJobUnderManyOperations(t *testing.T) {
	ctx := context.Background()
	m := watchDeadlocks(t, modeltest.Fast())
	m.Account(t, "a", 1000)
	for i := range 6 {
		var mu sync.Mutex
		var winners, named []string
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				e := modeltest.Envelope()
				_, err := m.Jobs.Charge(ctx, job.ChargeRequest{Envelope: e, AccountID: "a", JobID: fmt.Sprintf("j%d", i), Action: modeltest.Action, Units: 10})
				mu.Lock()
				defer mu.Unlock()
				switch f := fault.As(err); {
				case err == nil:
					winners = append(winners, e.OperationID)
				case f != nil && f.Code == fault.CodeJobExists:
					named = append(named, fmt.Sprint(f.Detail["existing_operation_id"]))
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if len(winners) != 1 || len(named) != 15 {
			t.Fatalf("%d charged, %d told so", len(winners), len(named))
		}
		for _, id := range named {
			if id != winners[0] {
				t.Errorf("told of operation %s, it was %s", id, winners[0])
			}
		}
	}
	if got := m.Balance(t, "a"); got != 940 {
		t.Errorf("balance %d", got)
	}
	consistent(t, m)
}

// TestNoJobIsHandedOutTwice lets 16 workers claim 40 jobs: each job goes to one of them, with a lease of its own.
func TestNoJobIsHandedOutTwice(t *testing.T) {
	ctx := context.Background()
	m := watchDeadlocks(t, job.DefaultPolicy())
	m.Account(t, "a", 1000)
	for i := range 40 {
		m.Charge(t, "a", fmt.Sprintf("j%d", i), 1)
	}
	var mu sync.Mutex
	got, tokens := map[string]int{}, map[string]bool{}
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for {
				jobs, _, err := m.Jobs.Claim(ctx, job.ClaimRequest{Envelope: modeltest.Envelope(), Actions: []string{modeltest.Action}, Max: 3})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for _, c := range jobs {
					got[c.JobID]++
					tokens[c.LeaseToken] = true
				}
				done := len(got) == 40
				mu.Unlock()
				if done {
					return
				}
			}
		})
	}
	wg.Wait()
	for id, times := range got {
		if times != 1 {
			t.Errorf("%s was handed out %d times", id, times)
		}
	}
	if len(tokens) != 40 {
		t.Errorf("%d tokens", len(tokens))
	}
	consistent(t, m)
}
