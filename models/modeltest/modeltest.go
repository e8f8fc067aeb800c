// Package modeltest gives tests of the models and of everything above them a real PostgreSQL: one
// throw-away cluster a test binary, one fresh and migrated database a test.
package modeltest

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"maps"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/metric/noop"
	tnoop "go.opentelemetry.io/otel/trace/noop"
	"gorm.io/gorm"

	"recoup/migrations"
	"recoup/models/approval"
	"recoup/models/db"
	"recoup/models/deadletter"
	"recoup/models/dependency"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/pricing"
	"recoup/models/rollout"
	"recoup/web/local"
)

const template = "recoup_template"

// cluster is the test binary's PostgreSQL, started by the first test that needs it.
type cluster struct {
	services *local.Services
	mu       sync.Mutex
	count    int
	// seeds are the databases of CopyOf by what they hold.
	seeding sync.Mutex
	seeds   map[string]string
}

// create makes the next database, a copy of from, and returns its name.
func (c *cluster) create(t testing.TB, from string) string {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count++
	name := fmt.Sprintf("t%d", c.count)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := c.services.Postgres.CreateDatabaseFrom(ctx, name, from); err != nil {
		t.Fatalf("modeltest: %v", err)
	}
	return name
}

// fresh makes a copy of from that goes when the test ends, and returns its connection string.
func (c *cluster) fresh(t testing.TB, from string) string {
	t.Helper()
	name := c.create(t, from)
	t.Cleanup(func() {
		if err := c.services.Postgres.DropDatabase(context.Background(), name); err != nil {
			t.Errorf("modeltest: %v", err)
		}
	})
	return c.services.Postgres.URL(name)
}

// start is a package variable because a test binary has exactly one cluster, like its flags.
var start = sync.OnceValues(func() (*cluster, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	contents, err := migrated()
	if err != nil {
		return nil, err
	}
	services, err := local.StartForTests(ctx, local.TestOptions{Contents: contents})
	if err != nil {
		return nil, err
	}
	c := &cluster{services: services, seeds: map[string]string{}}
	running.Store(c)
	return c, nil
})

// running is the cluster once a test has needed it.
var running atomic.Pointer[cluster]

// migrated is a cluster with the migrated database that all others are copies of.
func migrated() (*local.Contents, error) {
	digest, err := migrations.Digest()
	if err != nil {
		return nil, err
	}
	return &local.Contents{Name: "schema-" + digest, Fill: func(ctx context.Context, pg *local.Postgres) error {
		if err := pg.CreateDatabase(ctx, template); err != nil {
			return err
		}
		pool, err := sql.Open("pgx", pg.URL(template))
		if err != nil {
			return err
		}
		_, err = migrations.Up(ctx, pool)
		return errors.Join(err, pool.Close())
	}}, nil
}

// Main runs a package's tests and stops the cluster they started. Use it from TestMain:
//
//	func TestMain(m *testing.M) { os.Exit(modeltest.Main(m)) }
func Main(m *testing.M) int {
	code := m.Run()
	if c := running.Load(); c != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := c.services.Stop(ctx); err != nil {
			fmt.Println("modeltest:", err)
		}
	}
	return code
}

// Waiting lets n tests that call t.Parallel run at once, where there are fewer processors: for packages whose tests wait
// most of their time. -parallel on the command line goes before. Call it from TestMain.
func Waiting(n int) {
	const name = "test.parallel"
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	if given || runtime.GOMAXPROCS(0) >= n {
		return
	}
	if err := flag.Set(name, strconv.Itoa(n)); err != nil {
		panic(err) // the testing package has no such flag any more
	}
}

// URL makes a fresh migrated database, which goes when the test ends, and returns its connection string.
func URL(t testing.TB) string {
	t.Helper()
	c, err := start()
	if err != nil {
		t.Fatalf("modeltest: %v", err)
	}
	return c.fresh(t, template)
}

// CopyOf opens a fresh copy of the database that fill makes of a migrated one. fill is called by the first test of the
// binary that asks for what, and has to keep nothing open; the tests after it begin with the same rows and times.
func CopyOf(t testing.TB, what string, fill func(t testing.TB, g *gorm.DB)) *gorm.DB {
	t.Helper()
	c, err := start()
	if err != nil {
		t.Fatalf("modeltest: %v", err)
	}
	return Open(t, c.fresh(t, c.seed(t, what, fill)), nil)
}

