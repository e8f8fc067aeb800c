package bulk_test

import (
	"context"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"recoup/models/actor"
	"recoup/models/bulk"
	"recoup/models/deadletter"
	"recoup/models/fault"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/modeltest"
	"recoup/models/page"
)

// TestCase_F46: a bulk requeue of more than a page or a batch completes, and what is shown is what the jobs say.
// RECOUP_TEST_BULK sets another size, 10000 for one.
func TestCase_F46(t *testing.T) {
	n := 300
	if v, err := strconv.Atoi(os.Getenv("RECOUP_TEST_BULK")); err == nil {
		n = v
	}
	w := newWorld(t)
	modeltest.Dead(t, w.G, "a", "j", n/2)
	modeltest.Dead(t, w.G, "b", "k", n-n/2)
	set := w.prepare(bulk.Requeue, all())
	if set.Count != int64(n) || set.Accounts != 2 || set.Credits != strconv.Itoa(3*n) || set.Excluded != 0 {
		t.Fatalf("%+v", set)
	}
	if p := w.progress(set.ID); p.Done != 0 || w.turn() != 0 {
		t.Fatalf("%+v before anybody started it", p)
	}
	w.start(set, fast())
	begun := time.Now()
	b := w.until(set.ID)
	t.Logf("%d in %s", n, time.Since(begun).Round(time.Millisecond))
	if p := w.progress(set.ID); b.State != bulk.Done || p.Done != int64(n) || p.Back.Out != int64(n) || p.Pending != 0 {
		t.Errorf("%s, %+v", b.State, p)
	}
	figures, err := w.Letters.Figures(context.Background())
	if err != nil || figures.Open != 0 {
		t.Errorf("%+v, %v", figures, err)
	}
	w.consistent(set.ID)
	if w.turn() != 0 {
		t.Error("something was left to do")
	}
	// Nobody has paid again.
	if a, b := w.Balance(t, "a"), w.Balance(t, "b"); a != 1_000_000 || b != 1_000_000 {
		t.Errorf("balances %d and %d", a, b)
	}
}

