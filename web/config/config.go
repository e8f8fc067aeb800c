// Package config reads Recoup's options from the environment.
//
// Options holds every option once: name, default and meaning. Help prints that table, Load reads by
// it, and a test keeps the three together. A secret NAME may also be given as NAME_FILE, the path of
// a file that holds it. The options of OpenTelemetry (OTEL_*) are read by its own libraries; the
// table names the few that matter here.
package config

import (
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Config is what one process was told. It holds secrets: never log it whole.
type Config struct {
	// DatabaseURL reaches PostgreSQL. Secret.
	DatabaseURL string
	// RedisURL reaches Redis. Secret.
	RedisURL string
	// Listen is the address of the HTTP server, host:port.
	Listen string
	// MetricsListen is the address of a listener of its own for /metrics; empty means /metrics is
	// served on Listen.
	MetricsListen string
	// BaseURL is where browsers and callers reach this installation, without a trailing slash;
	// http://<Listen> when it was not given. Never nil after Load.
	BaseURL *url.URL
	// Secret derives lease tokens: every process of an installation has the same. Secret.
	Secret string

	// LogJSON is true for JSON lines, false for text.
	LogJSON  bool
	LogLevel slog.Level

	// DBConns bounds the pool of PostgreSQL connections of this process.
	DBConns int
	// LockTimeout bounds the wait for a row another transaction holds.
	LockTimeout time.Duration
	// StatementTimeout bounds one SQL statement.
	StatementTimeout time.Duration

	// Lease is how long a worker may be silent before its attempt ends as timed out.
	Lease time.Duration
	// Deadline is how long one attempt may take, for jobs that name none.
	Deadline time.Duration
	// Expires is how long after its charge a job may still be tried, for jobs that name none.
	Expires time.Duration
	// MaxAttempts is the budget of attempts of a generation, for jobs that name none.
	MaxAttempts int
	// BackoffBase and BackoffMax shape the delay between attempts. Base ≤ Max.
	BackoffBase, BackoffMax time.Duration
	// Jitter takes up to half of each delay away.
	Jitter bool
	// SweepInterval is how often the sweeper looks for work whose wake-up was lost.
	SweepInterval time.Duration
	// ApprovalLimit is the largest amount of credits, up or down, that one person or program grants or
	// adjusts alone.
	ApprovalLimit int64
	// ScheduleLate is how long after its time a scheduled step of a rollout is still made.
	ScheduleLate time.Duration
	// BulkLimit is how many dead letters one person puts back or discards in bulk within 24 hours.
	BulkLimit int64
	// ApprovalExpiry is how long a change request can be decided.
	ApprovalExpiry time.Duration
	// RolloutApproval is which steps of a rollout need a second person where the rollout does not say.
	RolloutApproval RolloutApproval
	// ReplayRetention is how long the rows that count replays and conflicts are kept.
	ReplayRetention time.Duration

	// ExportDirect is how many entries a file may hold that is sent at once.
	ExportDirect int64
	// ExportKeep is how long a file that was made in the background is kept.
	ExportKeep time.Duration
	// ExportStorage is how many bytes such files may take together.
	ExportStorage int64

	// TrustedProxies are the addresses whose X-Forwarded-* headers are believed; nil means none.
	TrustedProxies []netip.Prefix
	// SecureCookies marks the session cookie Secure. The default follows BaseURL's scheme.
	SecureCookies bool
	// BookTimeZone decides which day an entry belongs to in reports. Never nil after Load.
	BookTimeZone *time.Location
	// VerifyAt is the time of day in BookTimeZone at which the ledger is verified each night; below zero: never.
	VerifyAt time.Duration
	// AnchorFile is where the nightly digest of all accounts' newest entries is appended, outside the
	// database; empty for the log only.
	AnchorFile string
	// WebhookAllow are the private networks that webhooks may be sent to; nil means none.
	WebhookAllow []netip.Prefix
	// TraceURL is the address of a trace in the viewer of this installation, with {trace_id} in its place; empty for none.
	TraceURL string
	// ShutdownGrace is how long requests and tasks may take to end after a signal to stop.
	ShutdownGrace time.Duration
}

// RolloutApproval names steps of a rollout.
type RolloutApproval struct {
	Start, Complete bool
	// Above is the threshold, of 100000, above which start and advance are meant; nil: at none.
	Above *int
}

// Need names a service that a command cannot do without.
type Need int

// What a command may need. Everything else has a default.
const (
	// Database asks for DATABASE_URL.
	Database Need = iota + 1
	// Redis asks for REDIS_URL.
	Redis
	// Secret asks for RECOUP_SECRET.
	Secret
)

// Lookup finds a variable of the environment, as os.LookupEnv does.
type Lookup func(name string) (value string, found bool)

// Error lists everything that is wrong with the environment, never a secret's value.
type Error struct {
	// Faults are sentences that begin with the name of the variable; at least one.
	Faults []string
}

func (e *Error) Error() string {
	return "the environment is not valid:\n  " + strings.Join(e.Faults, "\n  ")
}

// Load reads and checks every option. It returns an *Error that names all faults at once. A variable
// that is set but empty counts as not set.
func Load(lookup Lookup, needs ...Need) (Config, error) {
	r := reader{lookup: lookup, defaults: map[string]string{}}
	for _, o := range Options() {
		r.defaults[o.Name] = o.Default
	}
	c := Config{
		DatabaseURL:      r.secret("DATABASE_URL"),
		RedisURL:         r.secret("REDIS_URL"),
		Listen:           r.address("RECOUP_LISTEN"),
		MetricsListen:    r.address("RECOUP_METRICS_LISTEN"),
		BaseURL:          r.baseURL("RECOUP_BASE_URL"),
		Secret:           r.secret("RECOUP_SECRET"),
		LogJSON:          r.choice("RECOUP_LOG_FORMAT", "json", "text") == "json",
		LogLevel:         r.level("RECOUP_LOG_LEVEL"),
		DBConns:          r.number("RECOUP_DB_CONNS", 1, 1000),
		LockTimeout:      r.duration("RECOUP_LOCK_TIMEOUT", 10*time.Millisecond, 5*time.Minute),
		StatementTimeout: r.duration("RECOUP_STATEMENT_TIMEOUT", 100*time.Millisecond, time.Hour),
		Lease:            r.duration("RECOUP_LEASE", time.Second, time.Hour),
		Deadline:         r.duration("RECOUP_DEADLINE", time.Second, 7*day),
		Expires:          r.duration("RECOUP_EXPIRES", time.Second, 365*day),
		MaxAttempts:      r.number("RECOUP_MAX_ATTEMPTS", 1, 1000),
		BackoffBase:      r.duration("RECOUP_BACKOFF_BASE", time.Second, day),
		BackoffMax:       r.duration("RECOUP_BACKOFF_MAX", time.Second, 7*day),
		Jitter:           r.boolean("RECOUP_JITTER"),
		SweepInterval:    r.duration("RECOUP_SWEEP_INTERVAL", 100*time.Millisecond, time.Minute),
		ReplayRetention:  r.duration("RECOUP_REPLAY_RETENTION", day, 3650*day),
		ApprovalLimit:    int64(r.number("RECOUP_APPROVAL_LIMIT", 0, math.MaxInt)),
		BulkLimit:        int64(r.number("RECOUP_BULK_LIMIT", 0, math.MaxInt)),
		ApprovalExpiry:   r.duration("RECOUP_APPROVAL_EXPIRY", time.Minute, 365*day),
		RolloutApproval:  r.rolloutApproval("RECOUP_ROLLOUT_APPROVAL"),
		ScheduleLate:     r.duration("RECOUP_SCHEDULE_LATE", time.Minute, 7*day),
		ExportDirect:     int64(r.number("RECOUP_EXPORT_DIRECT", 1, 1_000_000_000)),
		ExportKeep:       r.duration("RECOUP_EXPORT_KEEP", time.Minute, 90*day),
		ExportStorage:    int64(r.number("RECOUP_EXPORT_STORAGE", 1, 1<<20)) << 20,
		TrustedProxies:   r.prefixes("RECOUP_TRUSTED_PROXIES"),
		BookTimeZone:     r.zone("RECOUP_BOOK_TIME_ZONE"),
		VerifyAt:         r.timeOfDay("RECOUP_VERIFY_AT"),
		AnchorFile:       r.text("RECOUP_ANCHOR_FILE"),
		WebhookAllow:     r.prefixes("RECOUP_WEBHOOK_ALLOW"),
		TraceURL:         r.traceURL("RECOUP_TRACE_URL"),
		ShutdownGrace:    r.duration("RECOUP_SHUTDOWN_GRACE", time.Second, 10*time.Minute),
	}
	if c.BaseURL == nil {
		c.BaseURL = &url.URL{Scheme: "http", Host: reachable(c.Listen)}
	}
	c.SecureCookies = c.BaseURL.Scheme == "https"
	if _, set := r.get("RECOUP_SECURE_COOKIES"); set {
		c.SecureCookies = r.boolean("RECOUP_SECURE_COOKIES")
	}

	for _, n := range needs {
		switch {
		case n == Database && c.DatabaseURL == "":
			r.required("DATABASE_URL")
		case n == Redis && c.RedisURL == "":
			r.required("REDIS_URL")
		case n == Secret && c.Secret == "":
			r.required("RECOUP_SECRET")
		}
	}
	if c.Secret != "" && len(c.Secret) < MinSecret {
		r.fault("RECOUP_SECRET", "must have at least %d characters; `openssl rand -base64 48` makes one", MinSecret)
	}
	r.checkDatabaseURL(c.DatabaseURL)
	r.checkRedisURL(c.RedisURL)
	if c.BackoffMax > 0 && c.BackoffBase > c.BackoffMax {
		r.fault("RECOUP_BACKOFF_BASE", "must not exceed RECOUP_BACKOFF_MAX")
	}
	if c.StatementTimeout > 0 && c.LockTimeout >= c.StatementTimeout {
		r.fault("RECOUP_LOCK_TIMEOUT", "must be shorter than RECOUP_STATEMENT_TIMEOUT")
	}
	if c.Lease > 0 && c.SweepInterval > c.Lease {
		r.fault("RECOUP_SWEEP_INTERVAL", "must not exceed RECOUP_LEASE")
	}
	if c.MetricsListen != "" && c.MetricsListen == c.Listen {
		r.fault("RECOUP_METRICS_LISTEN", "must differ from RECOUP_LISTEN")
	}
	if len(r.faults) > 0 {
		return Config{}, &Error{Faults: r.faults}
	}
	return c, nil
}

// reachable turns an address to listen on into one to call: an empty or unspecified host becomes
// localhost.
func reachable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return listen
	}
	if a, err := netip.ParseAddr(host); host == "" || (err == nil && a.IsUnspecified()) {
		return net.JoinHostPort("localhost", port)
	}
	return listen
}

// MinSecret is the least length of RECOUP_SECRET, in bytes.
const MinSecret = 32

const day = 24 * time.Hour

// Unknown returns the names among environ ("NAME=value" each) that look like options of Recoup and
// are none: a misspelt option would otherwise be ignored in silence. Variables that an orchestrator
// makes for a service named recoup are left out.
func Unknown(environ []string) []string {
	known := map[string]bool{}
	for _, o := range Options() {
		known[o.Name] = true
		if o.Secret {
			known[o.Name+"_FILE"] = true
		}
	}
	var unknown []string
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, "RECOUP_") || known[name] {
			continue
		}
		if strings.HasPrefix(name, "RECOUP_PORT") || strings.HasPrefix(name, "RECOUP_SERVICE_") {
			continue
		}
		unknown = append(unknown, name)
	}
	return unknown
}

// fault notes one fault of one variable.
func (r *reader) fault(name, format string, args ...any) {
	r.faults = append(r.faults, name+" "+fmt.Sprintf(format, args...))
}
