package staff

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"recoup/models/audit"
	"recoup/models/fault"
	"recoup/models/ids"
)

// maxLinkLifetime bounds how long a sign-in link can be good for.
const maxLinkLifetime = 24 * time.Hour

// SignInLink makes a token that signs a person in once, within ttl (more than zero, at most 24 h).
// It is how a person without a password comes in, and how development does. Faults: Invalid
// (ttl), NotFound, Conflict when the person is disabled.
func (s *Service) SignInLink(ctx context.Context, by By, id string, ttl time.Duration) (token string, err error) {
	if ttl <= 0 || ttl > maxLinkLifetime {
		return "", fault.InvalidField("ttl", "must be more than zero and at most %s", maxLinkLifetime)
	}
	token = ids.Secret(32)
	err = s.change(ctx, id, func(tx *gorm.DB, p personRow) error {
		if p.DisabledAt != nil {
			return fault.State("disabled", "This person is disabled.")
		}
		err := tx.Exec(`INSERT INTO sign_in_links (token_hash, staff_id, created_by, expires_at)
			VALUES (?, ?, ?, clock_timestamp() + make_interval(secs => ?))`,
			digest(token), id, by.Actor.String(), ttl.Seconds()).Error
		if err != nil {
			return fmt.Errorf("staff: make link: %w", err)
		}
		return by.record(ctx, tx, audit.Row{Action: ActionLink, Object: object(id), After: map[string]any{"seconds": int64(ttl.Seconds())}})
	})
	if err != nil {
		return "", err
	}
	return token, nil
}

// ConsumeLink starts a session for the token of a sign-in link; of several at once one wins. Call
// it on POST only: mail scanners follow links. Fault: Unauthenticated when the token is unknown,
// used or too old, or the person is disabled; when the token was real, the refusal is audited.
func (s *Service) ConsumeLink(ctx context.Context, token string, c Client) (SignedIn, error) {
	refused := fault.New(fault.Unauthenticated, fault.CodeUnauthenticated, "This sign-in link was used, is too old, or never existed. Ask for a new one.")
	var id string
	err := s.db.WithContext(ctx).Raw(`SELECT staff_id FROM sign_in_links WHERE token_hash = ?`, digest(token)).Scan(&id).Error
	if err != nil {
		return SignedIn{}, fmt.Errorf("staff: read link: %w", err)
	}
	if id == "" {
		return SignedIn{}, refused
	}
	var in SignedIn
	err = s.change(ctx, id, func(tx *gorm.DB, p personRow) error {
		if p.DisabledAt != nil {
			return refused
		}
		r := tx.Exec(`UPDATE sign_in_links SET used_at = clock_timestamp()
			WHERE token_hash = ? AND used_at IS NULL AND expires_at > clock_timestamp()`, digest(token))
		if r.Error != nil {
			return fmt.Errorf("staff: use link: %w", r.Error)
		}
		if r.RowsAffected == 0 {
			return refused
		}
		in, err = s.startSession(ctx, tx, p.person(), c, "link")
		return err
	})
	if fault.Is(err, fault.CodeUnauthenticated) {
		if err := s.recordSignInRefusal(ctx, id, "link_not_valid", c); err != nil {
			return SignedIn{}, err
		}
	}
	if err != nil {
		return SignedIn{}, err
	}
	return in, nil
}
