package config

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func env(pairs ...string) Lookup {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) (string, bool) { v, ok := m[name]; return v, ok }
}

func TestDefaults(t *testing.T) {
	c, err := Load(env())
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != "127.0.0.1:8080" || c.BaseURL.String() != "http://127.0.0.1:8080" || c.SecureCookies ||
		!c.LogJSON || c.LogLevel != slog.LevelInfo || c.DBConns != 16 || c.MetricsListen != "" {
		t.Errorf("server defaults: %+v", c)
	}
	if c.Lease != 30*time.Second || c.Deadline != 15*time.Minute || c.Expires != 24*time.Hour || c.MaxAttempts != 5 ||
		c.BackoffBase != 10*time.Second || c.BackoffMax != 600*time.Second || !c.Jitter || c.SweepInterval != time.Second {
		t.Errorf("retry defaults: %+v", c)
	}
	if c.BookTimeZone != time.UTC || c.TrustedProxies != nil {
		t.Errorf("zone %v, proxies %v", c.BookTimeZone, c.TrustedProxies)
	}
}

func TestEverythingSet(t *testing.T) {
	c, err := Load(env(
		"DATABASE_URL", "postgres://u:p@db/recoup", "REDIS_URL", "rediss://:p@redis:6380/2",
		"RECOUP_SECRET", strings.Repeat("s", 32), "RECOUP_LISTEN", ":9000", "RECOUP_BASE_URL", "https://recoup.example/",
		"RECOUP_LOG_FORMAT", "text", "RECOUP_LOG_LEVEL", "DEBUG", "RECOUP_TRUSTED_PROXIES", "10.0.0.0/8, 192.0.2.7,::1",
		"RECOUP_BOOK_TIME_ZONE", "Asia/Kathmandu", "RECOUP_JITTER", "off",
	), Database, Redis, Secret)
	if err != nil {
		t.Fatal(err)
	}
	if c.BaseURL.String() != "https://recoup.example" || !c.SecureCookies || c.LogJSON || c.LogLevel != slog.LevelDebug || c.Jitter {
		t.Errorf("%+v", c)
	}
	var got []string
	for _, p := range c.TrustedProxies {
		got = append(got, p.String())
	}
	if want := []string{"10.0.0.0/8", "192.0.2.7/32", "::1/128"}; !slices.Equal(got, want) {
		t.Errorf("proxies %v, want %v", got, want)
	}
	if c.BookTimeZone.String() != "Asia/Kathmandu" {
		t.Errorf("zone %v", c.BookTimeZone)
	}
}

func TestSecureCookiesCanBeOverridden(t *testing.T) {
	c, err := Load(env("RECOUP_BASE_URL", "https://recoup.example", "RECOUP_SECURE_COOKIES", "false"))
	if err != nil || c.SecureCookies {
		t.Errorf("secure %v, %v", c.SecureCookies, err)
	}
}

func TestBaseURLFollowsListen(t *testing.T) {
	for listen, want := range map[string]string{
		":9000": "http://localhost:9000", "0.0.0.0:9000": "http://localhost:9000", "[::]:9000": "http://localhost:9000",
		"[::1]:9000": "http://[::1]:9000", "10.1.2.3:80": "http://10.1.2.3:80",
	} {
		c, err := Load(env("RECOUP_LISTEN", listen))
		if err != nil || c.BaseURL.String() != want {
			t.Errorf("%s: %v, %v, want %s", listen, c.BaseURL, err, want)
		}
	}
}

func TestAllFaultsAtOnce(t *testing.T) {
	_, err := Load(env("RECOUP_LEASE", "0s", "RECOUP_DB_CONNS", "many", "RECOUP_LISTEN", "8080", "RECOUP_JITTER", "perhaps"), Database, Secret)
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v", err)
	}
	for _, name := range []string{"RECOUP_LEASE", "RECOUP_DB_CONNS", "RECOUP_LISTEN", "RECOUP_JITTER", "DATABASE_URL", "RECOUP_SECRET"} {
		if !slices.ContainsFunc(e.Faults, func(f string) bool { return strings.HasPrefix(f, name+" ") }) {
			t.Errorf("no fault for %s in %q", name, e.Faults)
		}
	}
	if len(e.Faults) != 6 {
		t.Errorf("want 6 faults, got %q", e.Faults)
	}
}

