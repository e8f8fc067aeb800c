package staff

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"
	"gorm.io/gorm"

	"recoup/models/audit"
	"recoup/models/fault"
)

const (
	minPasswordRunes = 12
	maxPasswordBytes = 1024
	saltBytes        = 16
	hashBytes        = 32
	// hashWait is how long a password may wait for its turn to be hashed.
	hashWait = 5 * time.Second
)

// HashParams are the parameters of argon2id. They are stored in each hash, so changing them
// affects new hashes, and old ones when their owner next signs in.
type HashParams struct {
	// MemoryKiB is the memory one hash takes, in KiB.
	MemoryKiB uint32
	// Passes is how often the memory is gone through.
	Passes uint32
	// Lanes is how many threads one hash uses.
	Lanes uint8
}

// SetPassword replaces a person's password, ends the person's sessions but for the one of
// keepToken ("" for none), and voids unused sign-in links. Faults: Invalid (password), NotFound,
// Busy when too many passwords are being hashed.
func (s *Service) SetPassword(ctx context.Context, by By, id, password, keepToken string) error {
	p, err := s.ByID(ctx, id)
	if err != nil {
		return err
	}
	if msg := checkPassword(password, p.Email); msg != "" {
		return fault.InvalidField("password", "%s", msg)
	}
	hash, err := s.hasher.hash(ctx, password)
	if err != nil {
		return err
	}
	return s.change(ctx, id, func(tx *gorm.DB, _ personRow) error {
		if err := tx.Exec(`UPDATE staff SET password_hash = ? WHERE id = ?`, hash, id).Error; err != nil {
			return fmt.Errorf("staff: password: %w", err)
		}
		if err := lockOut(tx, id, keepToken); err != nil {
			return err
		}
		return by.record(ctx, tx, audit.Row{Action: ActionPassword, Object: object(id)})
	})
}

// ChangePassword is SetPassword for one's own account: it asks for the current password too, so that
// an open screen is not enough. Wrong ones count as failures to sign in. Faults: as SetPassword
// (fields current_password, password), and Busy sign_in_throttled.
func (s *Service) ChangePassword(ctx context.Context, by By, id, current, password, keepToken string, c Client) error {
	row, err := find(ctx, s.db, `staff.id = ?`, id)
	if err != nil {
		return err
	}
	try, err := s.reserveTry(ctx, digest(foldEmail(row.Email)), c)
	if err != nil {
		return err
	}
	match, _, err := s.hasher.verify(ctx, row.PasswordHash, current)
	if err != nil {
		s.dropTry(ctx, try)
		return err
	}
	if !match {
		err := by.record(ctx, s.db, audit.Row{Action: ActionPassword, Object: object(id), Refused: true, Code: "wrong_password"})
		if err != nil {
			return err
		}
		return fault.InvalidField("current_password", "is not right")
	}
	s.dropTry(ctx, try)
	return s.SetPassword(ctx, by, id, password, keepToken)
}

// checkPassword returns what is wrong with a new password, or "".
func checkPassword(password, email string) string {
	switch {
	case !utf8.ValidString(password):
		return "must be valid text"
	case utf8.RuneCountInString(password) < minPasswordRunes:
		return fmt.Sprintf("must have at least %d characters", minPasswordRunes)
	case len(password) > maxPasswordBytes:
		return fmt.Sprintf("must have at most %d bytes", maxPasswordBytes)
	case strings.EqualFold(password, email):
		return "must not be the email address"
	}
	return ""
}

// hasher hashes passwords, a few at a time.
type hasher struct {
	params HashParams
	turns  chan struct{}
	// decoy is compared with when there is no hash, so that an unknown email takes as long as a
	// known one. Its key is random: no password matches.
	decoy string
}

func newHasher(p HashParams, atOnce int) *hasher {
	key := make([]byte, saltBytes+hashBytes)
	rand.Read(key)
	return &hasher{
		params: p,
		turns:  make(chan struct{}, atOnce),
		decoy:  encodePHC(p, key[:saltBytes], key[saltBytes:]),
	}
}

// turn waits until a hash may be computed and returns the function that ends the turn. Fault: Busy.
func (h *hasher) turn(ctx context.Context) (func(), error) {
	timer := time.NewTimer(hashWait)
	defer timer.Stop()
	select {
	case h.turns <- struct{}{}:
		return func() {
			// Else the blocks of hashes that are done pile up to the double of what is in use before
			// they are collected: measured, 80 MB more resident memory in a rush instead of 40.
			runtime.GC()
			<-h.turns
		}, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("staff: hash a password: %w", ctx.Err())
	case <-timer.C:
		f := fault.New(fault.Busy, fault.CodeBusy, "Too many people are signing in. Try again in a moment.")
		f.RetryAfter = time.Second
		return nil, f
	}
}

// hash returns the PHC string of a password. Fault: Busy.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	done, err := h.turn(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	salt := make([]byte, saltBytes)
	rand.Read(salt)
	return encodePHC(h.params, salt, derive(password, salt, h.params, hashBytes)), nil
}

// verify reports whether the password has this PHC hash, and whether the hash should be made anew
// because its parameters are not the present ones. An empty hash matches nothing and takes as
// long. Fault: Busy.
func (h *hasher) verify(ctx context.Context, phc, password string) (match, stale bool, err error) {
	if phc == "" || len(password) > maxPasswordBytes {
		phc, password = h.decoy, ""
	}
	p, salt, want, err := decodePHC(phc)
	if err != nil {
		return false, false, err
	}
	done, err := h.turn(ctx)
	if err != nil {
		return false, false, err
	}
	defer done()
	got := derive(password, salt, p, uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1, p != h.params || len(want) != hashBytes, nil
}

// derive composes characters first: keyboards differ in how they send the same accent or kana.
func derive(password string, salt []byte, p HashParams, n uint32) []byte {
	return argon2.IDKey(norm.NFC.Bytes([]byte(password)), salt, p.Passes, p.MemoryKiB, p.Lanes, n)
}

func encodePHC(p HashParams, salt, key []byte) string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.MemoryKiB, p.Passes, p.Lanes,
		b64.EncodeToString(salt), b64.EncodeToString(key))
}

// decodePHC reads what encodePHC wrote. It refuses parameters that would take the process down.
func decodePHC(s string) (p HashParams, salt, key []byte, err error) {
	fail := func(why string) (HashParams, []byte, []byte, error) {
		return HashParams{}, nil, nil, fmt.Errorf("staff: stored password hash: %s", why)
	}
	parts := strings.Split(s, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return fail("not argon2id of a known version")
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &p.MemoryKiB, &p.Passes, &p.Lanes); err != nil {
		return fail("unreadable parameters")
	}
	if p.MemoryKiB < 8 || p.MemoryKiB > 256*1024 || p.Passes < 1 || p.Passes > 32 || p.Lanes < 1 || p.Lanes > 16 {
		return fail("parameters out of bounds")
	}
	if salt, err = base64.RawStdEncoding.DecodeString(parts[4]); err != nil || len(salt) < 8 {
		return fail("unreadable salt")
	}
	if key, err = base64.RawStdEncoding.DecodeString(parts[5]); err != nil || len(key) < 16 || len(key) > 64 {
		return fail("unreadable key")
	}
	return p, salt, key, nil
}
