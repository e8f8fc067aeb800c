package bulk_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"recoup/models/actor"
	"recoup/models/approval"
	"recoup/models/bulk"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/modeltest"
	"recoup/models/operation"
	"recoup/models/page"
)

// cutter calls cut before the nth statement of all connections.
type cutter struct {
	mu   sync.Mutex
	left int
	cut  func(*pgx.Conn)
}

func (c *cutter) arm(nth int, cut func(*pgx.Conn)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left, c.cut = nth, cut
}

// TraceQueryStart implements pgx.QueryTracer.
func (c *cutter) TraceQueryStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left == 0 {
		c.cut(conn)
	}
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (c *cutter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TestKilledAtEveryStep ends a process before each statement of a turn, once by cutting its connection and once as a
// process that is told to end, and lets another one finish: each row is done once, whatever had been done before.
func TestKilledAtEveryStep(t *testing.T) {
	url := modeltest.URL(t)
	m := modeltest.New(t, modeltest.Open(t, url, nil), job.DefaultPolicy())
	m.Price(t, modeltest.Action, 1000)
	w := world{t, m, storeOf(m)}
	w.Account(t, "a", 1_000_000)
	c := &cutter{}
	doomed := storeOf(modeltest.New(t, modeltest.Open(t, url, c), job.DefaultPolicy()))
	for _, way := range []string{"cut", "told"} {
		half := 0
		for nth := 1; ; nth++ {
			modeltest.Dead(t, w.G, "a", fmt.Sprintf("%s%d-", way, nth), 2)
			set := w.prepare(bulk.Requeue, all())
			w.start(set, fast())
			w.exec(`UPDATE bulk_works SET next_at = clock_timestamp() - interval '1 minute' WHERE state = 'running'`)
			ctx, tell := context.WithCancel(context.Background())
			hit := false
			c.arm(nth, func(conn *pgx.Conn) {
				hit = true
				if way == "told" {
					tell()
					return
				}
				conn.PgConn().Conn().Close()
			})
			_, _ = doomed.Turn(ctx)
			c.arm(0, nil)
			tell()
			if !hit {
				break
			}
			w.consistent(set.ID)
			if done := w.progress(set.ID).Done; done > 0 && done < 2 {
				half++
			}
			// What a process had that ended without a word is given free by the end of its lease.
			w.exec(`UPDATE bulk_items SET taken_at = taken_at - interval '1 minute' WHERE outcome = '' AND take IS NOT NULL`)
			if b, p := w.until(set.ID), w.progress(set.ID); b.State != bulk.Done || p.Done != 2 {
				t.Fatalf("%s before statement %d: %s, %+v", way, nth, b.State, p)
			}
			w.consistent(set.ID)
			if nth > 500 {
				t.Fatal("a turn has no end")
			}
		}
		if half == 0 {
			t.Errorf("%s: no turn ended in the middle", way)
		}
	}
	if got := w.count(`SELECT count(*) FROM jobs WHERE generation <> 1`); got > 2 {
		t.Errorf("%d jobs were not put back exactly once", got)
	}
}

// TestASecondPersonAboveTheLimit: above the limit nothing runs before somebody else has approved exactly this set.
func TestASecondPersonAboveTheLimit(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	limited := bulk.New(w.Ops, w.Letters, w.Jobs, bulk.Options{Limit: 3, Requests: w.Requests})
	desk := approval.NewDesk(w.Ops, limited.Executors())
	lena, fiona := w.person(1), w.person(2)
	modeltest.Dead(t, w.G, "a", "j", 4)
	propose := func(rows bulk.Selection) (bulk.PreparedSet, operation.Outcome) {
		t.Helper()
		set := w.prepare(bulk.Requeue, rows)
		out, err := limited.Start(ctx, bulk.StartRequest{Envelope: envelope(lena), ID: set.ID, Count: set.Count, Reason: "fixed", Pace: fast()})
		if err != nil {
			t.Fatal(err)
		}
		return set, out
	}
	if set, out := propose(bulk.Selection{Rows: []bulk.Ticked{{AccountID: "a", JobID: "j1"}}}); out.Waiting || w.until(set.ID).State != bulk.Done {
		t.Fatalf("one row waits: %s", out.Result)
	}
	modeltest.Dead(t, w.G, "a", "k", 3)
	set, out := propose(all())
	required := decode[approval.Required](t, out, nil)
	if !out.Waiting || set.Count != 6 || w.turn() != 0 || w.find(set.ID).State != bulk.Proposed {
		t.Fatalf("%+v", out)
	}
	decide := func(who actor.Actor) error {
		cr, err := w.Requests.Find(ctx, required.ChangeRequest.ID)
		if err != nil {
			t.Fatal(err)
		}
		_, err = desk.Approve(ctx, approval.Decision{OperationID: ids.New(), Actor: who, ID: cr.ID, Version: cr.Version, Digest: cr.Digest, Reason: "looked"})
		return err
	}
	refused(t, decide(lena), approval.CodeOwnRequest)
	// Whoever changed a row behind the program's back would have changed what was proposed.
	w.exec(`ALTER TABLE bulk_items DISABLE TRIGGER bulk_items_kept`)
	w.exec(`UPDATE bulk_items SET generation = generation + 1 WHERE bulk_key = ? AND no = 1`, w.find(set.ID).Key)
	refused(t, decide(fiona), fault.CodeStateConflict)
	w.exec(`UPDATE bulk_items SET generation = generation - 1 WHERE bulk_key = ? AND no = 1`, w.find(set.ID).Key)
	w.exec(`ALTER TABLE bulk_items ENABLE ALWAYS TRIGGER bulk_items_kept`)
	if err := decide(fiona); err != nil {
		t.Fatal(err)
	}
	refused(t, decide(fiona), fault.CodeStateConflict)
	b := w.until(set.ID)
	if p := w.progress(set.ID); b.State != bulk.Done || p.Done != 6 || b.StartedBy != lena.String() {
		t.Errorf("%+v, %+v", b, p)
	}
	// Each row is by whoever asked.
	if got := w.count(`SELECT count(*) FROM job_events WHERE kind = 'requeued' AND actor = ?`, lena.String()); got != 7 {
		t.Errorf("%d events by whoever asked", got)
	}
	w.consistent(set.ID)
	// What moves no work needs nobody else.
	modeltest.Dead(t, w.G, "a", "m", 5)
	mine := w.prepare(bulk.Assign, all())
	if out, err := limited.Start(ctx, bulk.StartRequest{Envelope: envelope(lena), ID: mine.ID, Count: mine.Count, Pace: fast(), Assignee: lena}); err != nil || out.Waiting {
		t.Errorf("%+v, %v", out, err)
	}
}

// TestSplittingNeedsTheSecondPersonAsWell: what one person starts alone within a day counts together, also when two starts
// come at once. What was approved, is older, or somebody else started does not count.
func TestSplittingNeedsTheSecondPersonAsWell(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t)
	limited := bulk.New(w.Ops, w.Letters, w.Jobs, bulk.Options{Limit: 5, Requests: w.Requests})
	desk := approval.NewDesk(w.Ops, limited.Executors())
	lena, fiona := w.person(1), w.person(2)
	modeltest.Dead(t, w.G, "a", "j", 20)
	next := 0
	rows := func(n int) bulk.PreparedSet {
		t.Helper()
		var sel bulk.Selection
		for range n {
			next++
			sel.Rows = append(sel.Rows, bulk.Ticked{AccountID: "a", JobID: fmt.Sprintf("j%d", next)})
		}
		return w.prepare(bulk.Discard, sel)
	}
	start := func(who actor.Actor, set bulk.PreparedSet) (operation.Outcome, error) {
		return limited.Start(ctx, bulk.StartRequest{Envelope: envelope(who), ID: set.ID, Count: set.Count, Reason: job.DiscardReasons()[0], Pace: fast()})
	}
	waits := func(who actor.Actor, n int) bool {
		t.Helper()
		out, err := start(who, rows(n))
		if err != nil {
			t.Fatal(err)
		}
		return out.Waiting
	}
	both := make(chan bool, 2)
	for _, set := range []bulk.PreparedSet{rows(3), rows(3)} {
		go func() {
			out, err := start(lena, set)
			if err != nil {
				t.Error(err)
			}
			both <- out.Waiting
		}()
	}
	if a, b := <-both, <-both; a == b {
		t.Errorf("of two starts at once wait: %v, %v", a, b)
	}
	if alone, err := limited.Alone(ctx, lena); err != nil || alone != 3 {
		t.Errorf("%d alone, %v", alone, err)
	}
	if waits(lena, 2) || !waits(lena, 1) || waits(fiona, 5) || !waits(fiona, 1) {
		t.Error("the room is not what is left of the limit")
	}
	// Approved works are not alone.
	open, err := w.Requests.List(ctx, approval.Filter{Undecided: true, RequestedBy: lena.String()}, nil, page.Older, 10)
	if err != nil || len(open.Rows) != 2 {
		t.Fatalf("%+v, %v", open, err)
	}
	for _, r := range open.Rows {
		if _, err := desk.Approve(ctx, approval.Decision{OperationID: ids.New(), Actor: fiona, ID: r.ID, Version: r.Version, Digest: r.Digest, Reason: "looked"}); err != nil {
			t.Fatal(err)
		}
	}
	if alone, err := limited.Alone(ctx, lena); err != nil || alone != 5 {
		t.Errorf("%d alone after the approvals, %v", alone, err)
	}
	w.exec(`UPDATE bulk_works SET started_at = started_at - interval '1 day' WHERE started_at IS NOT NULL`)
	if waits(lena, 4) {
		t.Error("what is older than a day counts")
	}
}
