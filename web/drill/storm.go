package drill

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const progressEvery = 3 * time.Second

// storm charges, works and makes faults until every job has ended, or until nothing has moved for so
// long that nothing will. What has not ended then is a difference for the recount to find.
func (d *drill) storm(ctx context.Context, cancel context.CancelCauseFunc) error {
	jobs := make(chan *jobBook)
	var changes, all sync.WaitGroup
	start := func(wg *sync.WaitGroup, do func() error) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := do(); !isEnd(err) {
				cancel(err)
			}
		}()
	}
	start(&changes, func() error {
		defer close(jobs)
		for i, p := range d.plan.Jobs {
			if !d.mayFeed(ctx, i) {
				return nil
			}
			select {
			case jobs <- d.books.accounts[p.Account].jobs[p.JobID]:
			case <-ctx.Done():
				return nil
			}
		}
		return nil
	})
	for range max(2, d.o.Workers/8) {
		start(&changes, func() error { return d.charger(ctx, jobs) })
	}
	for i := range d.o.Workers {
		start(&changes, func() error { return d.worker(ctx, i) })
	}
	if d.trial != nil {
		start(&changes, func() error { return d.conduct(ctx) })
	}
	trouble, calm := context.WithCancel(ctx)
	defer calm()
	if d.system != nil {
		start(&all, func() error { return d.trouble(trouble) })
	}
	start(&all, func() error {
		d.watch(ctx, trouble)
		return nil
	})

	select {
	case <-d.finished:
	case <-ctx.Done():
	}
	changes.Wait()
	// What comes late may come after the last job has ended; it belongs to the storm.
	d.agenda.close()
	calm()
	all.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// watch shows progress, and gives up waiting when nothing moves.
func (d *drill) watch(ctx, storm context.Context) {
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	last, moved := 0, time.Now()
	for {
		select {
		case <-ticker.C:
		case <-storm.Done():
			return
		case <-ctx.Done():
			return
		}
		n, wrong := d.books.snapshot()
		if now := n.charged + n.ended; now != last {
			last, moved = now, time.Now()
		}
		if !d.over() {
			d.screen.progress(d.progressLine(n, wrong))
		}
		if patience := 2*time.Minute + d.o.StopRedisFor + 4*d.leaseTime(); time.Since(moved) > patience && !d.over() {
			d.screen.say(fmt.Sprintf("Nothing has moved for %s: not waiting any longer.", round(patience)))
			d.finishOnce.Do(func() { close(d.finished) })
		}
	}
}

// share is how much of the storm is over, 0 to 1.
func (d *drill) share() float64 {
	n, _ := d.books.snapshot()
	return float64(n.charged+n.ended) / float64(2*len(d.plan.Jobs))
}

// incident is a fault of the system itself, made when a share of the storm is over.
type incident struct {
	fault Fault
	at    float64
	name  string
	do    func(ctx context.Context) error
	// errors is true when server errors are to be expected until the system has recovered.
	errors bool
}

func (d *drill) incidents() []incident {
	s := d.system
	flush := func(at float64) incident { return incident{FlushRedis, at, "Redis flushed", s.FlushRedis, false} }
	all := []incident{
		flush(0.10),
		{KillServer, 0.20, "server killed", s.KillServer, true},
		{KillPostgres, 0.30, "PostgreSQL killed", s.KillPostgres, true},
		{KillServer, 0.40, "work killed", s.KillWork, false},
		{StopRedis, 0.50, fmt.Sprintf("Redis away for %s", round(d.o.StopRedisFor)),
			func(ctx context.Context) error { return s.StopRedis(ctx, d.o.StopRedisFor) }, false},
		flush(0.60),
		{KillServer, 0.70, "server killed", s.KillServer, true},
		{KillPostgres, 0.80, "PostgreSQL killed", s.KillPostgres, true},
		flush(0.90),
	}
	var chosen []incident
	for _, i := range all {
		if d.o.Faults.Has(i.fault) {
			chosen = append(chosen, i)
		}
	}
	return chosen
}

// recovery is how long after a kill a server error still counts as part of it: requests of before may
// end then.
const recovery = 5 * time.Second

// trouble makes the incidents in order.
func (d *drill) trouble(ctx context.Context) error {
	for _, i := range d.incidents() {
		for d.share() < i.at {
			if !sleep(ctx, 100*time.Millisecond) {
				return nil
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		if i.errors {
			d.client.outage.Add(1)
		}
		began := time.Now()
		err := i.do(ctx)
		if i.errors {
			time.AfterFunc(recovery, func() { d.client.outage.Add(-1) })
		}
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("drill: %s: %w", i.name, err)
		}
		d.made = append(d.made, i.name)
		d.screen.say(fmt.Sprintf("%s; running again after %s.", i.name, time.Since(began).Round(100*time.Millisecond)))
	}
	return nil
}
