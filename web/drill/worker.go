package drill

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// hand is a job a worker holds.
type hand struct {
	j       *jobBook
	attempt int
	lease   string
}

// worker lives, is killed, and lives again under another name, until the drill is over.
func (d *drill) worker(ctx context.Context, index int) error {
	r := seeded(d.o.Seed, "worker", strconv.Itoa(index))
	for life := 1; ctx.Err() == nil && !d.over(); life++ {
		living, kill := ctx, context.CancelFunc(func() {})
		if d.o.Faults.Has(KillWorker) {
			living, kill = context.WithTimeout(ctx, time.Duration(500+min(r.ExpFloat64(), 4)*8000)*time.Millisecond)
		}
		holds, err := d.live(living, fmt.Sprintf("drill-%d.%d", index, life), r)
		killed := living.Err() != nil && ctx.Err() == nil
		kill()
		if !killed {
			if err != nil {
				return err
			}
			continue
		}
		d.books.count(func(n *counts) { n.kills++ })
		d.haunt(holds, r)
	}
	return nil
}

// live claims and performs until the worker is killed or the drill is over. It returns the jobs that
// the worker held when it ended.
func (d *drill) live(ctx context.Context, name string, r *rand.Rand) ([]hand, error) {
	for n := 1; !d.over(); n++ {
		o := operation{scope: "worker", id: fmt.Sprintf("claim:%s:%s:%d", d.name, name, n), kind: kindClaim,
			method: http.MethodPost, path: "/v1/jobs/claim",
			body: map[string]any{"actions": d.plan.Actions, "max": 1 + r.IntN(8), "wait_s": 2, "worker": name, "worker_version": "drill"}}
		a, err := d.send(ctx, o, d.lose(r))
		if err != nil {
			return nil, err
		}
		if !a.ok() {
			return nil, fmt.Errorf("drill: claim: %d %s", a.status, a.problem)
		}
		if a.outcome == "empty" {
			d.idle.Store(time.Now().UnixNano())
			continue
		}
		holds, err := d.take(a.result)
		if err != nil {
			return nil, err
		}
		d.books.count(func(n *counts) { n.claims++ })
		for i, h := range holds {
			if err := d.perform(ctx, h, r); err != nil {
				return holds[i:], err
			}
		}
	}
	return nil, nil
}

// take reads what a claim handed out.
func (d *drill) take(result json.RawMessage) ([]hand, error) {
	var out struct {
		Jobs []claimed `json:"jobs"`
	}
	if err := json.Unmarshal(result, &out); err != nil {
		return nil, fmt.Errorf("drill: a claim that cannot be read: %w", err)
	}
	var holds []hand
	for _, c := range out.Jobs {
		j, ours := d.books.handedOut(c.AccountID, c.JobID, c.Attempt)
		if !ours {
			// Somebody else's: its lease ends by itself and it is handed out again.
			d.foreign.Add(1)
			continue
		}
		if d.lease.Load() == 0 {
			d.lease.Store(int64(max(time.Until(c.LeaseUntil), time.Second)))
		}
		holds = append(holds, hand{j, c.Attempt, c.LeaseToken})
	}
	return holds, nil
}

// leaseTime is how long a lease lasts here, as far as is known.
func (d *drill) leaseTime() time.Duration {
	if l := d.lease.Load(); l > 0 {
		return time.Duration(l)
	}
	return privateLease
}

// timerSlack is what the system's timers may take after a time has come.
const timerSlack = 1500 * time.Millisecond

// perform does with a job what its fate asks for.
func (d *drill) perform(ctx context.Context, h hand, r *rand.Rand) error {
	if r.IntN(10) == 0 {
		if err := d.beat(ctx, h); err != nil {
			return err
		}
	}
	if h.j.plan.Fate == FateAbandoned {
		// The worker falls silent. Its lease ends the attempt.
		if h.attempt >= h.j.plan.MaxAttempts {
			d.lookAt(h.j, d.leaseTime()+timerSlack)
		}
		return nil
	}
	if !sleep(ctx, time.Duration(r.IntN(20))*time.Millisecond) { // the work
		return ctx.Err()
	}
	if h.j.plan.Fate == FateSucceeds || d.books.marked(&h.j.requeued) {
		return d.complete(ctx, h, "complete", r)
	}
	return d.fail(ctx, h, r)
}

func (d *drill) beat(ctx context.Context, h hand) error {
	a, err := d.client.do(ctx, http.MethodPost, "/v1/jobs/heartbeat", "", map[string]any{"lease_token": h.lease})
	if err != nil {
		return err
	}
	d.books.count(func(n *counts) { n.heartbeats++ })
	if !a.ok() {
		d.books.note(UnexpectedAnswer, h.j.plan.Account, h.j.plan.JobID, "heartbeat of attempt %d: %d %s", h.attempt, a.status, a.problem)
	}
	return nil
}

