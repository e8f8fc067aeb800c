package cmd

import (
	"context"
	"os"
	"strings"

	"golang.org/x/sync/errgroup"

	"recoup/handlers/api"
	"recoup/handlers/console"
	"recoup/migrations"
	"recoup/models/approval"
	"recoup/models/audit"
	"recoup/models/inbox"
	"recoup/models/process"
	"recoup/models/verify"
	"recoup/tasks"
	"recoup/web"
	"recoup/web/config"
	"recoup/web/session"
)

type serveCmd struct{}

// Help is printed below the usage.
func (serveCmd) Help() string { return optionsHelp() }

func (serveCmd) Run(e *env) error { return production(e, process.Serve, true) }

type workCmd struct{}

// Help is printed below the usage.
func (workCmd) Help() string { return optionsHelp() }

// optionsHelp is the table of options. What is not indented is set as running text.
func optionsHelp() string {
	intro, table, _ := strings.Cut(config.Help(), "\n\n")
	return intro + "\n\n    " + strings.ReplaceAll(strings.TrimRight(table, "\n"), "\n", "\n    ")
}

func (workCmd) Run(e *env) error { return production(e, process.Work, false) }

// production runs one process of an installation over a database whose schema is current.
func production(e *env, kind process.Kind, serve bool) error {
	cfg, err := config.Load(lookup, config.Database, config.Redis, config.Secret)
	if err != nil {
		return err
	}
	a, err := open(e.ctx, cfg, e.err, true)
	if err != nil {
		return err
	}
	defer a.close(e.ctx)
	for _, name := range config.Unknown(os.Environ()) {
		a.log.WarnContext(e.ctx, "there is no such option", "name", name)
	}
	if err := a.requireCurrentSchema(e.ctx); err != nil {
		return err
	}
	return a.run(e.ctx, kind, serve)
}

// server wires the HTTP side.
func (a *app) server() (*web.Server, error) {
	pool, err := a.g.DB()
	if err != nil {
		return nil, err
	}
	sessions := session.New(a.staff, a.cfg.SecureCookies)
	jsonAPI := api.New(api.Deps{
		Ledger:       a.ledger,
		Verifier:     verify.New(a.g),
		Pricing:      a.pricing,
		Jobs:         a.jobs,
		Ops:          a.ops,
		Requests:     a.requests,
		Dependencies: a.dependencies,
		Letters:      a.letters,
		Costs:        a.costs,
		Database:     func(ctx context.Context) error { return migrations.Check(ctx, pool) },
		Queue: func(context.Context) error {
			if s := a.relay.Status(); !s.RedisOK {
				return errRedisAway
			}
			return nil
		},
		Unready: func(ctx context.Context, check string, err error) {
			a.log.WarnContext(ctx, "not ready", "check", check, "error", err)
		},
	})
	pages := console.New(console.Deps{
		Costs:      a.costs,
		Imports:    a.imports,
		Requests:   a.requests,
		BulkGrants: a.bulkGrants,
		BulkWorks:  a.bulkWorks,
		Tasks:      a.tasks,
		Desk:       approval.NewDesk(a.ops, a.executors()),
		Staff:      a.staff,
		Sessions:   sessions,
		Ledger:     a.ledger,
		Pricing:    a.pricing,
		Rollouts:   a.rollouts,
		Inbox:      inbox.New(a.g),
		Jobs:       a.jobs,
		Letters:    a.letters,
		Ops:        a.ops,
		Processes:  process.New(a.g),
		Verifier:   verify.New(a.g),
		Months:     a.months(),
		Integrity:  verify.NewDesk(a.ops, a.tasks),
		Audit:      audit.NewLog(a.g),
		Exports:    a.exports,
		Webhooks:   a.webhooks,

		Dependencies: a.dependencies,

		Comparisons: a.comparisons,
		Settlements: a.settlements,
		TraceURL:    a.cfg.TraceURL,
	})
	routes := web.Routes(jsonAPI, pages)
	if a.cfg.MetricsListen == "" {
		routes = append(routes, web.MetricsRoute(a.tel.MetricsHandler()))
	}
	return web.New(web.Options{Logger: a.log, Telemetry: a.tel, Authenticator: sessions, Routes: routes, ErrorPage: pages.ErrorPage,
		BaseURL: a.cfg.BaseURL, TrustedProxies: a.cfg.TrustedProxies, ShutdownGrace: a.cfg.ShutdownGrace})
}

// run runs a process's loops, and the HTTP server where serve is set, until ctx ends or one of them fails.
func (a *app) run(ctx context.Context, kind process.Kind, serve bool) error {
	runner, err := tasks.New(tasks.Options{
		Kind:           kind,
		G:              a.g,
		Relay:          a.relay,
		Jobs:           a.jobs,
		Background:     a.background(),
		Webhooks:       a.webhooks,
		Log:            a.log,
		TracerProvider: a.tel.TracerProvider(),
		MeterProvider:  a.tel.MeterProvider(),
		Version:        version(),
		SweepInterval:  a.cfg.SweepInterval,
		ShutdownGrace:  a.cfg.ShutdownGrace,
	})
	if err != nil {
		return err
	}
	if kind != process.Serve {
		saveMemory()
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return runner.Run(ctx) })
	group.Go(func() error { return a.caretake(ctx) })
	if kind != process.Serve {
		group.Go(func() error { return a.checkpoint(ctx) })
		group.Go(func() error { return a.anchor(ctx) })
		group.Go(func() error { return a.rollUp(ctx) })
		group.Go(func() error { return a.checkRollouts(ctx) })
		group.Go(func() error { return a.fireSchedule(ctx) })
		group.Go(func() error { return a.watchCaps(ctx) })
		group.Go(func() error { return a.compareRollouts(ctx) })
		group.Go(func() error { return a.doBulkWorks(ctx) })
		group.Go(func() error { return a.keepDependencies(ctx) })
		group.Go(func() error { return a.nightly(ctx) })
	}
	if a.cfg.MetricsListen != "" {
		group.Go(func() error { return web.ServeMetrics(ctx, a.cfg.MetricsListen, a.tel.MetricsHandler(), a.log) })
	}
	if serve {
		server, err := a.server()
		if err != nil {
			return err
		}
		group.Go(func() error { return server.ListenAndServe(ctx, a.cfg.Listen) })
	}
	return group.Wait()
}
