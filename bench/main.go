// Command bench measures how fast Recoup charges, refunds, reclaims and replays, and says it as a ratio to
// pgbench running the equivalent as one statement on the same cluster, in turn, in the same run. Ratios can
// be compared between machines; rates cannot.
//
//	go run ./bench                       all workloads, three rounds of five seconds
//	go run ./bench -only charge,hot -rounds 1
//	go run ./bench -fsync=false          without waiting for the disk
//	go run ./bench pages -h              how long pages take over a small and a large ledger
//	go run ./bench queries -h            PostgreSQL's plan of each query behind the pages
//	go run ./bench export -h             what memory files of a million entries take
//	go run ./bench generate -h           fills a database with a ledger of millions of entries
//
// The models are called in this process; over HTTP a `recoup serve` is built and run beside it. The private
// PostgreSQL is thrown away at the end, after the verifier has read back everything that was written and
// found nothing wrong. Beside the rates stands the processor time of an operation, all processes together:
// on a machine that others use it is the figure to trust. Run it from within the module.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"go.opentelemetry.io/otel/metric/noop"
	tnoop "go.opentelemetry.io/otel/trace/noop"
	"gorm.io/gorm"

	"recoup/migrations"
	"recoup/models/actor"
	"recoup/models/credit"
	"recoup/models/db"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/pricing"
	"recoup/web/local"
)

// bench is one run of the program.
type bench struct {
	only     []string
	layers   []string
	seconds  int
	rounds   int
	clients  int
	accounts int
	pool     int

	// pids are the processes whose time counts, beside this one: PostgreSQL and the server.
	pids    []int
	log     io.Writer
	url     string
	conn    *pgx.Conn
	g       *gorm.DB
	pg      *pgbench
	targets []target
}

func (b *bench) chosen(workload string) bool {
	return len(b.only) == 0 || slices.Contains(b.only, workload)
}

func (b *bench) has(layer string) bool { return slices.Contains(b.layers, layer) }

func main() {
	log.SetFlags(0)
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		if err := command(os.Args[1], os.Args[2:]); err != nil {
			log.Fatalf("bench: %v", err)
		}
		return
	}
	b := &bench{log: os.Stderr}
	only := flag.String("only", "", "workloads to run, separated by commas: "+strings.Join(workloads(), ", "))
	layers := flag.String("layers", "model,http", "ways in to measure, separated by commas: model, http")
	fsync := flag.Bool("fsync", true, "wait for the disk at each commit, as in production")
	profile := flag.String("cpuprofile", "", "write a CPU profile of this program to a file")
	flag.IntVar(&b.seconds, "seconds", 5, "seconds a measurement")
	flag.IntVar(&b.rounds, "rounds", 3, "rounds; the table shows their median")
	flag.IntVar(&b.clients, "clients", 32, "clients at once")
	flag.IntVar(&b.accounts, "accounts", 1000, "accounts the work is spread over")
	flag.IntVar(&b.pool, "pool", 16, "database connections of the models")
	flag.Parse()
	if *only != "" {
		b.only = strings.Split(*only, ",")
		for _, w := range b.only {
			if !slices.Contains(workloads(), w) {
				log.Fatalf("bench: there is no workload %q; there are %s", w, strings.Join(workloads(), ", "))
			}
		}
	}
	b.layers = strings.Split(*layers, ",")
	for _, l := range b.layers {
		if l != "model" && l != "http" {
			log.Fatalf("bench: there is no layer %q; there are model and http", l)
		}
	}
	if b.seconds < 1 || b.rounds < 1 || b.clients < 1 || b.accounts < 1 {
		log.Fatal("bench: -seconds, -rounds, -clients and -accounts must be at least 1")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := b.run(ctx, *fsync, *profile)
	stop()
	if err != nil {
		log.Fatalf("bench: %v", err)
	}
}

// command runs what is not a measurement of changes.
func command(name string, args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	switch name {
	case "generate":
		return runGenerate(ctx, args)
	case "export":
		return runExport(ctx, args)
	case "queries":
		return runQueries(ctx, args)
	case "pages":
		return runPages(ctx, args)
	}
	return fmt.Errorf("there is no command %q; there are export, generate, pages and queries", name)
}