// complete delivers, perhaps against a watchdog that says the attempt failed.
func (d *drill) complete(ctx context.Context, h hand, what string, r *rand.Rand) error {
	var rivals []operation
	if d.raced(r) {
		rivals = append(rivals, succeededSignal(h.j, attemptID(what+"-callback", h.j, h.attempt), h.attempt))
		if r.IntN(2) == 0 {
			rivals = append(rivals, failedSignal(h.j, attemptID(what+"-watchdog", h.j, h.attempt), h.attempt, "timed_out"))
		}
	}
	_, err := d.volley(ctx, r, completeOperation(h.j, attemptID(what, h.j, h.attempt), h.lease), rivals...)
	if err == nil {
		d.end(h.j)
	}
	return err
}

// fail reports a failure, perhaps at once with a watchdog that reports it too.
func (d *drill) fail(ctx context.Context, h hand, r *rand.Rand) error {
	var rivals []operation
	if d.raced(r) {
		rivals = append(rivals, failedSignal(h.j, attemptID("watchdog", h.j, h.attempt), h.attempt, class(h.j)))
	}
	heard, err := d.volley(ctx, r, failOperation(h.j, attemptID("fail", h.j, h.attempt), h.lease), rivals...)
	if err != nil {
		return err
	}
	dead := inState(heard, "dead")
	switch {
	case h.j.plan.Fate == FateFails && dead:
		d.end(h.j)
	case h.j.plan.Fate == FateLate && (dead || h.j.plan.Late == LateWhileRetrying && h.attempt == 1 && len(heard) > 0):
		d.succeedLate(h.j, &h, time.Duration(r.IntN(1500))*time.Millisecond)
	}
	return nil
}

// succeedLate plans the success that comes after the refund, once. h is the attempt that delivers; nil
// where none is known.
func (d *drill) succeedLate(j *jobBook, h *hand, wait time.Duration) {
	if !d.books.once(&j.lateSent) {
		return
	}
	d.agenda.change(wait, func(ctx context.Context) error {
		r := seeded(j.plan.Seed, "late")
		if j.plan.Late == LateRequeue {
			return d.requeue(ctx, j, r)
		}
		if h != nil && j.plan.Late != LateSignal {
			return d.complete(ctx, *h, "late", r)
		}
		attempt := 0 // the sender of a callback need not know it
		if j.plan.Late == LateWhileRetrying {
			attempt = 1
		}
		var rivals []operation
		if d.raced(r) {
			rivals = append(rivals, succeededSignal(j, "late-callback:"+j.plan.JobID, attempt),
				failedSignal(j, "late-watchdog:"+j.plan.JobID, attempt, "timed_out"))
		}
		_, err := d.volley(ctx, r, succeededSignal(j, "late:"+j.plan.JobID, attempt), rivals...)
		if err == nil {
			d.end(j)
		}
		return err
	})
}

// requeue puts a dead letter back, as a person would. Its next attempt delivers.
func (d *drill) requeue(ctx context.Context, j *jobBook, r *rand.Rand) error {
	d.books.once(&j.requeued) // before a worker can have it
	p := j.plan
	o := operation{scope: scopeOf(p.Account), id: "requeue:" + p.JobID, kind: kindRequeue, account: p.Account, job: p.JobID,
		method: http.MethodPost, path: jobPath(p.Account, p.JobID) + "/requeue", body: map[string]any{"reason": "drill"}}
	a, err := d.send(ctx, o, d.lose(r))
	if err != nil {
		return err
	}
	if !a.ok() {
		d.refusedOddly(o, a)
		return nil
	}
	d.books.count(func(n *counts) { n.requeues++ })
	d.backstop(j)
	return nil
}

// haunt lets some results of a killed worker arrive after its lease is over, when another attempt may
// run or have delivered.
func (d *drill) haunt(holds []hand, r *rand.Rand) {
	if !d.o.Faults.Has(Late) {
		return
	}
	for _, h := range holds {
		if h.j.plan.Fate == FateSucceeds && r.IntN(2) == 0 {
			seed := r.Uint64()
			wait := d.leaseTime() + time.Duration(r.IntN(4000))*time.Millisecond
			d.agenda.change(wait, func(ctx context.Context) error {
				return d.complete(ctx, h, "ghost", rand.New(rand.NewPCG(seed, 2)))
			})
		}
	}
}

