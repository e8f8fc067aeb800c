package config

import (
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // time zones on machines that have none of their own

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
)

// reader reads variables and collects what is wrong with them. After a fault it returns zero values.
type reader struct {
	lookup   Lookup
	defaults map[string]string
	faults   []string
}

// get returns the trimmed value, else the default, and whether the variable was set.
func (r *reader) get(name string) (value string, set bool) {
	if v, found := r.lookup(name); found && strings.TrimSpace(v) != "" {
		return strings.TrimSpace(v), true
	}
	return r.defaults[name], false
}

func (r *reader) required(name string) {
	for _, f := range r.faults {
		if strings.HasPrefix(f, name+" ") || strings.HasPrefix(f, name+"_FILE ") {
			return // set, but unreadable: one fault is enough
		}
	}
	r.fault(name, "(or %s_FILE) must be set", name)
}

// secret reads NAME or the file that NAME_FILE names, without the file's last line break.
func (r *reader) secret(name string) string {
	value, set := r.get(name)
	path, byFile := r.get(name + "_FILE")
	switch {
	case set && byFile:
		r.fault(name, "and %s_FILE are both set; keep one", name)
		return ""
	case !byFile:
		return value
	}
	content, err := os.ReadFile(path)
	if err != nil {
		r.fault(name+"_FILE", "cannot be read: %v", err)
		return ""
	}
	value = strings.TrimRight(string(content), "\r\n")
	if value == "" {
		r.fault(name+"_FILE", "names an empty file")
	}
	return value
}

func (r *reader) duration(name string, low, high time.Duration) time.Duration {
	text, _ := r.get(name)
	d, err := time.ParseDuration(text)
	if err != nil {
		r.fault(name, "must be a duration such as 30s, 15m or 24h, not %q", text)
		return 0
	}
	if d < low || d > high {
		r.fault(name, "must be between %s and %s, not %s", low, high, text)
		return 0
	}
	return d
}

func (r *reader) number(name string, low, high int) int {
	text, _ := r.get(name)
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		r.fault(name, "must be a whole number between %d and %d, not %q", low, high, text)
		return 0
	}
	return n
}

func (r *reader) boolean(name string) bool {
	text, _ := r.get(name)
	switch strings.ToLower(text) {
	case "true", "1", "yes", "on":
		return true
	case "false", "0", "no", "off":
		return false
	}
	r.fault(name, "must be true or false, not %q", text)
	return false
}

// timeOfDay reads hours and minutes since midnight; below zero for off.
func (r *reader) timeOfDay(name string) time.Duration {
	text, _ := r.get(name)
	if strings.EqualFold(text, "off") {
		return -1
	}
	t, err := time.Parse("15:04", text)
	if err != nil {
		r.fault(name, "must be a time of day such as 03:00, or off, not %q", text)
		return -1
	}
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute
}

// text reads a variable as it is.
func (r *reader) text(name string) string {
	v, _ := r.get(name)
	return v
}

func (r *reader) choice(name string, allowed ...string) string {
	text, _ := r.get(name)
	if !slices.Contains(allowed, text) {
		r.fault(name, "must be %s, not %q", strings.Join(allowed, " or "), text)
	}
	return text
}

func (r *reader) level(name string) slog.Level {
	text, _ := r.get(name)
	switch strings.ToLower(text) {
	case "debug":
		return slog.LevelDebug
	case "info":
		return slog.LevelInfo
	case "warn":
		return slog.LevelWarn
	case "error":
		return slog.LevelError
	}
	r.fault(name, "must be debug, info, warn or error, not %q", text)
	return slog.LevelInfo
}

// address reads host:port. An empty host listens on every interface.
func (r *reader) address(name string) string {
	text, _ := r.get(name)
	if text == "" {
		return ""
	}
	_, port, err := net.SplitHostPort(text)
	if err != nil {
		r.fault(name, "must be host:port, not %q", text)
		return ""
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		r.fault(name, "must have a port between 0 and 65535, not %q", port)
		return ""
	}
	return text
}

func (r *reader) baseURL(name string) *url.URL {
	text, set := r.get(name)
	if !set {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.User != nil {
		r.fault(name, "must be an http or https address without a user")
		return nil
	}
	if strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		r.fault(name, "must have neither path, query nor fragment: Recoup is served at the root")
		return nil
	}
	u.Path = ""
	return u
}

func (r *reader) prefixes(name string) []netip.Prefix {
	text, set := r.get(name)
	if !set {
		return nil
	}
	var out []netip.Prefix
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		if a, err := netip.ParseAddr(part); err == nil {
			a = a.WithZone("")
			out = append(out, netip.PrefixFrom(a, a.BitLen()))
			continue
		}
		p, err := netip.ParsePrefix(part)
		if err != nil {
			r.fault(name, "must list addresses or CIDR ranges; %q is neither", part)
			continue
		}
		out = append(out, p.Masked())
	}
	return out
}

func (r *reader) zone(name string) *time.Location {
	text, _ := r.get(name)
	if strings.EqualFold(text, "local") {
		r.fault(name, "must name an IANA time zone: the zone of a machine may differ from its neighbour's")
		return nil
	}
	z, err := time.LoadLocation(text)
	if err != nil {
		r.fault(name, "must name an IANA time zone such as UTC or Asia/Tokyo, not %q", text)
		return nil
	}
	return z
}

// checkDatabaseURL refuses what pgx cannot read. pgx's message can repeat parts of the value, so it
// is not passed on.
func (r *reader) checkDatabaseURL(value string) {
	if value == "" {
		return
	}
	if _, err := pgx.ParseConfig(value); err != nil {
		r.fault("DATABASE_URL", "is not a PostgreSQL connection string such as postgres://user:password@host:5432/recoup")
	}
}

func (r *reader) checkRedisURL(value string) {
	if value == "" {
		return
	}
	u, err := url.Parse(value)
	if err != nil || !slices.Contains([]string{"redis", "rediss", "unix"}, u.Scheme) {
		r.fault("REDIS_URL", "must begin with redis://, rediss:// or unix://")
		return
	}
	if u.Scheme == "unix" && u.Path == "" {
		r.fault("REDIS_URL", "must name the path of a socket: unix:///run/redis/redis.sock")
		return
	}
	if _, err := redis.ParseURL(value); err != nil {
		r.fault("REDIS_URL", "is not a Redis address such as redis://:password@host:6379/0")
	}
}

// rolloutApproval reads steps of a rollout: start, complete, above:N.
func (r *reader) rolloutApproval(name string) (out RolloutApproval) {
	text, _ := r.get(name)
	for part := range strings.SplitSeq(text, ",") {
		step, of, _ := strings.Cut(strings.TrimSpace(part), ":")
		n, err := strconv.Atoi(of)
		switch {
		case step == "" && of == "":
		case step == "start" && of == "":
			out.Start = true
		case step == "complete" && of == "":
			out.Complete = true
		case step == "above" && err == nil && n >= 0 && n <= 100_000:
			out.Above = &n
		default:
			r.fault(name, "must list start, complete or above:N with N of 0 to 100000; %q is none of them", strings.TrimSpace(part))
		}
	}
	return out
}
