package bulk_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"recoup/models/actor"
	"recoup/models/bulk"
	"recoup/models/deadletter"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/operation"
)

func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }

// world is an installation with accounts a and b.
type world struct {
	t testing.TB
	*modeltest.Models
	bulk *bulk.Store
}

func newWorld(t testing.TB) world {
	t.Helper()
	m := modeltest.Ready(t, job.DefaultPolicy())
	m.Account(t, "a", 1_000_000)
	m.Account(t, "b", 1_000_000)
	return world{t, m, storeOf(m)}
}

// storeOf is one more process over the same database.
func storeOf(m *modeltest.Models) *bulk.Store {
	return bulk.New(m.Ops, m.Letters, m.Jobs, bulk.Options{})
}

func envelope(who actor.Actor) ledger.Envelope {
	return ledger.Envelope{OperationID: ids.New(), Actor: who}
}

// person puts a member of the staff into the database.
func (w world) person(n int) actor.Actor {
	w.t.Helper()
	id := fmt.Sprintf("st_%016d", n)
	w.exec(`INSERT INTO staff (id, email, name, role) VALUES (?, ?, ?, 'support')`, id, fmt.Sprintf("p%d@recoup.test", n), fmt.Sprintf("Pat %d", n))
	return actor.Staff(id)
}

func (w world) exec(sql string, args ...any) {
	w.t.Helper()
	if err := w.G.Exec(sql, args...).Error; err != nil {
		w.t.Fatal(err)
	}
}

func (w world) count(sql string, args ...any) int64 {
	w.t.Helper()
	var n int64
	if err := w.G.Raw(sql, args...).Scan(&n).Error; err != nil {
		w.t.Fatal(err)
	}
	return n
}

// all selects every open dead letter.
func all() bulk.Selection {
	return bulk.Selection{Tab: deadletter.Open, Query: "tab=open"}
}

func decode[T any](t testing.TB, out operation.Outcome, err error) T {
	t.Helper()
	var v T
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func (w world) prepare(kind bulk.Kind, sel bulk.Selection) bulk.PreparedSet {
	w.t.Helper()
	out, err := w.bulk.Prepare(context.Background(), envelope(actor.Staff("st_lena")), kind, sel)
	return decode[bulk.PreparedSet](w.t, out, err)
}

// fast is a pace that holds nothing up.
func fast() bulk.Pace { return bulk.Pace{PerMinute: bulk.MaxPerMinute, StopPercent: 100} }

func (w world) start(set bulk.PreparedSet, pace bulk.Pace) bulk.Work {
	w.t.Helper()
	_, err := w.bulk.Start(context.Background(), bulk.StartRequest{Envelope: envelope(actor.Staff("st_lena")), ID: set.ID, Count: set.Count, Reason: "storage is back", Pace: pace})
	if err != nil {
		w.t.Fatal(err)
	}
	return w.find(set.ID)
}

func (w world) find(id string) bulk.Work {
	w.t.Helper()
	b, err := w.bulk.Find(context.Background(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

func (w world) progress(id string) bulk.Progress {
	w.t.Helper()
	p, err := w.bulk.Progress(context.Background(), w.find(id))
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

func (w world) turn() int {
	w.t.Helper()
	n, err := w.bulk.Turn(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// until takes turns until the work is over or rests.
func (w world) until(id string) bulk.Work {
	w.t.Helper()
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		w.turn()
		b := w.find(id)
		if b.State != bulk.Running {
			return b
		}
		if time.Since(begun) > time.Minute {
			w.t.Fatalf("still running: %+v", w.progress(id))
		}
	}
}

// consistent holds what is shown against what the jobs say: each row that is done put its job back once, in one event,
// and no other job of the set was by this work.
func (w world) consistent(id string) {
	w.t.Helper()
	b, p := w.find(id), w.progress(id)
	if got := w.count(`SELECT count(*) FROM jobs j JOIN bulk_items i ON i.account_key = j.account_key AND i.job_key = j.key
		WHERE i.bulk_key = ? AND i.outcome = 'done' AND j.generation = i.generation + 1`, b.Key); got != p.Done {
		w.t.Errorf("%d jobs are in the next generation, %d are shown as done", got, p.Done)
	}
	if got := w.count(`SELECT count(*) FROM operations WHERE id LIKE 'bulk:' || ? || ':%' AND result IS NOT NULL`, id); got != p.Done {
		w.t.Errorf("%d operations, %d are shown as done", got, p.Done)
	}
	if got := w.count(`SELECT count(*) FROM (SELECT 1 FROM job_events e JOIN bulk_items i ON i.account_key = e.account_key AND i.job_key = e.job_key
		WHERE i.bulk_key = ? AND e.kind = 'requeued' GROUP BY e.account_key, e.job_key, e.generation HAVING count(*) > 1) x`, b.Key); got != 0 {
		w.t.Errorf("%d jobs were put back twice in one generation", got)
	}
	if sum := p.Pending + p.Done + p.Lost + p.Excluded + p.Refused; sum != b.Count+b.Excluded {
		w.t.Errorf("%+v adds up to %d of %d and %d", p, sum, b.Count, b.Excluded)
	}
}

// again lets jobs that were put back run: the first n that wait are claimed, and fail or succeed.
func (w world) again(n int, fail bool) {
	w.t.Helper()
	ctx := context.Background()
	w.exec(`UPDATE jobs SET not_before = clock_timestamp() - interval '1 second' WHERE state = 'retrying'`)
	w.exec(`UPDATE waiting_line SET due_at = clock_timestamp() - interval '1 second' WHERE phase = 'retrying'`)
	var bells []job.Bell
	if err := w.G.Raw(`SELECT account_key, key AS job_key, attempt, generation FROM jobs WHERE state = 'retrying' AND mode = 'managed' ORDER BY key LIMIT ?`, n).Scan(&bells).Error; err != nil {
		w.t.Fatal(err)
	}
	for _, b := range bells {
		if _, err := w.Jobs.Wake(ctx, b); err != nil {
			w.t.Fatal(err)
		}
	}
	claimed := w.Claim(w.t, int64(n))
	if len(claimed) != n {
		w.t.Fatalf("claimed %d of %d", len(claimed), n)
	}
	for _, c := range claimed {
		f := job.FinishRequest{Envelope: modeltest.Envelope(), LeaseToken: c.LeaseToken, Class: job.Permanent, Code: "E_AGAIN"}
		var err error
		if fail {
			_, err = w.Jobs.Fail(ctx, f)
		} else {
			f.Class, f.Code = "", ""
			_, err = w.Jobs.Complete(ctx, f)
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

func refused(t testing.TB, err error, code string) {
	t.Helper()
	_ = refusal(t, err, code)
}

// refusal is the fault that err must be.
func refusal(t testing.TB, err error, code string) *fault.Error {
	t.Helper()
	f := fault.As(err)
	if f == nil || f.Code != code {
		t.Fatalf("%v, want %s", err, code)
	}
	return f
}