// seed returns the name of the database that holds what.
func (c *cluster) seed(t testing.TB, what string, fill func(t testing.TB, g *gorm.DB)) string {
	t.Helper()
	c.seeding.Lock()
	defer c.seeding.Unlock()
	if name, made := c.seeds[what]; made {
		return name
	}
	name := c.create(t, template)
	g, err := db.Open(context.Background(), db.Config{URL: c.services.Postgres.URL(name), MaxConns: 24})
	if err != nil {
		t.Fatalf("modeltest: %v", err)
	}
	pool, err := g.DB()
	if err != nil {
		t.Fatalf("modeltest: %v", err)
	}
	// Nobody may be connected to a database that is copied, and a failed test must not leave its connections.
	defer pool.Close()
	fill(t, g)
	c.seeds[what] = name
	return name
}

// DB opens a fresh migrated database; it is closed when the test ends.
func DB(t testing.TB) *gorm.DB { return Open(t, URL(t), nil) }

// Open opens a database by its connection string, with an optional tracer of statements.
func Open(t testing.TB, url string, tracer pgx.QueryTracer) *gorm.DB {
	t.Helper()
	g, err := db.Open(context.Background(), db.Config{URL: url, MaxConns: 24, Tracer: tracer})
	if err != nil {
		t.Fatalf("modeltest: %v", err)
	}
	t.Cleanup(func() {
		if pool, err := g.DB(); err == nil {
			pool.Close()
		}
	})
	return g
}

// Models are the services over one database.
type Models struct {
	G       *gorm.DB
	Ops     *operation.Store
	Ledger  *ledger.Service
	Pricing *pricing.Service
	// Rollouts know of costs as in production.
	Rollouts *rollout.Service
	Jobs     *job.Service
	Letters  *deadletter.Service
	// Dependencies hold work.
	Dependencies *dependency.Service
	// Requests and Desk hold what waits for a second person.
	Requests *approval.Store
	Desk     *approval.Desk
}

// Secret is the installation's secret in tests.
const Secret = "a secret of tests, 32 bytes or more"

// Limit makes amounts above credits wait for a second person.
func Limit(g *gorm.DB, credits int64) ledger.Option {
	return ledger.Limited(ledger.Limit{Credits: credits, Requests: approval.NewStore(g, 0)})
}

// New builds the services over g; without options nothing needs a second person.
func New(t testing.TB, g *gorm.DB, policy job.Policy, options ...ledger.Option) *Models {
	t.Helper()
	mp := noop.NewMeterProvider()
	ops, err := operation.NewStore(g, operation.Options{}, tnoop.NewTracerProvider(), mp)
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.New(ops, mp, options...)
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := job.New(ops, l, job.Options{Policy: policy, Secret: []byte(Secret)}, mp)
	if err != nil {
		t.Fatal(err)
	}
	requests := approval.NewStore(g, 0)
	rollouts := rollout.New(ops, rollout.Options{Costs: rollout.KnownCosts, Requests: requests})
	executors := l.Executors()
	maps.Copy(executors, rollouts.Executors())
	return &Models{G: g, Ops: ops, Ledger: l, Pricing: pricing.New(ops), Rollouts: rollouts, Jobs: jobs, Letters: deadletter.New(ops),
		Dependencies: dependency.New(ops), Requests: requests, Desk: approval.NewDesk(ops, executors)}
}

// OwnPostgres starts a PostgreSQL for one test alone, which the test may kill and restart, and waits for
// the disk as production does. url reaches a migrated database in it.
func OwnPostgres(t testing.TB) (pg *local.Postgres, url string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	contents, err := migrated()
	if err != nil {
		t.Fatalf("modeltest: %v", err)
	}
	services, err := local.StartForTests(ctx, local.TestOptions{Fsync: true, Contents: contents})
	if err != nil {
		t.Fatalf("modeltest: %v", err)
	}
	t.Cleanup(func() {
		if err := services.Stop(context.Background()); err != nil {
			t.Errorf("modeltest: %v", err)
		}
	})
	return services.Postgres, services.Postgres.URL(template)
}
