package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/metric/noop"
	tnoop "go.opentelemetry.io/otel/trace/noop"
	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/approval"
	"recoup/models/db"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/page"
	"recoup/models/verify"
)

// reads are the models whose queries the pages run.
type reads struct {
	ops    *operation.Store
	ledger *ledger.Service
	jobs   *job.Service
}

func newReads(g *gorm.DB) (reads, error) {
	mp := noop.NewMeterProvider()
	ops, err := operation.NewStore(g, operation.Options{}, tnoop.NewTracerProvider(), mp)
	if err != nil {
		return reads{}, err
	}
	// Any limit will do: what was moved within it is read in the same way.
	l, err := ledger.New(ops, mp, ledger.Limited(ledger.Limit{Credits: 1000, Requests: approval.NewStore(g, time.Hour)}))
	if err != nil {
		return reads{}, err
	}
	j, err := job.New(ops, l, job.Options{Policy: job.DefaultPolicy(), Secret: make([]byte, 32)}, mp)
	return reads{ops, l, j}, err
}

// hotQuery is something pages read, and the indexes that have to lead to it.
type hotQuery struct {
	name string
	run  func(ctx context.Context, r reads) error
	want []string
}

// hotQueries are the reads behind the pages that finance has open all day, in the words of those pages.
func hotQueries() []hotQuery {
	now := time.Now()
	month, week := now.AddDate(0, -1, 0), now.AddDate(0, 0, -7)
	limit := int64(100)
	list := func(f ledger.Filter) func(context.Context, reads) error {
		return func(ctx context.Context, r reads) error {
			_, err := r.ledger.List(ctx, f, nil, page.Older, 50)
			return err
		}
	}
	deep := func(f ledger.Filter) func(context.Context, reads) error {
		return func(ctx context.Context, r reads) error {
			_, err := r.ledger.List(ctx, f, &ledger.Position{At: month, AccountKey: 1, Seq: 30}, page.Older, 50)
			return err
		}
	}
	sums := func(f ledger.Filter) func(context.Context, reads) error {
		return func(ctx context.Context, r reads) error {
			_, _, err := r.ledger.TotalsUpTo(ctx, f, 10_000)
			return err
		}
	}
	accounts := func(f ledger.AccountFilter) func(context.Context, reads) error {
		return func(ctx context.Context, r reads) error {
			_, err := r.ledger.Accounts(ctx, f, nil, page.Older, 50)
			return err
		}
	}
	jobs := func(f job.Filter, o job.Order) func(context.Context, reads) error {
		return func(ctx context.Context, r reads) error {
			_, err := r.jobs.List(ctx, f, o, nil, page.Older, 50)
			return err
		}
	}
	const tail = "acct_9"
	return []hotQuery{
		{"Ledger, first page", list(ledger.Filter{}), []string{"entries_by_time"}},
		{"Ledger, a page deep down", deep(ledger.Filter{}), []string{"entries_by_time"}},
		{"Ledger of a period", list(ledger.Filter{From: &week, To: &now}), []string{"entries_by_time"}},
		{"Ledger, charges", list(ledger.Filter{Types: []ledger.Type{ledger.Charge}}), []string{"entries_by_time"}},
		{"Ledger, adjustments", list(ledger.Filter{Types: []ledger.Type{ledger.Adjustment}}), []string{"entries_by_type"}},
		{"Ledger, several types", list(ledger.Filter{Types: []ledger.Type{ledger.Refund, ledger.Reclaim}}), []string{"entries_by_type"}},
		{"Ledger, adjustments of a period", list(ledger.Filter{Types: []ledger.Type{ledger.Adjustment}, From: &month, To: &now}), []string{"entries_by_type"}},
		{"Ledger, a rule version", list(ledger.Filter{RuleVersion: "voice_over@v1"}), []string{"entries_by_rule"}},
		{"Ledger, a rule version, a page deep down", deep(ledger.Filter{RuleVersion: "voice_over@v1"}), []string{"entries_by_rule"}},
		{"Ledger, a rule version in a period", list(ledger.Filter{RuleVersion: "voice_over@v1", From: &month, To: &week}), []string{"entries_by_rule"}},
		{"Ledger, a rollout", list(ledger.Filter{RolloutID: "ro_generated"}), []string{"entries_of_rollout"}},
		{"Ledger, a person", list(ledger.Filter{Actor: "staff:st_generated00001"}), []string{"entries_by_people"}},
		{"Ledger, a job id", list(ledger.Filter{JobID: "job-77"}), []string{"jobs_by_id", "entries_once_a_job"}},
		{"Ledger, an operation id", list(ledger.Filter{OperationID: "charge-77"}), []string{"entries_by_operation"}},
		{"Ledger, a key (within a time limit)", list(ledger.Filter{Actor: "key:platform00000000"}), []string{"entries_by_time"}},
		{"Ledger, amounts (within a time limit)", list(ledger.Filter{MinAmount: &limit}), []string{"entries_by_time"}},
		{"Totals of all entries", sums(ledger.Filter{}), []string{"entries_by_time", "rollup_through_pkey"}},
		{"Totals of a job", sums(ledger.Filter{JobID: "job-77"}), []string{"jobs_by_id", "entries_once_a_job"}},
		{"Totals of a person in a period", sums(ledger.Filter{Actor: "staff:st_generated00001", From: &month}), []string{"entries_by_people"}},

		{"Statement, first page", list(ledger.Filter{AccountID: tail}), []string{"entries_pkey"}},
		{"Statement, a page deep down", deep(ledger.Filter{AccountID: "acct_1"}), []string{"entries_pkey"}},
		{"Statement of a period", list(ledger.Filter{AccountID: tail, From: &month, To: &week}), []string{"entries_pkey"}},
		{"Statement, one type", list(ledger.Filter{AccountID: "acct_1", Types: []ledger.Type{ledger.Adjustment}}), []string{"entries_of_account_by_type"}},
		{"Totals of a statement's period", sums(ledger.Filter{AccountID: "acct_1", From: &month, To: &week}), []string{"entries_pkey", "entry_checkpoints_pkey"}},
		{"Balances at the ends of periods and days", func(ctx context.Context, r reads) error {
			_, err := r.ledger.BalancesBefore(ctx, tail, []time.Time{month, week, now})
			return err
		}, []string{"accounts_id_key", "entries_pkey"}},
		{"Head against the newest entry", func(ctx context.Context, r reads) error {
			_, err := r.ledger.HeadDiffers(ctx, 9)
			return err
		}, []string{"accounts_pkey", "entries_pkey"}},
		{"Why is this balance X", func(ctx context.Context, r reads) error {
			_, err := r.ledger.Replay(ctx, tail, nil)
			return err
		}, []string{"entries_pkey", "jobs_pkey"}},
		{"Jobs of an account", jobs(job.Filter{AccountID: tail}, job.ByCharge), []string{"jobs_of_account"}},
		{"What could still be reclaimed", func(ctx context.Context, r reads) error {
			_, err := r.jobs.Reclaimable(ctx, tail, 1000)
			return err
		}, []string{"jobs_reclaimable_of_account"}},

		{"Account by its id", func(ctx context.Context, r reads) error {
			_, err := r.ledger.Account(ctx, tail)
			return err
		}, []string{"accounts_id_key"}},
		{"Accounts", accounts(ledger.AccountFilter{}), []string{"accounts_id_key"}},
		{"Accounts, search by a name that few have", accounts(ledger.AccountFilter{Search: "Harbour Studio 66"}), []string{"accounts_name"}},
		{"Accounts, search by a name that many have", accounts(ledger.AccountFilter{Search: "harbour"}), []string{"accounts_id_key", "accounts_name"}},
		{"Accounts, search by id and name", accounts(ledger.AccountFilter{Search: "acct_12"}), []string{"accounts_id_key", "accounts_name"}},
		{"Accounts below zero", accounts(ledger.AccountFilter{Negative: true}), []string{"accounts_negative"}},
		{"What a person may still move alone on an account today", func(ctx context.Context, r reads) error {
			_, _, err := r.ledger.RoomOf(ctx, actor.Staff("st_generated00001"), "acct_1")
			return err
		}, []string{"accounts_id_key", "entries_given", "bulk_grant_references_pkey", "change_requests_account_key_scope_operation_id_key"}},
		{"What a key moved alone on many accounts today", func(ctx context.Context, r reads) error {
			_, err := r.ledger.OverTogether(ctx, r.ops.DB(), actor.Key("platform00000000"), map[int64]int64{1: 10, 2: 20})
			return err
		}, []string{"entries_given", "bulk_grant_references_pkey"}},
		{"Entries of a page that the last verification found broken", func(ctx context.Context, r reads) error {
			_, err := verify.New(r.ops.DB()).Broken(ctx, []verify.EntryName{{Account: "acct_1", Seq: 1}, {Account: tail, Seq: 2}})
			return err
		}, []string{"verify_problems_pkey"}},
		{"Search, operations by id", func(ctx context.Context, r reads) error {
			_, err := r.ops.WithID(ctx, "charge-77", 20)
			return err
		}, []string{"operations_by_id"}},
		{"Jobs by id", func(ctx context.Context, r reads) error {
			_, err := r.jobs.WithID(ctx, "job-77", 20)
			return err
		}, []string{"jobs_by_id"}},
		{"Jobs", jobs(job.Filter{}, job.ByCharge), []string{"jobs_by_time"}},
	}
}

