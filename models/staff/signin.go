package staff

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"recoup/models/actor"
	"recoup/models/audit"
	"recoup/models/db"
	"recoup/models/fault"
)

// SignIn starts a session for who knows the password. Faults: Unauthenticated, with the same
// message and after the same work whether the email is unknown, the password wrong or the person
// disabled (the audit log has the reason); Busy sign_in_throttled after too many failures for the
// email or from the network; Busy when too many passwords are being hashed.
//
// Who fails on purpose can so keep somebody from signing in by password for a while; a sign-in link
// is not limited.
func (s *Service) SignIn(ctx context.Context, email, password string, c Client) (SignedIn, error) {
	emailHash := digest(foldEmail(email))
	try, err := s.reserveTry(ctx, emailHash, c)
	if err != nil {
		return SignedIn{}, err
	}
	row, err := find(ctx, s.db, `lower(staff.email) = ?`, foldEmail(email))
	known := err == nil
	if err != nil && fault.As(err) == nil {
		s.dropTry(ctx, try)
		return SignedIn{}, err
	}
	match, stale, err := s.hasher.verify(ctx, row.PasswordHash, password)
	if err != nil { // not the person's failure
		s.dropTry(ctx, try)
		return SignedIn{}, err
	}
	refusal := ""
	switch {
	case !known:
		refusal = "unknown_email"
	case !match:
		refusal = "wrong_password"
	case row.DisabledAt != nil:
		refusal = "disabled"
	}
	if refusal != "" {
		if err := s.recordSignInRefusal(ctx, row.ID, refusal, c); err != nil {
			return SignedIn{}, err
		}
		return SignedIn{}, badCredentials()
	}

	newHash := ""
	if stale {
		if newHash, err = s.hasher.hash(ctx, password); err != nil {
			s.dropTry(ctx, try)
			return SignedIn{}, err
		}
	}
	var in SignedIn
	err = db.InTx(ctx, s.db, func(tx *gorm.DB) error {
		// The person as the password was checked: a new password or a disabling that came between
		// has ended all sessions and must not be followed by this one.
		var found string
		err := tx.Raw(`SELECT id FROM staff WHERE id = ? AND password_hash = ? AND disabled_at IS NULL FOR NO KEY UPDATE`,
			row.ID, row.PasswordHash).Scan(&found).Error
		if err != nil {
			return fmt.Errorf("staff: sign in: %w", err)
		}
		if found == "" {
			return badCredentials()
		}
		if newHash != "" {
			if err := tx.Exec(`UPDATE staff SET password_hash = ? WHERE id = ?`, newHash, row.ID).Error; err != nil {
				return fmt.Errorf("staff: rehash: %w", err)
			}
		}
		// The right password clears the email's failures; the network's other failures stay.
		if err := tx.Exec(`DELETE FROM sign_in_failures WHERE email_hash = ?`, emailHash).Error; err != nil {
			return fmt.Errorf("staff: sign in: %w", err)
		}
		in, err = s.startSession(ctx, tx, row.person(), c, "password")
		return err
	})
	if err != nil {
		return SignedIn{}, err
	}
	return in, nil
}

// recordSignInRefusal records why a sign-in was refused. id is the person whose email was given, ""
// when unknown. The actor is the system: nobody proved to be the person. The email itself is not
// recorded, because people type passwords into that field.
func (s *Service) recordSignInRefusal(ctx context.Context, id, code string, c Client) error {
	if id == "" {
		id = "unknown"
	}
	return By{Actor: actor.System(), RequestID: c.RequestID}.record(ctx, s.db, audit.Row{
		Action: ActionSignIn, Object: object(id), Refused: true, Code: code,
		After: map[string]any{"ip": cleanIP(c.IP), "user_agent": cleanText(c.UserAgent, 300)},
	})
}

func badCredentials() error {
	return fault.New(fault.Unauthenticated, fault.CodeUnauthenticated, "Email or password is not right.")
}
