package staff

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/db"
	"recoup/models/fault"
	"recoup/models/ids"
)

// Client is where a request to sign in comes from.
type Client struct {
	// IP is the address of the person, not of a proxy. What is no IP address counts as unknown, and
	// is then not limited by network.
	IP string
	// UserAgent is kept with the session, cut to 300 bytes.
	UserAgent string
	RequestID string
}

// Session is a signed-in person.
type Session struct {
	Person     Person
	CreatedAt  time.Time
	LastSeenAt time.Time
	// ExpiresAt ends the session even while it is used. It ends earlier after SessionIdle without
	// a request.
	ExpiresAt time.Time
	IP        string
	UserAgent string
}

// SignedIn is a fresh session and its token, which exists nowhere else.
type SignedIn struct {
	Session
	Token string
}

// SessionByToken returns the session of a token and notes, at most once a minute, that it was
// used. Fault: Unauthenticated when there is none, it ended, or the person is disabled.
func (s *Service) SessionByToken(ctx context.Context, token string) (Session, error) {
	var row struct {
		Row                          personRow `gorm:"embedded"`
		Began, LastSeenAt, ExpiresAt time.Time
		IP, UserAgent                string
		Stale                        bool
	}
	r := s.db.WithContext(ctx).Raw(`SELECT `+personColumns+`, sessions.created_at AS began, sessions.last_seen_at,
			sessions.expires_at, sessions.ip, sessions.user_agent,
			sessions.last_seen_at <= clock_timestamp() - interval '1 minute' AS stale
		FROM sessions JOIN staff ON staff.id = sessions.staff_id
		WHERE sessions.token_hash = ? AND sessions.expires_at > clock_timestamp()
			AND sessions.last_seen_at > clock_timestamp() - make_interval(secs => ?) AND staff.disabled_at IS NULL`,
		digest(token), s.opts.SessionIdle.Seconds()).Scan(&row)
	if r.Error != nil {
		return Session{}, fmt.Errorf("staff: read session: %w", r.Error)
	}
	if r.RowsAffected == 0 {
		return Session{}, fault.New(fault.Unauthenticated, fault.CodeUnauthenticated, "Please sign in.")
	}
	if row.Stale {
		// The condition again: of many requests at once one writes.
		err := s.db.WithContext(ctx).Exec(`UPDATE sessions SET last_seen_at = clock_timestamp()
			WHERE token_hash = ? AND last_seen_at <= clock_timestamp() - interval '1 minute'`, digest(token)).Error
		if err != nil {
			return Session{}, fmt.Errorf("staff: touch session: %w", err)
		}
	}
	return Session{
		Person: row.Row.person(), CreatedAt: row.Began, LastSeenAt: row.LastSeenAt, ExpiresAt: row.ExpiresAt,
		IP: row.IP, UserAgent: row.UserAgent,
	}, nil
}

// SignOut ends the session of a token. A token without a session is no error.
func (s *Service) SignOut(ctx context.Context, token, requestID string) error {
	return db.InTx(ctx, s.db, func(tx *gorm.DB) error {
		var id string
		r := tx.Raw(`DELETE FROM sessions WHERE token_hash = ? RETURNING staff_id`, digest(token)).Scan(&id)
		if r.Error != nil {
			return fmt.Errorf("staff: sign out: %w", r.Error)
		}
		if id == "" {
			return nil
		}
		return By{Actor: actor.Staff(id), RequestID: requestID}.record(ctx, tx, audit.Row{Action: ActionSignOut, Object: object(id)})
	})
}

// startSession writes the session of a person whose row the caller holds, and its audit row.
func (s *Service) startSession(ctx context.Context, tx *gorm.DB, p Person, c Client, how string) (SignedIn, error) {
	in := SignedIn{Token: ids.Secret(32)}
	in.Person, in.IP, in.UserAgent = p, cleanIP(c.IP), cleanText(c.UserAgent, 300)
	var times struct{ CreatedAt, LastSeenAt, ExpiresAt time.Time }
	err := tx.Raw(`INSERT INTO sessions (token_hash, staff_id, ip, user_agent, expires_at)
		VALUES (?, ?, ?, ?, clock_timestamp() + make_interval(secs => ?)) RETURNING created_at, last_seen_at, expires_at`,
		digest(in.Token), p.ID, in.IP, in.UserAgent, s.opts.SessionLifetime.Seconds()).Scan(&times).Error
	if err != nil {
		return SignedIn{}, fmt.Errorf("staff: start session: %w", err)
	}
	in.CreatedAt, in.LastSeenAt, in.ExpiresAt = times.CreatedAt, times.LastSeenAt, times.ExpiresAt
	err = By{Actor: p.Actor(), RequestID: c.RequestID}.record(ctx, tx, audit.Row{
		Action: ActionSignIn, Object: object(p.ID), After: map[string]any{"by": how, "ip": in.IP, "user_agent": in.UserAgent},
	})
	return in, err
}

// cleanIP returns the canonical form of an IP address, or "".
func cleanIP(ip string) string {
	a, err := netip.ParseAddr(ip)
	if err != nil {
		return ""
	}
	return a.Unmap().WithZone("").String()
}

// network is what the limit counts failures of: an IPv4 address, or the /64 that one IPv6
// customer can choose addresses from; "" when the address is unknown.
func network(ip string) string {
	a, err := netip.ParseAddr(ip)
	if err != nil {
		return ""
	}
	if a = a.Unmap().WithZone(""); a.Is4() {
		return a.String()
	}
	return netip.PrefixFrom(a, 64).Masked().String()
}

// cleanText makes foreign text storable and cuts it to max bytes.
func cleanText(s string, max int) string {
	s = strings.ReplaceAll(s, "\x00", "")
	if len(s) > max {
		s = s[:max]
	}
	return strings.ToValidUTF8(s, "")
}
