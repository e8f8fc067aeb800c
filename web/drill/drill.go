// Package drill proves a system: it runs a job trace against the API as many workers would, with
// faults, keeps its own record of what every account must hold, and in the end compares.
//
// It is a client. What it knows of Recoup it knows from the HTTP API; its arithmetic and bookkeeping
// are its own, so that a mistake in the server cannot hide in the check.
package drill

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"recoup/models/ids"
)

// Options say what to run against what.
type Options struct {
	// JobsFile is the trace, a CSV file.
	JobsFile string
	// URL and Key reach a running system; both empty for a private one.
	URL, Key string
	// Workers is the number of workers, 1–1,000.
	Workers int
	// Seed decides everything that is left to chance in the plan; 0 takes one and prints it.
	Seed uint64
	// Faults are the faults to make; nil is all of them at a private system, the safe ones at a
	// running one.
	Faults Faults
	// StopRedisFor is how long StopRedis takes Redis away; 0 is a minute.
	StopRedisFor time.Duration
	// Limit takes only the first jobs of the file; 0 takes all.
	Limit int
	// Rollout makes a rollout of a price meanwhile, advances, pauses, halts and rolls it back. It needs a private system.
	Rollout bool
	// ActionPrefix begins the actions at a running system, so that nobody else's workers and jobs
	// are touched.
	ActionPrefix string
	// Out gets the progress and the table.
	Out io.Writer
	// Start starts the private system; StartPrivate in production.
	Start func(ctx context.Context, s Settings) (System, error)
}

// ErrDifferences is the result of a drill that found the system wrong. The table is printed then.
var ErrDifferences = errors.New("the system is not as the drill's record says it must be")

// Run runs one drill from the trace to the table. It returns nil when nothing differs,
// ErrDifferences when something does, a *TraceError for a bad trace, and any other error when the
// drill could not be carried through.
func Run(ctx context.Context, o Options) error {
	if err := o.check(); err != nil {
		return err
	}
	var jobs []TraceJob
	file, err := os.Open(o.JobsFile)
	if err != nil {
		return fmt.Errorf("open the trace: %w", err)
	}
	err = ReadTrace(file, o.Limit, func(j TraceJob) error {
		jobs = append(jobs, j)
		return nil
	})
	file.Close()
	if err != nil {
		return fmt.Errorf("%s: %w", o.JobsFile, err)
	}
	if len(jobs) == 0 {
		return fmt.Errorf("%s: the trace holds no jobs", o.JobsFile)
	}
	if o.Seed == 0 {
		o.Seed = rand.Uint64()>>32 + 1
	}
	if o.URL == "" {
		return runPrivate(ctx, o, jobs)
	}
	d := newDrill(o, nil)
	return d.run(ctx, jobs)
}

func (o *Options) check() error {
	switch {
	case (o.URL == "") != (o.Key == ""):
		return errors.New("--url and --key belong together: give both for a running system, none for a private one")
	case o.Workers < 1 || o.Workers > 1000:
		return errors.New("--workers must be 1 to 1000")
	case o.Limit < 0:
		return errors.New("--limit must not be negative")
	case o.StopRedisFor < 0:
		return errors.New("--stop-redis must not be negative")
	}
	if o.StopRedisFor == 0 {
		o.StopRedisFor = time.Minute
	}
	if o.Faults == nil {
		name := "all"
		if o.URL != "" {
			name = "safe"
		}
		var err error
		if o.Faults, err = ParseFaults(name); err != nil {
			return err
		}
	}
	if o.URL != "" && o.Rollout {
		return errors.New("--rollout needs a private system: leave --url and --key away")
	}
	if o.URL != "" {
		for _, f := range privateFaults() {
			if o.Faults.Has(f) && f != FlushRedis {
				return fmt.Errorf("--faults %s needs a private system: leave --url and --key away", f)
			}
		}
		// One of the safe faults all the same, and nothing to say about it.
		set := Faults{}
		for f := range o.Faults {
			set[f] = f != FlushRedis
		}
		o.Faults = set
	}
	return nil
}

// The prices of a private system, in thousandths of a credit a unit. Three of them give fractions to
// round; the drill computes every cost by itself.
const (
	firstPrice = 667
	priceStep  = 211
)

func runPrivate(ctx context.Context, o Options, jobs []TraceJob) (err error) {
	s := Settings{Prices: map[string]int64{unclaimedAction: 500}, Lease: privateLease, BackoffBase: time.Second, BackoffMax: 2 * time.Second}
	price := int64(firstPrice)
	for _, j := range jobs {
		if _, known := s.Prices[j.Action]; !known {
			s.Prices[j.Action] = price
			price = price%1500 + priceStep
		}
	}
	o.ActionPrefix = ""
	fmt.Fprintf(o.Out, "Starting a private server and services in a temporary directory …\n")
	system, err := o.Start(ctx, s)
	if err != nil {
		return err
	}
	defer func() {
		// The end of ctx must not keep the processes alive.
		err = errors.Join(err, system.Stop(context.WithoutCancel(ctx)))
	}()
	o.URL, o.Key = system.URL(), system.Key()
	d := newDrill(o, system)
	err = d.run(ctx, jobs)
	if err != nil && ctx.Err() == nil {
		dir, keep := system.KeepLogs()
		if keep != nil {
			return errors.Join(err, keep)
		}
		fmt.Fprintf(o.Out, "The logs of the private system are kept in %s.\n", dir)
	}
	return err
}

