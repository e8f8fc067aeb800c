package drill

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// operation is one change as it is sent, however often.
type operation struct {
	scope, id, kind string
	// account and job are empty where the change concerns none.
	account, job string
	method, path string
	body         any
	// success is true for the signal that delivers.
	success bool
	// cost is what a charge must cost; nil where the drill does not know the price.
	cost *int64
}

// loss is what becomes of the first answer.
type loss int

const (
	keepAnswer loss = iota
	// dropAnswer loses the answer after the server has committed.
	dropAnswer
	// cutConnection breaks the connection while the server works: it may have committed or not.
	cutConnection
)

// lose picks a loss.
func (d *drill) lose(r *rand.Rand) loss {
	if !d.o.Faults.Has(Drop) {
		return keepAnswer
	}
	switch r.IntN(10) {
	case 0:
		return dropAnswer
	case 1:
		return cutConnection
	}
	return keepAnswer
}

// send sends an operation until an answer settles it and enters the answer into the books. With a
// loss, it is sent again under the same id as a caller would who heard nothing. The error is ctx's or
// errGaveUp.
func (d *drill) send(ctx context.Context, o operation, l loss) (answer, error) {
	d.books.sent(o)
	committed := false
	switch l {
	case dropAnswer:
		a, err := d.client.do(ctx, o.method, o.path, o.id, o.body)
		if err != nil {
			return a, err
		}
		// The caller never hears of it; the books do, to compare it with what the retry gets.
		if committed = settled(a); committed {
			d.books.answered(o, a, false)
			d.books.count(func(n *counts) { n.dropped++ })
		}
	case cutConnection:
		short, cancel := context.WithTimeout(ctx, time.Duration(1+rand.IntN(40))*time.Millisecond)
		_, err := d.client.once(short, o.method, o.path, o.id, o.body)
		cancel()
		if err != nil {
			d.books.count(func(n *counts) { n.cut++ })
		}
	}
	a, err := d.client.do(ctx, o.method, o.path, o.id, o.body)
	if err != nil {
		return a, err
	}
	if settled(a) {
		d.books.answered(o, a, committed)
	}
	return a, nil
}

// settled reports whether the answer says that the operation is stored. A claim that found no work
// stores nothing.
func settled(a answer) bool { return a.ok() && a.outcome != "empty" }

// refusedOddly notes a refusal that nothing in the plan explains.
func (d *drill) refusedOddly(o operation, a answer) {
	d.books.note(UnexpectedAnswer, o.account, o.job, "%s %s: %d %s", o.kind, o.id, a.status, a.problem)
}

// volley sends an operation, perhaps twin copies of it under the same id, and its rivals, all at once,
// and returns what the answers say.
func (d *drill) volley(ctx context.Context, r *rand.Rand, base operation, rivals ...operation) ([]changed, error) {
	type shot struct {
		o operation
		l loss
	}
	shots := []shot{{base, d.lose(r)}}
	if d.o.Faults.Has(Duplicate) && r.IntN(3) == 0 {
		for range 1 + r.IntN(3) {
			shots = append(shots, shot{base, keepAnswer})
		}
	}
	for _, o := range rivals {
		shots = append(shots, shot{o, d.lose(r)})
	}
	d.books.count(func(n *counts) {
		n.signals += len(shots)
		n.duplicates += len(shots) - 1 - len(rivals)
		n.races += len(rivals)
	})
	// In any order of arrival.
	r.Shuffle(len(shots), func(a, b int) { shots[a], shots[b] = shots[b], shots[a] })

	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		heard []changed
		first error
	)
	for _, s := range shots {
		wg.Add(1)
		go func() {
			defer wg.Done()
			a, err := d.send(ctx, s.o, s.l)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				if first == nil {
					first = err
				}
			case !a.ok():
				d.refusedOddly(s.o, a)
			default:
				if c, err := readChanged(a.result); err == nil { // the books note the other case
					heard = append(heard, c)
				}
			}
		}()
	}
	wg.Wait()
	return heard, first
}

// inState reports whether an answer shows the job in this state.
func inState(heard []changed, state string) bool {
	for _, c := range heard {
		if c.Job != nil && c.Job.State == state {
			return true
		}
	}
	return false
}

// raced reports whether this attempt gets rivals.
func (d *drill) raced(r *rand.Rand) bool { return d.o.Faults.Has(Race) && r.IntN(3) == 0 }

// The operations of a job. Ids are unique in the account: a job's id and an attempt's number name them.

func (d *drill) chargeOperation(j *jobBook) operation {
	p := j.plan
	body := map[string]any{"job_id": p.JobID, "action": p.Action, "units": p.Units, "max_attempts": p.MaxAttempts,
		"payload": map[string]any{"drill": d.name, "source": "s3://drill/" + p.JobID}}
	if p.ExpiresInS > 0 {
		body["expires_in_s"] = p.ExpiresInS
	}
	if p.External {
		body["mode"] = "external"
	}
	o := operation{scope: scopeOf(p.Account), id: "charge:" + p.JobID, kind: kindCharge, account: p.Account, job: p.JobID,
		method: http.MethodPost, path: accountPath(p.Account) + "/jobs", body: body}
	// In a rollout the answer says which of two prices applied, and the books check that.
	if cost, known := d.prices.exact(p.Action, p.Units); known && (d.trial == nil || d.trial.action != p.Action) {
		o.cost = &cost
	}
	return o
}

func completeOperation(j *jobBook, id, lease string) operation {
	return operation{scope: scopeOf(j.plan.Account), id: id, kind: kindComplete, account: j.plan.Account, job: j.plan.JobID, success: true,
		method: http.MethodPost, path: "/v1/jobs/complete", body: map[string]any{"lease_token": lease, "result": "s3://drill/out/" + j.plan.JobID}}
}

func failOperation(j *jobBook, id, lease string) operation {
	return operation{scope: scopeOf(j.plan.Account), id: id, kind: kindFail, account: j.plan.Account, job: j.plan.JobID,
		method: http.MethodPost, path: "/v1/jobs/fail",
		body: map[string]any{"lease_token": lease, "class": class(j), "code": "gpu_lost", "message": "The drill let this attempt fail."}}
}

// succeededSignal and failedSignal are callbacks that name the job; attempt 0 means that the sender
// does not know it.
func succeededSignal(j *jobBook, id string, attempt int) operation {
	return signalOperation(j, id, attempt, true, map[string]any{"type": "succeeded", "result": "s3://drill/out/" + j.plan.JobID})
}

func failedSignal(j *jobBook, id string, attempt int, class string) operation {
	return signalOperation(j, id, attempt, false, map[string]any{"type": "failed", "class": class, "code": "watchdog", "message": "No sign of life."})
}

func signalOperation(j *jobBook, id string, attempt int, success bool, body map[string]any) operation {
	if attempt > 0 {
		body["attempt"] = attempt
	}
	p := j.plan
	return operation{scope: scopeOf(p.Account), id: id, kind: kindSignal, account: p.Account, job: p.JobID, success: success,
		method: http.MethodPost, path: jobPath(p.Account, p.JobID) + "/signals", body: body}
}

func class(j *jobBook) string {
	if j.plan.Permanent {
		return "permanent"
	}
	return "transient"
}

// attemptID names an operation of one attempt.
func attemptID(what string, j *jobBook, attempt int) string {
	return fmt.Sprintf("%s:%s:%d", what, j.plan.JobID, attempt)
}