// recorder keeps the queries that a connection ran.
type recorder struct {
	mu      sync.Mutex
	queries []string
}

// TraceQueryStart implements pgx.QueryTracer.
func (r *recorder) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if sql := strings.TrimSpace(q.SQL); strings.HasPrefix(strings.TrimLeft(sql, "("), "SELECT") || strings.HasPrefix(sql, "WITH") {
		r.mu.Lock()
		defer r.mu.Unlock()
		if !slices.Contains(r.queries, sql) {
			r.queries = append(r.queries, sql)
		}
	}
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (*recorder) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// take returns what was recorded since the last call.
func (r *recorder) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { r.queries = nil }()
	return r.queries
}

// explainer tells PostgreSQL's plan of queries that the models ran.
type explainer struct {
	recorded *recorder
	reads    reads
	conn     *pgx.Conn
	close    func()
	// last are the queries of the last call of plans.
	last []string
}

func newExplainer(ctx context.Context, url string) (*explainer, error) {
	x := &explainer{recorded: &recorder{}}
	g, err := db.Open(ctx, db.Config{URL: url, Tracer: x.recorded})
	if err != nil {
		return nil, err
	}
	pool, err := g.DB()
	if err != nil {
		return nil, err
	}
	if x.reads, err = newReads(g); err == nil {
		x.conn, err = pgx.Connect(ctx, url)
	}
	if err != nil {
		pool.Close()
		return nil, err
	}
	x.close = func() { x.conn.Close(context.WithoutCancel(ctx)); pool.Close() }
	// As the program's own connections plan: without looking at the values.
	if _, err := x.conn.Exec(ctx, `SET plan_cache_mode = force_generic_plan`); err != nil {
		x.close()
		return nil, err
	}
	return x, nil
}