// begin starts what a charged job needs beside workers.
func (d *drill) begin(j *jobBook, r *rand.Rand) {
	switch {
	case j.plan.Fate == FateUnclaimed:
		d.lookAt(j, time.Duration(j.plan.ExpiresInS)*time.Second+timerSlack)
		return
	case j.plan.External:
		d.agenda.change(time.Duration(r.IntN(2000))*time.Millisecond, func(ctx context.Context) error { return d.external(ctx, j, 1) })
	}
	d.backstop(j)
}

// external runs one attempt of a job that its caller runs.
func (d *drill) external(ctx context.Context, j *jobBook, attempt int) error {
	r := seeded(j.plan.Seed, "external", strconv.Itoa(attempt))
	if j.plan.Fate == FateSucceeds {
		var rivals []operation
		if d.raced(r) {
			rivals = append(rivals, failedSignal(j, attemptID("watchdog", j, attempt), attempt, "timed_out"))
		}
		_, err := d.volley(ctx, r, succeededSignal(j, attemptID("success", j, attempt), attempt), rivals...)
		if err == nil {
			d.end(j)
		}
		return err
	}
	var rivals []operation
	if d.raced(r) {
		rivals = append(rivals, failedSignal(j, attemptID("watchdog", j, attempt), attempt, class(j)))
	}
	heard, err := d.volley(ctx, r, failedSignal(j, attemptID("failure", j, attempt), attempt, class(j)), rivals...)
	if err != nil {
		return err
	}
	switch {
	case inState(heard, "dead"):
		if j.plan.Fate == FateFails {
			d.end(j)
		} else {
			d.succeedLate(j, nil, time.Duration(r.IntN(1500))*time.Millisecond)
		}
	case len(heard) == 0: // refused, and noted as such
	default:
		if j.plan.Late == LateWhileRetrying && attempt == 1 {
			d.succeedLate(j, nil, time.Duration(r.IntN(1500))*time.Millisecond)
			return nil
		}
		wait := time.Duration(0) // a caller need not wait for the backoff
		if at := heard[0].Job; at != nil && r.IntN(2) == 0 {
			wait = max(time.Until(at.NotBefore), 0)
		}
		d.agenda.change(wait, func(ctx context.Context) error { return d.external(ctx, j, attempt+1) })
	}
	return nil
}

// end notes that a job has ended and ends the storm after the last.
func (d *drill) end(j *jobBook) {
	if d.books.end(j) {
		if n, _ := d.books.snapshot(); n.ended == len(d.plan.Jobs) {
			d.finishOnce.Do(func() { close(d.finished) })
		}
	}
}

// over reports whether every job has ended or the drill has stopped waiting.
func (d *drill) over() bool {
	select {
	case <-d.finished:
		return true
	default:
		return false
	}
}

// backstop looks at a job whose end no answer tells: all its attempts may have been given to workers
// that were killed. While workers still find work, the job may simply wait its turn.
func (d *drill) backstop(j *jobBook) {
	d.agenda.look(j, backstopEvery, func(ctx context.Context) error {
		if d.books.hasEnded(j) {
			return nil
		}
		if time.Since(time.Unix(0, d.idle.Load())) > 3*time.Second {
			d.backstop(j)
			return nil
		}
		return d.lookNow(ctx, j)
	})
}

const backstopEvery = 8 * time.Second

// lookAt looks at a job after wait.
func (d *drill) lookAt(j *jobBook, wait time.Duration) {
	d.agenda.look(j, wait, func(ctx context.Context) error { return d.lookNow(ctx, j) })
}

func (d *drill) lookNow(ctx context.Context, j *jobBook) error {
	if d.books.hasEnded(j) {
		return nil
	}
	v, _, there, err := d.client.Job(ctx, j.plan.Account, j.plan.JobID)
	if err != nil {
		return err
	}
	if !there {
		return nil // the recount says so
	}
	fate := j.plan.Fate
	switch {
	case v.State == "succeeded" && fate.Delivers(), v.State == "dead" && !fate.Delivers():
		d.end(j)
		return nil
	case v.State == "dead" && fate == FateLate && !d.books.marked(&j.lateSent):
		d.succeedLate(j, nil, 0)
	case v.State == "dead" && (fate == FateSucceeds || v.Generation > 0):
		// Every worker that had it was killed; the result of one of them turns up.
		if d.books.once(&j.rescued) {
			d.agenda.change(0, func(ctx context.Context) error {
				_, err := d.volley(ctx, seeded(j.plan.Seed, "rescue"), succeededSignal(j, "rescue:"+j.plan.JobID, 0))
				if err == nil {
					d.end(j)
				}
				return err
			})
		}
	case fate == FateAbandoned || fate == FateUnclaimed:
		d.lookAt(j, 2*time.Second)
		return nil
	}
	d.backstop(j)
	return nil
}

// isEnd reports whether err only says that the storm is over.
func isEnd(err error) bool {
	return err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
