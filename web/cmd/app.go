package cmd

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
	"gorm.io/gorm"

	"recoup/migrations"
	"recoup/models/actor"
	"recoup/models/approval"
	"recoup/models/bulk"
	"recoup/models/bulkgrant"
	"recoup/models/comparison"
	"recoup/models/cost"
	"recoup/models/costimport"
	"recoup/models/db"
	"recoup/models/deadletter"
	"recoup/models/dependency"
	"recoup/models/export"
	"recoup/models/ids"
	"recoup/models/job"
	"recoup/models/ledger"
	"recoup/models/operation"
	"recoup/models/pricing"
	"recoup/models/rollout"
	"recoup/models/rollup"
	"recoup/models/settlement"
	"recoup/models/staff"
	"recoup/models/task"
	"recoup/models/webhook"
	"recoup/tasks"
	"recoup/web/config"
	"recoup/web/telemetry"
)

// app is the models of one process over one database.
type app struct {
	cfg      config.Config
	log      *slog.Logger
	tel      *telemetry.Telemetry
	g        *gorm.DB
	ops      *operation.Store
	ledger   *ledger.Service
	pricing  *pricing.Service
	rollouts *rollout.Service
	jobs     *job.Service
	staff    *staff.Service
	costs    *cost.Service
	imports  *costimport.Service
	webhooks *webhook.Service
	letters  *deadletter.Service
	// dependencies hold work and judge what it depends on.
	dependencies *dependency.Service
	// tasks are the tasks of the background.
	tasks *task.Store
	// requests are what waits for a second person.
	requests *approval.Store
	// comparisons say what rollouts do.
	comparisons *comparison.Service
	// rollup is the derived sums of entries.
	rollup  *rollup.Store
	exports *export.Service
	// bulkGrants are files of grants.
	bulkGrants *bulkgrant.Store
	// settlements put charges of rollouts right.
	settlements *settlement.Store
	// bulkWorks are changes of many dead letters.
	bulkWorks *bulk.Store
	// relay is nil for commands without a queue.
	relay *tasks.Relay
	// roundsEvery is how often the checks of live rollouts are made: checkEvery, sooner in a test.
	roundsEvery time.Duration
}

// open connects and builds the models; with a queue, also the relay that commits kick. The caller closes
// the app.
func open(ctx context.Context, cfg config.Config, logTo io.Writer, queue bool) (*app, error) {
	a := &app{cfg: cfg, log: telemetry.NewLogger(logTo, cfg.LogJSON, cfg.LogLevel), roundsEvery: checkEvery}
	var err error
	if a.tel, err = telemetry.Setup(ctx, version(), a.log); err != nil {
		return nil, err
	}
	a.g, err = db.Open(ctx, db.Config{URL: cfg.DatabaseURL, MaxConns: cfg.DBConns, LockTimeout: cfg.LockTimeout, StatementTimeout: cfg.StatementTimeout})
	if err != nil {
		return nil, err
	}
	if err := a.build(queue); err != nil {
		a.close(ctx)
		return nil, err
	}
	return a, nil
}

