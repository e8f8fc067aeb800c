package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"recoup/migrations"
	"recoup/models/fault"
	"recoup/models/ids"
	"recoup/models/process"
	"recoup/models/staff"
	"recoup/web/config"
	"recoup/web/local"
	"recoup/web/sample"
	"recoup/web/telemetry"
)

type devCmd struct {
	Data          string `help:"Data directory; a directory of your own when not given." type:"path"`
	Listen        string `default:"127.0.0.1:8080" help:"Address of the console and the API."`
	Reset         bool   `help:"Remove the data directory's content first; asks."`
	QuietPipeline bool   `help:"Do not run the simulated media pipeline."`
}

// Help is printed below the usage.
func (devCmd) Help() string {
	return `Starts a private PostgreSQL and Redis in the data directory, unless DATABASE_URL or REDIS_URL name
others, brings the schema up to date, puts sample data into an empty database, runs everything in one
process and prints a link that signs you in, an API key for curl, which replaces that of the start before,
and the private database's address for the other commands. A simulated media pipeline works on the sample's
jobs, so that failures, late successes and dead letters appear by themselves.`
}

func (c devCmd) Run(e *env) error {
	// A taken address is found before anything is started.
	probe, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w; choose another address with --listen", c.Listen, err)
	}
	probe.Close()
	vars, stop, err := c.services(e)
	if err != nil {
		return err
	}
	defer stop()
	cfg, err := config.Load(vars, config.Database, config.Redis, config.Secret)
	if err != nil {
		return err
	}
	a, err := open(e.ctx, cfg, e.err, true)
	if err != nil {
		if given("DATABASE_URL") {
			err = fmt.Errorf("%w\nDATABASE_URL is set; unset it to use a private PostgreSQL", err)
		}
		return err
	}
	defer a.close(e.ctx)
	pool, err := a.g.DB()
	if err != nil {
		return err
	}
	if _, err := migrations.Up(e.ctx, pool); err != nil {
		return err
	}
	return c.run(e, a)
}

// run seeds, tells how to get in, and serves.
func (c devCmd) run(e *env, a *app) error {
	seed := sample.Seeder{Staff: a.staff, Pricing: a.pricing, Ledger: a.ledger, Rollouts: a.rollouts}
	fresh, err := seed.Seed(e.ctx)
	if err != nil {
		return err
	}
	you, err := a.staff.ByEmail(e.ctx, sample.You)
	if fault.As(err) != nil {
		// Nobody is let into somebody else's database by the way.
		return errors.New("this database holds data that is not the sample's, and nobody of the sample is in it. " +
			"Run `recoup serve` and `recoup work` on it, let somebody in with `recoup staff add`, or give dev a database of its own")
	}
	if err != nil {
		return fmt.Errorf("the sample's administrator: %w", err)
	}
	token, err := a.staff.SignInLink(e.ctx, staff.By{Actor: operator()}, you.ID, 24*time.Hour)
	if err != nil {
		return err
	}
	curl, err := seed.CurlKey(e.ctx)
	if err != nil {
		return err
	}
	base := a.cfg.BaseURL.String()
	fmt.Fprintf(e.out, "\n  Recoup is at   %s\n  Sign in once   %s\n  API key        %s\n", base, signInURL(base, token), curl)
	if !given("DATABASE_URL") {
		// A private database's address holds no secret, and other commands need it.
		fmt.Fprintf(e.out, "  DATABASE_URL   %s\n", a.cfg.DatabaseURL)
	}
	fmt.Fprintln(e.out)
	group, ctx := errgroup.WithContext(e.ctx)
	group.Go(func() error { return a.run(ctx, process.Dev, true) })
	if !c.QuietPipeline {
		key, err := seed.PipelineKey(ctx)
		if err != nil {
			return err
		}
		p := sample.Pipeline{URL: base, Key: key, Log: a.log, Fresh: fresh}
		group.Go(func() error { return p.Run(ctx) })
	}
	return group.Wait()
}

