package config

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Option is one line of the table of options.
type Option struct {
	Name string
	// Default is what an unset variable means; empty where there is none.
	Default string
	Meaning string
	// Secret is true when the value must stay out of logs; NAME_FILE is then read as well.
	Secret bool
}

// Options returns every option in the order in which help prints them.
func Options() []Option {
	return []Option{
		{"DATABASE_URL", "", "PostgreSQL, postgres://user:password@host/name; add default_query_exec_mode=exec for PgBouncer in transaction mode", true},
		{"REDIS_URL", "", "Redis for wake-up calls: redis://, rediss:// or unix://; PostgreSQL stays the truth", true},
		{"RECOUP_LISTEN", "127.0.0.1:8080", "address of the HTTP server", false},
		{"RECOUP_BASE_URL", "", "address at which browsers and callers reach this installation; http://RECOUP_LISTEN when not set", false},
		{"RECOUP_SECRET", "", "at least 32 characters, the same in every process; derives lease tokens", true},
		{"RECOUP_LOG_FORMAT", "json", "json or text", false},
		{"RECOUP_LOG_LEVEL", "info", "debug, info, warn or error", false},
		{"RECOUP_METRICS_LISTEN", "", "an address of its own for /metrics; served on RECOUP_LISTEN when not set", false},
		{"RECOUP_DB_CONNS", "16", "PostgreSQL connections of this process, at most", false},
		{"RECOUP_LOCK_TIMEOUT", "10s", "longest wait for a row that another transaction holds", false},
		{"RECOUP_STATEMENT_TIMEOUT", "60s", "longest time of one SQL statement", false},
		{"RECOUP_LEASE", "30s", "silence of a worker after which its attempt ends as timed out", false},
		{"RECOUP_DEADLINE", "15m", "longest time of one attempt, for jobs that name none", false},
		{"RECOUP_EXPIRES", "24h", "time after its charge in which a job may be tried, for jobs that name none", false},
		{"RECOUP_MAX_ATTEMPTS", "5", "attempts of one generation of a job, for jobs that name none", false},
		{"RECOUP_BACKOFF_BASE", "10s", "delay after attempt n is min(base · 2^n, max)", false},
		{"RECOUP_BACKOFF_MAX", "600s", "longest delay between two attempts", false},
		{"RECOUP_JITTER", "true", "take up to half of each delay away", false},
		{"RECOUP_SWEEP_INTERVAL", "1s", "how often to look for work whose wake-up was lost", false},
		{"RECOUP_REPLAY_RETENTION", "2160h", "how long rows that count replays and conflicts are kept; operations are kept for ever", false},
		{"RECOUP_APPROVAL_LIMIT", "100000", "credits, up or down, that one person or program grants or adjusts alone on one account within a day; above it a second person has to approve", false},
		{"RECOUP_BULK_LIMIT", "1000", "dead letters that one person puts back or discards in bulk within 24 hours; above it a second person has to approve", false},
		{"RECOUP_APPROVAL_EXPIRY", "168h", "time in which a change request can be decided; after it nobody can approve it any more", false},
		{"RECOUP_ROLLOUT_APPROVAL", "", "steps of new rollouts that need a second person unless the rollout says otherwise, comma separated: start, complete, above:N for start and advance to a threshold above N of 100000", false},
		{"RECOUP_SCHEDULE_LATE", "1h", "how long after its time a scheduled step of a rollout is still made; later it is cancelled and its followers are told", false},
		{"RECOUP_EXPORT_DIRECT", "100000", "most entries of a file that is sent at once; larger ones are made in the background", false},
		{"RECOUP_EXPORT_KEEP", "24h", "how long a file that was made in the background is kept", false},
		{"RECOUP_EXPORT_STORAGE", "4096", "room in the database for files that are kept, in MiB", false},
		{"RECOUP_TRUSTED_PROXIES", "", "addresses or CIDR ranges, comma separated, whose X-Forwarded-For and X-Forwarded-Proto are believed", false},
		{"RECOUP_SECURE_COOKIES", "", "true: cookies over HTTPS only; follows RECOUP_BASE_URL when not set", false},
		{"RECOUP_BOOK_TIME_ZONE", "UTC", "IANA time zone that decides the day of an entry in reports", false},
		{"RECOUP_VERIFY_AT", "03:00", "time of day in RECOUP_BOOK_TIME_ZONE at which work verifies the whole ledger each night; off for never", false},
		{"RECOUP_ANCHOR_FILE", "", "file to which work appends the nightly digest of all accounts' newest entries; keep it where nobody who can change the database can change it", false},
		{"RECOUP_WEBHOOK_ALLOW", "", "CIDR ranges, comma separated, of private addresses that webhooks may be sent to; public ones always may", false},
		{"RECOUP_TRACE_URL", "", "address of a trace in your trace viewer, with {trace_id} in its place; the console's trace ids are links to it", false},
		{"RECOUP_SHUTDOWN_GRACE", "25s", "time that running requests and tasks get after a signal to stop", false},
		{"RECOUP_PG_BIN", "", "directory of PostgreSQL's programs, for dev and tests", false},
		{"RECOUP_REDIS_BIN", "", "redis-server to run, for dev and tests", false},
		{"RECOUP_REQUIRE_BROWSER", "", "1: tests that need Chromium or hledger fail where it is missing, instead of being skipped", false},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "", "OTLP/HTTP collector for traces; trace ids are made and kept without one as well", false},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "", "the same, for traces alone", false},
		{"OTEL_TRACES_SAMPLER", "parentbased_always_on", "which traces are exported", false},
		{"OTEL_SERVICE_NAME", "recoup", "service.name of traces and metrics", false},
		{"OTEL_RESOURCE_ATTRIBUTES", "", "further attributes of this process, key=value, comma separated", false},
	}
}

// Help returns the table of options as text for a terminal.
func Help() string {
	var b strings.Builder
	b.WriteString("Options are read from the environment. A secret (*) may be given as NAME_FILE, a path, instead.\n\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tDEFAULT\tMEANING")
	for _, o := range Options() {
		name, value := o.Name, o.Default
		if o.Secret {
			name += " *"
		}
		if value == "" {
			value = "–"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", name, value, o.Meaning)
	}
	w.Flush() //nolint:errcheck // a strings.Builder does not fail
	return b.String()
}