func TestRefused(t *testing.T) {
	for _, c := range [][2]string{
		{"RECOUP_LEASE", "-5s"}, {"RECOUP_LEASE", "30"}, {"RECOUP_LEASE", "2h"}, {"RECOUP_DEADLINE", "1ms"},
		{"RECOUP_BACKOFF_BASE", "11m"}, {"RECOUP_MAX_ATTEMPTS", "0"}, {"RECOUP_MAX_ATTEMPTS", "1.0"},
		{"RECOUP_LOCK_TIMEOUT", "60s"}, {"RECOUP_SWEEP_INTERVAL", "45s"}, {"RECOUP_METRICS_LISTEN", "127.0.0.1:8080"},
		{"RECOUP_LISTEN", "localhost:http"}, {"RECOUP_LISTEN", ":70000"},
		{"RECOUP_BASE_URL", "ftp://x"}, {"RECOUP_BASE_URL", "https://x/recoup"}, {"RECOUP_BASE_URL", "https://u:p@x"}, {"RECOUP_BASE_URL", "//x"},
		{"RECOUP_TRUSTED_PROXIES", "10.0.0.0/33"}, {"RECOUP_TRUSTED_PROXIES", "proxy.local"},
		{"RECOUP_BOOK_TIME_ZONE", "Local"}, {"RECOUP_BOOK_TIME_ZONE", "Mars/Olympus"},
		{"RECOUP_SECRET", "short"}, {"RECOUP_LOG_FORMAT", "xml"}, {"RECOUP_LOG_LEVEL", "loud"},
		{"REDIS_URL", "localhost:6379"}, {"REDIS_URL", "http://x"}, {"REDIS_URL", "unix://"}, {"REDIS_URL", "redis://x/notanumber"},
		{"DATABASE_URL", "mysql://x"},
	} {
		if _, err := Load(env(c[0], c[1])); err == nil || !strings.Contains(err.Error(), c[0]) {
			t.Errorf("%s=%s: %v", c[0], c[1], err)
		}
	}
}

func TestRedisForms(t *testing.T) {
	for _, u := range []string{"redis://localhost:6379/0", "rediss://user:pw@host:6380", "unix:///run/redis.sock?db=1"} {
		if _, err := Load(env("REDIS_URL", u), Redis); err != nil {
			t.Errorf("%s: %v", u, err)
		}
	}
}

func TestSecretsFromFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "secret")
	long := strings.Repeat("k", 40)
	if err := os.WriteFile(path, []byte(long+"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(env("RECOUP_SECRET_FILE", path), Secret)
	if err != nil || c.Secret != long {
		t.Errorf("secret %q, %v", c.Secret, err)
	}
	if _, err := Load(env("RECOUP_SECRET_FILE", path, "RECOUP_SECRET", long)); err == nil {
		t.Error("both the variable and its file were accepted")
	}
	_, err = Load(env("DATABASE_URL_FILE", filepath.Join(dir, "missing")), Database)
	var e *Error
	if !errors.As(err, &e) || len(e.Faults) != 1 || !strings.HasPrefix(e.Faults[0], "DATABASE_URL_FILE ") {
		t.Errorf("missing file: %v", err)
	}
}

func TestFaultsNeverRepeatASecret(t *testing.T) {
	_, err := Load(env("DATABASE_URL", "postgres://u:hunter2@h:port/x", "REDIS_URL", "redis://:hunter2@h/zz", "RECOUP_SECRET", "hunter2"))
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
}

// Every variable that Load reads is in the table, and the table names nothing that nobody reads.
func TestTableIsComplete(t *testing.T) {
	asked := map[string]bool{}
	if _, err := Load(func(name string) (string, bool) { asked[name] = true; return "", false }); err != nil {
		t.Fatal(err)
	}
	elsewhere := regexp.MustCompile(`^(OTEL_.*|RECOUP_PG_BIN|RECOUP_REDIS_BIN|RECOUP_REQUIRE_BROWSER)$`)
	for _, o := range Options() {
		if !asked[o.Name] && !elsewhere.MatchString(o.Name) {
			t.Errorf("%s is documented and never read", o.Name)
		}
		if o.Secret && !asked[o.Name+"_FILE"] {
			t.Errorf("%s_FILE is never read", o.Name)
		}
		delete(asked, o.Name)
		delete(asked, o.Name+"_FILE")
		if o.Meaning == "" || !strings.Contains(Help(), o.Meaning) {
			t.Errorf("%s: its meaning is not in the help", o.Name)
		}
	}
	for name := range asked {
		t.Errorf("%s is read and not documented", name)
	}
}

func TestUnknown(t *testing.T) {
	got := Unknown([]string{"RECOUP_LEASES=3s", "RECOUP_LEASE=3s", "PATH=/bin", "RECOUP_SECRET_FILE=/x",
		"RECOUP_LEASE_FILE=/x", "RECOUP_SERVICE_HOST=10.0.0.1", "RECOUP_PORT=tcp://10.0.0.1:80"})
	if want := []string{"RECOUP_LEASES", "RECOUP_LEASE_FILE"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