var parameter = regexp.MustCompile(`\$(\d+)`)

// plans runs what a page reads and returns each query's plan.
func (x *explainer) plans(ctx context.Context, q hotQuery) ([]string, error) {
	x.recorded.take()
	if err := q.run(ctx, x.reads); err != nil {
		return nil, fmt.Errorf("%s: %w", q.name, err)
	}
	var out []string
	x.last = x.recorded.take()
	for _, sql := range x.last {
		plan, err := x.plan(ctx, sql)
		if err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", q.name, err, sql)
		}
		out = append(out, plan)
	}
	return out, nil
}

func (x *explainer) plan(ctx context.Context, sql string) (string, error) {
	values := 0
	for _, m := range parameter.FindAllStringSubmatch(sql, -1) {
		if n, err := strconv.Atoi(m[1]); err == nil {
			values = max(values, n)
		}
	}
	if _, err := x.conn.Exec(ctx, `PREPARE explained AS `+sql, pgx.QueryExecModeSimpleProtocol); err != nil {
		return "", err
	}
	execute := `EXPLAIN (COSTS OFF) EXECUTE explained`
	if values > 0 {
		execute += "(" + strings.Repeat("NULL, ", values-1) + "NULL)"
	}
	rows, err := x.conn.Query(ctx, execute, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return "", err
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return "", err
	}
	_, err = x.conn.Exec(ctx, `DEALLOCATE explained`)
	return strings.Join(lines, "\n"), err
}

// runQueries is `bench queries`: the plans of all hot queries as a page of the documentation.
func runQueries(ctx context.Context, args []string) (err error) {
	flags := flag.NewFlagSet("bench queries", flag.ExitOnError)
	n := flags.Int64("entries", 100_000, "size of the ledger; generated where there is none")
	url := flags.String("url", "", "a database to ask instead")
	data := flags.String("data", "", "directory of a private PostgreSQL that stays; a temporary one when empty")
	support := flags.Bool("dead", false, "those behind the pages of support, over a ledger with one dead letter of forty entries; a line of waiting jobs is added to the copy of it that is asked")
	flags.Parse(args) //nolint:errcheck // ExitOnError
	queries := slices.Concat(hotQueries(), monthQueries(), comparisonQueries())
	deadEvery := fewDead
	if *support {
		queries, deadEvery = supportQueries(), allDead
	}
	if *url == "" {
		l, err := openLedgers(ctx, *data)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, l.close(ctx)) }()
		if *url, err = l.ledger(ctx, *n, deadEvery, os.Stderr); err != nil {
			return err
		}
		drop, err := l.copy(ctx, url)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, drop()) }()
		if err := fillDecisions(ctx, *url); err != nil {
			return err
		}
		if *support {
			if err := fillLine(ctx, *url); err != nil {
				return err
			}
		}
	}
	x, err := newExplainer(ctx, *url)
	if err != nil {
		return err
	}
	defer x.close()
	return writePlans(ctx, os.Stdout, x, queries)
}

func writePlans(ctx context.Context, w io.Writer, x *explainer, queries []hotQuery) error {
	for _, q := range queries {
		started := time.Now()
		plans, err := x.plans(ctx, q)
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%8.1f ms  %s\n", float64(time.Since(started).Microseconds())/1000, q.name)
		fmt.Fprintf(w, "### %s\n\n```\n%s\n```\n\n", q.name, strings.Join(plans, "\n\n"))
	}
	return nil
}
