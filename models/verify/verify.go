// Package verify reads the whole ledger back and says where it is not what it must be.
//
// It trusts nothing that another part of the program derived: hashes are computed anew in Go, sums
// are added up anew, and the flags of jobs are held against the entries. It only reads; RebuildHeads
// alone writes, and only heads.
//
// Every account is read inside one read-only REPEATABLE READ transaction, so that its head, its
// entries, its jobs and its waiting line are of one moment while charges go on. One such transaction
// may cover several small accounts: each is still seen at one moment, and a thousand accounts of ten
// entries do not cost a thousand times the round trips. An account of many entries is streamed; what
// is kept in memory does not grow with the ledger.
package verify

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
)

// Options choose what a run looks at. The zero value looks at everything.
type Options struct {
	// Grace is how long past its lease, wake-up or expiry a job may wait for the sweeper before it
	// counts as stuck; two minutes when zero.
	Grace time.Duration
	// AccountID limits the run to one account, Prefix to the accounts whose id begins so; empty for all.
	AccountID string
	Prefix    string
	// Workers is how many connections read accounts at once, with one more beside them for operations;
	// when zero, one a processor and at most eight.
	Workers int
	// OnProblem hears of each problem as it is found, one at a time; nil for nothing. An error it
	// returns ends the run.
	OnProblem func(Problem) error
	// OnProgress hears how far the run is, one call at a time, after each transaction; nil for nothing.
	OnProgress func(Progress)
}

// Problem is one row that is not what it must be.
type Problem struct {
	// Check is the rule that is broken; Checks lists them.
	Check     Check
	AccountID string
	// Seq names the entry, 0 where the problem is not one of an entry.
	Seq int64
	// JobID names the job, empty where the problem is not one of a job.
	JobID string
	// Expected and Found are the two values that differ, written for people.
	Expected, Found string
	// Message says in a sentence what is wrong.
	Message string
}

// Progress is how much a run has read so far.
type Progress struct {
	Accounts, Entries, Jobs, Problems int64
}

// Report is what a run found.
type Report struct {
	Progress
	// ByCheck counts the problems by check; checks without problems are absent.
	ByCheck  map[Check]int64
	Started  time.Time
	Finished time.Time
	// Partial is true when the run was limited to some accounts.
	Partial bool
	// Checks are those that were made.
	Checks []Check
	// Took is how long each of them took. Those that are made in one reading share what it took, and readings go on beside each
	// other, so that they do not add up to the run. Runs of before it was measured have none.
	Took map[Check]time.Duration
	// HeadsDigest is the digest of all newest entries at HeadsAt, see HeadsDigest; empty when Partial.
	HeadsDigest string
	HeadsAt     time.Time
}

// OK reports whether the run found nothing wrong.
func (r Report) OK() bool { return r.Problems == 0 }

// Add counts what came of a check that was made beside the run, and what it took.
func (r *Report) Add(c Compared) {
	r.Checks = append(r.Checks, c.Check)
	r.Took[c.Check] = c.Took
	for _, p := range c.Problems {
		r.Problems++
		r.ByCheck[p.Check]++
	}
}

// Verifier reads one database.
type Verifier struct {
	g *gorm.DB
	// keep is keptEntries; tests make it small.
	keep int
}

// New makes a Verifier over a database opened by models/db.
func New(g *gorm.DB) *Verifier { return &Verifier{g: g, keep: keptEntries} }

// settleTime is how long after a moment no transaction that began before it can still commit: longer
// than any statement or idle transaction is allowed to last.
const settleTime = 2 * time.Minute

// run is the state that the workers of one run share.
type run struct {
	v       *Verifier
	opts    Options
	mu      sync.Mutex
	after   int64 // the last account key handed out
	drained bool
	report  Report
}

// Run verifies the ledger and returns what it found. Problems are no error; an error says that the run
// did not get through, and the report then covers what was read until then.
func (v *Verifier) Run(ctx context.Context, opts Options) (Report, error) {
	if opts.Grace <= 0 {
		opts.Grace = 2 * time.Minute
	}
	if opts.Workers <= 0 {
		opts.Workers = min(runtime.GOMAXPROCS(0), 8)
	}
	r := &run{v: v, opts: opts, report: Report{Started: time.Now().UTC(), ByCheck: map[Check]int64{}, Took: map[Check]time.Duration{},
		Partial: opts.AccountID != "" || opts.Prefix != ""}}
	for _, c := range Checks() {
		// Anchors are compared beside a run, and sums are of all accounts.
		if c != CheckAnchor && c != CheckAnchorFile && (c != CheckRollup && c != CheckTally && c != CheckCost && c != CheckFinding || !r.report.Partial) {
			r.report.Checks = append(r.report.Checks, c)
		}
	}
	err := r.work(ctx)
	if err == nil && !r.report.Partial {
		r.report.HeadsAt = r.report.Started.Add(-settleTime).Truncate(time.Microsecond)
		r.report.HeadsDigest, err = v.HeadsDigest(ctx, r.report.HeadsAt)
	}
	r.report.Finished = time.Now().UTC()
	return r.report, err
}

// work lets the workers take batch after batch until none is left or one of them fails. Operations, triggers, and for a
// whole run the rollup and closed months, are looked at beside them.
func (r *run) work(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := r.parts(ctx, r.besides()); err != nil {
			cancel(err)
		}
	})
	wg.Go(func() {
		if err := r.parts(ctx, r.schema()); err != nil {
			cancel(err)
		}
	})
	var accounts sync.WaitGroup
	began := time.Now()
	for range r.opts.Workers {
		accounts.Go(func() {
			err := r.v.native(ctx, func(conn *pgx.Conn) error {
				w := newWorker(r, conn)
				for {
					b, ok, err := r.next(ctx, conn)
					if err != nil || !ok {
						return err
					}
					if err := w.verify(ctx, b); err != nil {
						return err
					}
				}
			})
			if err != nil {
				cancel(err)
			}
		})
	}
	accounts.Wait()
	r.took(accountChecks(), time.Since(began))
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	return nil
}

// problem counts a problem and tells whoever listens.
func (r *run) problem(p Problem) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Problems++
	r.report.ByCheck[p.Check]++
	if r.opts.OnProblem == nil {
		return nil
	}
	return r.opts.OnProblem(p)
}

// progress adds what one transaction read.
func (r *run) progress(accounts, entries, jobs int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Accounts += accounts
	r.report.Entries += entries
	r.report.Jobs += jobs
	if r.opts.OnProgress != nil {
		r.opts.OnProgress(r.report.Progress)
	}
}
