package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"golang.org/x/sync/errgroup"

	"recoup/migrations"
	"recoup/models/db"
	"recoup/models/deadletter"
	"recoup/models/horizon"
	"recoup/models/rollup"
	"recoup/models/verify"
)

const (
	fewDead, allDead = 40, 1
	// generateSlice is how many entries one transaction writes.
	generateSlice = 50_000
	// generateLeast is the fewest entries that make the account sizes come out.
	generateLeast = 2_000
)

// generate migrates an empty database and fills it with n entries, their jobs, events and operations, spread over
// fourteen months that end now. An account of every forty entries: one has a tenth of all entries, four a
// fortieth each, a hundredth of the accounts a fifth together, the rest a few dozen each.
//
// The chain trigger runs for every row as it does in production, in the order of time, so that entries lie on disk
// as a ledger that grew would have them. Left out are the foreign keys' own checks, which would lock each account
// row once an entry: verify looks for the same, and it must find nothing.
//
// Of deadEvery jobs that failed for good one becomes a dead letter: with fewDead a few, with allDead one of every forty
// entries, a fifth of them from one outage.
func generate(ctx context.Context, url string, n int64, deadEvery int, log io.Writer) error {
	if n < generateLeast {
		return fmt.Errorf("generate: at least %d entries, not %d", generateLeast, n)
	}
	if err := migrate(ctx, url); err != nil {
		return err
	}
	started := time.Now()
	say := func(what string) { fmt.Fprintf(log, "  %7.1f s  %s\n", time.Since(started).Seconds(), what) }

	g, err := newGenerator(ctx, url)
	if err != nil {
		return err
	}
	defer g.close(ctx)
	if err := g.plan(ctx, n, deadEvery); err != nil {
		return err
	}
	say("planned")
	group, inner := errgroup.WithContext(ctx)
	for _, lane := range []struct {
		name       string
		statements []string
	}{
		{"jobs and events", []string{generateJobs, generateDecisions, generateEvents}},
		{"entries", []string{generateEntries}},
		{"operations", []string{generateOperations}},
	} {
		group.Go(func() error {
			if err := fill(inner, url, n, lane.statements); err != nil {
				return fmt.Errorf("generate %s: %w", lane.name, err)
			}
			say(lane.name)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := g.finish(ctx); err != nil {
		return err
	}
	say("heads, statistics")
	if err := derive(ctx, url); err != nil {
		return err
	}
	say("checkpoints, groups, rollup")
	return nil
}

// migrate brings the schema of a database up to date.
func migrate(ctx context.Context, url string) error {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return err
	}
	pool := stdlib.OpenDB(*cfg)
	defer pool.Close()
	_, err = migrations.Up(ctx, pool)
	return err
}

// derive writes what the processes of an installation would have written behind the appends.
func derive(ctx context.Context, url string) error {
	handle, err := db.Open(ctx, db.Config{URL: url})
	if err != nil {
		return err
	}
	if pool, err := handle.DB(); err == nil {
		defer pool.Close()
	}
	models, err := newReads(handle)
	if err != nil {
		return err
	}
	if _, err := models.ledger.RewriteCheckpoints(ctx); err != nil {
		return err
	}
	letters := deadletter.New(models.ops)
	for {
		n, err := letters.FillFingerprints(ctx, 1000)
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
	}
	if _, err := horizon.Settle(ctx, handle); err != nil {
		return err
	}
	if _, err := rollup.New(handle, time.UTC).Rebuild(ctx); err != nil {
		return err
	}
	return handle.WithContext(ctx).Exec(`VACUUM ANALYZE entry_checkpoints, rollup_days, rollup_through, rollup_quarters, dead_letters, dead_letter_groups`).Error
}

// generator holds the connection that plans and finishes.
type generator struct{ conn *pgx.Conn }

func newGenerator(ctx context.Context, url string) (*generator, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	var used bool
	if err = conn.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM accounts)`).Scan(&used); err == nil && used {
		err = errors.New("the database holds accounts already: only an empty one is filled")
	}
	if err != nil {
		conn.Close(ctx)
		return nil, fmt.Errorf("generate: %w", err)
	}
	return &generator{conn}, nil
}

func (g *generator) close(ctx context.Context) { g.conn.Close(context.WithoutCancel(ctx)) }

// plan writes accounts, prices and, into a schema of its own, one row for each entry to come.
func (g *generator) plan(ctx context.Context, n int64, deadEvery int) error {
	for _, s := range []struct {
		sql  string
		args []any
	}{
		{`SET work_mem = '256MB'`, nil},
		{`SET maintenance_work_mem = '512MB'`, nil},
		{`CREATE SCHEMA bench`, nil},
		{generateOptions, []any{deadEvery}},
		{generateSizes, []any{n}},
		{generateAccounts, nil},
		{generateActions, nil},
		{generateRules, nil},
		{generateBaselines, nil},
		{generatePlan, nil},
		{`CREATE INDEX ON bench.plan USING brin (n) WITH (pages_per_range = 16)`, nil},
		{`ANALYZE bench.plan`, nil},
	} {
		if _, err := g.conn.Exec(ctx, s.sql, s.args...); err != nil {
			return fmt.Errorf("generate: plan: %w\n%s", err, s.sql)
		}
	}
	return nil
}

// fill runs the statements for one slice of the plan after another, each in a transaction.
func fill(ctx context.Context, url string, n int64, statements []string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	// Triggers that are ALWAYS on stay on: those that keep the ledger.
	if _, err := conn.Exec(ctx, `SET session_replication_role = replica`); err != nil {
		return err
	}
	for at := int64(0); at < n; at += generateSlice {
		for _, s := range statements {
			if _, err := conn.Exec(ctx, s, at, min(at+generateSlice, n)); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish moves the heads to the newest entries, and the counters of keys behind what was written.
func (g *generator) finish(ctx context.Context) error {
	for _, s := range []string{
		generateHeads,
		`SELECT setval(pg_get_serial_sequence('accounts', 'key'), (SELECT max(key) FROM accounts))`,
		`SELECT setval(pg_get_serial_sequence('jobs', 'key'), (SELECT max(key) FROM jobs))`,
		`DROP SCHEMA bench CASCADE`,
		`VACUUM (ANALYZE, PARALLEL 0)`,
	} {
		if _, err := g.conn.Exec(ctx, s); err != nil {
			return fmt.Errorf("generate: finish: %w\n%s", err, s)
		}
	}
	return nil
}

// verifyGenerated reads everything back.
func verifyGenerated(ctx context.Context, url string, log io.Writer) error {
	handle, err := db.Open(ctx, db.Config{URL: url})
	if err != nil {
		return err
	}
	if pool, err := handle.DB(); err == nil {
		defer pool.Close()
	}
	started, shown := time.Now(), 0
	report, err := verify.New(handle).Run(ctx, verify.Options{OnProblem: func(p verify.Problem) error {
		if shown++; shown <= 10 {
			fmt.Fprintln(log, "  ", p)
		}
		return nil
	}})
	if err != nil {
		return err
	}
	if !report.OK() {
		return fmt.Errorf("the verifier found %d problems in what was generated", report.Problems)
	}
	fmt.Fprintf(log, "  verified in %.1f s: %d accounts, %d entries, %d jobs, no problem\n", time.Since(started).Seconds(), report.Accounts, report.Entries, report.Jobs)
	return nil
}
