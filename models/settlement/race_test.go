package settlement_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"recoup/models/actor"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/settlement"
	"recoup/models/task"
)

// overlapping makes two approved settlements that hold the same charges. The program lets none come to be: the first
// one's time is over while the second is proposed, and then it is not.
func (w world) overlapping(f settlement.Filter) (first, second settlement.Settlement) {
	w.t.Helper()
	first = w.propose(f)
	move := func(by string) {
		w.damage("change_requests", `UPDATE change_requests SET requested_at = requested_at + ?::interval, expires_at = expires_at + ?::interval WHERE id = ?`, by, by, w.request(first).ID)
	}
	move("-30 days")
	second = w.propose(f)
	move("30 days")
	return w.approve(first), w.approve(second)
}

// Two settlements that hold the same jobs are paid at once, each by two workers that think it theirs: one payment a job.
func TestTwoSettlementsOfTheSameJobsPayEachOnce(t *testing.T) {
	w := newWorld(t, 1100, 0)
	const accounts, jobs = 4, 9
	var names []string
	for a := range accounts {
		names = append(names, fmt.Sprint("a", a))
		w.Account(t, names[a], 10_000)
		for j := range jobs {
			w.delivered(names[a], fmt.Sprint("j", j), 100)
		}
	}
	first, second := w.overlapping(settlement.Filter{})
	// All are taken before any works: one that had ended meanwhile could not be taken again.
	var works []func()
	for _, st := range []settlement.Settlement{first, second} {
		for range 2 {
			other := over(t, modeltest.New(t, w.G, modeltest.Fast()))
			other.store.SetBatch(4)
			run := w.take(st)
			// The lease is over while the worker is still at it.
			if err := w.G.Exec(`UPDATE tasks SET due_at = clock_timestamp() WHERE id = ?`, *st.TaskID).Error; err != nil {
				t.Fatal(err)
			}
			works = append(works, func() {
				if _, err := other.store.Run(context.Background(), run); err != nil && err != task.ErrStopped {
					t.Errorf("%v", err)
				}
			})
		}
	}
	var wg sync.WaitGroup
	for _, work := range works {
		wg.Go(work)
	}
	wg.Wait()
	if n := w.count(`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`); n != 0 {
		t.Errorf("%d deadlocks", n)
	}
	first, second = w.find(first.ID), w.find(second.ID)
	if first.State != settlement.Done || second.State != settlement.Done || first.Paid+second.Paid != accounts*jobs || first.Excluded+second.Excluded != accounts*jobs ||
		first.PaidCredits+second.PaidCredits != 10*accounts*jobs {
		t.Errorf("%+v\n%+v", first, second)
	}
	if n := w.count(`SELECT count(*) FROM settlement_exclusions WHERE why <> ?`, settlement.WhyPaid); n != 0 {
		t.Errorf("%d left out for other reasons", n)
	}
	for _, a := range names {
		if b := w.Balance(t, a); b != 10_000-jobs*110+jobs*10 {
			t.Errorf("%s has %d", a, b)
		}
	}
	w.whole()
}

// One settlement pays in the ledger while the other is marked as settled outside.
func TestLedgerAgainstOutside(t *testing.T) {
	w := newWorld(t, 1100, 0)
	w.Account(t, "a", 10_000)
	const jobs = 30
	for j := range jobs {
		w.delivered("a", fmt.Sprint("j", j), 100)
	}
	inside := w.propose(settlement.Filter{})
	r := w.request(inside)
	w.damage("change_requests", `UPDATE change_requests SET requested_at = requested_at - interval '30 days', expires_at = expires_at - interval '30 days' WHERE id = ?`, r.ID)
	outside := w.approve(w.proposeBy(settlement.Proposal{RolloutID: ro, Way: settlement.Outside}))
	w.damage("change_requests", `UPDATE change_requests SET requested_at = requested_at + interval '30 days', expires_at = expires_at + interval '30 days' WHERE id = ?`, r.ID)
	inside = w.approve(inside)
	w.store.SetBatch(5)
	var wg sync.WaitGroup
	wg.Go(func() { w.pay(inside) })
	for w.count(`SELECT count(*) FROM settlement_payments`) == 0 {
		runtime.Gosched()
	}
	wg.Go(func() {
		if _, err := w.store.SettleOutside(context.Background(), settlement.OutsideRequest{Envelope: envelope("fiona"), ID: outside.ID, Reference: "CN-1", Reason: "x"}); err != nil {
			t.Errorf("%v", err)
		}
	})
	wg.Wait()
	inside, outside = w.find(inside.ID), w.find(outside.ID)
	if inside.Paid+outside.Paid != jobs || inside.Excluded+outside.Excluded != jobs || w.Balance(t, "a") != 10_000-jobs*110+inside.PaidCredits {
		t.Errorf("%+v\n%+v", inside, outside)
	}
	t.Logf("%d in the ledger, %d outside", inside.Paid, outside.Paid)
	w.whole()
}