func (a *app) build(queue bool) error {
	if err := a.tel.Instrument(a.g); err != nil {
		return err
	}
	tp, mp := a.tel.TracerProvider(), a.tel.MeterProvider()
	var err error
	if a.ops, err = operation.NewStore(a.g, operation.Options{LockTimeout: a.cfg.LockTimeout, AccountConns: max(1, a.cfg.DBConns/2)}, tp, mp); err != nil {
		return err
	}
	a.requests = approval.NewStore(a.g, a.cfg.ApprovalExpiry)
	if a.ledger, err = ledger.New(a.ops, mp, ledger.Limited(ledger.Limit{Credits: a.cfg.ApprovalLimit, Requests: a.requests})); err != nil {
		return err
	}
	a.pricing = pricing.New(a.ops)
	a.rollouts = rollout.New(a.ops, rollout.Options{
		Costs:    rollout.KnownCosts,
		Requests: a.requests,
		Zone:     a.cfg.BookTimeZone,
		Late:     a.cfg.ScheduleLate,
		Second:   rollout.Second{Start: a.cfg.RolloutApproval.Start, Above: a.cfg.RolloutApproval.Above, Complete: a.cfg.RolloutApproval.Complete},
	})
	a.comparisons = comparison.New(a.g, a.cfg.ReplayRetention)
	a.letters = deadletter.New(a.ops)
	a.dependencies = dependency.New(a.ops)
	a.costs = cost.New(a.ops)
	a.staff = staff.New(a.g, staff.Options{})
	a.rollup = rollup.New(a.g, a.cfg.BookTimeZone)
	var kick func()
	if queue {
		options, err := redisOpt(a.cfg.RedisURL)
		if err != nil {
			return err
		}
		if a.relay, err = tasks.NewRelayFor(a.g, options, a.log, tp, mp); err != nil {
			return err
		}
		kick = a.relay.Kick
	}
	a.tasks = task.New(a.g, kick)
	a.bulkGrants = bulkgrant.New(a.ops, a.ledger, a.requests, a.tasks)
	a.settlements = settlement.New(a.ops, a.ledger, a.requests, a.tasks)
	a.exports = export.NewService(a.ops, a.tasks, a.ledger, export.Options{Direct: a.cfg.ExportDirect, Keep: a.cfg.ExportKeep, Storage: a.cfg.ExportStorage})
	a.imports = costimport.New(a.ops, a.costs, a.tasks)
	secret := a.cfg.Secret
	if secret == "" {
		// Commands that hand out no leases need no secret; one that nobody shares makes any token void.
		secret = ids.Secret(32)
	}
	if a.webhooks, err = webhook.New(a.ops, []byte(secret), webhook.NewSender(a.cfg.WebhookAllow), kick); err != nil {
		return err
	}
	a.jobs, err = job.New(a.ops, a.ledger, job.Options{Secret: []byte(secret), Kick: kick, Policy: job.Policy{
		MaxAttempts: a.cfg.MaxAttempts, Lease: a.cfg.Lease, Deadline: a.cfg.Deadline, Expires: a.cfg.Expires,
		BackoffBase: a.cfg.BackoffBase, BackoffMax: a.cfg.BackoffMax, Jitter: a.cfg.Jitter}}, mp)
	if err != nil {
		return err
	}
	a.bulkWorks = bulk.New(a.ops, a.letters, a.jobs, bulk.Options{Limit: a.cfg.BulkLimit, Requests: a.requests})
	return nil
}

// close gives the connections back and sends what telemetry still holds.
func (a *app) close(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	if a.relay != nil {
		if err := a.relay.Close(); err != nil {
			a.log.Warn("the connection to Redis did not end cleanly", "error", err)
		}
	}
	if pool, err := a.g.DB(); err == nil {
		pool.Close()
	}
	if err := a.tel.Shutdown(ctx); err != nil {
		a.log.Warn("telemetry did not end cleanly", "error", err)
	}
}

// requireCurrentSchema refuses a database that is behind or ahead of this program.
func (a *app) requireCurrentSchema(ctx context.Context) error {
	pool, err := a.g.DB()
	if err != nil {
		return err
	}
	return migrations.Check(ctx, pool)
}

// operator is who acts on the command line: whoever may reach the database. It is a kind of its own so
// that nobody takes it for a signed-in person.
func operator() actor.Actor { return actor.Actor{Kind: "operator"} }

// openFor is open for short commands: plain text logs of warnings and worse, current schema.
func openFor(e *env, needs ...config.Need) (*app, error) {
	cfg, err := config.Load(lookup, append([]config.Need{config.Database}, needs...)...)
	if err != nil {
		return nil, err
	}
	cfg.LogLevel = max(cfg.LogLevel, slog.LevelWarn)
	a, err := open(e.ctx, cfg, e.err, false)
	if err != nil {
		return nil, err
	}
	if err := a.requireCurrentSchema(e.ctx); err != nil {
		a.close(e.ctx)
		return nil, err
	}
	return a, nil
}

// redisOpt reads a Redis URL; config has checked its form.
func redisOpt(raw string) (asynq.RedisConnOpt, error) {
	if u, err := url.Parse(raw); err == nil && u.Scheme == "unix" {
		o, err := redis.ParseURL(raw) // as asynq's own reading leaves out the database of a socket
		if err != nil {
			return nil, fmt.Errorf("REDIS_URL: %w", err)
		}
		return asynq.RedisClientOpt{Network: o.Network, Addr: o.Addr, Username: o.Username, Password: o.Password, DB: o.DB}, nil
	}
	opt, err := asynq.ParseRedisURI(raw)
	if err != nil {
		return nil, fmt.Errorf("REDIS_URL: %w", err)
	}
	return opt, nil
}