// services starts what the environment does not name and returns the options of the process: those of the
// environment, with development's own defaults below them.
func (c devCmd) services(e *env) (config.Lookup, func(), error) {
	defaults := map[string]string{
		"RECOUP_LOG_FORMAT": "text", "RECOUP_LOG_LEVEL": "warn", "RECOUP_LISTEN": c.Listen, "RECOUP_SHUTDOWN_GRACE": "3s",
		// Short times, so that what the sample shows happens while one looks.
		"RECOUP_LEASE": "8s", "RECOUP_BACKOFF_BASE": "2s", "RECOUP_BACKOFF_MAX": "20s", "RECOUP_MAX_ATTEMPTS": "3",
	}
	vars := func(name string) (string, bool) {
		if v, set := lookup(name); set && v != "" && name != "RECOUP_LISTEN" {
			return v, true
		}
		v, set := defaults[name]
		return v, set
	}
	haveDatabase, haveRedis := given("DATABASE_URL"), given("REDIS_URL")
	dir, err := c.dir()
	if err != nil {
		return nil, nil, err
	}
	if c.Reset {
		if haveDatabase {
			return nil, nil, errors.New("--reset removes the private data directory; DATABASE_URL names another database, which is not touched. Nothing was removed")
		}
		if err := reset(e, dir); err != nil {
			return nil, nil, err
		}
	}
	log := telemetry.NewLogger(e.err, false, slog.LevelInfo)
	var stops []func(context.Context) error
	unwatch := func() {}
	stop := func() {
		unwatch()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), 20*time.Second)
		defer cancel()
		for i := len(stops) - 1; i >= 0; i-- {
			if err := stops[i](ctx); err != nil {
				log.Warn("a private service did not stop cleanly", "error", err)
			}
		}
	}
	options := local.Options{Dir: dir, Log: log}
	var services []watched
	if !haveDatabase {
		fmt.Fprintf(e.out, "Starting PostgreSQL in %s …\n", dir)
		pg, err := local.StartPostgres(e.ctx, options)
		if err != nil {
			return nil, nil, err
		}
		stops = append(stops, pg.Stop)
		services = append(services, watched{"PostgreSQL", func() bool { return pg.PID() != 0 }, pg.Restart})
		if err := pg.EnsureDatabase(e.ctx, local.DatabaseName); err != nil {
			stop()
			return nil, nil, err
		}
		defaults["DATABASE_URL"] = pg.URL(local.DatabaseName)
	}
	if !haveRedis {
		redis, err := local.StartRedis(e.ctx, options)
		if err != nil {
			stop()
			return nil, nil, err
		}
		stops = append(stops, redis.Stop)
		if redis.Kind() != local.RedisInProcess {
			services = append(services, watched{"Redis", func() bool { return redis.PID() != 0 }, redis.Restart})
		}
		defaults["REDIS_URL"] = redisURL(redis)
	}
	if defaults["RECOUP_SECRET"], err = devSecret(dir); err != nil {
		stop()
		return nil, nil, err
	}
	unwatch = watch(e.ctx, log, services...)
	return vars, stop, nil
}

// given tells whether the environment names something; an empty value names nothing.
func given(name string) bool {
	v, set := lookup(name)
	return set && v != ""
}

func redisURL(r *local.Redis) string {
	if r.Network() == "unix" {
		return (&url.URL{Scheme: "unix", Path: r.Addr()}).String()
	}
	return "redis://" + r.Addr()
}

func (c devCmd) dir() (string, error) {
	if c.Data != "" {
		return c.Data, nil
	}
	return local.DefaultDir()
}

// devSecret keeps the installation's secret in the data directory, so that leases outlive a restart.
func devSecret(dir string) (string, error) {
	path := filepath.Join(dir, "secret")
	b, err := os.ReadFile(path)
	if err == nil {
		return strings.TrimSpace(string(b)), nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("read the secret: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the data directory: %w", err)
	}
	secret := ids.Secret(32)
	if err := os.WriteFile(path, []byte(secret+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("keep the secret: %w", err)
	}
	return secret, nil
}

// reset removes what earlier runs left in the data directory after the person has typed yes. A directory
// that is in use, or that holds anything of somebody else's, is refused.
func reset(e *env, dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	fmt.Fprintf(e.out, "This removes the ledger and everything else in %s. Type yes to go on: ", dir)
	answer, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the answer: %w", err)
	}
	if strings.TrimSpace(answer) != "yes" {
		return errors.New("nothing was removed")
	}
	return local.Remove(e.ctx, dir)
}