// cutter cuts a connection before one of the statements that go through it.
type cutter struct {
	mu    sync.Mutex
	at, n int
}

func (c *cutter) TraceQueryStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n++; c.n == c.at {
		conn.PgConn().Conn().Close()
	}
	return ctx
}

func (c *cutter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (c *cutter) begin(at int) (seen int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen, c.at, c.n = c.n, at, 0
	return seen
}

// The worker dies before any one of the statements of a payment: what it committed is there, what it did not is not, and
// another worker pays the rest, once.
func TestADeadWorkerIsFollowedByAnother(t *testing.T) {
	url := modeltest.URL(t)
	m := modeltest.New(t, modeltest.Open(t, url, nil), modeltest.Fast())
	m.Price(t, modeltest.Action, 1000)
	w := settle(t, m)
	c := &cutter{}
	dying := over(t, modeltest.New(t, modeltest.Open(t, url, c), modeltest.Fast()))
	dying.store.SetBatch(2)
	w.Account(t, "a", 1_000_000)
	w.Account(t, "b", 1_000_000)
	round, died, halfway := 0, 0, 0
	// What is charged under the candidate is charged while the rollout is live; each round delivers its part, and settles it.
	const rounds = 50
	for round := range rounds {
		for j := range 3 {
			w.charge("a", fmt.Sprint("j", round, "-", j), 100)
		}
		w.charge("b", fmt.Sprint("j", round), 100)
	}
	w.ended()
	once := func(cutAt int) (statements int) {
		t.Helper()
		for j := range 3 {
			w.signal("a", fmt.Sprint("j", round, "-", j), job.SignalSucceeded)
		}
		w.signal("b", fmt.Sprint("j", round), job.SignalSucceeded)
		round++
		before := w.Balance(t, "a") + w.Balance(t, "b")
		st := w.approve(w.propose(settlement.Filter{}))
		run := dying.take(st)
		c.begin(cutAt)
		_, err := dying.store.Run(context.Background(), run)
		statements = c.begin(0)
		if err != nil {
			died++
			if paid := w.find(st.ID).Paid; paid > 0 && paid < 4 {
				halfway++
			}
			if err := w.G.Exec(`UPDATE tasks SET due_at = clock_timestamp() WHERE id = ?`, *st.TaskID).Error; err != nil {
				t.Fatal(err)
			}
			w.pay(st)
		}
		if got := w.Balance(t, "a") + w.Balance(t, "b") - before; got != 40 {
			t.Fatalf("cut before statement %d: %d credits, want 40", cutAt, got)
		}
		if st = w.find(st.ID); st.State != settlement.Done || st.Paid != 4 || st.Excluded != 0 {
			t.Fatalf("cut before statement %d: %+v", cutAt, st)
		}
		return statements
	}
	all := once(0)
	if all >= rounds {
		t.Fatalf("%d statements, and jobs for %d rounds", all, rounds)
	}
	for at := 1; at <= all; at++ {
		once(at)
	}
	if died < all/2 || halfway < all/4 {
		t.Errorf("of %d cuts %d were deadly, %d of them in the middle", all, died, halfway)
	}
	t.Logf("%d statements, %d deaths, %d of them half way", all, died, halfway)
	w.whole()
}

// Whatever is charged, delivered, proposed and paid in whatever pieces: in the end the payments are the differences of
// exactly the delivered charges, of the sign that was chosen.
func TestPaymentsAreTheDifferencesOfWhatWasDelivered(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 7))
			// Dearer below 200 units, cheaper above.
			w := newWorld(t, 800, 160)
			ctx := context.Background()
			w.store.SetBatch(1 + r.IntN(4))
			for a := range 3 {
				w.Account(t, fmt.Sprint("a", a), 1_000_000)
			}
			sign := []settlement.Sign{settlement.Credits, settlement.Debits, settlement.Both}[seed%3]
			settle := func(f settlement.Filter) {
				f.Sign = sign
				out, err := w.store.Propose(ctx, settlement.Proposal{Envelope: envelope("fiona"), RolloutID: ro, Filter: f, Reason: "x"})
				if err != nil {
					is(t, err, settlement.CodeNothing)
					return
				}
				w.pay(w.approve(w.find(w.content(out).Settlement)))
			}
			type charged struct{ account, id string }
			var jobs []charged
			some := func(x charged) {
				for range r.IntN(4) {
					w.signal(x.account, x.id, []job.SignalType{job.SignalFailed, job.SignalSucceeded}[r.IntN(2)])
				}
			}
			for range 30 {
				x := charged{fmt.Sprint("a", r.IntN(3)), ids.New()}
				w.charge(x.account, x.id, 100+int64(r.IntN(201)))
				some(x)
				jobs = append(jobs, x)
			}
			w.ended()
			// Settled in pieces, while late successes come in.
			for range 20 {
				x := jobs[r.IntN(len(jobs))]
				switch r.IntN(4) {
				case 0:
					settle(settlement.Filter{Minimum: int64(r.IntN(50))})
				case 1:
					settle(settlement.Filter{Accounts: []string{x.account}})
				default:
					some(x)
				}
			}
			settle(settlement.Filter{})
			type row struct {
				AccountID, JobID string
				Delivered        bool
				Units, Charged   int64
				Paid, Payments   int64
			}
			var rows []row
			if err := w.G.Raw(`SELECT a.id AS account_id, j.id AS job_id, j.delivered_at IS NOT NULL AS delivered, j.units, j.cost AS charged,
				COALESCE(sum(e.amount), 0) AS paid, count(e.seq) AS payments FROM jobs j JOIN accounts a ON a.key = j.account_key
				LEFT JOIN settlement_payments p ON p.account_key = j.account_key AND p.job_key = j.key LEFT JOIN entries e ON e.account_key = p.account_key AND e.seq = p.entry_seq
				GROUP BY 1, 2, 3, 4, 5`).Scan(&rows).Error; err != nil {
				t.Fatal(err)
			}
			var want, got int64
			for _, x := range rows {
				due := x.Charged - x.Units // the baseline costs one credit a unit
				if !x.Delivered || sign == settlement.Credits && due < 0 || sign == settlement.Debits && due > 0 {
					due = 0
				}
				want, got = want+due, got+x.Paid
				if x.Paid != due || x.Payments > 1 || (x.Payments == 1) != (due != 0) {
					t.Errorf("%+v, due %d", x, due)
				}
			}
			var moved int64
			if err := w.G.Raw(`SELECT COALESCE(sum(amount), 0) FROM entries WHERE type = 'adjustment'`).Scan(&moved).Error; err != nil || want != got || moved != got {
				t.Errorf("%s: due %d, paid %d, moved %d, %v", sign, want, got, moved, err)
			}
			t.Logf("%s: %d jobs, %d credits", sign, len(rows), got)
			w.whole()
		})
	}
}

// An operation id that a caller chose like that of a payment stands in nobody's way: payments have a scope of their own.
func TestACallersOperationIsNoPayment(t *testing.T) {
	w := newWorld(t, 1100, 0)
	w.Account(t, "a", 1000)
	w.delivered("a", "j1", 60)
	key := w.count(`SELECT key FROM jobs WHERE id = 'j1'`)
	_, err := w.Ledger.Adjust(context.Background(), ledger.AdjustRequest{AccountID: "a", Amount: 1, Reason: "mine",
		Envelope: ledger.Envelope{OperationID: settlement.PaymentID(ro, key), Actor: actor.Key("k")}})
	if err != nil {
		t.Fatal(err)
	}
	if r := w.pay(w.approve(w.propose(settlement.Filter{}))); r.Paid != 1 || w.Balance(t, "a") != 941 {
		t.Errorf("%+v, balance %d", r, w.Balance(t, "a"))
	}
	w.whole()
}