func TestPrepareFreezesWhatIsSeen(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	w.Account(t, "cold", 1000)
	modeltest.Dead(t, w.G, "a", "j", 6)
	modeltest.Dead(t, w.G, "cold", "f", 2)
	if _, err := w.Ledger.Freeze(ctx, ledger.FreezeRequest{Envelope: modeltest.Envelope(), AccountID: "cold", Reason: "fraud"}); err != nil {
		t.Fatal(err)
	}
	w.exec(`UPDATE dead_letters SET refunded = false WHERE job_key = (SELECT key FROM jobs WHERE id = 'j2')`)
	if _, err := w.Jobs.Requeue(ctx, job.PersonRequest{Envelope: modeltest.Envelope(), AccountID: "a", JobID: "j3", Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	other := w.start(w.prepare(bulk.Requeue, bulk.Selection{Rows: []bulk.Ticked{{AccountID: "a", JobID: "j4"}}}), bulk.Pace{PerMinute: 1, StopPercent: 100})
	if _, err := w.bulk.Pause(ctx, bulk.StepRequest{Envelope: modeltest.Envelope(), ID: other.ID}); err != nil {
		t.Fatal(err)
	}

	rows := []bulk.Ticked{{AccountID: "cold", JobID: "f1"}, {AccountID: "nobody", JobID: "j1"}}
	for i := 1; i <= 5; i++ {
		rows = append(rows, bulk.Ticked{AccountID: "a", JobID: "j" + strconv.Itoa(i)})
	}
	rows = append(rows, rows[2]) // ticked twice is there once
	set := w.prepare(bulk.Requeue, bulk.Selection{Rows: rows})
	why, err := w.bulk.ExcludedBy(ctx, w.find(set.ID))
	if err != nil {
		t.Fatal(err)
	}
	if set.Count != 2 || set.Accounts != 1 || set.Credits != "6" || set.Excluded != 4 || why[bulk.ExcludedMoney] != 1 || why[bulk.ExcludedFrozen] != 1 ||
		why[bulk.ExcludedInBulk] != 1 || why[deadletter.Requeued] != 1 {
		t.Fatalf("%+v, %v", set, why)
	}
	// A discard leaves frozen accounts in: nothing of theirs moves.
	if d := w.prepare(bulk.Discard, bulk.Selection{Rows: rows}); d.Count != 3 {
		t.Errorf("%+v", d)
	}

	filtered := w.prepare(bulk.Requeue, bulk.Selection{Tab: deadletter.Open, Filter: deadletter.Filter{Account: "a", ErrorCode: "E_STORAGE"}, Query: "account=a"})
	if filtered.Count != 3 || filtered.Excluded != 2 {
		t.Errorf("%+v", filtered)
	}
	modeltest.Dead(t, w.G, "a", "late", 3)
	w.start(filtered, fast())
	w.until(filtered.ID)
	if p := w.progress(filtered.ID); p.Done != 3 || p.Excluded != 2 {
		t.Errorf("a set that is frozen grew: %+v", p)
	}
	w.consistent(filtered.ID)
	// What another one did in the meantime is lost, not done twice.
	b := w.start(set, fast())
	w.until(b.ID)
	if p := w.progress(b.ID); p.Lost != 2 || p.Done != 0 {
		t.Errorf("%+v", p)
	}

	_, err = w.bulk.Prepare(ctx, modeltest.Envelope(), bulk.Requeue, bulk.Selection{Tab: deadletter.Open, Filter: deadletter.Filter{Action: "none"}})
	refused(t, err, fault.CodeInvalid)
	_, err = w.bulk.Prepare(ctx, modeltest.Envelope(), "explode", all())
	refused(t, err, fault.CodeInvalid)
}

func TestStartNeedsTheCountAndAReason(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	modeltest.Dead(t, w.G, "a", "j", 3)
	set := w.prepare(bulk.Requeue, all())
	r := bulk.StartRequest{Envelope: envelope(actor.Staff("st_lena")), ID: set.ID, Count: 2, Pace: bulk.Pace{PerMinute: 0, StopPercent: 101}}
	_, err := w.bulk.Start(ctx, r)
	if f := refusal(t, err, fault.CodeInvalid); len(f.Fields) != 2 {
		t.Errorf("%+v", f.Fields)
	}
	r.Pace = fast()
	_, err = w.bulk.Start(ctx, r)
	if f := refusal(t, err, fault.CodeInvalid); len(f.Fields) != 2 {
		t.Errorf("%+v", f.Fields)
	}
	r.Count, r.Reason = 3, "fixed"
	first, err := w.bulk.Start(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	again, err := w.bulk.Start(ctx, r)
	if err != nil || !again.Replayed || string(again.Result) != string(first.Result) {
		t.Errorf("a double click: %+v, %v", again, err)
	}
	r.OperationID = "another"
	_, err = w.bulk.Start(ctx, r)
	if f := refusal(t, err, fault.CodeStateConflict); f.Detail["by"] != "staff:st_lena" || f.Detail["state"] != "running" {
		t.Errorf("%+v", f.Detail)
	}
	_, err = w.bulk.Find(ctx, "bw_nothing")
	refused(t, err, bulk.CodeNotFound)

	old := w.prepare(bulk.Discard, bulk.Selection{Rows: []bulk.Ticked{{AccountID: "a", JobID: "j1"}, {AccountID: "a", JobID: "j2"}}})
	w.exec(`UPDATE bulk_works SET created_at = created_at - interval '25 hours 30 minutes' WHERE id = ?`, old.ID)
	_, err = w.bulk.Start(ctx, bulk.StartRequest{Envelope: envelope(actor.Staff("st_lena")), ID: old.ID, Count: old.Count, Reason: "too_old", Pace: fast()})
	refused(t, err, fault.CodeStateConflict)
	if n, err := w.bulk.DeletePrepared(ctx); err != nil || n != 1 {
		t.Errorf("removed %d, %v", n, err)
	}
	_, err = w.bulk.Find(ctx, old.ID)
	refused(t, err, bulk.CodeNotFound)
	w.until(set.ID)
	w.consistent(set.ID)
}

// TestRateHoldsAcrossWorkers lets several processes take turns without rest.
func TestRateHoldsAcrossWorkers(t *testing.T) {
	w := newWorld(t)
	modeltest.Dead(t, w.G, "a", "j", 40)
	const perMinute = 240 // four a second
	set := w.prepare(bulk.Requeue, all())
	w.start(set, bulk.Pace{PerMinute: perMinute, StopPercent: 100})
	ctx, stop := context.WithTimeout(context.Background(), 3*time.Second)
	defer stop()
	var all sync.WaitGroup
	for range 4 {
		other := storeOf(modeltest.New(t, w.G, job.DefaultPolicy()))
		all.Go(func() {
			for ctx.Err() == nil {
				_, _ = other.Turn(context.WithoutCancel(ctx))
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	all.Wait()
	p := w.progress(set.ID)
	if p.Done > 3*perMinute/60+2 || p.Done < perMinute/60 {
		t.Errorf("%d were done in three seconds at %d a minute", p.Done, perMinute)
	}
	w.consistent(set.ID)
	// The minute holds whatever else was there: what was done in it counts, and a process that starts anew has it too.
	w.exec(`UPDATE bulk_works SET per_minute = ?, next_at = clock_timestamp() - interval '1 hour'`, p.Done)
	if n := w.turn(); n != 0 {
		t.Errorf("%d more were done within the minute", n)
	}
	// After a time away no more than two seconds' worth is made up for.
	w.exec(`ALTER TABLE bulk_items DISABLE TRIGGER bulk_items_kept`)
	w.exec(`UPDATE bulk_items SET taken_at = taken_at - interval '2 minutes' WHERE taken_at IS NOT NULL`)
	w.exec(`ALTER TABLE bulk_items ENABLE ALWAYS TRIGGER bulk_items_kept`)
	w.exec(`UPDATE bulk_works SET per_minute = ?, next_at = clock_timestamp() - interval '1 hour'`, perMinute)
	n := int64(w.turn())
	if most := int64(2*perMinute/60 + 1 + 5); n < 2*perMinute/60 || n > most {
		t.Errorf("%d were done at once after an hour away", n)
	}
	var busiest int64
	if err := w.G.Raw(`SELECT max(n) FROM (SELECT count(*) OVER (ORDER BY acted_at RANGE BETWEEN interval '1 second' PRECEDING AND CURRENT ROW) AS n
		FROM bulk_items WHERE outcome = 'done' AND taken_at < clock_timestamp() - interval '1 minute') x`).Scan(&busiest).Error; err != nil || busiest > perMinute/60*3+2 {
		t.Errorf("%d in one second, %v", busiest, err)
	}
}

// TestFirstAFewThenStop: the rest waits for the first few, and too many failures stop the work, again after a resume.
func TestFirstAFewThenStop(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	modeltest.Dead(t, w.G, "a", "j", 40)
	set := w.prepare(bulk.Requeue, all())
	pace := bulk.Pace{Probe: 4, PerMinute: bulk.MaxPerMinute, StopPercent: 25}
	w.start(set, pace)
	for range 3 {
		w.turn()
	}
	if p := w.progress(set.ID); p.Done != 4 || p.Back.Out != 4 {
		t.Fatalf("%+v, want the first four alone", p)
	}
	w.again(3, false)
	w.turn()
	if p := w.progress(set.ID); p.Done != 4 || p.Back.Succeeded != 3 || p.Back.Out != 1 {
		t.Fatalf("%+v while one of the first is out", p)
	}
	// One of four is 25 percent, which is not more.
	w.again(1, true)
	w.exec(`UPDATE bulk_works SET per_minute = 12`)
	w.turn()
	if p, b := w.progress(set.ID), w.find(set.ID); b.State != bulk.Running || p.Done != 5 || p.Back.Failed != 1 {
		t.Fatalf("%s, %+v", b.State, p)
	}
	w.exec(`UPDATE bulk_works SET per_minute = 360, next_at = clock_timestamp() - interval '1 minute'`)
	w.turn()
	done := w.progress(set.ID).Done
	if done < 14 || done > 30 {
		t.Fatalf("%d", done)
	}
	// Three of ten that came back have failed: it stops before the next one.
	w.again(2, true)
	w.again(4, false)
	w.exec(`UPDATE bulk_works SET judged_at = '-infinity', next_at = clock_timestamp() - interval '1 minute'`)
	b := w.until(set.ID)
	if p := w.progress(set.ID); b.State != bulk.Stopped || p.Done != done || b.StopFailed == nil || *b.StopFailed != 3 || *b.StopBack != 10 || b.ChangedBy != "system" {
		t.Fatalf("%+v, %+v", b, p)
	}
	if n := w.count(`SELECT count(*) FROM audit_log WHERE object = ? AND action = 'bulk_stop'`, bulk.Object(set.ID)); n != 1 {
		t.Errorf("%d audit rows", n)
	}
	if w.turn() != 0 {
		t.Error("it went on after it had stopped")
	}

	// A resume counts anew, and asks for a reason.
	r := bulk.StepRequest{Envelope: envelope(actor.Staff("st_lena")), ID: set.ID, Pace: bulk.Pace{Probe: 2, PerMinute: bulk.MaxPerMinute, StopPercent: 49}}
	_, err := w.bulk.Resume(ctx, r)
	refused(t, err, fault.CodeInvalid)
	r.Reason = "\u200b" // nobody sees it
	_, err = w.bulk.Resume(ctx, r)
	refused(t, err, fault.CodeInvalid)
	r.Reason = "worker 2.1 is out"
	seen := int64(b.Version)
	r.Version = &seen
	if _, err := w.bulk.Resume(ctx, r); err != nil {
		t.Fatal(err)
	}
	w.turn()
	if p := w.progress(set.ID); p.Done != done+2 || p.LegDone != 2 || p.Leg.Out != 2 {
		t.Fatalf("%+v, want two more", p)
	}
	w.again(int(w.progress(set.ID).Back.Out), true)
	if b = w.until(set.ID); b.State != bulk.Stopped || *b.StopFailed != 2 || *b.StopBack != 2 {
		t.Fatalf("%+v", b)
	}
	r.OperationID = "stale"
	_, err = w.bulk.Resume(ctx, r)
	refused(t, err, fault.CodeStateConflict)
	r.OperationID, r.Version, r.Pace = "anyhow", nil, fast()
	if _, err := w.bulk.Resume(ctx, r); err != nil {
		t.Fatal(err)
	}
	if b = w.until(set.ID); b.State != bulk.Done {
		t.Errorf("%+v", b)
	}
	if got := w.count(`SELECT count(*) FROM bulk_items WHERE outcome = 'done'`); got != 40 {
		t.Errorf("%d of 40", got)
	}
}

// TestPauseAndAbortAreExact: once they are answered nothing more is done, though several processes are at it.
func TestPauseAndAbortAreExact(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	w := newWorld(t)
	modeltest.Dead(t, w.G, "a", "j", 300)
	modeltest.Dead(t, w.G, "b", "k", 300)
	set := w.prepare(bulk.Requeue, all())
	pace := bulk.Pace{PerMinute: 3000, StopPercent: 100}
	w.start(set, pace)
	var workers sync.WaitGroup
	for range 3 {
		other := storeOf(modeltest.New(t, w.G, job.DefaultPolicy()))
		workers.Go(func() {
			for ctx.Err() == nil {
				_, _ = other.Turn(context.WithoutCancel(ctx))
				time.Sleep(time.Millisecond)
			}
		})
	}
	defer workers.Wait()
	defer stop()
	for begun := time.Now(); w.progress(set.ID).Done < 30 && time.Since(begun) < 20*time.Second; {
		time.Sleep(5 * time.Millisecond)
	}
	requeued := func() int64 { return w.count(`SELECT count(*) FROM job_events WHERE kind = 'requeued'`) }
	step := func(do func(context.Context, bulk.StepRequest) error) int64 {
		t.Helper()
		if err := do(context.Background(), bulk.StepRequest{Envelope: envelope(actor.Staff("st_lena")), ID: set.ID, Reason: "look", Pace: pace}); err != nil {
			t.Fatal(err)
		}
		return requeued()
	}
	at := step(func(ctx context.Context, r bulk.StepRequest) error { _, err := w.bulk.Pause(ctx, r); return err })
	time.Sleep(300 * time.Millisecond)
	if now := requeued(); now != at || at >= 600 {
		t.Fatalf("%d at the pause, %d after it", at, now)
	}
	w.consistent(set.ID)
	step(func(ctx context.Context, r bulk.StepRequest) error { _, err := w.bulk.Resume(ctx, r); return err })
	for begun := time.Now(); requeued() < at+30 && time.Since(begun) < 20*time.Second; {
		time.Sleep(5 * time.Millisecond)
	}
	at = step(func(ctx context.Context, r bulk.StepRequest) error { _, err := w.bulk.Abort(ctx, r); return err })
	time.Sleep(300 * time.Millisecond)
	if now := requeued(); now != at {
		t.Fatalf("%d at the abort, %d after it", at, now)
	}
	w.consistent(set.ID)
	if p := w.progress(set.ID); p.Done != at || p.Pending != 600-at {
		t.Errorf("%+v, %d were put back", p, at)
	}
	_, err := w.bulk.Resume(context.Background(), bulk.StepRequest{Envelope: envelope(actor.Staff("st_lena")), ID: set.ID, Reason: "x", Pace: fast()})
	refused(t, err, fault.CodeStateConflict)
}

// TestPeopleBesideABulk: persons put back the same jobs while the bulk work runs. Each generation begins once, and a row
// that came too late names who was first.
func TestPeopleBesideABulk(t *testing.T) {
	w := newWorld(t)
	modeltest.Dead(t, w.G, "a", "j", 120)
	set := w.prepare(bulk.Requeue, all())
	w.start(set, fast())
	var people sync.WaitGroup
	for i := range 3 {
		who := w.person(i + 1)
		people.Go(func() {
			for n := 120; n > 60; n-- {
				seen := int64(0)
				_, err := w.Jobs.Requeue(context.Background(), job.PersonRequest{Envelope: envelope(who), AccountID: "a", JobID: "j" + strconv.Itoa(n), Reason: "mine", Generation: &seen})
				if f := fault.As(err); err != nil && (f == nil || f.Code != fault.CodeStateConflict && f.Kind != fault.Busy) {
					t.Errorf("j%d: %v", n, err)
				}
			}
		})
	}
	w.until(set.ID)
	people.Wait()
	p := w.progress(set.ID)
	if p.Done+p.Lost != 120 || p.Lost == 0 || p.Done < 60 {
		t.Fatalf("%+v", p)
	}
	if got := w.count(`SELECT count(*) FROM jobs WHERE generation = 1`); got != 120 {
		t.Errorf("%d of 120 are in their second generation", got)
	}
	lost, err := w.bulk.Items(context.Background(), w.find(set.ID), bulk.ShowLost, nil, page.Older, 200)
	if err != nil || int64(len(lost.Rows)) != p.Lost {
		t.Fatalf("%d rows of %d, %v", len(lost.Rows), p.Lost, err)
	}
	for _, r := range lost.Rows {
		if r.FirstBy == "" || r.FirstAt == nil || actor.Parse(r.FirstBy).Kind != "staff" || r.Code == "" {
			t.Errorf("%+v does not say who was first", r)
		}
	}
	if got := w.count(`SELECT count(*) FROM operations WHERE id LIKE 'bulk:%' AND result IS NOT NULL`); got != p.Done {
		t.Errorf("%d operations of %d", got, p.Done)
	}
}

func TestOtherKinds(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	modeltest.Dead(t, w.G, "a", "j", 12)
	pat := w.person(1)
	set := w.prepare(bulk.Assign, all())
	start := func(set bulk.PreparedSet, r bulk.StartRequest) bulk.Work {
		t.Helper()
		r.Envelope, r.ID, r.Count, r.Pace = envelope(actor.Staff("st_lena")), set.ID, set.Count, fast()
		if _, err := w.bulk.Start(ctx, r); err != nil {
			t.Fatal(err)
		}
		return w.until(set.ID)
	}
	_, err := w.bulk.Start(ctx, bulk.StartRequest{Envelope: envelope(pat), ID: set.ID, Count: set.Count, Pace: fast(), Assignee: actor.Staff("st_nobody")})
	refused(t, err, fault.CodeInvalid)
	if b := start(set, bulk.StartRequest{Assignee: pat}); b.State != bulk.Done || w.count(`SELECT count(*) FROM dead_letters WHERE assignee = ?`, pat.String()) != 12 {
		t.Errorf("%+v", b)
	}
	until := time.Now().Add(time.Hour)
	if b := start(w.prepare(bulk.Snooze, all()), bulk.StartRequest{Until: &until}); b.State != bulk.Done ||
		w.count(`SELECT count(*) FROM dead_letters WHERE snoozed_until > now() + interval '59 minutes'`) != 12 {
		t.Errorf("%+v", b)
	}
	if b := start(w.prepare(bulk.Discard, bulk.Selection{Tab: deadletter.Snoozed}), bulk.StartRequest{Reason: "too_old", Note: "from March"}); b.State != bulk.Done ||
		w.count(`SELECT count(*) FROM jobs WHERE state = 'discarded' AND resolution = 'too_old'`) != 12 {
		t.Errorf("%+v", b)
	}
}

func TestFrozenWhileItRuns(t *testing.T) {
	w := newWorld(t)
	modeltest.Dead(t, w.G, "a", "j", 3)
	set := w.prepare(bulk.Requeue, all())
	if _, err := w.Ledger.Freeze(context.Background(), ledger.FreezeRequest{Envelope: modeltest.Envelope(), AccountID: "a", Reason: "fraud"}); err != nil {
		t.Fatal(err)
	}
	w.start(set, fast())
	if b, p := w.until(set.ID), w.progress(set.ID); b.State != bulk.Done || p.Excluded != 3 || p.Done != 0 {
		t.Errorf("%+v", p)
	}
	if got := w.count(`SELECT count(*) FROM jobs WHERE state = 'dead'`); got != 3 {
		t.Errorf("%d are still dead letters", got)
	}
}

func TestTheDatabaseKeepsTheRows(t *testing.T) {
	w := newWorld(t)
	modeltest.Dead(t, w.G, "a", "j", 2)
	set := w.prepare(bulk.Requeue, all())
	w.start(set, fast())
	w.until(set.ID)
	for _, sql := range []string{
		`UPDATE bulk_items SET outcome = ''  , acted_at = NULL`, `UPDATE bulk_items SET generation = 7`, `DELETE FROM bulk_items`, `TRUNCATE bulk_items`,
		`UPDATE bulk_works SET state = 'prepared'`, `UPDATE bulk_works SET ended_at = NULL`} {
		if err := w.G.Exec(sql).Error; err == nil {
			t.Errorf("%s was let through", sql)
		}
	}
}