const (
	// privateLease is short enough to compress time and long enough for a busy worker to keep it.
	privateLease = 3 * time.Second
	// unclaimedAction is priced in a private system and claimed by nobody.
	unclaimedAction = "drill_unclaimed"
)

// drill is one run.
type drill struct {
	o      Options
	system System // nil at a running system
	name   string
	client *client
	plan   Plan
	books  *books
	agenda *agenda
	screen *screen
	prices priceBounds
	began  time.Time
	purses map[string]*purse
	// lease is how long a lease lasts, in nanoseconds; 0 until one was seen.
	lease atomic.Int64
	// idle is when a claim last found no work, in Unix nanoseconds.
	idle atomic.Int64
	// foreign counts jobs of others that claims handed out.
	foreign atomic.Int64
	// finished is closed when every job has ended, or when the drill stops waiting.
	finished   chan struct{}
	finishOnce sync.Once
	// trial is the rollout, nil for none; steps are those that were made, fed and allowed how many jobs were and may be handed out.
	trial        *trial
	steps        []string
	fed, allowed atomic.Int64
	// made lists the faults made to the system itself, for the table.
	made   []string
	verify string
	found  found
}

func newDrill(o Options, system System) *drill {
	return &drill{o: o, system: system, name: runID(), client: newClient(o.URL, o.Key, o.Workers), screen: newScreen(o.Out),
		began: time.Now(), finished: make(chan struct{})}
}

// runID keeps one drill's accounts and operations apart from another's.
func runID() string {
	const letters = "abcdefghijkmnpqrstuvwxyz23456789"
	id := make([]byte, 6)
	for i := range id {
		id[i] = letters[rand.IntN(len(letters))]
	}
	return string(id)
}

func (d *drill) run(ctx context.Context, jobs []TraceJob) error {
	prefixes := Prefixes{Account: "drill-" + d.name + "-", Action: d.o.ActionPrefix, Unclaimed: unclaimedAction}
	if err := ids.CheckCallerID(prefixes.Account + "x"); err != nil {
		return fmt.Errorf("drill: %w", err)
	}
	if d.system == nil {
		if _, err := d.client.once(ctx, http.MethodGet, "/healthz", "", nil); err != nil {
			return fmt.Errorf("%s does not answer: %w", d.o.URL, err)
		}
		priced, err := d.askPrices(ctx, prefixes, jobs)
		if err != nil {
			return err
		}
		if !priced {
			prefixes.Unclaimed = ""
		}
	}
	d.plan = MakePlan(jobs, d.o.Seed, prefixes, d.o.Faults)
	d.books = newBooks(d.plan)
	if d.o.Rollout {
		var err error
		if d.trial, err = planTrial(d.plan, d.name); err != nil {
			return err
		}
		d.books.trial = d.trial
		d.books.markQuotes(d.plan)
	}
	d.books.onWrong = d.screen.wrong
	d.client.unexpected = func(method, path string, status int, detail string) {
		d.books.note(ServerError, "", "", "%s %s answered %d outside of any fault: %s", method, path, status, detail)
	}
	d.announce()

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d.agenda = newAgenda(ctx, cancel)
	if err := d.setUp(ctx); err != nil {
		return err
	}
	if d.trial != nil {
		if err := d.prepareTrial(ctx); err != nil {
			return err
		}
	}
	if err := d.storm(ctx, cancel); err != nil {
		return err
	}
	if err := d.compare(ctx); err != nil {
		return err
	}
	d.table()
	if _, wrong := d.books.snapshot(); wrong > 0 || d.verify == verifyFailed {
		return ErrDifferences
	}
	return nil
}

// compare recounts and verifies.
func (d *drill) compare(ctx context.Context) error {
	d.screen.say("Every job has ended or is overdue. Recounting from the drill's own record …")
	if d.trial != nil {
		d.books.judge()
	}
	var err error
	last := time.Now()
	d.found, err = d.books.recount(ctx, d.client, 8, func(done, total int) {
		if time.Since(last) > progressEvery {
			last = time.Now()
			d.screen.progress(fmt.Sprintf("recounted %s of %s", group(done), group(total)))
		}
	})
	if err != nil {
		return fmt.Errorf("recount: %w", err)
	}
	d.verify = "not run: it needs the database; run `recoup verify` there"
	if d.system == nil {
		return nil
	}
	clean, text, err := d.system.Verify(ctx)
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	d.verify = "clean"
	if !clean {
		d.verify = verifyFailed
		d.screen.say(text)
	}
	return nil
}

const verifyFailed = "PROBLEMS FOUND"