func (b *bench) run(ctx context.Context, fsync bool, profile string) (err error) {
	services, err := local.StartForTests(ctx, local.TestOptions{Fsync: fsync, Redis: b.has("http"), Settings: map[string]string{
		"shared_buffers": "512MB", "max_wal_size": "4GB", "checkpoint_timeout": "30min",
		// Tests do without; what is measured here is what an installation has.
		"autovacuum": "on", "wal_level": "replica", "max_wal_senders": "10", "wal_init_zero": "on"}})
	if err != nil {
		return err
	}
	defer func() {
		if stopErr := services.Stop(context.WithoutCancel(ctx)); err == nil {
			err = stopErr
		}
	}()
	if err := services.Postgres.CreateDatabase(ctx, local.DatabaseName); err != nil {
		return err
	}
	b.url, b.pids = services.Postgres.URL(local.DatabaseName), []int{services.Postgres.PID()}
	scripts, err := os.MkdirTemp("", "recoup-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scripts)
	if err := b.setUp(ctx, scripts); err != nil {
		return err
	}
	defer b.conn.Close(context.WithoutCancel(ctx))
	if b.has("http") {
		server, err := b.startServer(ctx, redisURL(services.Redis.Network(), services.Redis.Addr()), scripts)
		if err != nil {
			return err
		}
		defer func() {
			if stopErr := server.stop(); err == nil {
				err = stopErr
			}
		}()
		b.pids = append(b.pids, server.cmd.Process.Pid)
		b.targets = append(b.targets, server.target)
	}

	if profile != "" {
		file, err := os.Create(filepath.Clean(profile))
		if err != nil {
			return err
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	fmt.Fprintf(b.log, "PostgreSQL at fsync=%v, %d processors, %d clients, %d accounts, %d connections\n",
		fsync, runtime.GOMAXPROCS(0), b.clients, b.accounts, b.pool)
	var all []measure
	for round := 1; round <= b.rounds; round++ {
		fmt.Fprintf(b.log, "round %d\n", round)
		for _, t := range b.targets {
			measures, err := b.round(ctx, t, round)
			if err != nil {
				return err
			}
			all = append(all, measures...)
		}
	}
	for round := 1; round <= b.rounds && b.chosen("verify"); round++ {
		m, err := b.verify(ctx)
		if err != nil {
			return err
		}
		all = append(all, m)
	}
	printTable(os.Stdout, all)
	return nil
}

// setUp makes the schema, the action, the accounts and the ways in.
func (b *bench) setUp(ctx context.Context, scripts string) (err error) {
	cfg, err := pgx.ParseConfig(b.url)
	if err != nil {
		return err
	}
	pool := stdlib.OpenDB(*cfg)
	_, err = migrations.Up(ctx, pool)
	pool.Close()
	if err != nil {
		return err
	}
	if b.conn, err = pgx.Connect(ctx, b.url); err != nil {
		return err
	}
	if _, err := b.conn.Exec(ctx, `CREATE SEQUENCE bench_n`); err != nil {
		return err
	}
	if b.pg, err = newPgbench(ctx, b.url, b.clients, scripts); err != nil {
		return err
	}
	if b.g, err = db.Open(ctx, db.Config{URL: b.url, MaxConns: b.pool}); err != nil {
		return err
	}
	mp := noop.NewMeterProvider()
	ops, err := operation.NewStore(b.g, operation.Options{}, tnoop.NewTracerProvider(), mp)
	if err != nil {
		return err
	}
	accounts, err := ledger.New(ops, mp)
	if err != nil {
		return err
	}
	jobs, err := job.New(ops, accounts, job.Options{Policy: job.DefaultPolicy(), Secret: make([]byte, 32)}, mp)
	if err != nil {
		return err
	}
	if b.has("model") {
		b.targets = append(b.targets, modelTarget{jobs})
	}
	_, err = pricing.New(ops).SetPrice(ctx, pricing.NewRule{OperationID: "bench-price", Actor: actor.System(), Action: action,
		Unit: "second", UnitPrice: 1000, Rounding: credit.RoundHalfEven, Reason: "bench"})
	if err != nil {
		return err
	}
	_, _, err = drive(ctx, b.clients, time.Hour, int64(b.accounts), func(ctx context.Context, n int64) error {
		id := b.account(n)
		if _, err := accounts.PutAccount(ctx, ledger.Profile{Envelope: envelope("put-" + id), AccountID: id}); err != nil {
			return err
		}
		_, err := accounts.Grant(ctx, ledger.GrantRequest{Envelope: envelope("grant-" + id), AccountID: id, Amount: 1 << 50, Category: ledger.Paid})
		return err
	})
	return err
}

// printTable shows the median round of every workload, and beside the hot account what it is of the
// rate over all accounts.
func printTable(w io.Writer, all []measure) {
	type key struct{ workload, target string }
	groups := map[key][]measure{}
	for _, m := range all {
		k := key{m.workload, m.target}
		groups[k] = append(groups[k], m)
	}
	median := func(k key) (measure, bool) {
		g := groups[k]
		if g == nil {
			return measure{}, false
		}
		sort.Slice(g, func(i, j int) bool { return g[i].ratio() < g[j].ratio() })
		return g[len(g)/2], true
	}
	fmt.Fprintf(w, "%-10s %-6s %10s %10s %7s %14s\n", "workload", "layer", "recoup/s", "beside/s", "ratio", "ratio by cpu")
	line := func(name, layer string, m measure) {
		fmt.Fprintf(w, "%-10s %-6s %10.0f %10.0f %7.2f %14.2f\n", name, layer, m.ours.rate, m.beside.rate, m.ratio(), m.cpuRatio())
	}
	for _, t := range []string{"model", "http"} {
		for _, name := range workloads() {
			if m, ok := median(key{name, t}); ok {
				line(name, t, m)
			}
		}
		hot, ok1 := median(key{"hot", t})
		charge, ok2 := median(key{"charge", t})
		if ok1 && ok2 {
			line("hot:spread", t, measure{"hot:spread", t, hot.ours, charge.ours})
		}
	}
}
