// Package staff knows who may do what: people with their roles, sessions and one-time links, and
// programs with their API keys. The permission tables (permission.go) are the only place where a
// role or a scope turns into a right.
//
// Every change here writes its audit row in the same transaction. Rows of the table staff are
// locked before those of sessions and links, always.
package staff

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql/driver"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/fault"
)

// Actions of this package, as the audit log names them. What a role or scope did not allow is
// named by its Permission.
const (
	ActionCreate      = "staff.create"
	ActionPassword    = "staff.password"
	ActionRole        = "staff.role"
	ActionDisable     = "staff.disable"
	ActionEnable      = "staff.enable"
	ActionLink        = "staff.link"
	ActionPreferences = "preferences.edit"
	ActionSignIn      = "session.start"
	ActionSignOut     = "session.end"
	ActionKeyCreate   = "apikey.create"
	ActionKeyRevoke   = "apikey.revoke"
)

// Codes of the faults that only this package returns.
const (
	// CodeEmailTaken: another person has this email address (Conflict).
	CodeEmailTaken = "email_taken"
	// CodeSignInThrottled: too many failures to sign in; RetryAfter says when to try again (Busy).
	CodeSignInThrottled = "sign_in_throttled"
)

// Options are the limits of a Service. Every zero value means the default that is named.
type Options struct {
	// SessionIdle ends a session that was not used for so long; 12 h.
	SessionIdle time.Duration
	// SessionLifetime ends every session, used or not; 7 days.
	SessionLifetime time.Duration
	// FailureWindow is how long a failure to sign in counts; 15 min.
	FailureWindow time.Duration
	// FailuresPerEmail is how many failures a window allows one email address; 10.
	FailuresPerEmail int
	// FailuresPerNetwork is how many failures a window allows one IP address (of IPv6: one /64);
	// 30, more than for an email because an office shares an address.
	FailuresPerNetwork int
	// KeyCacheTTL is how long a process trusts an API key that it looked up: a revocation by
	// another process takes effect within this time; 5 s.
	KeyCacheTTL time.Duration
	// KeyCacheSize bounds how many keys a process remembers; 1,024.
	KeyCacheSize int
	// Hash are the parameters of new password hashes; 19 MiB, 2 passes, 1 lane.
	Hash HashParams
	// HashesAtOnce bounds how many passwords are hashed at the same time, and with it the memory
	// that a rush of sign-ins can take; 2.
	HashesAtOnce int
}

func (o Options) withDefaults() Options {
	durations := []struct {
		at       *time.Duration
		fallback time.Duration
	}{
		{&o.SessionIdle, 12 * time.Hour}, {&o.SessionLifetime, 7 * 24 * time.Hour},
		{&o.FailureWindow, 15 * time.Minute}, {&o.KeyCacheTTL, 5 * time.Second},
	}
	for _, d := range durations {
		if *d.at <= 0 {
			*d.at = d.fallback
		}
	}
	numbers := []struct {
		at       *int
		fallback int
	}{
		{&o.FailuresPerEmail, 10}, {&o.FailuresPerNetwork, 30}, {&o.KeyCacheSize, 1024}, {&o.HashesAtOnce, 2},
	}
	for _, n := range numbers {
		if *n.at <= 0 {
			*n.at = n.fallback
		}
	}
	if o.Hash == (HashParams{}) {
		o.Hash = HashParams{MemoryKiB: 19 * 1024, Passes: 2, Lanes: 1}
	}
	return o
}

// Service keeps people, sessions and API keys. It is safe for concurrent use; make one a process.
type Service struct {
	db     *gorm.DB
	opts   Options
	hasher *hasher
	keys   *keyCache
}

// New makes a Service over a migrated database.
func New(db *gorm.DB, o Options) *Service {
	o = o.withDefaults()
	return &Service{
		db:     db,
		opts:   o,
		hasher: newHasher(o.Hash, o.HashesAtOnce),
		keys:   newKeyCache(o.KeyCacheTTL, o.KeyCacheSize),
	}
}

// By says who asks for a change and how the audit log finds the request again.
type By struct {
	Actor       actor.Actor
	OperationID string
	RequestID   string
	// TraceID is the 16 bytes of the W3C trace id, or nil.
	TraceID []byte
}

// record appends an audit row that carries b's names.
func (b By) record(ctx context.Context, tx *gorm.DB, r audit.Row) error {
	r.Actor, r.OperationID, r.RequestID, r.TraceID = b.Actor, b.OperationID, b.RequestID, b.TraceID
	return audit.Record(ctx, tx, r)
}

// Principal is whoever sends a request: a Person or a Key.
type Principal interface {
	// Actor is the name under which the principal's changes are kept.
	Actor() actor.Actor
	// Allows reports whether the principal has the permission.
	Allows(p Permission) bool
}

// Require returns nil when who has the permission. Otherwise it records the refusal and returns a
// Forbidden fault that names the permission.
func (s *Service) Require(ctx context.Context, who Principal, p Permission, object, requestID string) error {
	if who.Allows(p) {
		return nil
	}
	if err := s.RecordRefusal(ctx, who.Actor(), p, object, requestID); err != nil {
		return err
	}
	return Forbidden(p)
}

// Forbidden is the refusal of an actor who lacks p.
func Forbidden(p Permission) *fault.Error {
	return fault.New(fault.Forbidden, fault.CodeForbidden, "You do not have the permission %s.", p).With("permission", string(p))
}

// RecordRefusal appends an audit row: a lacked the permission p that something on object needs.
func (s *Service) RecordRefusal(ctx context.Context, a actor.Actor, p Permission, object, requestID string) error {
	return By{Actor: a, RequestID: requestID}.record(ctx, s.db, audit.Row{
		Action: string(p), Object: object, Refused: true, Code: fault.CodeForbidden,
	})
}

// DeleteExpired removes sessions, links and failures that no longer mean anything and returns how
// many rows went. Nothing depends on it but the size of the tables.
func (s *Service) DeleteExpired(ctx context.Context) (int64, error) {
	var n int64
	for _, q := range []struct {
		sql string
		arg float64
	}{
		{`DELETE FROM sessions WHERE expires_at <= clock_timestamp()
			OR last_seen_at <= clock_timestamp() - make_interval(secs => ?)`, s.opts.SessionIdle.Seconds()},
		// A used or late link is kept for a while so that a second use is recognised and audited.
		{`DELETE FROM sign_in_links WHERE expires_at <= clock_timestamp() - make_interval(secs => ?)`, (30 * 24 * time.Hour).Seconds()},
		{`DELETE FROM sign_in_failures WHERE at <= clock_timestamp() - make_interval(secs => ?)`, s.opts.FailureWindow.Seconds()},
	} {
		r := s.db.WithContext(ctx).Exec(q.sql, q.arg)
		if r.Error != nil {
			return n, fmt.Errorf("staff: delete what expired: %w", r.Error)
		}
		n += r.RowsAffected
	}
	return n, nil
}

// randomName returns 16 random lower-case letters and digits (80 bits).
func randomName() string { return strings.ToLower(rand.Text())[:16] }

// digest is the SHA-256 under which a token is stored.
func digest(token string) sum {
	d := sha256.Sum256([]byte(token))
	return d[:]
}

// sum is a digest on its way to the database. As a plain []byte GORM would spread it into single
// bytes wherever its placeholder follows an opening parenthesis.
type sum []byte

// Value implements driver.Valuer.
func (s sum) Value() (driver.Value, error) { return []byte(s), nil }
